//! Is a task set feasible under Pfair scheduling, and how late can jobs be?
//!
//! A job of cost C gets e = ceil(C / Q) quanta in p slots of length Q. Tasks of weights e / p that add up to at
//! most m are feasible on m processors, and no others (S. Baruah, N. Cohen, C. Plaxton and D. Varvel,
//! *Proportionate progress*, Algorithmica 15(6), 1996, Theorem 1); PD2 then grants every subtask within its window,
//! also where subtasks come late or not at all (A. Srinivasan and J. Anderson, *Optimal rate-based scheduling on
//! multiprocessors*, STOC 2002), however it breaks the ties that its rules leave: PD and PF break no rule of PD2, so
//! they do, too (`crates/policy/src/pfair/order`). So the e-th quantum of a job whose windows begin at slot r ends with
//! slot r + p at the latest. What separates that from the job's absolute deadline:
//!
//! * *The first boundary.* The windows begin at the first quantum boundary at which the job is ready. That is at
//!   once for periodic tasks whose offset and period are multiples of Q; otherwise up to Q - 1 ns later, and later by
//!   the jitter J.
//! * *Staggered quanta.* Processor k's slots are floor(k Q / m) late, the last one's by Delta = floor((m-1) Q / m)
//!   (P. Holman and J. Anderson, *Adapting Pfair scheduling for symmetric multiprocessors*, JEC 1(4), 2005,
//!   section IV-A).
//! * *The last quantum.* The job needs only C - (e-1) Q of it; the rest is wasted.
//! * *Shared patterns.* Jobs that become ready less than p slots apart, as jitter allows, go on in the pattern
//!   of the job before: from the middle of a pattern, e windows may span p + 1 slots.
//!
//! EPDF breaks no ties, and is optimal on one or two processors (J. Anderson and A. Srinivasan, *Pfair scheduling:
//! beyond periodic task systems*, RTCSA 2000), also for subtasks that come late. One that is left out lets others of
//! its slot begin earlier, in the order that they have, and none later. On more processors nothing is proved.
//!
//! A job that suspends itself wastes a quantum each time, and it is not known when: such tasks get no bounds.

pub mod feasibility;
pub mod lateness;
mod presence;
pub mod reserve;
pub mod spare;

use crate::reason::Reason;
use crate::sides::Sides;
use crate::system::{Quanta, SporadicTask, System};
use presence::Room;
use schedlab_model::Duration;

/// The part of a processor that a task is given: `quanta` in every `slots`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Number e of quanta, at least 1.
    pub quanta: u64,
    /// Number p of slots, at least e.
    pub slots: u64,
}

impl Share {
    /// Weight that schedulers choose by default: costs rounded up, the shorter of period and relative deadline rounded
    /// down. `None` if that is no weight in (0, 1].
    pub fn plain(task: &SporadicTask, quantum: Duration) -> Option<Share> {
        let quanta = quanta_of(task, quantum)?;
        let slots = task.period.min(task.relative_deadline) / quantum.as_ns();
        (quanta <= slots).then_some(Share { quanta, slots })
    }

    /// The largest share of slots, that is the smallest weight, with which no job is late; `None` if there is none.
    ///
    /// The jobs have patterns of their own. This is the tight form of "periods are shortened by one quantum": a
    /// task loses slots only where its own numbers demand it.
    pub fn guaranteed(task: &SporadicTask, system: &System) -> Option<Share> {
        let quanta = system.quanta()?;
        let share = Share { quanta: quanta_of(task, quanta.length)?, slots: 1 };
        let length = quanta.length.as_ns();
        let own_pattern = task.period.checked_sub(jitter(task, system))? / length;
        let spare = task.relative_deadline.checked_sub(lead(task, share, system)?)?;
        let slots = own_pattern.min(spare / length + 1);
        (share.quanta <= slots).then_some(Share { slots, ..share })
    }
}

/// Returns ceil(C / Q); `None` if the cost or the quantum is zero.
fn quanta_of(task: &SporadicTask, quantum: Duration) -> Option<u64> {
    (task.cost > 0 && !quantum.is_zero()).then(|| task.cost.div_ceil(quantum.as_ns()))
}

/// The latest that a slot begins after that of processor 0: Delta.
pub fn largest_offset(quanta: Quanta, processors: u32) -> Duration {
    if !quanta.staggered || processors == 0 {
        return Duration::ZERO;
    }
    let processors = u128::from(processors);
    let scaled = (processors - 1) * u128::from(quanta.length.as_ns());
    Duration::from_ns((scaled / processors) as u64)
}

/// The bound on the response time of a job that has `share` and whose subtasks run within their windows.
pub(crate) fn response_time(task: &SporadicTask, share: Share, system: &System) -> Option<Duration> {
    let quanta = system.quanta()?;
    let length = quanta.length.as_ns();
    let own_patterns = task.period.checked_sub(jitter(task, system)).map_or(0, |least| least / length);
    let shared = u64::from(share.slots > own_patterns);
    let slots = (share.slots - 1 + shared).checked_mul(length)?;
    lead(task, share, system)?.checked_add(slots).map(Duration::from_ns)
}

/// Returns the part of a response time that is not whole slots: the time to the first boundary, the offset, and the
/// used part of the last quantum.
fn lead(task: &SporadicTask, share: Share, system: &System) -> Option<u64> {
    let quanta = system.quanta()?;
    let length = quanta.length.as_ns();
    let jitter = jitter(task, system);
    let first = match task.on_boundaries {
        true => jitter.div_ceil(length).checked_mul(length)?,
        false => jitter.checked_add(length - 1)?,
    };
    let last = task.cost - (share.quanta - 1).checked_mul(length)?;
    first.checked_add(largest_offset(quanta, system.processors).as_ns())?.checked_add(last)
}

/// Returns the longest time in ns by which a job may become ready after its arrival.
///
/// Jitter by aligned ticks does not count, because these are quantum boundaries, at which jobs begin anyway. It does
/// count if something else delays a job, which may then miss the boundary at which it would be noticed.
fn jitter(task: &SporadicTask, system: &System) -> u64 {
    match system.quanta() {
        Some(Quanta { staggered: false, .. }) if task.jitter == system.release_delay() => 0,
        _ => task.jitter,
    }
}

/// Returns the reason why nothing is proved for these tasks, if there is one.
fn obstacle(system: &System) -> Option<Reason> {
    if system.needs_blocking() {
        return Some(Reason::SectionsNotCounted);
    }
    let breaks_ties = system.quanta().is_none_or(|quanta| quanta.breaks_ties);
    if !breaks_ties && system.processors > 2 {
        return Some(Reason::TiesOnProcessors { processors: system.processors });
    }
    system.has_suspension().then_some(Reason::SuspensionWastesQuanta)
}

/// Returns the shares that the scheduler chooses and the reason why they fit, or the reason why nothing is proved for
/// the tasks.
fn shares(system: &System, quanta: Quanta) -> Result<(Vec<Share>, Reason), Reason> {
    let mut shares = Vec::with_capacity(system.tasks.len());
    for task in &system.tasks {
        let share = match quanta.guaranteed {
            true => Share::guaranteed(task, system),
            false => Share::plain(task, quanta.length),
        };
        match share {
            Some(share) => shares.push(share),
            None => {
                let id = task.id;
                return Err(Reason::MoreQuantaThanSlots(id));
            }
        }
    }
    match presence::room(&shares, system) {
        Room::Together => {
            let weights = shares.iter().map(|share| (share.quanta, share.slots)).collect();
            let fit = Reason::WeightsFit(Sides::of_processors(weights, system.processors, true));
            Ok((shares, fit))
        }
        Room::Always => Ok((shares, Reason::WeightsFitAtAnyTime)),
        Room::Never(weights) => {
            Err(Reason::WeightsDoNotFit(Sides::of_processors(weights, system.processors, false)))
        }
        Room::Perhaps => Err(Reason::WeightNeededWhenJoined),
    }
}

/// Returns whether the weights of the tasks that are there at one time always add up to at most `processors`, exactly.
pub fn fits(shares: &[Share], system: &System) -> bool {
    matches!(presence::room(shares, system), Room::Together | Room::Always)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AnalysedScheduler;
    use schedlab_model::{Task, Work};

    /// By definition: ceil(25 / 10) quanta in every floor(60 / 10), or floor(105 / 10), slots.
    #[test]
    fn a_plain_share_is_that_of_the_shorter_of_period_and_deadline() {
        let share = |cost, period, relative_deadline| {
            let (period, relative_deadline) =
                (Duration::from_ns(period), Duration::from_ns(relative_deadline));
            let task = Task::constrained(Work::from_ns(cost), period, relative_deadline);
            let system = System::global(&[task], 1, &AnalysedScheduler::EDF).unwrap();
            Share::plain(&system.tasks[0], Duration::from_ns(10)).map(|share| (share.quanta, share.slots))
        };
        assert_eq!(
            [share(25, 105, 60), share(25, 105, 200), share(25, 60, 105)],
            [Some((3, 6)), Some((3, 10)), Some((3, 6))]
        );
        assert_eq!([share(25, 105, 30), share(25, 105, 29)], [Some((3, 3)), None]);
    }
}
