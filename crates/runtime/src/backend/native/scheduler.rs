//! The schedulers in the kernel that decide by themselves, as a run uses them.

use crate::machine::sys::{self, Tid};
use crate::record::kernel_scheduler::{NativeCounts, QuantaCounts};
use schedlab_model::{Duration, NextJob};
use schedlab_scx::{ClusterScheduler, Outside, QuantumScheduler, QuantumShare, SchedulerEnd, TaskPlan};
use std::io;

/// A scheduler in the kernel that decides by itself, with what it has to know of each task.
#[derive(Debug)]
pub(crate) enum NativeScheduler {
    /// By priority points, on clusters.
    Clustered {
        scheduler: ClusterScheduler,
        plans: Vec<TaskPlan>,
        /// By cluster: its processors of the machine.
        clusters: Vec<Vec<usize>>,
    },
    /// By quanta.
    Quanta {
        scheduler: QuantumScheduler,
        shares: Vec<QuantumShare>,
        /// Its processors of the machine.
        processors: Vec<usize>,
    },
}

/// Calls a method that both schedulers have.
macro_rules! either {
    ($self:expr, $scheduler:ident => $answer:expr) => {
        match $self {
            NativeScheduler::Clustered { scheduler: $scheduler, .. } => $answer,
            NativeScheduler::Quanta { scheduler: $scheduler, .. } => $answer,
        }
    };
}

impl NativeScheduler {
    /// Number of tasks.
    pub(crate) fn tasks(&self) -> usize {
        match self {
            NativeScheduler::Clustered { plans, .. } => plans.len(),
            NativeScheduler::Quanta { shares, .. } => shares.len(),
        }
    }

    /// True if jobs may be in non-preemptive sections.
    pub(crate) fn has_sections(&self) -> bool {
        match self {
            NativeScheduler::Clustered { .. } => true,
            NativeScheduler::Quanta { .. } => false,
        }
    }

    /// True if a thread has to know its next job but one.
    pub(crate) fn looks_ahead(&self) -> bool {
        match self {
            NativeScheduler::Clustered { .. } => false,
            NativeScheduler::Quanta { .. } => true,
        }
    }

    /// Hands the thread of the task of this index over.
    pub(crate) fn adopt(&self, thread: Tid, index: u32) -> io::Result<()> {
        let task = index as usize - 1;
        match self {
            NativeScheduler::Clustered { scheduler, plans, clusters } => {
                let plan = &plans[task];
                sys::allow_processors(thread, &clusters[plan.cluster as usize])?;
                scheduler.adopt(thread, index, plan)
            }
            NativeScheduler::Quanta { scheduler, shares, processors } => {
                sys::allow_processors(thread, processors)?;
                scheduler.adopt(thread, index, &shares[task])
            }
        }
    }

    /// States the run's time zero, by the monotonic clock in ns.
    pub(crate) fn start_at(&self, zero: u64) {
        either!(self, scheduler => scheduler.start_at(zero));
    }

    /// Says that the job before is complete, and that job `number` (from 1 on) follows; `after` is the one after that.
    pub(crate) fn publish(&self, index: u32, number: u32, job: NextJob, after: Option<NextJob>) {
        let times = |job: NextJob| (job.arrival.as_ns(), job.release.as_ns());
        match self {
            NativeScheduler::Clustered { scheduler, .. } => {
                let (arrival, release) = times(job);
                scheduler.publish(index, number, arrival, release);
            }
            NativeScheduler::Quanta { scheduler, .. } => {
                scheduler.publish(index, number, times(job), after.map(times));
            }
        }
    }

    /// When the job that was published may begin, by the monotonic clock in ns.
    pub(crate) fn due(&self, index: u32) -> u64 {
        either!(self, scheduler => scheduler.due(index))
    }

    /// True if the job that was published has begun.
    pub(crate) fn has_begun(&self, index: u32) -> bool {
        either!(self, scheduler => scheduler.has_begun(index))
    }

    /// Says that job `number` is complete, and that no other follows.
    pub(crate) fn leave(&self, index: u32, number: u32) {
        either!(self, scheduler => scheduler.leave(index, number));
    }

    /// The thread of `index`, which calls this, does not give way from now on.
    pub(crate) fn enter_section(&self, index: u32) {
        match self {
            NativeScheduler::Clustered { scheduler, .. } => scheduler.enter_section(index),
            NativeScheduler::Quanta { .. } => {}
        }
    }

    /// The thread of `index`, which calls this, gives way again.
    pub(crate) fn leave_section(&self, index: u32) {
        match self {
            NativeScheduler::Clustered { scheduler, .. } => scheduler.leave_section(index),
            NativeScheduler::Quanta { .. } => {}
        }
    }

    /// What threads outside of the scenario had on `processor` of the machine.
    pub(crate) fn outside(&self, processor: u32) -> Outside {
        either!(self, scheduler => scheduler.outside(processor))
    }

    /// What these processors of the machine decided.
    pub(crate) fn counts(&self, processors: &[usize]) -> NativeCounts {
        let lost_records = either!(self, scheduler => scheduler.lost_records());
        let mut quanta = QuantaCounts::default();
        let mut counts = NativeCounts { lost_records, ..NativeCounts::default() };
        for processor in processors.iter().map(|processor| *processor as u32) {
            let tally = either!(self, scheduler => scheduler.tally(processor));
            counts.kicks += tally.kicks;
            counts.needless_kicks += tally.needless;
            if let NativeScheduler::Quanta { scheduler, .. } = self {
                let late = scheduler.lateness(processor);
                quanta.missed += late.missed;
                counts.late_stops += late.moved_back;
                counts.late_starts += late.moved_on;
                counts.longest_move = counts.longest_move.max(Duration::from_ns(late.longest_move));
                quanta.longest_stop = quanta.longest_stop.max(Duration::from_ns(late.longest_stop));
            }
        }
        counts.quanta = self.looks_ahead().then_some(quanta);
        counts
    }

    /// The end that the kernel reports: none while it schedules.
    pub(crate) fn ending(&self) -> Option<SchedulerEnd> {
        either!(self, scheduler => scheduler.ending())
    }

    /// Has the scheduler taken out of the kernel, without waiting for that.
    pub(crate) fn let_go(&self) {
        either!(self, scheduler => scheduler.let_go());
    }

    /// Takes the scheduler out of the kernel and returns the end that the kernel reports.
    pub(crate) fn unload(&self) -> Option<SchedulerEnd> {
        either!(self, scheduler => scheduler.unload())
    }
}
