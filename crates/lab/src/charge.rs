//! The overheads that the machine takes from tasks, charged to their costs for analysis. Only this file makes an
//! [`Accounting`] of overheads, for scenarios and batches.

use schedlab_analysis::overheads::jlfp::{self, Accounting, NotInflated};
use schedlab_analysis::overheads::pfair::{self, Continuity};
use schedlab_model::{Duration, Overheads, Statistic, Task};

/// The overheads of a machine under a scheduler.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    whole: Overheads,
    /// Overheads of jobs that nothing takes off their processor; `None` if the scheduler is preemptive.
    unpreempted: Option<Overheads>,
}

impl Taken {
    /// Makes the overheads `whole` of a scheduler that is preemptive, or not.
    pub(crate) fn new(whole: Overheads, is_preemptive: bool) -> Taken {
        let unpreempted = (!is_preemptive).then(|| jlfp::without_reloads(&whole));
        Taken { whole, unpreempted }
    }

    /// Returns the overheads of `tasks`: without reloading caches, if no job of theirs ever leaves its processor.
    pub(crate) fn by(&self, tasks: &[Task]) -> &Overheads {
        self.unpreempted.as_ref().filter(|_| jlfp::never_leave(tasks)).unwrap_or(&self.whole)
    }
}

/// The way in which overheads enter the costs of jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charging {
    /// By job, under schedulers of fixed job priorities.
    Jobs,
    /// By slot, under Pfair schedulers.
    Pfair(Continuity),
    /// By slot as published, which is no promise ([`pfair::published`]).
    PfairAsPublished,
}

/// Processors whose tasks suffer from each other's interrupts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group<'a> {
    pub(crate) overheads: &'a Overheads,
    pub(crate) statistic: Statistic,
    /// Time between two ticks.
    pub(crate) quantum: Duration,
    /// Number of processors of the group.
    pub(crate) processors: u32,
    /// Number of tasks of the whole machine.
    pub(crate) machine_tasks: usize,
    /// Longest time by which a release is noticed later than by a timer.
    pub(crate) polled: Duration,
}

impl Group<'_> {
    /// Fills `charged` with `tasks` at their costs with overheads, in place of its contents.
    pub(crate) fn charge(
        &self,
        tasks: &[Task],
        charging: Charging,
        charged: &mut Vec<Task>,
    ) -> Result<(), NotInflated> {
        let accounting = self.accounting();
        match charging {
            Charging::Jobs => jlfp::inflate_into(tasks, &accounting, charged)?,
            Charging::Pfair(continuity) => *charged = pfair::inflate(tasks, &accounting, continuity)?,
            Charging::PfairAsPublished => *charged = pfair::published(tasks, &accounting)?,
        }
        Ok(())
    }

    fn accounting(&self) -> Accounting<'_> {
        Accounting {
            overheads: self.overheads,
            statistic: self.statistic,
            quantum: self.quantum,
            processors: self.processors,
            machine_tasks: self.machine_tasks,
            // The delay of releases at ticks is accounted for as jitter.
            release_latency: Duration::ZERO,
            polled: self.polled,
            dedicated_interrupts: false,
            switches_in_progress: true,
        }
    }
}
