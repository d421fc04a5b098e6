//! The decisions of the staggered algorithm about one task, invocation by invocation, for people who want to see them.
//!
//! P. Holman and J. H. Anderson, "Adapting Pfair scheduling for symmetric multiprocessors", 2005, fig. 5 and the table
//! of fig. 6. Static sets of tasks that are there from slot 0 on.

use schedlab_policy::pfair::{exceeds, Affinity, Staggered, Stream, Weight, PD2};

/// Largest number of tasks, processors and slots that are followed.
pub const MOST: u64 = 10_000;

/// One invocation of `Schedule`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The slot for which the invocation decides.
    pub slot: u64,
    /// The processor for which the invocation decides.
    pub processor: usize,
    /// The task that is granted the quantum, if any.
    pub granted: Option<u32>,
    /// The heap in which the watched task is after the invocation, as the paper names it.
    pub place: &'static str,
}

/// The reason why the algorithm cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventsError {
    /// The number of tasks, processors or slots is out of range.
    #[error("{1} {0}; allowed: from 1 to {MOST}")]
    Count(&'static str, u64),
    /// There is no such task to watch.
    #[error("there is no task {0} to watch; allowed: those listed, from 0")]
    NoTask(u32),
    /// The weights add up to more than this number of processors.
    #[error("the weights add up to more than {0}, the number of processors")]
    Overload(usize),
}

/// Returns the heap in which the task `watched` is at first, and every invocation for the slots before `slots`.
pub fn staggered_events(
    weights: &[Weight],
    processors: usize,
    watched: u32,
    slots: u64,
) -> Result<(&'static str, Vec<Invocation>), EventsError> {
    for (what, count) in
        [("tasks", weights.len() as u64), ("processors", processors as u64), ("slots", slots)]
    {
        if count == 0 || count > MOST {
            return Err(EventsError::Count(what, count));
        }
    }
    if watched as usize >= weights.len() {
        return Err(EventsError::NoTask(watched));
    }
    if exceeds(weights.iter().copied(), processors) {
        return Err(EventsError::Overload(processors));
    }
    let streams = weights.iter().map(|weight| Stream::new(*weight, false, 0)).collect();
    let mut scheduler = Staggered::new(PD2, Affinity::BackToBack, streams, processors);
    (0..weights.len() as u32).for_each(|task| scheduler.activate(task));
    let before = scheduler.place(watched).name();
    let mut invocation = |slot, processor| {
        let granted = scheduler.schedule(processor);
        Invocation { slot, processor, granted, place: scheduler.place(watched).name() }
    };
    let all = (0..slots).flat_map(|slot| (0..processors).map(move |processor| (slot, processor)));
    Ok((before, all.map(|(slot, processor)| invocation(slot, processor)).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(shares: &[(u64, u64)]) -> Vec<Weight> {
        shares.iter().map(|&(quanta, slots)| Weight::new(quanta, slots).unwrap()).collect()
    }

    /// The example that `policy/tests/pfair_events.rs` draws.
    #[test]
    fn a_task_waits_in_each_heap() {
        let set = weights(&[(1, 5), (3, 5), (3, 5), (3, 5)]);
        let (before, found) = staggered_events(&set, 2, 2, 3).unwrap();
        let rows: Vec<_> =
            found.iter().map(|row| (row.slot, row.processor, row.granted, row.place)).collect();
        assert_eq!(before, "SchedNext");
        let expected = [
            (0, 0, Some(2), "Eligible"),
            (0, 1, Some(1), "Eligible"),
            (1, 0, Some(3), "SchedNext"),
            (1, 1, Some(1), "SchedNext"),
            (2, 0, Some(3), "SchedNow"),
            (2, 1, Some(2), "ReschedNext"),
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn what_cannot_be_followed_is_refused() {
        let set = weights(&[(1, 2), (1, 1)]);
        assert_eq!(staggered_events(&set, 1, 0, 1), Err(EventsError::Overload(1)));
        assert_eq!(staggered_events(&set, 2, 2, 1), Err(EventsError::NoTask(2)));
        assert_eq!(staggered_events(&set, 0, 0, 1), Err(EventsError::Count("processors", 0)));
        assert_eq!(staggered_events(&set, 2, 0, MOST + 1), Err(EventsError::Count("slots", MOST + 1)));
        assert_eq!(staggered_events(&[], 2, 0, 1), Err(EventsError::Count("tasks", 0)));
        let text = EventsError::Overload(1).to_string();
        assert_eq!(text, "the weights add up to more than 1, the number of processors");
    }
}
