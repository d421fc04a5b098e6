//! Errors of scenarios that cannot be prepared for running or for analysis.

use crate::prepare::kernel_refusal::KernelRefusal;
use crate::reason::in_words;
use schedlab_analysis::SystemError;
use schedlab_lock::{UnknownProtocol, ALL_PROTOCOLS};
use schedlab_model::{Instant, LockingClass};
use schedlab_policy::pfair::ComponentScheduling;
use schedlab_policy::servers::Unserved;
use schedlab_policy::{Scheduler, Scope, SetupError, UnknownScheduler, EDF};
use schedlab_scenario::{protocols_under_aborts, shortened, Errors, PlaceError, Scenario, NO_OVERHEADS};

/// Lists the protocols of these classes by name, in words.
fn protocols_of(classes: &[LockingClass]) -> String {
    let of = |&class: &LockingClass| ALL_PROTOCOLS.iter().filter(move |protocol| protocol.class == class);
    let names: Vec<String> = classes.iter().flat_map(of).map(|known| format!("\"{}\"", known.name)).collect();
    names.join(" or ")
}

/// The reason why a scenario cannot be run or analysed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrepareError {
    /// There is no such scheduler.
    #[error(transparent)]
    Scheduler(UnknownScheduler),
    /// There is no such locking protocol.
    #[error(transparent)]
    Protocol(UnknownProtocol),
    /// The scheduler cannot be made for these tasks on this machine.
    #[error("{}{error}", .named.as_ref().map(|name| format!("{name}, ")).unwrap_or_default())]
    Setup {
        /// The scheduler's reason.
        error: SetupError,
        /// The name of the task or supertask that the error is about.
        named: Option<String>,
    },
    /// The locking protocol cannot be made for these tasks under this scheduler.
    #[error(transparent)]
    Locking(Errors),
    /// The scheduler gives jobs up within sections, or has never room for a task that joins.
    #[error(transparent)]
    Rules(Errors),
    /// The scheduler cannot have the scenario's budget servers.
    #[error("{0}; allowed: {allowed}, or no server", allowed = .0.allowed())]
    Unserved(Unserved),
    /// The scheduling class of Linux cannot run the scenario.
    #[error(transparent)]
    Kernel(#[from] KernelRefusal),
    /// The tasks cannot be placed.
    #[error(transparent)]
    Placement(PlaceError),
    /// The jobs cannot be drawn.
    #[error(transparent)]
    Source(schedlab_workload::arrivals::SourceError),
    /// A rule to which the scenario leaves a choice finds none.
    #[error(transparent)]
    Unresolved(Unresolved),
    /// The protocol lets no section cross the end of a quantum, but this supertask's components preempt each other
    /// within quanta.
    #[error(
        "protocol \"{0}\" in supertask \"{1}\": its components preempt each other within a quantum, holders too; \
         allowed: scheduling = \"{quanta}\", or {others}",
        quanta = ComponentScheduling::QuantumBased.name(),
        others = protocols_of(&[LockingClass::LockFree])
    )]
    ZonesInSupertask(&'static str, String),
    /// The protocol's rules need priorities, which the scheduler does not heed, or attempts that no abort interrupts.
    #[error(
        "protocol \"{0}\" under {1}, which heeds no priorities and gives jobs up. Allowed: {others}",
        others = protocols_under_aborts()
    )]
    ProtocolOfUtility(&'static str, String),
    /// The scenario can be analysed, but not simulated, for this reason.
    #[error("{0}")]
    OnlyAnalysis(&'static str),
    /// The tasks are beyond what the analysis can represent.
    #[error("{said}")]
    Analysis {
        /// The limit that is exceeded.
        error: SystemError,
        /// The error in words, with the tasks' names.
        said: String,
    },
    /// No weights guarantee all deadlines on this number of processors.
    #[error(
        "weights = \"guaranteed\": weights with which no job is late do not fit on {0} {noun}; \
         allowed where they do, or \"plain\"",
        noun = if *.0 == 1 { "processor" } else { "processors" }
    )]
    NoGuarantee(u16),
    /// The protocol keeps sections within quanta only if no overhead interrupts them.
    #[error(
        "protocol \"{0}\" with overheads: an interrupted section may outlast its quantum; \
         allowed: overheads = \"{NO_OVERHEADS}\", or {others}",
        others = protocols_of(&[LockingClass::LockFree, LockingClass::Server])
    )]
    ZonesWithOverheads(&'static str),
    /// Priority points in parts of a nanosecond outgrow a priority before the horizon.
    #[error(
        "horizon {horizon} under \"{scheduler}\": exact priority points, times a cluster's processors, \
         outgrow 62 bits; allowed: at most {latest}, or smaller clusters"
    )]
    PriorityPoints {
        /// The scheduler's name.
        scheduler: String,
        /// The scenario's horizon.
        horizon: Instant,
        /// The latest horizon for which priorities have room.
        latest: Instant,
    },
}

impl PrepareError {
    /// Makes the error that the tasks of `scenario` are beyond what the analysis can represent.
    pub(crate) fn analysis(error: SystemError, scenario: &Scenario) -> PrepareError {
        PrepareError::Analysis { error, said: in_words(&error, scenario) }
    }

    /// True if the error is a result, not bad input: the scheduler, or the protocol under it, cannot have these tasks.
    pub fn is_of_scheduler(&self) -> bool {
        self.is_lack_of_room() || self.is_as_read()
    }

    /// True if a reader refuses a file of the scenario for the same reason.
    pub fn is_as_read(&self) -> bool {
        self.is_of_protocol() || matches!(self, PrepareError::Rules(_) | PrepareError::Unserved(_))
    }

    /// True if the protocol does not fit the scheduler, the tasks or their places.
    pub fn is_of_protocol(&self) -> bool {
        matches!(self, PrepareError::Locking(_) | PrepareError::ProtocolOfUtility(..))
    }

    /// True if the scheduler has no room for the tasks, or the scenario's rules do not suit it. This is a result if
    /// several schedulers are compared.
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
            | PrepareError::Kernel(_)
            | PrepareError::Protocol(_)
            | PrepareError::Locking(_)
            | PrepareError::Rules(_)
            | PrepareError::Unserved(_)
            | PrepareError::Source(_)
            | PrepareError::Unresolved(_)
            | PrepareError::OnlyAnalysis(_)
            | PrepareError::ProtocolOfUtility(..)
            | PrepareError::ZonesWithOverheads(_)
            | PrepareError::PriorityPoints { .. }
            | PrepareError::ZonesInSupertask(..)
            | PrepareError::Analysis { .. } => false,
        }
    }
}

/// The reason why a rule of the scenario decides nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unresolved {
    /// Tasks are split under partitioned preemptive EDF only; this is another scheduler.
    #[error(
        "split in [scheduler.placement] under \"{0}\": pieces are scheduled by EDF on each processor; allowed: {edf}",
        edf = Scheduler::of_order(EDF, true, Scope::Partitioned).name
    )]
    SplitUnder(String),
    /// The split decides where tasks run, but this task names processors.
    #[error(
        "split in [scheduler.placement] says where tasks run, and task \"{0}\" names processors; allowed: one of the two"
    )]
    SplitAndGiven(String),
    /// Pieces need jobs that begin at their offsets: no requests, suspension or jitter.
    #[error(
        "split in [scheduler.placement]: pieces have to begin at their offsets; allowed: tasks without programs, \
         self-suspension and jitter, released by timer"
    )]
    SplitDisturbed,
    /// The work budget was spent before the rule had decided.
    #[error("[scheduler.placement]: the work budget was spent")]
    Spent,
    /// These tasks fit on no processor, even split.
    #[error("{} of the tasks fit on no processor, even split: {}", .0.len(), shortened(.0))]
    NotSplit(Vec<String>),
    /// The named test does not speak of one processor under this scheduler.
    #[error("test = \"{0}\" in [scheduler.placement] says nothing of a processor under \"{1}\"")]
    TestUnder(&'static str, String),
    /// The named test places tasks on processors, not on clusters of several.
    #[error(
        "test = \"{0}\" in [scheduler.placement] is for one processor; allowed under partitioned schedulers"
    )]
    TestOnClusters(&'static str),
    /// Audsley's algorithm cannot be used here, for this reason.
    #[error("priorities = \"Audsley\" in [scheduler]: {0}")]
    Audsley(String),
    /// The test accepts no order of priorities for the tasks of this cluster.
    #[error("no order of fixed priorities for the tasks of cluster {0} is accepted by {1}")]
    NoOrder(u16, &'static str),
}
