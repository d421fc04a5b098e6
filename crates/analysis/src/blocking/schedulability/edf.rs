//! Processor demand under partitioned EDF with blocking.
//!
//! S. Baruah, *Resource sharing in EDF-scheduled systems: a closer look*, RTSS 2006, for the stack resource policy, and
//! the same for the MSRP: all deadlines are met if `h(t) + b(t) <= t` for every t, where h is the demand with costs
//! that contain spinning, and b(t) the longest section (with its spinning, if global) that a job with a later deadline
//! can have begun: of a task with D > t; on a local resource only if some task with D <= t uses it too.
//!
//! h + b never falls: where a task's D leaves b, at least its longest section and spinning enter h. So the steps down
//! of quick processor-demand analysis hold (F. Zhang and A. Burns, IEEE TC 58(9), 2009); beyond the longest D, b is
//! zero and the limits for h alone count.
//!
//! Assumes one processor in each cluster, constrained deadlines without jitter, and sections that are part of the cost.

use crate::blocking::msrp_classic::Spins;
use crate::blocking::{Sharing, Terms};
use crate::budget::Budget;
use crate::uniprocessor::demand::Demands;
use crate::uniprocessor::examination::ExaminationEnd;
use crate::uniprocessor::qpa::walk_blocked;

/// Which less urgent sections delay a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blockers {
    /// On local resources, those whose ceiling reaches the job; on others all.
    Ceilings,
    /// All.
    NonPreemptive,
}

/// Whether the demand of a processor fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demanded {
    /// It always does.
    Fits,
    /// Not within this time.
    Exceeds(u64),
    /// The budget ended first.
    Spent,
}

/// Examines the processor `cluster`. `terms` by task say what its jobs spin; `spans` by task and request (in the order
/// of [`Sharing::requests`]) how long one request and its section take; `by_ceiling` by resource, whether only tasks
/// that its ceiling reaches are delayed; `budget` limits the work.
pub(crate) fn examine(
    sharing: &Sharing,
    cluster: u32,
    terms: &[Terms],
    spans: &dyn Fn(usize, usize) -> u64,
    by_ceiling: &[bool],
    budget: &mut Budget,
) -> Demanded {
    let tasks = sharing.tasks();
    let here: Vec<usize> = (0..tasks.len()).filter(|task| tasks[*task].cluster == cluster).collect();
    let inflated = |task: usize| tasks[task].cost.saturating_add(terms[task].remote.unwrap_or(u64::MAX));
    if let Some(&task) = here.iter().find(|task| inflated(**task) > tasks[**task].relative_deadline) {
        return Demanded::Exceeds(tasks[task].relative_deadline);
    }
    let stream = |task: &usize| (inflated(*task), tasks[*task].period, tasks[*task].relative_deadline);
    let demands = Demands::of_streams(here.iter().map(stream));
    let relative_deadlines = here.iter().map(|task| tasks[*task].relative_deadline);
    let Some(last) = relative_deadlines.max() else { return Demanded::Fits };
    if demands.load().is_gt() {
        return Demanded::Exceeds(u64::MAX);
    }
    let Some(limit) = demands.limit(budget).shortest() else { return Demanded::Spent };
    let sections = sections(sharing, &here, spans, by_ceiling);
    let blocking = |t| {
        let delaying = sections.iter().filter(|section| section.delays(t));
        delaying.map(|section| section.length).max().unwrap_or(0)
    };
    match walk_blocked(&demands, limit.max(last + 1), blocking, budget, |_, _| {}) {
        ExaminationEnd::Meets => Demanded::Fits,
        ExaminationEnd::Exceeds { t, .. } => Demanded::Exceeds(t),
        ExaminationEnd::Spent => Demanded::Spent,
    }
}

/// A section that may delay others.
struct DelayingSection {
    length: u64,
    /// The most that its task has from a release to the absolute deadline.
    until: u64,
    /// The shortest relative deadline of those that it may delay.
    from: u64,
}

impl DelayingSection {
    fn delays(&self, t: u64) -> bool {
        self.from <= t && t < self.until
    }
}

fn sections(
    sharing: &Sharing,
    here: &[usize],
    spans: &dyn Fn(usize, usize) -> u64,
    by_ceiling: &[bool],
) -> Vec<DelayingSection> {
    let mut found = Vec::new();
    for &task in here {
        for (place, request) in sharing.requests(task).iter().enumerate() {
            let users = here
                .iter()
                .filter(|other| sharing.requests(**other).iter().any(|own| own.resource == request.resource));
            let from = match by_ceiling[request.resource as usize] {
                true => {
                    users.map(|other| sharing.tasks()[*other].relative_deadline).min().unwrap_or(u64::MAX)
                }
                false => 0,
            };
            found.push(DelayingSection {
                length: spans(task, place),
                until: sharing.tasks()[task].relative_deadline.saturating_add(sharing.release_delay()),
                from,
            });
        }
    }
    found
}

/// The first processor whose demand does not fit, where jobs spin as under the MSRP.
pub fn first_failure(
    sharing: &Sharing,
    terms: &[Terms],
    blockers: Blockers,
    budget: &mut Budget,
) -> Option<(u32, Demanded)> {
    let by_ceiling = match blockers {
        Blockers::Ceilings => sharing.is_local(),
        Blockers::NonPreemptive => vec![false; sharing.units().len()],
    };
    let spins = Spins::of(sharing);
    let span = |task: usize, place: usize| spins.span(sharing, task, &sharing.requests(task)[place]);
    let each = |cluster| (cluster, examine(sharing, cluster, terms, &span, &by_ceiling, budget));
    (0..sharing.clusters()).map(each).find(|(_, demanded)| *demanded != Demanded::Fits)
}
