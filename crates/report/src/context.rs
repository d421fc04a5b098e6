//! The few facts about a system that its records do not carry.

use crate::metrics::Worth;
use schedlab_model::{
    ClusterId, CpuId, Duration, Instant, Invariant, JobId, Platform, Resource, ResourceId, TaskId, TaskPiece,
};
use std::collections::{BTreeMap, BTreeSet};

/// Facts that readers of a trace know besides its records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The cluster of each processor.
    pub clusters: Vec<ClusterId>,
    /// The name of each task; where one is missing, it prints as `T3`.
    pub tasks: Vec<String>,
    /// The name of each resource; where one is missing, it prints as `R1`.
    pub resource_names: Vec<String>,
    /// The units of each resource; where they are missing, they are not checked.
    pub resources: Vec<Resource>,
    /// By resource, if it is a lock-free object: the most attempts that one operation of another job makes fail. A
    /// missing entry means one.
    pub fails: Vec<u32>,
    /// Invariants that the scheduler promises besides those of every trace.
    pub promises: Vec<Invariant>,
    /// The error of measured times: zero for simulation.
    pub tolerance: Duration,
    /// Begin and sharing of quanta, if the scheduler decides by quanta.
    pub quanta: Option<QuantumGrid>,
    /// Utility of the jobs of each task; empty where utilities are not measured.
    pub worths: Vec<Worth>,
    /// True if the scheduler chooses jobs by their utility: priorities, which are termination times, do not decide
    /// then.
    pub chooses_by_utility: bool,
    /// Stated priority for each priority point, where the two differ: the scheduler's points are smaller for more
    /// urgent jobs, while some scenarios state larger priorities for those.
    pub stated_priorities: BTreeMap<u64, u32>,
    /// Pieces in which the jobs of each task execute; empty where tasks are not split.
    pub pieces: Vec<Vec<TaskPiece>>,
    /// By task: the index of the budget server that executes its jobs, if there is one. Empty without servers.
    pub servers: Vec<Option<u32>>,
    /// Names of the budget servers, by index.
    pub server_names: Vec<String>,
    /// True if processors stop while jobs are ready, since they have run some for as long as they may.
    pub throttles: bool,
    /// Holders, with the times of their grants, that are known to have needed longer than their sections take in the
    /// scenario. The promise that holders keep their processors assumes that none does. Simulations have no such
    /// holders.
    pub overlong: BTreeSet<(JobId, Instant)>,
}

/// The quanta of a scheduler that decides at their boundaries (Pfair).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuantumGrid {
    /// Length of a quantum, at least 1 ns.
    pub length: Duration,
    /// Begin of each processor's first quantum.
    pub offsets: Vec<Duration>,
    /// True if a subtask may run before its window begins.
    pub early_release: bool,
    /// Supertask of each task; a task beyond the end is in none.
    pub supertasks: Vec<Option<u32>>,
}

impl QuantumGrid {
    /// The quanta of `platform`, whose tasks are in no supertask; `None` if they have no length.
    pub fn of_platform(platform: &Platform, early_release: bool) -> Option<Self> {
        let offset = |cpu| platform.quantum_offset(CpuId(cpu));
        (!platform.quantum.is_zero()).then(|| QuantumGrid {
            length: platform.quantum,
            offsets: (0..platform.processors()).map(offset).collect(),
            early_release,
            supertasks: Vec::new(),
        })
    }

    /// Returns when the processor's quanta begin, after those of the first processor.
    pub(crate) fn offset(&self, cpu: CpuId) -> Duration {
        self.offsets.get(cpu.index()).copied().unwrap_or_default()
    }

    /// The first boundary of the processor at or after `at`.
    pub(crate) fn boundary_from(&self, cpu: CpuId, at: Instant) -> Instant {
        let offset = self.offset(cpu);
        let slots = at.as_ns().saturating_sub(offset.as_ns()).div_ceil(self.length.as_ns());
        Instant::from_ns(slots.saturating_mul(self.length.as_ns()).saturating_add(offset.as_ns()))
    }

    /// Returns the supertask of which the task is a component.
    pub(crate) fn supertask_of(&self, task: TaskId) -> Option<u32> {
        self.supertasks.get(task.index()).copied().flatten()
    }
}

impl Context {
    /// The context of a platform: its processors and clusters.
    pub fn of_platform(platform: &Platform) -> Self {
        let mut clusters = vec![ClusterId(0); platform.processors().into()];
        for (index, cluster) in platform.clusters.iter().enumerate() {
            for cpu in &cluster.cpus {
                if cpu.index() >= clusters.len() {
                    clusters.resize(cpu.index() + 1, ClusterId(0));
                }
                clusters[cpu.index()] = ClusterId(index as u16);
            }
        }
        Context { clusters, ..Context::default() }
    }

    /// Returns the context of one cluster of `processors` processors.
    pub fn global(processors: u16) -> Self {
        Context { clusters: vec![ClusterId(0); processors.into()], ..Context::default() }
    }

    /// Returns this context with the promises of a header's `promises` text. `Err` names the first unknown one.
    pub fn promising_text(mut self, text: &str) -> Result<Self, UnknownInvariant> {
        self.promises.clear();
        for name in text.split_whitespace() {
            let known = Invariant::ALL.iter().find(|invariant| invariant.name() == name);
            self.promises.push(*known.ok_or_else(|| UnknownInvariant(name.into()))?);
        }
        Ok(self)
    }

    /// Writes [`Context::overlong`] for the header of a trace: `T3.17@250000` for job 17 of task 3, whose section was
    /// granted at 250,000 ns.
    pub fn overlong_text(overlong: &BTreeSet<(JobId, Instant)>) -> String {
        let said = overlong.iter().map(|(job, since)| {
            let (task, number, ns) = (job.task.0, job.number, since.as_ns());
            format!("T{task}.{number}@{ns}")
        });
        said.collect::<Vec<_>>().join(" ")
    }

    /// Reads [`Context::overlong`] from the text that [`Context::overlong_text`] writes. `Err` is the first part that
    /// it never writes.
    pub fn excusing_text(mut self, text: &str) -> Result<Self, String> {
        let section = |part: &str| {
            let (job, ns) = part.strip_prefix('T')?.split_once('@')?;
            let (task, number) = job.split_once('.')?;
            let job = JobId { task: TaskId(task.parse().ok()?), number: number.parse().ok()? };
            Some((job, Instant::from_ns(ns.parse().ok()?)))
        };
        let read = |part: &str| section(part).ok_or_else(|| part.to_owned());
        self.overlong = text.split_whitespace().map(read).collect::<Result<_, _>>()?;
        Ok(self)
    }

    /// The name of `task`.
    pub fn task_name(&self, task: TaskId) -> String {
        let given = self.tasks.get(task.index()).filter(|name| !name.is_empty());
        given.cloned().unwrap_or_else(|| task.to_string())
    }

    /// The budget server that executes the jobs of `task`.
    pub(crate) fn server_of(&self, task: TaskId) -> Option<u32> {
        self.servers.get(task.index()).copied().flatten()
    }

    /// The name of `job`, with that of its task if that has one.
    pub(crate) fn job_name(&self, job: JobId) -> String {
        match self.task_name(job.task) {
            task if task == job.task.to_string() => job.to_string(),
            task => format!("{job} ({task})"),
        }
    }

    /// The name of `resource`.
    pub(crate) fn resource_name(&self, resource: ResourceId) -> String {
        let given = self.resource_names.get(resource.index()).filter(|name| !name.is_empty());
        given.cloned().unwrap_or_else(|| resource.to_string())
    }
}

/// A promise that names no invariant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no invariant is called `{0}`; known are {known}",
    known = Invariant::ALL.iter().map(|invariant| invariant.name()).collect::<Vec<_>>().join(", ")
)]
pub struct UnknownInvariant(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promises_are_read_by_name_and_an_unknown_one_is_named() {
        let context = Context::global(2).promising_text("work_conserving  respects_priority").unwrap();
        assert_eq!(context.promises, [Invariant::WorkConserving, Invariant::RespectsPriority]);
        let error = Context::global(2).promising_text("work_conserving fairness").unwrap_err();
        assert!(error
            .to_string()
            .starts_with("no invariant is called `fairness`; known are time_is_monotone, "));
    }

    #[test]
    fn overlong_sections_are_read_as_they_are_written() {
        let section = |task, number, ns| (JobId { task: TaskId(task), number }, Instant::from_ns(ns));
        let overlong = BTreeSet::from([section(0, 3, 5), section(12, 0, 7_000_000_000)]);
        let text = Context::overlong_text(&overlong);
        assert_eq!(text, "T0.3@5 T12.0@7000000000");
        assert_eq!(Context::global(2).excusing_text(&text).unwrap().overlong, overlong);
        assert_eq!(Context::global(2).excusing_text("").unwrap(), Context::global(2));
        for unreadable in ["T0.3", "0.3@5", "T0.3@5x", "T.3@5", "T0@5", "T0.99999999999@5"] {
            let text = format!("T1.1@1 {unreadable}");
            assert_eq!(Context::global(2).excusing_text(&text).unwrap_err(), unreadable);
        }
    }

    #[test]
    fn a_platform_gives_each_processor_its_cluster() {
        let context = Context::of_platform(&Platform::clustered(5, 2));
        assert_eq!(context.clusters.iter().map(|c| c.0).collect::<Vec<_>>(), [0, 0, 1, 1, 2]);
    }
}
