//! Why a scenario cannot be prepared for running or for analysis.

use schedlab_lock::UnknownProtocol;
use schedlab_model::Instant;
use schedlab_policy::{SetupError, UnknownScheduler};
use schedlab_scenario::{Errors, PlaceError};
use std::fmt;

/// Why a scenario cannot be run or analysed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrepareError {
    /// There is no such scheduler.
    Scheduler(UnknownScheduler),
    /// There is no such locking protocol.
    Protocol(UnknownProtocol),
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
    /// Zones end with quanta, and this supertask's components preempt each other within them.
    ZonesInSupertask(&'static str, String),
    /// It can be analysed, but not simulated: this is why.
    OnlyAnalysis(&'static str),
    /// The tasks are beyond what the analysis can represent.
    Analysis(schedlab_analysis::SystemError),
    /// No weights guarantee all deadlines on so many processors.
    NoGuarantee(u16),
    /// This protocol keeps sections within quanta only where nothing interrupts them.
    ZonesWithOverheads(&'static str),
    /// Priority points in parts of a nanosecond outgrow a priority before the horizon.
    PriorityPoints {
        /// Under which scheduler.
        scheduler: String,
        /// The scenario's horizon.
        horizon: Instant,
        /// The latest for which they have room.
        latest: Instant,
    },
}

impl fmt::Display for PrepareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PrepareError::Scheduler(error) => error.fmt(f),
            PrepareError::Protocol(error) => error.fmt(f),
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
            PrepareError::PriorityPoints { scheduler, horizon, latest } => write!(
                f,
                "horizon {horizon} under \"{scheduler}\": exact priority points are multiplied by the processors of a \
                 cluster and outgrow 62 bits; allowed: at most {latest}, or smaller clusters"
            ),
            PrepareError::ZonesInSupertask(protocol, name) => write!(
                f,
                "protocol \"{protocol}\" in supertask \"{name}\": its components preempt each other within a quantum, holders too; \
                 allowed: scheduling = \"quantum-based\", or \"lock-free\""
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
            | PrepareError::Protocol(_)
            | PrepareError::Locking(_)
            | PrepareError::Source(_)
            | PrepareError::Unresolved(_)
            | PrepareError::OnlyAnalysis(_)
            | PrepareError::ZonesWithOverheads(_)
            | PrepareError::PriorityPoints { .. }
            | PrepareError::ZonesInSupertask(..)
            | PrepareError::Analysis(_) => false,
        }
    }
}

/// Why a rule decides nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unresolved {
    /// Tasks are split under partitioned preemptive EDF only.
    SplitUnder(String),
    /// The split says where tasks run, and so does this one.
    SplitAndGiven(String),
    /// Pieces need jobs that begin at their offsets: no requests, suspension or jitter.
    SplitDisturbed,
    /// The work budget ended first.
    Spent,
    /// These fit on no processor, even split.
    NotSplit(Vec<String>),
    /// This test says nothing of a processor under this scheduler.
    TestUnder(&'static str, String),
    /// Tasks are placed on processors, not on clusters of several.
    TestOnClusters(&'static str),
    /// Audsley's algorithm cannot ask a test here.
    Audsley(String),
    /// No order of priorities is accepted for the tasks of this cluster.
    NoOrder(u16, &'static str),
}

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unresolved::SplitUnder(name) => write!(
                f,
                "split in [scheduler.placement] under \"{name}\": pieces are scheduled by EDF on each processor; allowed: P-EDF"
            ),
            Unresolved::SplitAndGiven(task) => write!(
                f,
                "split in [scheduler.placement] says where tasks run, and task \"{task}\" names processors; allowed: one of the two"
            ),
            Unresolved::SplitDisturbed => write!(
                f,
                "split in [scheduler.placement]: pieces have to begin at their offsets; allowed: tasks without programs, \
                 self-suspension and jitter, released by timer"
            ),
            Unresolved::Spent => write!(f, "[scheduler.placement]: the work budget was spent"),
            Unresolved::NotSplit(names) => {
                write!(f, "{} of the tasks fit on no processor, even split: {}", names.len(), names.join(", "))
            }
            Unresolved::TestUnder(test, name) => write!(
                f,
                "test = \"{test}\" in [scheduler.placement] says nothing of a processor under \"{name}\""
            ),
            Unresolved::TestOnClusters(test) => write!(
                f,
                "test = \"{test}\" in [scheduler.placement] is for one processor; allowed under partitioned schedulers"
            ),
            Unresolved::Audsley(why) => write!(f, "priorities = \"Audsley\" in [scheduler]: {why}"),
            Unresolved::NoOrder(cluster, test) => write!(
                f,
                "no order of fixed priorities for the tasks of cluster {cluster} is accepted by {test}"
            ),
        }
    }
}

impl std::error::Error for Unresolved {}
