//! What the machine takes for itself, evaluated for one task set.

use schedlab_model::{
    CpuId, Deciding, Duration, MigrationPath, OverheadKind, OverheadSpec, Overheads, Platform, Statistic,
    Task,
};

/// The overheads that the simulator charges. Zero means that the overhead does not occur.
///
/// Each occupies the processor where it occurs, when it occurs, and delays the job that runs there, but `ipi`, which is
/// a delay before a remote processor reacts. Cache-related overheads are paid by a job when it gets a processor again,
/// on that processor, and can be preempted like the job's own work (the rest is then loaded anew). What lock operations
/// take is not among them ([`Charges::include`]).
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
    /// The same where it matters from which processor to which.
    pub by_pair: Option<ByPair>,
    /// How processors that share a queue decide; without it a decision costs its processor `scheduling`, and no other.
    pub deciding: Option<Deciding>,
}

/// What migrations cost by the path that they take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByPair {
    processors: usize,
    /// Which of `costs` holds, for each processor and each that a job comes from.
    path: Vec<usize>,
    /// By path, by task.
    costs: Vec<Vec<Duration>>,
}

impl Charges {
    /// Whether simulations charge overheads of this kind. What a request for a lock takes the machine, analyses alone
    /// charge.
    pub fn include(kind: OverheadKind) -> bool {
        match kind {
            OverheadKind::Release
            | OverheadKind::Scheduling
            | OverheadKind::ContextSwitch
            | OverheadKind::Tick
            | OverheadKind::Ipi
            | OverheadKind::CacheRelatedPreemption
            | OverheadKind::CacheRelatedMigration => true,
            OverheadKind::LockAcquire
            | OverheadKind::LockRelease
            | OverheadKind::SyscallEntry
            | OverheadKind::SyscallExit => false,
        }
    }

    /// True if the machine takes nothing.
    pub fn are_none(&self) -> bool {
        // By name, so that a new field is looked at.
        let Charges {
            release,
            scheduling,
            context_switch,
            tick,
            ipi,
            cache_related_preemption,
            cache_related_migration,
            by_pair,
            deciding,
        } = self;
        let each = [*release, *scheduling, *context_switch, *tick, *ipi];
        let by_path = by_pair.iter().flat_map(|pairs| pairs.costs.iter().flatten());
        let by_task = cache_related_preemption.iter().chain(cache_related_migration).chain(by_path);
        let waits = deciding.is_some_and(|known| !known.is_free());
        !waits && each.iter().chain(by_task).all(|charge| charge.is_zero())
    }

    /// What `task` pays on `to` after it was on `from`.
    pub(crate) fn migration(&self, task: usize, from: CpuId, to: CpuId) -> Duration {
        let by_task = match &self.by_pair {
            Some(pairs) => &pairs.costs[pairs.path[from.index() * pairs.processors + to.index()]],
            None => &self.cache_related_migration,
        };
        by_task.get(task).copied().unwrap_or(Duration::ZERO)
    }

    /// `overheads` for this task set (the number of tasks and each one's working set) on `platform`.
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
            context_switch: at(OverheadKind::ContextSwitch),
            tick: at(OverheadKind::Tick),
            ipi: at(OverheadKind::Ipi),
            cache_related_preemption: by_task(OverheadKind::CacheRelatedPreemption),
            cache_related_migration: by_task(OverheadKind::CacheRelatedMigration),
            by_pair: by_pair(overheads, statistic, tasks, platform),
            deciding: overheads.deciding(),
        }
    }
}

/// By task: what `spec` says for its working set.
fn of_each(spec: &OverheadSpec, statistic: Statistic, tasks: &[Task]) -> Vec<Duration> {
    let cost = spec.get(statistic);
    tasks.iter().map(|task| cost.evaluate(tasks.len(), task.working_set)).collect()
}

/// `None` where all migrations cost the same.
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
