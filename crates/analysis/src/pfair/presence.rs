//! Is there room for the tasks at all times, as they join and leave?
//!
//! A task has one weight at a time: a change of weight is a leave and a join, and the parts of a task are never there
//! together. A task that leaves keeps its weight until the windows of its last job end (A. Srinivasan and J. Anderson,
//! "Fair scheduling of dynamic task systems on multiprocessors", J. Systems and Software 77, 2005): p slots after the
//! last slot at which that may arrive. With jitter jobs go on in the pattern of the job before, whose windows may end
//! later.

use super::{jitter, Share};
use crate::exact::compare_sum;
use crate::system::{SporadicTask, System};
use schedlab_model::Instant;

/// Result of comparing weights with processors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// The tasks fit even if all were there at a time.
    Together,
    /// The tasks fit at all times, as some leave before others join.
    Always,
    /// The tasks do not fit at some time, with the weights of the tasks that are there then.
    Never(Vec<(u64, u64)>),
    /// The tasks fit if those with jitter leave in time, which is not certain.
    Perhaps,
}

/// Decides whether the shares of the tasks that are there at one time add up to at most m.
pub(crate) fn room(shares: &[Share], system: &System) -> Room {
    let fit = |weights: &[(u64, u64)]| compare_sum(weights, u64::from(system.processors)).is_le();
    let weight = |share: &Share| (share.quanta, share.slots);
    let all: Vec<(u64, u64)> = shares.iter().map(weight).collect();
    if fit(&all) {
        return Room::Together;
    }
    let Some(quanta) = system.quanta().filter(|_| !system.all_stay()) else { return Room::Never(all) };
    let length = quanta.length.as_ns();
    let stay: Vec<(u64, u64)> =
        system.tasks.iter().zip(shares).map(|(task, share)| slots_of_stay(task, *share, length)).collect();
    let mut joins: Vec<u64> = stay.iter().map(|(join, _)| *join).collect();
    joins.sort_unstable();
    joins.dedup();
    let there = |slot: u64| {
        let present = stay.iter().zip(shares).filter(move |((join, free), _)| *join <= slot && slot < *free);
        present.map(|(_, share)| weight(share)).collect::<Vec<_>>()
    };
    if let Some(weights) = joins.into_iter().map(there).find(|weights| !fit(weights)) {
        return Room::Never(weights);
    }
    let leaves_late = |task: &SporadicTask| task.leave < Instant::NEVER && jitter(task, system) > 0;
    if system.tasks.iter().any(leaves_late) {
        Room::Perhaps
    } else {
        Room::Always
    }
}

/// The slot at which a task joins, and the one from which on its weight is free.
fn slots_of_stay(task: &SporadicTask, share: Share, quantum: u64) -> (u64, u64) {
    let join = task.join.as_ns().div_ceil(quantum);
    if task.leave == Instant::NEVER {
        return (join, u64::MAX);
    }
    let last = task.leave.as_ns().saturating_sub(1).saturating_add(task.jitter);
    (join, last.div_ceil(quantum).saturating_add(share.slots))
}
