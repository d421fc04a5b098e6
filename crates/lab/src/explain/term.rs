//! Terms of a bound: causes of delay.

use schedlab_model::{OverheadKind, ResourceId, TaskId};
use schedlab_scenario::Scenario;

/// A cause of delay in a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Term {
    OwnWork,
    OwnJitter,
    OwnSuspension,
    Overhead(OverheadKind),
    /// Overheads of all kinds, if they are not divided by kind.
    Overheads,
    /// Sections of one task on one resource, and their number.
    Blocking {
        task: TaskId,
        resource: ResourceId,
        count: u64,
    },
    /// Blocking by sections on other processors, if the bound does not tell them apart.
    BlockingByOthers,
    BlockingHere,
    RetriesOn(ResourceId),
    Retries,
    Interference(TaskId),
    EarlierJobs,
    /// Interference that no analysis divides by task.
    AllOthers,
}

impl Term {
    /// The term in words, with the names of `scenario`.
    pub fn in_words(self, scenario: &Scenario) -> String {
        let resource = |id: ResourceId| &scenario.resources[id.index()].name;
        match self {
            Term::OwnWork => "own work".to_owned(),
            Term::OwnJitter => "own jitter".to_owned(),
            Term::OwnSuspension => "own suspension".to_owned(),
            Term::Overhead(kind) => format!("overheads, {}", kind.name().replace('_', " ")),
            Term::Overheads => "overheads, charged to the own cost".to_owned(),
            Term::Blocking { task, resource: id, count } => {
                let times = if count > 1 { format!(", {count} times") } else { String::new() };
                format!("blocking by {} on {}{times}", scenario.tasks[task.index()].name, resource(id))
            }
            Term::BlockingByOthers => "blocking by other processors".to_owned(),
            Term::BlockingHere => "blocking on the own processor".to_owned(),
            Term::RetriesOn(id) => format!("retries of operations on {}", resource(id)),
            Term::Retries => "retries".to_owned(),
            Term::Interference(task) => format!("interference by {}", scenario.tasks[task.index()].name),
            Term::EarlierJobs => "earlier jobs of its own".to_owned(),
            Term::AllOthers => "interference by all others, bounded as a whole".to_owned(),
        }
    }
}
