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
use crate::steps::{DueTask, Unwatched, Watch};
use crate::uniprocessor::demand::Demands;
use crate::uniprocessor::examination::{shown, ExaminationEnd};
use crate::uniprocessor::qpa::walk_blocked;
use schedlab_model::{ResourceId, TaskId};

/// Less urgent sections that may delay a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blockers {
    /// Sections on local resources whose ceiling reaches the job, and all sections on other resources.
    Ceilings,
    /// All sections.
    NonPreemptive,
}

/// Result of comparing a processor's demand with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demanded {
    /// The demand fits into every interval.
    Fits,
    /// A job of the task at this place may need more, waiting included, than its relative deadline.
    Alone {
        /// Place of the task.
        task: usize,
        /// Time that a job may need, in ns.
        needs: u64,
    },
    /// The utilization, waiting included, is above 1.
    Overload,
    /// Demand and blocking exceed the length of an interval.
    Exceeds {
        /// Length of the interval in ns.
        within: u64,
        /// Work that is due within the interval, with what blocks it.
        demand: u128,
        /// Longest section that may block, with the spinning for it: its blocking in ns, and the section.
        blocking: Option<(u64, DelayingSection)>,
    },
    /// The budget was spent before the demand was examined.
    Spent,
}

/// Examines the processor `cluster`. `terms` hold, by task, the spinning of its jobs; `spans` gives, by task and
/// request (in the order of [`Sharing::requests`]), the time of one request and its section; `by_ceiling` says, by
/// resource, whether only tasks that its ceiling reaches are delayed; `budget` limits the work, and `watch` watches.
pub(crate) fn examine(
    sharing: &Sharing,
    cluster: u32,
    terms: &[Terms],
    spans: &dyn Fn(usize, usize) -> u64,
    by_ceiling: &[bool],
    budget: &mut Budget,
    watch: &mut impl Watch,
) -> Demanded {
    let tasks = sharing.tasks();
    let here: Vec<usize> = (0..tasks.len()).filter(|task| tasks[*task].cluster == cluster).collect();
    let inflated = |task: usize| tasks[task].cost.saturating_add(terms[task].remote.unwrap_or(u64::MAX));
    if let Some(&task) = here.iter().find(|task| inflated(**task) > tasks[**task].relative_deadline) {
        return Demanded::Alone { task, needs: inflated(task) };
    }
    let due = |task: &usize| DueTask {
        task: TaskId(*task as u32),
        cost: inflated(*task),
        period: tasks[*task].period,
        window: tasks[*task].relative_deadline,
    };
    let demands = Demands::of_tasks(here.iter().map(due));
    let relative_deadlines = here.iter().map(|task| tasks[*task].relative_deadline);
    let Some(last) = relative_deadlines.max() else { return Demanded::Fits };
    if demands.load().is_gt() {
        return Demanded::Overload;
    }
    let known = demands.limit(budget);
    let Some(limit) = known.shortest() else { return Demanded::Spent };
    let sections = sections(sharing, &here, spans, by_ceiling);
    let longest =
        |t| sections.iter().filter(|section| section.delays(t)).max_by_key(|section| section.length);
    let blocking = |t| longest(t).map_or(0, |section| section.length);
    let limit = limit.max(last + 1);
    let end = shown(&demands, limit, known, watch, |rows| match rows {
        Some(steps) => walk_blocked(&demands, limit, blocking, budget, steps),
        None => walk_blocked(&demands, limit, blocking, budget, &mut Unwatched),
    });
    match end {
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
    /// Length of the section with the spinning for it.
    length: u64,
    /// Longest time from a release to the absolute deadline of a job of the section's task, in ns, with the release
    /// delay.
    until: u64,
    /// Shortest relative deadline of the tasks that the section may delay.
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

/// The first processor whose demand does not fit, where jobs spin as under the MSRP, while `watch` watches.
pub fn first_failure(
    sharing: &Sharing,
    terms: &[Terms],
    blockers: Blockers,
    budget: &mut Budget,
    watch: &mut impl Watch,
) -> Option<(u32, Demanded)> {
    let by_ceiling = match blockers {
        Blockers::Ceilings => sharing.is_local(),
        Blockers::NonPreemptive => vec![false; sharing.units().len()],
    };
    let spins = Spins::of(sharing);
    let span = |task: usize, place: usize| spins.span(sharing, task, &sharing.requests(task)[place]);
    let each = |cluster| (cluster, examine(sharing, cluster, terms, &span, &by_ceiling, budget, watch));
    (0..sharing.clusters()).map(each).find(|(_, demanded)| *demanded != Demanded::Fits)
}
