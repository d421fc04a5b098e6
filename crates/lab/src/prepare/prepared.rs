//! A scenario with everything decided that its runs share.

use crate::prepare::access_costs::accessing;
use crate::prepare::error::PrepareError;
use crate::prepare::kernel_order;
use crate::prepare::supertasks::WeightedSupertask;
use schedlab_analysis::blocking::with_requests;
use schedlab_analysis::Test;
use schedlab_lock::{LockProtocol, Protocol};
use schedlab_model::{
    Cluster, ClusterId, Duration, LockingClass, OrderClass, Overrun, Platform, Resource, ResourceId, Scheme,
    Statistic, Step, Task, TaskId,
};
use schedlab_policy::pfair::Supertask;
use schedlab_policy::{ClusterSetup, Make, Policy, Scheduler, SetupError};
use schedlab_report::invariants::OwnInvariant;
use schedlab_scenario::{Charged, ResourceSpec, Scenario};
use schedlab_sim::{Charges, Setup};
use std::borrow::Cow;

/// Which piece of which task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PieceOf {
    /// The given task, by place.
    pub task: usize,
    /// Counted from 0.
    pub number: usize,
    /// How many there are; 1 for a task that is whole.
    pub count: usize,
    /// When it may begin, after the job's arrival.
    pub offset: Duration,
}

/// A scenario whose tasks are placed and whose scheduler is known.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The scenario, with all that it left to rules decided.
    pub scenario: Scenario,
    /// Its tasks, each in its cluster.
    pub tasks: Vec<Task>,
    /// Its tasks as policies get them: with their overheads, and shorter deadlines, under Pfair.
    pub policy_tasks: Vec<Task>,
    /// Its resources.
    pub resources: Vec<Resource>,
    /// Tasks that fit nowhere and were put on the least loaded processor all the same: placed best-effort.
    pub overflowed: Vec<TaskId>,
    /// Its machine, as the scheduler divides it.
    pub platform: Platform,
    /// Its scheduler.
    pub scheduler: Scheduler,
    /// Its locking protocol, or what holds of all where resources have schemes of their own.
    pub protocol: Protocol,
    /// By resource: the class of the protocol that it is under.
    pub classes: Vec<LockingClass>,
    /// The tests that the user added to those of the library.
    pub own_tests: Vec<&'static Test>,
    /// The invariants that the user added to those of the library.
    pub own_invariants: Vec<OwnInvariant>,
    /// What the machine takes for itself, and what of it is not known.
    pub charged: Charged,
    /// Its supertasks with their weights, if the scheduler knows of supertasks.
    pub supertasks: Vec<WeightedSupertask>,
    /// By task: which piece of which task of the given scenario it is; empty if none was split.
    pub pieces: Vec<PieceOf>,
    /// Why a simulation would not be one of the given tasks, if so.
    pub only_analysis: Option<&'static str>,
}

impl Prepared {
    /// Which of the measured overheads the scenario uses.
    pub fn statistic(&self) -> Statistic {
        self.scenario.overheads.statistic
    }

    /// The names of the tasks that were placed best-effort, because they fit nowhere.
    pub fn overflowed_names(&self) -> Vec<String> {
        self.overflowed.iter().map(|id| self.scenario.task_name(*id).to_owned()).collect()
    }

    /// Which tasks were placed best-effort, in words; `None` if all fit.
    pub fn overflow(&self) -> Option<String> {
        let names = self.overflowed_names();
        let verb = if names.len() == 1 { "fits" } else { "fit" };
        (!names.is_empty()).then(|| format!("placed best-effort: {} {verb} nowhere", names.join(", ")))
    }

    /// The class of the scheduler's order, where Linux decides that of what it then does.
    pub(crate) fn order_class(&self) -> OrderClass {
        match self.is_throttled() {
            true => OrderClass::Unanalysed,
            false => kernel_order::order_class(&self.scheduler, &self.platform, &self.tasks),
        }
    }

    /// True if processors stop while jobs are ready: they have run some for as long as they may.
    pub(crate) fn is_throttled(&self) -> bool {
        self.scenario.scheduler.throttling.is_some_and(|throttling| throttling.ever_stops())
    }

    /// True if the scheduler is a policy of which nothing is known, not even that it keeps processors busy: tests of
    /// any scheduler but those of what none can do assume that.
    pub(crate) fn is_unanalysed(&self) -> bool {
        match self.scheduler.make {
            Make::Clustered { .. } => false,
            Make::Utility(_) | Make::Other { .. } | Make::Kernel(_) => {
                matches!(self.order_class(), OrderClass::Unanalysed)
            }
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

    /// True if jobs try operations again on some resources, and the protocol's class speaks of others, for which they
    /// wait.
    pub(crate) fn retries_beside_locks(&self) -> bool {
        self.protocol.class != LockingClass::LockFree
            && self.requests(|class| class == LockingClass::LockFree)
    }

    /// True if jobs try operations on some resources again.
    pub(crate) fn retries(&self) -> bool {
        self.requests(|class| class == LockingClass::LockFree)
    }

    /// By resource: how many attempts of a job one operation of another job fails at most, where operations are tried
    /// again.
    pub(crate) fn fails(&self) -> Vec<u32> {
        let of = |spec: &ResourceSpec| spec.object.map_or(1, |object| object.kind.fails());
        self.scenario.resources.iter().map(of).collect()
    }

    fn requests(&self, of: impl Fn(LockingClass) -> bool) -> bool {
        let is_one = |step: &Step| step.requested().is_some_and(|asked| of(self.classes[asked.index()]));
        self.tasks.iter().any(|task| task.program.iter().any(is_one))
    }

    /// The tasks as analysis has to see them: operations that wait for no other job are execution as any other.
    pub(crate) fn analysed_tasks(&self) -> Cow<'_, [Task]> {
        let waits = |resource: ResourceId| self.classes[resource.index()] != LockingClass::WaitFree;
        let tasks = self.with_access_costs();
        match self.is_wait_free() {
            true => tasks.iter().map(|task| with_requests(task, waits)).collect(),
            false => tasks,
        }
    }

    /// The tasks with what the scenario's overheads say that operations on its objects cost. Where they say nothing, an
    /// operation takes as long as its section.
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

    /// A value for each cluster, made from its setup.
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
                throttling: self.scenario.scheduler.throttling,
            })
        };
        self.platform.clusters.iter().enumerate().map(setup).collect()
    }

    /// A policy for each cluster.
    pub fn policies(&self) -> Result<Vec<Box<dyn Policy>>, PrepareError> {
        let made = self.for_each_cluster(|setup| self.scheduler.policy(setup));
        made.into_iter().collect::<Result<_, _>>().map_err(|error: SetupError| {
            // The error says the task's id: a task without a name is called by it alone.
            let name = |task| {
                Some(self.scenario.task_name(task).to_owned()).filter(|name| *name != task.to_string())
            };
            let of_task = error.task().and_then(name);
            let named = of_task.or(error.supertask().map(|index| self.supertasks[index].name.clone()));
            PrepareError::Setup { error, named }
        })
    }

    /// The locking protocol, for the tasks where they are.
    pub fn locks(&self) -> Result<Box<dyn LockProtocol>, PrepareError> {
        let made = self.scenario.make_protocol(&self.protocol, &self.scheduler, &self.platform, &self.tasks);
        made.map_err(PrepareError::Locking)
    }

    /// The same for a real run: there the object itself says which attempts on it fail.
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

    /// Whether the locking protocol is for this scheduler, these tasks and where they are.
    pub(crate) fn suits_protocol(&self) -> bool {
        self.scenario.try_protocol(&self.protocol, &self.scheduler, &self.platform, &self.tasks).is_ok()
    }

    /// What the simulator needs besides policies, protocol and jobs. What the scenario says of jobs that exceed their
    /// WCETs is for real runs: simulated ones go on.
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

    /// The same for real runs, and for simulations of what they would have been: a real machine takes its overheads by
    /// itself, and enforces what the scenario says of jobs that exceed their WCETs.
    pub fn real_setup(&self) -> Setup {
        Setup { charges: Charges::default(), overruns: self.scenario.overruns, ..self.setup() }
    }
}
