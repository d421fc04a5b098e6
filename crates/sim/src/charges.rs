//! What the machine takes for itself, evaluated for one task set.

use schedlab_model::{Duration, OverheadKind, Overheads, Statistic, Task};

/// The overheads that the simulator charges. Zero means that the overhead does not occur.
///
/// Each occupies the processor where it occurs, when it occurs, and delays the job that runs there, but `ipi`, which is a
/// delay before a remote processor reacts. Cache-related overheads are paid by a job when it gets a processor
/// again, on that processor, and can be preempted like the job's own work (the rest is then loaded anew).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Charges {
    /// Each arrival, on the processor that releases it.
    pub release: Duration,
    /// Each change of a link, on the processor linked.
    pub scheduling: Duration,
    /// Each switch to a job.
    pub context_switch: Duration,
    /// Each quantum boundary, on each processor.
    pub tick: Duration,
    /// From a decision elsewhere until the processor looks at its link.
    pub ipi: Duration,
    /// By task: after a preemption, on the same processor. May be empty.
    pub cache_related_preemption: Vec<Duration>,
    /// By task: after a preemption or suspension, on another processor. May be empty.
    pub cache_related_migration: Vec<Duration>,
}

impl Charges {
    /// True if the machine takes nothing.
    pub fn are_none(&self) -> bool {
        let each = [self.release, self.scheduling, self.context_switch, self.tick, self.ipi];
        let by_task = self.cache_related_preemption.iter().chain(&self.cache_related_migration);
        each.iter().chain(by_task).all(|charge| charge.is_zero())
    }

    /// `overheads` for this task set: the number of tasks and each one's working set.
    pub fn evaluate(overheads: &Overheads, statistic: Statistic, tasks: &[Task]) -> Self {
        let at = |kind| overheads.evaluate(kind, statistic, tasks.len(), 0);
        let by_task = |kind| {
            let of = |task: &Task| overheads.evaluate(kind, statistic, tasks.len(), task.working_set);
            tasks.iter().map(of).collect()
        };
        Charges {
            release: at(OverheadKind::Release),
            scheduling: at(OverheadKind::Scheduling),
            context_switch: at(OverheadKind::ContextSwitch),
            tick: at(OverheadKind::Tick),
            ipi: at(OverheadKind::Ipi),
            cache_related_preemption: by_task(OverheadKind::CacheRelatedPreemption),
            cache_related_migration: by_task(OverheadKind::CacheRelatedMigration),
        }
    }
}
