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
use crate::blocking::{DelayingSection, Sharing, Terms};
use crate::budget::Budget;
use crate::uniprocessor::demand::Demands;
use crate::uniprocessor::examination::ExaminationEnd;
use crate::uniprocessor::qpa::walk_blocked;
use schedlab_model::{ResourceId, TaskId};

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
    /// A job of the task at this place may need more, waiting included, than its relative deadline.
    Alone {
        /// Which task.
        task: usize,
        /// How much it needs.
        needs: u64,
    },
    /// The utilization, waiting included, is above 1.
    Overload,
    /// Not within this time.
    Exceeds {
        /// The time.
        within: u64,
        /// What is due, and what blocks that.
        demand: u128,
        /// How long the longest section blocks that is in the way, with the spinning for it; and which it is.
        blocking: Option<(u64, DelayingSection)>,
    },
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
        return Demanded::Alone { task, needs: inflated(task) };
    }
    let stream = |task: &usize| (inflated(*task), tasks[*task].period, tasks[*task].relative_deadline);
    let demands = Demands::of_streams(here.iter().map(stream));
    let relative_deadlines = here.iter().map(|task| tasks[*task].relative_deadline);
    let Some(last) = relative_deadlines.max() else { return Demanded::Fits };
    if demands.load().is_gt() {
        return Demanded::Overload;
    }
    let Some(limit) = demands.limit(budget).shortest() else { return Demanded::Spent };
    let sections = sections(sharing, &here, spans, by_ceiling);
    let longest =
        |t| sections.iter().filter(|section| section.delays(t)).max_by_key(|section| section.length);
    let blocking = |t| longest(t).map_or(0, |section| section.length);
    match walk_blocked(&demands, limit.max(last + 1), blocking, budget, |_, _| {}) {
        ExaminationEnd::Meets => Demanded::Fits,
        ExaminationEnd::Exceeds { t: within, demand } => {
            let blocking = longest(within).filter(|section| section.length > 0);
            let blocking = blocking.map(|section| (section.length, section.section));
            Demanded::Exceeds { within, demand, blocking }
        }
        ExaminationEnd::Spent => Demanded::Spent,
    }
}

/// A section that may delay others.
struct Delaying {
    section: DelayingSection,
    /// With the spinning for it.
    length: u64,
    /// The most that its task has from a release to the absolute deadline.
    until: u64,
    /// The shortest relative deadline of those that it may delay.
    from: u64,
}

impl Delaying {
    fn delays(&self, t: u64) -> bool {
        self.from <= t && t < self.until
    }
}

fn sections(
    sharing: &Sharing,
    here: &[usize],
    spans: &dyn Fn(usize, usize) -> u64,
    by_ceiling: &[bool],
) -> Vec<Delaying> {
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
            let (id, resource) = (TaskId(task as u32), ResourceId(request.resource));
            found.push(Delaying {
                section: DelayingSection { task: id, resource, length: request.length(), count: 1 },
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
