//! Overheads: the time that the machine takes for itself.

use crate::caches::MigrationPath;
use crate::deciding::Deciding;
use crate::named::named;
use crate::time::Duration;
use alloc::vec::Vec;

named! {
    /// The kinds of overhead. In simulation each occupies the processor where it occurs, but `Ipi`, which is a delay.
    /// Traces number them in this order, so that a new kind goes to the end.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum OverheadKind {
        /// Noticing an arrival and making the job ready, on the processor that releases it.
        Release: "release",
        /// Choosing the next job, on the processor that will run it.
        Scheduling: "scheduling",
        /// Switching to the chosen job.
        ContextSwitch: "context_switch",
        /// The interrupt at a quantum boundary.
        Tick: "tick",
        /// From asking another processor to reschedule until it does. A delay: that processor works on.
        Ipi: "ipi",
        /// Loading the working set again after a preemption, on the same processor.
        CacheRelatedPreemption: "cache_related_preemption",
        /// Loading the working set again after a migration.
        CacheRelatedMigration: "cache_related_migration",
        /// Taking a lock.
        LockAcquire: "lock_acquire",
        /// Giving a lock back.
        LockRelease: "lock_release",
        /// Entering the kernel.
        SyscallEntry: "syscall_entry",
        /// Leaving the kernel.
        SyscallExit: "syscall_exit",
        /// Pushing a thread from the processor's run queue to another one.
        Push: "push",
        /// Pulling a thread from another processor's run queue.
        Pull: "pull",
    }
}

/// Statistic of an overhead's measured values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Statistic {
    /// The largest value, for guarantees.
    #[default]
    Max,
    /// The mean, for typical costs.
    Mean,
    /// The value that this many tenths of a percent of the measurements do not exceed: for guarantees that may fail as
    /// often as the rest.
    Percentile(u16),
}

/// Time of one overhead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cost {
    /// The cost is constant.
    Constant(Duration),
    /// `base` plus `per_task_ps` picoseconds for each task of the set.
    Linear {
        /// Cost without tasks.
        base: Duration,
        /// Growth for each task, in ps.
        per_task_ps: u64,
    },
    /// Rows by bytes of working set, rising; linear between two rows, constant below the first and above the last.
    ByWorkingSet(Vec<(u64, Duration)>),
    /// Rows by number of tasks, rising in both; linear between two rows, constant below the first, and beyond the last
    /// as between the last two.
    ByTaskCount(Vec<(u64, Duration)>),
    /// Rows by number of ready jobs, as those by number of tasks. Simulations charge by the jobs that are ready at the
    /// decision; elsewhere all tasks count as ready.
    ByReadyJobs(Vec<(u64, Duration)>),
}

impl Default for Cost {
    fn default() -> Self {
        Cost::Constant(Duration::ZERO)
    }
}

impl Cost {
    /// The cost with `tasks` tasks, all of which may be ready, and a working set of `bytes`, rounded up to whole
    /// nanoseconds.
    ///
    /// Panics on an empty table or beyond 2^64 ns.
    pub fn evaluate(&self, tasks: usize, bytes: u64) -> Duration {
        match self {
            Cost::Constant(value) => *value,
            Cost::Linear { base, per_task_ps } => {
                let extra = (*per_task_ps as u128 * tasks as u128).div_ceil(1_000);
                *base
                    + Duration::from_ns(u64::try_from(extra).expect("an overhead beyond representable time"))
            }
            Cost::ByWorkingSet(rows) => interpolate(rows, bytes),
            Cost::ByTaskCount(rows) | Cost::ByReadyJobs(rows) => by_tasks(rows, tasks as u64),
        }
    }
}

/// Interpolates as [`interpolate`] does, but extrapolates beyond the last row.
fn by_tasks(rows: &[(u64, Duration)], tasks: u64) -> Duration {
    let [.., (low, at_low), (high, at_high)] = rows else { return interpolate(rows, tasks) };
    if tasks <= *high {
        return interpolate(rows, tasks);
    }
    let rise = u128::from(at_high.as_ns().saturating_sub(at_low.as_ns())) * u128::from(tasks - high);
    let more = rise.div_ceil(u128::from(high - low));
    *at_high + Duration::from_ns(u64::try_from(more).expect("an overhead beyond representable time"))
}

fn interpolate(rows: &[(u64, Duration)], bytes: u64) -> Duration {
    let above = rows.partition_point(|(size, _)| *size < bytes);
    if above == 0 {
        return rows[0].1;
    }
    let Some(&(high, at_high)) = rows.get(above) else { return rows[above - 1].1 };
    let (low, at_low) = rows[above - 1];
    let (a, b) = (i128::from(at_low.as_ns()), i128::from(at_high.as_ns()));
    let (step, width) = (i128::from(bytes - low), i128::from(high - low));
    let rise = (b - a) * step;
    // Rounded up, so that interpolation never understates a cost.
    let rounded = rise.div_euclid(width) + i128::from(rise.rem_euclid(width) != 0);
    Duration::from_ns((a + rounded) as u64)
}

/// One measured overhead: the largest value and the mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OverheadSpec {
    /// The largest value.
    pub max: Cost,
    /// The mean value.
    pub mean: Cost,
    /// Percentiles, by rising tenths of a percent: the value that this part of the measurements does not exceed.
    pub percentiles: Vec<(u16, Cost)>,
}

impl OverheadSpec {
    /// The cost that `statistic` names; for a percentile that is not known, the next larger one, or the largest value.
    pub fn get(&self, statistic: Statistic) -> &Cost {
        match statistic {
            Statistic::Max => &self.max,
            Statistic::Mean => &self.mean,
            Statistic::Percentile(wanted) => {
                let known = self.percentiles.iter().find(|(tenths, _)| *tenths >= wanted);
                known.map_or(&self.max, |(_, cost)| cost)
            }
        }
    }
}

/// All overheads of a machine, by [`OverheadKind`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overheads {
    specs: [OverheadSpec; OverheadKind::ALL.len()],
    /// Costs of migrations by path, rising, as far as they are known.
    migrations: Vec<(MigrationPath, OverheadSpec)>,
    /// Paths over which jobs migrate; if empty, any path.
    over: Vec<Option<MigrationPath>>,
    deciding: Option<Deciding>,
}

/// A cost that is the maximum and the mean alike.
impl From<Cost> for OverheadSpec {
    fn from(cost: Cost) -> Self {
        OverheadSpec { max: cost.clone(), mean: cost, ..OverheadSpec::default() }
    }
}

impl Overheads {
    /// Sets the overhead of `kind`; for migrations, over every path.
    pub fn set(&mut self, kind: OverheadKind, spec: OverheadSpec) {
        self.specs[kind as usize] = spec;
        if kind == OverheadKind::CacheRelatedMigration {
            self.migrations.clear();
        }
    }

    /// Takes the overhead of `kind` from `other`; for migrations, path by path.
    pub fn take(&mut self, kind: OverheadKind, other: &Overheads) {
        self.set(kind, other.get(kind).clone());
        if kind == OverheadKind::CacheRelatedMigration {
            self.migrations.clone_from(&other.migrations);
        }
    }

    /// The overhead of `kind`.
    pub fn get(&self, kind: OverheadKind) -> &OverheadSpec {
        &self.specs[kind as usize]
    }

    /// Sets the cost of a migration over `path`.
    pub fn set_migration(&mut self, path: MigrationPath, spec: OverheadSpec) {
        self.migrations.retain(|(known, _)| *known != path);
        self.migrations.push((path, spec));
        self.migrations.sort_by_key(|(path, _)| *path);
    }

    /// Returns the cost of a migration over `path`; if it is unknown, the cost over the dearest path.
    pub fn migration(&self, path: Option<MigrationPath>) -> &OverheadSpec {
        let known = self.migrations.iter().find(|(known, _)| Some(*known) == path);
        known.map_or_else(|| self.get(OverheadKind::CacheRelatedMigration), |(_, spec)| spec)
    }

    /// Returns whether paths of migrations differ in cost.
    pub fn tell_paths_apart(&self) -> bool {
        !self.migrations.is_empty()
    }

    /// Returns these overheads for jobs that migrate over `paths` only: each migration costs as much as over the
    /// dearest of them.
    pub fn over(&self, paths: &[Option<MigrationPath>]) -> Overheads {
        Overheads { over: paths.to_vec(), ..self.clone() }
    }

    /// Returns the time of `kind` with `tasks` tasks and a working set of `bytes`.
    pub fn evaluate(&self, kind: OverheadKind, statistic: Statistic, tasks: usize, bytes: u64) -> Duration {
        let of = |spec: &OverheadSpec| spec.get(statistic).evaluate(tasks, bytes);
        let paths = self.over.iter().filter(|_| kind == OverheadKind::CacheRelatedMigration);
        paths.map(|path| of(self.migration(*path))).max().unwrap_or_else(|| of(self.get(kind)))
    }

    /// Sets the decisions of processors that share a queue, with their costs.
    pub fn set_deciding(&mut self, deciding: Option<Deciding>) {
        self.deciding = deciding;
    }

    /// Decisions of processors that share a queue, with their costs; only simulations use them.
    pub fn deciding(&self) -> Option<Deciding> {
        self.deciding
    }

    /// True if moving a thread from one run queue to another takes time.
    pub fn moves_take_time(&self) -> bool {
        let takes_time = |kind| *self.get(kind) != OverheadSpec::default();
        takes_time(OverheadKind::Push) || takes_time(OverheadKind::Pull)
    }

    /// True if no overhead takes any time.
    pub fn are_none(&self) -> bool {
        self.migrations.is_empty() && self.deciding.is_none() && self.specs == Overheads::default().specs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn a_migration_costs_as_its_path_or_as_the_dearest() {
        let cost = |ns| OverheadSpec::from(Cost::Constant(Duration::from_ns(ns)));
        let mut overheads = Overheads::default();
        overheads.set(OverheadKind::CacheRelatedMigration, cost(90));
        overheads.set_migration(MigrationPath::Memory, cost(90));
        overheads.set_migration(MigrationPath::Cache(2), cost(20));
        let over = |paths: &[Option<MigrationPath>]| {
            let found = overheads.over(paths);
            found.evaluate(OverheadKind::CacheRelatedMigration, Statistic::Max, 1, 0).as_ns()
        };
        assert_eq!(over(&[Some(MigrationPath::Cache(2))]), 20);
        assert_eq!(over(&[Some(MigrationPath::Cache(2)), Some(MigrationPath::Memory)]), 90);
        assert_eq!(over(&[Some(MigrationPath::Cache(3))]), 90, "that path was not measured");
        assert_eq!([over(&[None]), over(&[])], [90, 90]);
    }

    /// `overhead-2008-linear` of the published examples: table 1 of block-or-not-2008 evaluated.
    #[test]
    fn linear_costs_of_the_2008_paper() {
        let scheduling = Cost::Linear { base: Duration::from_ns(22_960), per_task_ps: 75_000 };
        let tick = Cost::Linear { base: Duration::from_ns(8_030), per_task_ps: 67_000 };
        for (n, sched_ns, tick_ns) in [(10, 23_710, 8_700), (50, 26_710, 11_380), (100, 30_460, 14_730)] {
            assert_eq!(scheduling.evaluate(n, 0).as_ns(), sched_ns);
            assert_eq!(tick.evaluate(n, 0).as_ns(), tick_ns);
        }
    }

    #[test]
    fn tables_by_tasks_go_on_growing() {
        let cost = Cost::ByTaskCount(vec![(10, Duration::from_ns(100)), (13, Duration::from_ns(200))]);
        let at = |tasks| cost.evaluate(tasks, 0).as_ns();
        assert_eq!([at(0), at(10), at(11), at(13), at(14), at(16)], [100, 100, 134, 200, 234, 300]);
        assert_eq!(Cost::ByTaskCount(vec![(5, Duration::from_ns(7))]).evaluate(90, 0).as_ns(), 7);
    }

    #[test]
    fn an_unknown_percentile_is_the_next_larger_one() {
        let cost = |ns| Cost::Constant(Duration::from_ns(ns));
        let percentiles = vec![(500, cost(5)), (990, cost(50))];
        let spec = OverheadSpec { max: cost(90), mean: cost(6), percentiles };
        let at = |tenths| spec.get(Statistic::Percentile(tenths)).evaluate(0, 0).as_ns();
        assert_eq!([at(1), at(500), at(501), at(990), at(991)], [5, 5, 50, 50, 90]);
    }

    #[test]
    fn tables_interpolate_upwards_and_stay_flat_outside() {
        let cost = Cost::ByWorkingSet(vec![(10, Duration::from_ns(100)), (13, Duration::from_ns(200))]);
        let at = |bytes| cost.evaluate(0, bytes).as_ns();
        assert_eq!([at(0), at(10), at(11), at(12), at(13), at(99)], [100, 100, 134, 167, 200, 200]);
    }
}
