//! A scenario with everything decided that its runs share.

use crate::prepare::access_costs::accessing;
use crate::prepare::error::PrepareError;
use crate::prepare::supertasks::WeightedSupertask;
use schedlab_analysis::blocking::with_requests;
use schedlab_analysis::Test;
use schedlab_lock::{LockProtocol, Protocol};
use schedlab_model::{
    Cluster, ClusterId, Duration, LockingClass, MutexProtocol, OrderClass, Overrun, Platform, Resource,
    ResourceId, Scheme, Statistic, Step, Task, TaskId, Work,
};
use schedlab_policy::pfair::Supertask;
use schedlab_policy::{ClusterSetup, Policy, Scheduler, SetupError};
use schedlab_report::invariants::OwnInvariant;
use schedlab_scenario::{shortened, Arrival, Charged, ResourceSpec, Scenario, TaskSpec};
use schedlab_sim::{Charges, Setup};
use std::borrow::Cow;

/// A task of the scenario as a piece of a given task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PieceOf {
    /// Index of the given task.
    pub task: usize,
    /// Number of the piece, counted from 0.
    pub number: usize,
    /// Number of pieces of the given task; 1 for a task that is whole.
    pub count: usize,
    /// Earliest begin of the piece, after the job's arrival.
    pub offset: Duration,
}

/// A scenario whose tasks are placed, whose scheduler is known, and of which nothing is left to a rule.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The scenario, with all that it left to rules decided.
    pub scenario: Scenario,
    /// The scenario's tasks, each in its cluster.
    pub tasks: Vec<Task>,
    /// The tasks as policies get them: under Pfair with their overheads and, for guarantees, with shorter deadlines.
    pub policy_tasks: Vec<Task>,
    /// The scenario's resources.
    pub resources: Vec<Resource>,
    /// Tasks that fit nowhere, and were placed best-effort on the least loaded processor.
    pub overflowed: Vec<TaskId>,
    /// The scenario's machine, as the scheduler divides it.
    pub platform: Platform,
    /// The scheduler.
    pub scheduler: Scheduler,
    /// The locking protocol; if resources have schemes of their own, a protocol that holds what is true of all of them.
    pub protocol: Protocol,
    /// Class of the protocol or scheme of each resource.
    pub classes: Vec<LockingClass>,
    /// Protocol of each resource as a mutex of POSIX, where the kernel's fixed priorities decide; else empty.
    pub mutexes: Vec<MutexProtocol>,
    /// The tests that the user added to those of the library.
    pub own_tests: Vec<&'static Test>,
    /// The invariants that the user added to those of the library.
    pub own_invariants: Vec<OwnInvariant>,
    /// The overheads that the machine takes for itself, and the kinds without a value.
    pub charged: Charged,
    /// The supertasks with their weights; empty if the scheduler knows of no supertasks.
    pub supertasks: Vec<WeightedSupertask>,
    /// The given task and the piece of it that each task is; empty if no task was split.
    pub pieces: Vec<PieceOf>,
    /// The reason why a simulation would not be one of the given tasks; `None` if it would be.
    pub only_analysis: Option<&'static str>,
}

impl Prepared {
    /// Returns the statistic of measured overheads that the scenario uses.
    pub fn statistic(&self) -> Statistic {
        self.scenario.overheads.statistic
    }

    /// Returns the names of the tasks that were placed best-effort, because they fit nowhere.
    pub fn overflowed_names(&self) -> Vec<String> {
        self.overflowed.iter().map(|id| self.scenario.task_name(*id).to_owned()).collect()
    }

    /// Says in words which tasks were placed best-effort; `None` if all fit.
    pub fn overflow(&self) -> Option<String> {
        let names = self.overflowed_names();
        let verb = if names.len() == 1 { "fits" } else { "fit" };
        (!names.is_empty()).then(|| format!("placed best-effort: {} {verb} nowhere", shortened(&names)))
    }

    /// Returns what the thread of `task` reserves: budget, relative deadline and period, those of its server if it has
    /// one.
    pub(crate) fn reserved(&self, index: usize, task: &Task) -> (Work, Duration, Duration) {
        let server = self.scenario.tasks[index].server.as_ref();
        let server = server.and_then(|name| self.scenario.servers.iter().find(|one| one.name == *name));
        match server {
            Some(server) => (server.budget, server.period, server.period),
            None => (task.wcet, task.relative_deadline, task.period),
        }
    }

    /// True if requests of jobs may delay other jobs.
    pub(crate) fn shares(&self) -> bool {
        self.requests(|class| class != LockingClass::WaitFree)
    }

    /// True if some requests delay no other job.
    pub(crate) fn is_wait_free(&self) -> bool {
        self.requests(|class| class == LockingClass::WaitFree)
    }

    /// True if jobs retry operations on some resources, while the protocol's class is one of locks, for which jobs
    /// wait.
    pub(crate) fn retries_beside_locks(&self) -> bool {
        self.protocol.class != LockingClass::LockFree
            && self.requests(|class| class == LockingClass::LockFree)
    }

    /// True if jobs retry operations on some resource.
    pub(crate) fn retries(&self) -> bool {
        self.requests(|class| class == LockingClass::LockFree)
    }

    /// Returns, by resource, how many attempts of one job a single operation of another job fails at most, if
    /// operations are retried.
    pub(crate) fn fails(&self) -> Vec<u32> {
        let of = |spec: &ResourceSpec| spec.object.map_or(1, |object| object.kind.fails());
        self.scenario.resources.iter().map(of).collect()
    }

    fn requests(&self, of: impl Fn(LockingClass) -> bool) -> bool {
        let is_one = |step: &Step| step.requested().is_some_and(|asked| of(self.classes[asked.index()]));
        self.tasks.iter().any(|task| task.program.iter().any(is_one))
    }

    /// Returns the tasks as analysis sees them: operations that wait for no other job become plain execution.
    pub(crate) fn analysed_tasks(&self) -> Cow<'_, [Task]> {
        let waits = |resource: ResourceId| self.classes[resource.index()] != LockingClass::WaitFree;
        let tasks = self.with_access_costs();
        match self.is_wait_free() {
            true => tasks.iter().map(|task| with_requests(task, waits)).collect(),
            false => tasks,
        }
    }

    /// Returns the tasks with the costs that the scenario's overheads state for operations on objects. An operation
    /// without a stated cost takes as long as its section.
    fn with_access_costs(&self) -> Cow<'_, [Task]> {
        let profile = &self.scenario.overheads.profile;
        if profile.objects.is_empty() {
            return Cow::Borrowed(&self.tasks);
        }
        let cost = |resource: ResourceId, users: usize| {
            let object = self.scenario.resources[resource.index()].object?;
            let made_for = object.tasks.map_or(users, |tasks| tasks as usize);
            profile.access(object.kind, object.scheme, self.statistic(), made_for)
        };
        Cow::Owned(accessing(&self.tasks, cost))
    }

    /// Makes a value for each cluster from the cluster's setup.
    pub fn for_each_cluster<T>(&self, make: impl Fn(&ClusterSetup<'_>) -> T) -> Vec<T> {
        let supertasks: Vec<Supertask> =
            self.supertasks.iter().map(|known| known.supertask.clone()).collect();
        let setup = |(index, cluster): (usize, &Cluster)| {
            make(&ClusterSetup {
                cluster: ClusterId(index as u16),
                cpus: &cluster.cpus,
                platform: &self.platform,
                tasks: &self.policy_tasks,
                affinity: self.scenario.scheduler.affinity,
                supertasks: &supertasks,
                throttling: self.scenario.heeded_throttling(),
            })
        };
        self.platform.clusters.iter().enumerate().map(setup).collect()
    }

    /// Makes a policy for each cluster. Fails if the scheduler refuses the tasks.
    pub fn policies(&self) -> Result<Vec<Box<dyn Policy>>, PrepareError> {
        let made = self
            .for_each_cluster(|setup| self.only_periodic().map_or_else(|| self.scheduler.policy(setup), Err));
        made.into_iter().collect::<Result<_, _>>().map_err(|error: SetupError| {
            // The error contains the task's id, so a task without a name of its own is not named again.
            let name = |task| {
                Some(self.scenario.task_name(task).to_owned()).filter(|name| *name != task.to_string())
            };
            let of_task = error.task().and_then(name);
            let named = of_task.or(error.supertask().map(|index| self.supertasks[index].name.clone()));
            PrepareError::Setup { error, named }
        })
    }

    /// Returns why the scheduler refuses tasks that do not arrive periodically, if it does.
    fn only_periodic(&self) -> Option<SetupError> {
        let is_for_periodic =
            matches!(self.scheduler.class(), OrderClass::Theorem(theorem) if theorem.is_for_periodic());
        let other = |spec: &TaskSpec| spec.arrival != Arrival::Periodic;
        let index = self.scenario.tasks.iter().position(other).filter(|_| is_for_periodic)?;
        let why = "arrivals that are not periodic: the scheduler plans from deadline to deadline, and knows them by the \
                   periods; allowed: periodic arrivals";
        Some(SetupError::NotForTask { task: TaskId(index as u32), why })
    }

    /// Makes the locking protocol for the tasks in their clusters. Fails if the protocol refuses them.
    pub fn locks(&self) -> Result<Box<dyn LockProtocol>, PrepareError> {
        let made = self.scenario.make_protocol(&self.protocol, &self.scheduler, &self.platform, &self.tasks);
        made.map_err(PrepareError::Locking)
    }

    /// Makes the locking protocol for a real run, in which the object itself decides which attempts on it fail.
    pub fn real_locks(&self) -> Result<Box<dyn LockProtocol>, PrepareError> {
        let mut scenario = self.scenario.clone();
        for object in scenario.resources.iter_mut().filter_map(|resource| resource.object.as_mut()) {
            if object.scheme == Scheme::LockFree {
                object.scheme = Scheme::WaitFree;
            }
        }
        let made = scenario.make_protocol(&self.protocol, &self.scheduler, &self.platform, &self.tasks);
        made.map_err(PrepareError::Locking)
    }

    /// Returns what the simulator needs besides policies, protocol and jobs. Jobs that exceed their WCETs go on in
    /// simulations; the scenario's rule for overruns is for real runs.
    pub fn setup(&self) -> Setup {
        Setup {
            tasks: self.tasks.clone(),
            platform: self.platform.clone(),
            charges: Charges::evaluate(
                &self.charged.overheads,
                self.statistic(),
                &self.tasks,
                &self.platform,
            ),
            overruns: Overrun::Ignore,
            horizon: self.scenario.horizon,
        }
    }

    /// Returns the setup of real runs, and of simulations of what they would have been. A real machine takes its
    /// overheads by itself, and enforces the scenario's rule for jobs that exceed their WCETs.
    pub fn real_setup(&self) -> Setup {
        Setup { charges: Charges::default(), overruns: self.scenario.overruns, ..self.setup() }
    }
}
