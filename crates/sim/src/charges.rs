//! The overheads of the machine, evaluated for one task set.

use schedlab_model::{
    Cost, CpuId, Deciding, Duration, MigrationPath, OverheadKind, OverheadSpec, Overheads, Platform,
    Statistic, Task,
};

/// The overheads that the simulator charges. Zero means that the overhead does not occur.
///
/// Each occupies the processor where it occurs, when it occurs, and delays the job that runs there. Only `ipi` does
/// not: it is a delay before a remote processor reacts. A job pays cache-related overheads when it gets a processor
/// again, on that processor, and they can be preempted like the job's own work (the rest is then loaded anew). The
/// simulator does not charge lock operations ([`Charges::include`]).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Charges {
    /// Cost of each arrival, on the processor that releases the job.
    pub release: Duration,
    /// Cost of each change of a link, on the processor linked; with `scheduling_by_ready`, the largest one.
    pub scheduling: Duration,
    /// Cost of a change of a link by the number of ready jobs of the cluster, from none to all of its tasks. Empty if
    /// it is the same for any number.
    pub scheduling_by_ready: Vec<Duration>,
    /// Cost of each switch to a job.
    pub context_switch: Duration,
    /// Cost of each quantum boundary, on each processor.
    pub tick: Duration,
    /// Delay from a decision elsewhere until the processor looks at its link.
    pub ipi: Duration,
    /// Cost of each push of a thread from a run queue, on that queue's processor.
    pub push: Duration,
    /// Cost of each pull of a thread into a run queue, on that queue's processor.
    pub pull: Duration,
    /// Cost by task of going on after a preemption, on the same processor. May be empty.
    pub cache_related_preemption: Vec<Duration>,
    /// Cost by task of going on after a preemption or suspension, on another processor. May be empty.
    pub cache_related_migration: Vec<Duration>,
    /// Migration cost by pair of processors; replaces `cache_related_migration` if paths differ.
    pub by_pair: Option<ByPair>,
    /// Costs of deciding if processors share a queue. Without them a decision costs its processor `scheduling`, and no
    /// other.
    pub deciding: Option<Deciding>,
}

/// Migration costs by the path between two processors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByPair {
    processors: usize,
    /// Index into `costs` by pair: for each processor that a job leaves, one for each where it goes on.
    path: Vec<usize>,
    /// Costs by path, by task.
    costs: Vec<Vec<Duration>>,
}

impl Charges {
    /// True if simulations charge overheads of this kind. Only analyses charge what a request for a lock takes the
    /// machine.
    pub fn include(kind: OverheadKind) -> bool {
        match kind {
            OverheadKind::Release
            | OverheadKind::Scheduling
            | OverheadKind::ContextSwitch
            | OverheadKind::Tick
            | OverheadKind::Ipi
            | OverheadKind::CacheRelatedPreemption
            | OverheadKind::CacheRelatedMigration
            | OverheadKind::Push
            | OverheadKind::Pull => true,
            OverheadKind::LockAcquire
            | OverheadKind::LockRelease
            | OverheadKind::SyscallEntry
            | OverheadKind::SyscallExit => false,
        }
    }

    /// True if the machine takes nothing for itself.
    pub fn are_none(&self) -> bool {
        // Destructured by name, so that a new field cannot be overlooked.
        let Charges {
            release,
            scheduling,
            scheduling_by_ready,
            context_switch,
            tick,
            ipi,
            push,
            pull,
            cache_related_preemption,
            cache_related_migration,
            by_pair,
            deciding,
        } = self;
        let each = [*release, *scheduling, *context_switch, *tick, *ipi, *push, *pull];
        let by_path = by_pair.iter().flat_map(|pairs| pairs.costs.iter().flatten());
        let by_task = cache_related_preemption.iter().chain(cache_related_migration).chain(by_path);
        let waits = deciding.is_some_and(|known| !known.is_free());
        !waits && each.iter().chain(scheduling_by_ready).chain(by_task).all(|charge| charge.is_zero())
    }

    /// Returns what `task` pays on `to` after it was on `from`.
    pub(crate) fn migration(&self, task: usize, from: CpuId, to: CpuId) -> Duration {
        let by_task = match &self.by_pair {
            Some(pairs) => &pairs.costs[pairs.path[from.index() * pairs.processors + to.index()]],
            None => &self.cache_related_migration,
        };
        by_task.get(task).copied().unwrap_or(Duration::ZERO)
    }

    /// Evaluates `overheads` for this task set (the number of tasks and each one's working set) on `platform`.
    pub fn evaluate(
        overheads: &Overheads,
        statistic: Statistic,
        tasks: &[Task],
        platform: &Platform,
    ) -> Self {
        let at = |kind| overheads.evaluate(kind, statistic, tasks.len(), 0);
        let by_task = |kind| of_each(overheads.get(kind), statistic, tasks);
        Charges {
            release: at(OverheadKind::Release),
            scheduling: at(OverheadKind::Scheduling),
            scheduling_by_ready: match overheads.get(OverheadKind::Scheduling).get(statistic) {
                cost @ Cost::ByReadyJobs(_) => {
                    (0..=tasks.len()).map(|ready| cost.evaluate(ready, 0)).collect()
                }
                Cost::Constant(_) | Cost::Linear { .. } | Cost::ByWorkingSet(_) | Cost::ByTaskCount(_) => {
                    Vec::new()
                }
            },
            context_switch: at(OverheadKind::ContextSwitch),
            tick: at(OverheadKind::Tick),
            ipi: at(OverheadKind::Ipi),
            push: at(OverheadKind::Push),
            pull: at(OverheadKind::Pull),
            cache_related_preemption: by_task(OverheadKind::CacheRelatedPreemption),
            cache_related_migration: by_task(OverheadKind::CacheRelatedMigration),
            by_pair: by_pair(overheads, statistic, tasks, platform),
            deciding: overheads.deciding(),
        }
    }
}

/// Evaluates `spec` for each task's working set.
fn of_each(spec: &OverheadSpec, statistic: Statistic, tasks: &[Task]) -> Vec<Duration> {
    let cost = spec.get(statistic);
    tasks.iter().map(|task| cost.evaluate(tasks.len(), task.working_set)).collect()
}

/// Returns migration costs by pair of processors; `None` if all migrations cost the same.
fn by_pair(
    overheads: &Overheads,
    statistic: Statistic,
    tasks: &[Task],
    platform: &Platform,
) -> Option<ByPair> {
    if !overheads.tell_paths_apart() || platform.caches.is_empty() {
        return None;
    }
    let cpus: Vec<CpuId> = (0..platform.processors()).map(CpuId).collect();
    let mut paths = MigrationPath::among(&platform.caches, &cpus);
    // The entry from a processor to itself is not read, but has to name a path, and one processor alone has none.
    paths.push(None);
    let at = |from: &CpuId, to: &CpuId| {
        let path = MigrationPath::between(&platform.caches, *from, *to);
        paths.iter().position(|known| *known == path || from == to).expect("every path is listed")
    };
    let path = cpus.iter().flat_map(|from| cpus.iter().map(|to| at(from, to)).collect::<Vec<_>>()).collect();
    let costs = paths.iter().map(|path| of_each(overheads.migration(*path), statistic, tasks)).collect();
    Some(ByPair { processors: cpus.len(), path, costs })
}
