//! A scenario with everything decided that its runs share.

use crate::pfair;
use crate::resolve::{resolve, PieceOf, Unresolved};
use crate::supertasks::{supertasks, WeightedSupertask};
use schedlab_lock::{find_protocol, LockProtocol, Protocol};
use schedlab_model::{Cluster, ClusterId, Invariant, Platform, Resource, Statistic, Task, TaskId};
use schedlab_policy::pfair::Supertask;
use schedlab_policy::{find, ClusterSetup, Policy, Scheduler, SetupError, UnknownScheduler};
use schedlab_report::context::Quanta;
use schedlab_report::Context;
use schedlab_scenario::{place, Charged, Errors, PlaceError, Scenario, TaskSpec};
use schedlab_sim::{Charges, Setup};
use schedlab_trace::Header;
use std::fmt;

/// A scenario whose tasks are placed and whose scheduler is known.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The scenario, with all that it left to rules decided.
    pub scenario: Scenario,
    /// Its tasks, each in its cluster.
    pub tasks: Vec<Task>,
    /// Its tasks as policies are told of them: with their overheads, and shorter deadlines, under Pfair.
    pub told: Vec<Task>,
    /// Its resources.
    pub resources: Vec<Resource>,
    /// Tasks that fit nowhere and were put on the least loaded processor all the same.
    pub overflowed: Vec<TaskId>,
    /// Its machine, as the scheduler divides it.
    pub platform: Platform,
    /// Its scheduler.
    pub scheduler: Scheduler,
    /// Its locking protocol.
    pub protocol: Protocol,
    /// What the machine takes for itself, and what of it nobody knows.
    pub charged: Charged,
    /// Its supertasks with their weights, if the scheduler knows of supertasks.
    pub supertasks: Vec<WeightedSupertask>,
    /// By task: which piece of which task of the given scenario it is; empty if none was split.
    pub pieces: Vec<PieceOf>,
    /// Why a simulation would not be one of the given tasks, if so.
    pub only_analysis: Option<&'static str>,
}

/// Why a scenario cannot be run or analysed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrepareError {
    /// There is no such scheduler.
    Scheduler(UnknownScheduler),
    /// The scheduler cannot be made for these tasks on this machine.
    Setup {
        /// Why.
        error: SetupError,
        /// The name of the task or supertask that it is about.
        named: Option<String>,
    },
    /// The locking protocol cannot be made for these tasks under this scheduler.
    Locking(Errors),
    /// The tasks cannot be placed.
    Placement(PlaceError),
    /// The jobs cannot be drawn.
    Source(schedlab_workload::arrivals::SourceError),
    /// A rule that the scenario leaves something to decides nothing.
    Unresolved(Unresolved),
    /// It can be analysed, but not simulated: this is why.
    OnlyAnalysis(&'static str),
    /// The tasks are beyond what the analysis can represent.
    Analysis(schedlab_analysis::SystemError),
    /// No weights guarantee all deadlines on so many processors.
    NoGuarantee(u16),
    /// This protocol keeps sections within quanta only where nothing interrupts them.
    ZonesWithOverheads(&'static str),
}

impl fmt::Display for PrepareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PrepareError::Scheduler(error) => error.fmt(f),
            PrepareError::Setup { error, named: None } => error.fmt(f),
            PrepareError::Setup { error, named: Some(name) } => write!(f, "{name}, {error}"),
            PrepareError::Locking(error) => error.fmt(f),
            PrepareError::Placement(error) => error.fmt(f),
            PrepareError::Source(error) => error.fmt(f),
            PrepareError::Unresolved(error) => error.fmt(f),
            PrepareError::OnlyAnalysis(why) => f.write_str(why),
            PrepareError::Analysis(error) => error.fmt(f),
            PrepareError::ZonesWithOverheads(protocol) => write!(
                f,
                "protocol \"{protocol}\" with overheads: a section that is interrupted may outlast the quantum that it \
                 was to end in; allowed: overheads = \"none\", or \"lock-free\" or \"pfair-server\""
            ),
            PrepareError::NoGuarantee(processors) => write!(
                f,
                "weights = \"guaranteed\": weights with which no job is late do not fit on {processors} processors; \
                 allowed where they do, or \"plain\""
            ),
        }
    }
}

impl std::error::Error for PrepareError {}

impl PrepareError {
    /// True if the scheduler has no room for the tasks, or the scenario's rules are not for it: a result, where several schedulers are
    /// compared.
    pub fn is_lack_of_room(&self) -> bool {
        match self {
            PrepareError::Placement(error) => matches!(error, PlaceError::DoNotFit(_)),
            PrepareError::Setup { error, .. } => error.is_lack_of_room(),
            PrepareError::Unresolved(
                Unresolved::NotSplit(_)
                | Unresolved::NoOrder(..)
                | Unresolved::SplitUnder(_)
                | Unresolved::TestUnder(..)
                | Unresolved::TestOnClusters(_),
            ) => true,
            PrepareError::NoGuarantee(_) => true,
            PrepareError::Scheduler(_)
            | PrepareError::Locking(_)
            | PrepareError::Source(_)
            | PrepareError::Unresolved(_)
            | PrepareError::OnlyAnalysis(_)
            | PrepareError::ZonesWithOverheads(_)
            | PrepareError::Analysis(_) => false,
        }
    }
}

/// The machine as the scheduler divides it, with its quanta where the scheduler wants them.
pub(crate) fn platform(scenario: &Scenario, scheduler: &Scheduler) -> Platform {
    let platform = scenario.model_platform();
    Platform { alignment: scheduler.quanta.unwrap_or(platform.alignment), ..platform }
}

/// The quanta of a scheduler that decides by them, and who shares them.
pub(crate) fn quanta(scenario: &Scenario, scheduler: &Scheduler, platform: &Platform) -> Option<Quanta> {
    scheduler.quanta?;
    let supertask = |task: &TaskSpec| {
        let name = task.supertask.as_ref()?;
        let at = scenario.supertasks.iter().position(|supertask| supertask.name == *name)?;
        Some(at as u32)
    };
    let quanta = Quanta::of_platform(platform, scheduler.name == "ER-PD2")?;
    Some(Quanta { supertasks: scenario.tasks.iter().map(supertask).collect(), ..quanta })
}

/// The protocol that the scenario names.
fn scenario_protocol(scenario: &Scenario) -> Protocol {
    *find_protocol(&scenario.protocol).expect("a checked scenario has a protocol that exists")
}

impl Prepared {
    /// Decides what the runs of `scenario` share.
    pub fn new(scenario: &Scenario) -> Result<Self, PrepareError> {
        let scheduler = find(&scenario.scheduler.name).map_err(PrepareError::Scheduler)?;
        Self::with_scheduler(scenario, scheduler)
    }

    /// As [`Prepared::new`], under a protocol that need not be in the registry.
    pub fn with_protocol(scenario: &Scenario, protocol: Protocol) -> Result<Self, PrepareError> {
        let scheduler = find(&scenario.scheduler.name).map_err(PrepareError::Scheduler)?;
        Self::with(scenario, scheduler, protocol)
    }

    /// As [`Prepared::new`], under a scheduler that has the scenario's scope but need not be in the registry.
    pub fn with_scheduler(scenario: &Scenario, scheduler: Scheduler) -> Result<Self, PrepareError> {
        let protocol = scenario_protocol(scenario);
        Self::with(scenario, scheduler, protocol)
    }

    /// As [`Prepared::new`], for analysis only: the scheduler or the protocol may turn out to refuse these tasks.
    pub fn for_analysis(scenario: &Scenario) -> Result<Self, PrepareError> {
        let scheduler = find(&scenario.scheduler.name).map_err(PrepareError::Scheduler)?;
        Self::unchecked(scenario, scheduler, scenario_protocol(scenario))
    }

    fn with(scenario: &Scenario, scheduler: Scheduler, protocol: Protocol) -> Result<Self, PrepareError> {
        let prepared = Self::unchecked(scenario, scheduler, protocol)?;
        if protocol.name.starts_with("zone-") && !prepared.setup().charges.are_none() {
            return Err(PrepareError::ZonesWithOverheads(protocol.name));
        }
        if let Some(why) = prepared.only_analysis {
            return Err(PrepareError::OnlyAnalysis(why));
        }
        prepared.policies()?;
        prepared.locks()?;
        Ok(prepared)
    }

    fn unchecked(
        scenario: &Scenario,
        scheduler: Scheduler,
        protocol: Protocol,
    ) -> Result<Self, PrepareError> {
        let resolved = resolve(scenario)?;
        let scenario = resolved.scenario.as_ref();
        let (tasks, overflowed) = place(scenario).map_err(PrepareError::Placement)?;
        let platform = platform(scenario, &scheduler);
        let mut prepared = Prepared {
            told: Vec::new(),
            resources: scenario.model_resources(),
            supertasks: supertasks(scenario, &tasks, &platform, &scheduler),
            platform,
            charged: scenario.charged(),
            pieces: resolved.pieces,
            only_analysis: resolved.only_analysis,
            scenario: scenario.clone(),
            tasks,
            overflowed,
            scheduler,
            protocol,
        };
        prepared.told = pfair::told(&prepared)?;
        Ok(prepared)
    }

    /// Which of the measured overheads the scenario uses.
    pub fn statistic(&self) -> Statistic {
        self.scenario.overheads.statistic
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
                tasks: &self.told,
                affinity: self.scenario.scheduler.affinity,
                supertasks: &supertasks,
            })
        };
        self.platform.clusters.iter().enumerate().map(setup).collect()
    }

    /// A policy for each cluster.
    pub fn policies(&self) -> Result<Vec<Box<dyn Policy>>, PrepareError> {
        let made = self.for_each_cluster(|setup| self.scheduler.policy(setup));
        made.into_iter().collect::<Result<_, _>>().map_err(|error: SetupError| {
            let of_task = error.task().map(|task| self.scenario.task_name(task).to_owned());
            let named = of_task.or(error.supertask().map(|at| self.supertasks[at].name.clone()));
            PrepareError::Setup { error, named }
        })
    }

    /// The locking protocol, for the tasks where they are.
    pub fn locks(&self) -> Result<Box<dyn LockProtocol>, PrepareError> {
        let made = self.scenario.make_protocol(&self.protocol, &self.scheduler, &self.platform, &self.tasks);
        made.map_err(PrepareError::Locking)
    }

    /// What the simulator needs besides policies, protocol and jobs.
    pub fn setup(&self) -> Setup {
        Setup {
            tasks: self.tasks.clone(),
            platform: self.platform.clone(),
            charges: Charges::evaluate(&self.charged.overheads, self.statistic(), &self.tasks),
            horizon: self.scenario.horizon,
        }
    }

    /// What readers of this scenario's traces have to know, given what the policy promises.
    pub fn context(&self) -> Context {
        let policy = self.policies().expect("made once when prepared").remove(0);
        let mut promises = policy.promises().to_vec();
        let is_ideal = self.setup().charges.are_none();
        // Links follow decisions late where interrupts and switches take time.
        promises.retain(|promise| is_ideal || *promise != Invariant::UnusedQuantaAreWasted);
        if let (true, Ok(locks)) = (is_ideal, self.locks()) {
            promises.extend(locks.promises());
            promises.extend(crate::promises::of_protocol(self));
        }
        promises.sort_unstable();
        promises.dedup();
        Context {
            tasks: self.scenario.tasks.iter().map(|task| task.name.clone()).collect(),
            resource_names: self.scenario.resources.iter().map(|resource| resource.name.clone()).collect(),
            resources: self.resources.clone(),
            promises,
            quanta: quanta(&self.scenario, &self.scheduler, &self.platform),
            ..Context::of_platform(&self.platform)
        }
    }

    /// The header of this scenario's simulated traces.
    pub fn header(&self) -> Header {
        let promises: Vec<&str> = self.context().promises.iter().map(|promise| promise.name()).collect();
        Header::new()
            .with("scenario", &self.scenario.to_toml())
            .with("scheduler", &self.scheduler.name)
            .with("protocol", self.protocol.name)
            .with("promises", &promises.join(" "))
            .with("source", "simulation")
            .with("clock", "simulated nanoseconds")
            .with("machine", &self.scenario.overheads.profile.machine)
            .with("producer", concat!("schedlab ", env!("CARGO_PKG_VERSION")))
    }
}
