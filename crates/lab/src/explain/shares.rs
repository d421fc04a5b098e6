//! Shares of a bound: overheads by kind, retries by resource.
//!
//! Overheads are not a sum over kinds, because interrupts make each other longer. So kinds and resources are added one
//! by one in their order, and the share of each is what it adds to those before it. These shares add up to the whole.
//! If adding one makes the whole smaller, which no accounting here should do, no shares are given.

use crate::explain::term::Term;
use crate::prepare::accounting::{account, OverheadOutcome};
use crate::prepare::prepared::Prepared;
use crate::verdict::analysis::prove;
use schedlab_analysis::blocking::{with_requests, Blocking};
use schedlab_model::{LockingClass, OverheadKind, Overheads, ResourceId, Task, TaskId};

/// Largest number of resources that are listed; a longer list would be hard to read.
const MOST_RESOURCES: usize = 64;

/// Shares of each term by task, in ns.
pub(super) type Shares = Vec<(Term, Vec<u64>)>;

/// Returns what each kind of overhead adds to the costs of tasks; `None` if they do not add up to those of `inflated`.
pub(super) fn of_kinds(prepared: &Prepared, inflated: &[Task]) -> Option<Shares> {
    let (mut some, mut charged) = (prepared.clone(), Overheads::default());
    let whole = |tasks: &[Task]| tasks.iter().map(|task| Some(task.wcet.as_ns())).collect::<Vec<_>>();
    let mut steps = vec![(Term::Overheads, whole(&prepared.tasks))];
    for kind in OverheadKind::ALL {
        charged.take(kind, &prepared.charged.overheads);
        some.charged.overheads.clone_from(&charged);
        let term = Term::Overhead(kind);
        steps.push(match account(&some) {
            OverheadOutcome::None => (term, whole(&prepared.tasks)),
            OverheadOutcome::Inflated(tasks) => (term, whole(&tasks)),
            OverheadOutcome::NotAccounted(_) => return None,
        });
    }
    (steps.last().map(|(_, costs)| costs) == Some(&whole(inflated))).then(|| added(&steps))?
}

/// Returns what retries of operations on each lock-free resource add to the bound of `blocking`.
pub(super) fn of_resources(prepared: &Prepared, blocking: &Blocking) -> Option<Shares> {
    let resources = prepared.resources.len();
    if resources > MOST_RESOURCES {
        return None;
    }
    let totals = |known: usize| -> Option<Vec<Option<u64>>> {
        let is_known = |resource: ResourceId| resource.index() < known;
        let tasks = prepared.tasks.iter().map(|task| with_requests(task, is_known)).collect();
        let some = Prepared { tasks, ..prepared.clone() };
        let analysis = prove(&some).ok()?.analysis?;
        let same =
            analysis.blocking.iter().chain(&analysis.more_blocking).find(|one| one.method == blocking.method);
        match same {
            Some(found) => Some(found.terms.iter().map(|terms| terms.total()).collect()),
            // No task requests any of these resources.
            None => Some(vec![Some(0); prepared.tasks.len()]),
        }
    };
    let mut steps = vec![(Term::BlockingHere, vec![Some(0); prepared.tasks.len()])];
    for known in 1..resources {
        steps.push((retries_on(known - 1), totals(known)?));
    }
    let last = retries_on(resources.checked_sub(1)?);
    steps.push((last, blocking.terms.iter().map(|terms| terms.total()).collect()));
    let mut shares = added(&steps)?;
    let is_tried = |term: &Term| matches!(term, Term::RetriesOn(id) if prepared.classes[id.index()] == LockingClass::LockFree);
    shares.retain(|(term, _)| is_tried(term));
    Some(shares)
}

fn retries_on(index: usize) -> Term {
    Term::RetriesOn(ResourceId(index as u32))
}

/// Returns what each step adds to the one before it; `None` if a step is smaller. A task without a bound at one of the
/// two steps has nothing added.
fn added(steps: &[(Term, Vec<Option<u64>>)]) -> Option<Shares> {
    let pair = |pair: &[(Term, Vec<Option<u64>>)]| {
        let more = |(before, after): (&Option<u64>, &Option<u64>)| match (before, after) {
            (Some(before), Some(after)) => after.checked_sub(*before),
            (None, _) | (_, None) => Some(0),
        };
        let more: Option<Vec<u64>> = pair[0].1.iter().zip(&pair[1].1).map(more).collect();
        Some((pair[1].0, more?))
    };
    steps.windows(2).map(pair).collect()
}

/// Returns the shares of a task, if they add up to `whole`.
pub(super) fn of_task(shares: Option<&Shares>, task: TaskId, whole: u64) -> Option<Vec<(Term, u64)>> {
    let parts: Vec<(Term, u64)> =
        shares?.iter().map(|(term, by_task)| (*term, by_task[task.index()])).collect();
    (parts.iter().map(|part| part.1).sum::<u64>() == whole).then_some(parts)
}
