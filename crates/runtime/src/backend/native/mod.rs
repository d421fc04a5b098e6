//! A scheduler in the kernel that decides by itself: what it takes, and what a run needs of it.

pub(crate) mod inputs;
mod longest_sections;
pub(crate) mod plans;
pub(crate) mod quanta;
pub(crate) mod scheduler;
pub(crate) mod spin_locks;

use self::inputs::{inputs_of, Numbers, Timed};
use self::scheduler::NativeScheduler;
use self::spin_locks::SpinLocks;
use crate::engine::domain::DomainSetup;
use crate::engine::native::{fitted, granted, never_begun, overtaken, Rules};
use crate::engine::replay::{is_preemptive, replay};
use crate::machine::sys::Tid;
use crate::record::kernel_scheduler::{NativeCounts, QuantaCounts};
use crate::record::lock_records::{LockRecord, LockSections};
use crate::record::log::Reader;
use crate::record::outcome::Outcome;
use schedlab_account::TRUE_WITHIN;
use schedlab_model::{Instant, JobSource, TaskId};
use schedlab_scx::{KernelEvent, KernelRecord, KernelRecords, TaskPlan};
use schedlab_sim::Setup;
use schedlab_trace::Record;
use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::Arc;

/// A run in which a scheduler in the kernel decides.
pub struct NativeRun {
    /// The scheduler's records.
    pub(crate) records: KernelRecords,
    /// What the run and its threads share with the scheduler.
    pub(crate) side: NativeSide,
    /// By task: its jobs, which its thread draws.
    pub(crate) sources: Vec<Box<dyn JobSource + Send>>,
    /// By task: what its thread records of the locks that it takes; none before there are threads.
    pub(crate) lock_records: Vec<Reader<LockRecord>>,
    /// By task: its domain.
    pub(crate) domain_of: Vec<usize>,
    /// Makes a domain anew, to decide again what the kernel decided.
    pub(crate) domain: Box<dyn Fn(usize) -> DomainSetup + Send>,
    /// Number of domains.
    pub(crate) domains: usize,
    /// Part of each second that threads outside of the scenario have on each of its processors.
    pub(crate) reserve: std::time::Duration,
}

/// What the threads of such a run share with the scheduler.
#[derive(Clone, Debug)]
pub struct NativeSide {
    pub(crate) scheduler: Arc<NativeScheduler>,
    /// By task: true once it has no further job.
    pub(crate) left: Arc<Vec<AtomicBool>>,
    /// The locks that threads take by themselves.
    pub(crate) locks: Arc<SpinLocks>,
}

impl NativeSide {
    pub(crate) fn new(scheduler: NativeScheduler, locks: SpinLocks) -> NativeSide {
        NativeSide {
            left: Arc::new((0..scheduler.tasks()).map(|_| AtomicBool::new(false)).collect()),
            scheduler: Arc::new(scheduler),
            locks: Arc::new(locks),
        }
    }

    /// Hands the thread of `task` over to the scheduler.
    pub(crate) fn adopt(&self, thread: Tid, task: TaskId) -> io::Result<()> {
        self.scheduler.adopt(thread, index_of(task))
    }
}

impl NativeRun {
    /// Has the engine decide again what the kernel recorded, and gives `outcome` its decisions. If records are missing,
    /// the inputs are not known, and nothing is checked.
    pub(crate) fn decide_again(&self, outcome: &mut Outcome, setup: &Setup, records: &[KernelRecord]) {
        let end = outcome.end();
        let setup = Setup { horizon: end, ..setup.clone() };
        let left = self.side.left.iter().map(|left| left.load(SeqCst)).collect();
        let kept: Vec<(&[LockRecord], u64)> = self.lock_records.iter().map(Reader::items).collect();
        let own: Vec<&[LockRecord]> = kept.iter().map(|(own, _)| *own).collect();
        let locks = LockSections::of(&own, self.side.locks.mutexes(), end);
        let processors = outcome.processors.clone();
        let numbers = Numbers {
            zero: outcome.zero,
            processors: &processors,
            domain_of: &self.domain_of,
            left,
            sections: &locks.sections,
        };
        let mut counts = self.side.scheduler.counts(&processors);
        counts.lost_records += kept.iter().map(|(_, lost)| lost).sum::<u64>();
        let strayed = records.iter().filter(|record| record.what == KernelEvent::Strayed);
        // The kernel counts tasks from one on.
        outcome.strayed = strayed.map(|record| TaskId(record.index - 1)).collect();
        let of_sections = |is_so: fn(&KernelEvent) -> bool| {
            records.iter().filter(|record| is_so(&record.what)).count() as u64
        };
        counts.broken_sections = of_sections(|what| matches!(what, KernelEvent::SectionBroken { .. }));
        counts.slept_sections = of_sections(|what| matches!(what, KernelEvent::SectionSlept { .. }));
        counts.sections = locks.sections.len() as u64;
        (counts.overlapping_sections, counts.overtaking_sections) = (locks.overlaps, locks.overtaken);
        counts.longest_move = counts.longest_move.max(locks.longest_move);
        let lost = counts.lost_records;
        outcome.decisions.clear();
        let inputs = match *self.side.scheduler {
            NativeScheduler::Quanta { .. } => {
                let domain = (self.domain)(0);
                let (inputs, other) = quanta::decide_again(outcome, &setup, records, &numbers, domain);
                counts.inputs = inputs.len() as u64;
                counts.quanta = counts.quanta.map(|quanta| QuantaCounts { other_choices: other, ..quanta });
                vec![inputs]
            }
            NativeScheduler::Clustered { .. } => {
                let inputs = inputs_of(records, &numbers, self.domains, end);
                counts.inputs = inputs.iter().map(Vec::len).sum::<usize>() as u64;
                // A machine that stood still at the end has no record of that time.
                let last = records.iter().map(|record| record.at.saturating_sub(outcome.zero)).max();
                let seen = end.min(Instant::from_ns(last.unwrap_or(0)));
                self.fit(outcome, &setup, inputs, seen, &mut counts)
            }
        };
        outcome.inputs.extend(inputs.into_iter().map(|inputs| (lost == 0).then_some(inputs)));
        outcome.decisions.retain(|(_, record)| !matches!(record, Record::End));
        if lost > 0 {
            outcome.decisions.push((end, Record::Lost { count: lost }));
        }
        outcome.decisions.sort_by_key(|(at, _)| *at);
        if lost == 0 {
            let inputs = outcome.inputs.iter().flatten().flatten();
            let grants = granted(&locks.sections, &outcome.decisions, inputs);
            counts.outermost_sections = grants.all;
            counts.sections_compared = grants.compared;
            counts.sections_granted_otherwise = grants.otherwise;
        }
        if let (0, NativeScheduler::Clustered { plans, .. }) = (lost, &*self.side.scheduler) {
            let preemptive = is_preemptive(&(self.domain)(0).policies);
            let rules = Rules { preemptive, demotes: plans.iter().any(|plan| plan.demotes) };
            let last = outcome.zero.saturating_add(end.as_ns());
            let seen: Vec<KernelRecord> = records.iter().copied().filter(|record| record.at < last).collect();
            let order = overtaken(&seen, &outcome.decisions, rules);
            (counts.waits, counts.overtaken_waits) = (order.waits, order.overtaken);
            counts.longest_overtaking = order.longest;
            counts.early_overruns = early_overruns(records, plans);
        }
        outcome.decisions.push((end, Record::End));
        outcome.native = Some(counts);
    }

    /// Fits the inputs of each domain to the engine, and has it decide by them. Returns them as the engine took them.
    /// The kernel's last record is of `seen`.
    fn fit(
        &self,
        outcome: &mut Outcome,
        setup: &Setup,
        domains: Vec<Vec<Timed>>,
        seen: Instant,
        counts: &mut NativeCounts,
    ) -> Vec<Vec<Timed>> {
        let mut taken = Vec::new();
        for (domain, inputs) in domains.into_iter().enumerate() {
            let make = || (self.domain)(domain);
            let fitted = fitted(&make, setup, inputs);
            counts.late_stops += fitted.late_stops;
            counts.late_starts += fitted.late_starts;
            counts.early_starts += fitted.early_starts;
            let late = fitted.late_requests.iter().filter(|moved| **moved > TRUE_WITHIN);
            counts.late_requests += late.count() as u64;
            counts.longest_move = counts.longest_move.max(fitted.longest_move);
            if counts.lost_records == 0 {
                let missing = never_begun(&make, setup, &fitted.inputs, seen, TRUE_WITHIN);
                counts.never_begun += missing.jobs;
                counts.longest_unbegun = counts.longest_unbegun.max(missing.longest);
            }
            let mut decided = replay(make(), setup, &fitted.inputs);
            outcome.summary.jobs_arrived += decided.summary.jobs_arrived;
            outcome.summary.jobs_completed += decided.summary.jobs_completed;
            outcome.summary.jobs_missed += decided.summary.jobs_missed;
            outcome.summary.instants += decided.summary.instants;
            outcome.decisions.append(&mut decided.records);
            taken.push(fitted.inputs);
        }
        taken
    }
}

/// Number of jobs whose budgets the kernel says are used up, although they have executed for less than that.
fn early_overruns(records: &[KernelRecord], plans: &[TaskPlan]) -> u64 {
    let is_early = |record: &&KernelRecord| {
        let KernelEvent::Overran { executed } = record.what else { return false };
        plans[record.index as usize - 1].budget.is_none_or(|budget| executed < budget)
    };
    records.iter().filter(is_early).count() as u64
}

/// The index of the thread of `task` in the kernel.
pub(crate) fn index_of(task: TaskId) -> u32 {
    task.0 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_used_up_after_its_length() {
        let plan = |budget| TaskPlan {
            cluster: 0,
            after: 0,
            parts: 0,
            separation: 1,
            budget,
            demotes: true,
            relative_deadline: 1,
            longest_section: None,
        };
        let plans = [plan(Some(100)), plan(None)];
        let overran = |index, executed| {
            let what = KernelEvent::Overran { executed };
            KernelRecord { at: 0, processor: 0, index, job: 1, what }
        };
        let early = |record| early_overruns(&[record], &plans);
        assert_eq!([early(overran(1, 100)), early(overran(1, 99)), early(overran(2, 100))], [0, 1, 1]);
    }
}
