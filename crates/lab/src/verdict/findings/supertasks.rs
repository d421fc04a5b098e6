//! Guarantees that follow from the weights of supertasks.

use super::assumption::Assumption;
use super::finding::Finding;
use crate::prepare::prepared::Prepared;
use crate::prepare::scheduler::breaks_ties;
use crate::prepare::supertasks::WeightedSupertask;
use crate::reason::Reason;
use schedlab_analysis::sentences::{Names, Said, Say};
use schedlab_analysis::supertask::{bounds_beside, NotBeside};
use schedlab_analysis::Assumption::{NoOverheads, PfairWithSupertasks, SporadicComponents};
use schedlab_analysis::Reason as Stated;
use schedlab_analysis::{Answer, Arrivals};
use schedlab_model::{Duration, ResourceId, Step, Task, TaskId};
use schedlab_scenario::Arrival;

/// Name of the test in verdicts about components.
pub(crate) const TEST: &str = "supertasks";

const SOURCE: &str = "Holman and Anderson, RTSS 2001, ECRTS 2003, JEC 1(4), 2005";

/// Returns the findings about a scenario with supertasks under a Pfair scheduler.
pub(crate) fn findings(prepared: &Prepared) -> Vec<Finding> {
    let assumptions = [PfairWithSupertasks, SporadicComponents, NoOverheads].map(Assumption::OfTest).to_vec();
    let unknown = Finding::unknown(TEST, Reason::OverheadsOfSupertasks);
    let mut finding = Finding { source: SOURCE, assumptions, ..unknown };
    if !prepared.charged.overheads.are_none() {
        return vec![finding];
    }
    let bounds = plain_bounds(prepared).map(|plain| with_components(prepared, plain));
    (finding.answer, finding.reason) = answer(prepared, bounds.as_deref());
    let Ok(bounds) = bounds else { return vec![finding] };
    let tardiness = |(bound, task): (&Option<Duration>, &Task)| {
        bound.map(|bound| Duration::from_ns(bound.as_ns().saturating_sub(task.relative_deadline.as_ns())))
    };
    finding.tardiness = Some(bounds.iter().zip(&prepared.tasks).map(tardiness).collect());
    finding.response_times = Some(bounds);
    vec![finding]
}

/// Adds to `bounds` those of the components of each supertask whose weight is enough.
fn with_components(prepared: &Prepared, mut bounds: Vec<Option<Duration>>) -> Vec<Option<Duration>> {
    for known in prepared.supertasks.iter().filter(|known| known.doubt.is_none()) {
        for (id, bound) in known.supertask.components.iter().zip(&known.response_times) {
            bounds[id.index()] = Some(*bound);
        }
    }
    bounds
}

fn answer(prepared: &Prepared, bounds: Result<&[Option<Duration>], &Reason>) -> (Answer, Reason) {
    let doubted = |known: &WeightedSupertask| {
        let reason = Box::new(known.doubt.clone()?);
        Some(Reason::OfSupertask { supertask: known.name.clone(), reason })
    };
    if let Some(reason) = prepared.supertasks.iter().find_map(doubted) {
        return (Answer::Unknown, reason);
    }
    let bounds = match bounds {
        Ok(bounds) => bounds,
        Err(reason) => return (Answer::Unknown, reason.clone()),
    };
    let due = |task: usize| prepared.tasks[task].relative_deadline;
    let late = |task: &usize| bounds[*task].is_none_or(|bound| bound > due(*task));
    match (0..bounds.len()).find(late) {
        Some(task) => (Answer::Unknown, Reason::MayBeLate(TaskId(task as u32))),
        None => (Answer::Schedulable, Reason::SupertasksFit),
    }
}

/// Bounds the response times of tasks in no supertask, with each supertask as one task of its weight. Fails with the
/// reason why tasks and supertasks may not run within their windows.
fn plain_bounds(prepared: &Prepared) -> Result<Vec<Option<Duration>>, Reason> {
    prepared.policies().map_err(|refused| Reason::Refused { error: refused.to_string() })?;
    if prepared.tasks.iter().any(has_sections) {
        return Err(Reason::OfTest(Stated::SectionsNotCounted));
    }
    let mut bounds = vec![None; prepared.tasks.len()];
    let plain: Vec<usize> =
        (0..bounds.len()).filter(|&task| prepared.scenario.tasks[task].supertask.is_none()).collect();
    let tasks: Vec<Task> = plain.iter().map(|&task| prepared.tasks[task].clone()).collect();
    let weight =
        |known: &WeightedSupertask| (known.supertask.weight.quanta(), known.supertask.weight.slots());
    let weights: Vec<(u64, u64)> = prepared.supertasks.iter().map(weight).collect();
    let periodic = plain.iter().all(|&task| prepared.scenario.tasks[task].arrival == Arrival::Periodic);
    let arrivals = if periodic { Arrivals::Periodic } else { Arrivals::Sporadic };
    let analysed = Analysed(prepared, &plain);
    let refused = |why: &dyn Say| Reason::Refused { error: Said::new(why, &analysed).to_string() };
    let ties = breaks_ties(prepared.scheduler.class());
    let found =
        bounds_beside(&tasks, &weights, &prepared.platform, arrivals, ties).map_err(|why| match why {
            NotBeside::LongWindows(of) => {
                Reason::LongWindows { supertask: prepared.supertasks[of].name.clone() }
            }
            NotBeside::System(error) => refused(&error),
            NotBeside::Windows(reason) => refused(&reason),
        })?;
    for (&task, bound) in plain.iter().zip(found) {
        bounds[task] = bound;
    }
    Ok(bounds)
}

/// Names of the analysed tasks: first the tasks in no supertask, whose indices are given, then the supertasks.
struct Analysed<'a>(&'a Prepared, &'a [usize]);

impl Names for Analysed<'_> {
    fn task(&self, id: TaskId) -> Option<&str> {
        let Analysed(prepared, plain) = self;
        match plain.get(id.index()) {
            Some(index) => Some(&prepared.scenario.tasks[*index].name),
            None => prepared.supertasks.get(id.index() - plain.len()).map(|known| known.name.as_str()),
        }
    }

    fn resource(&self, _: ResourceId) -> Option<&str> {
        None
    }
}

fn has_sections(task: &Task) -> bool {
    task.program.iter().any(|step| matches!(step, Step::Request(..) | Step::NpEnter))
}
