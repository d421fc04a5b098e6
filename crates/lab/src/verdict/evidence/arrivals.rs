//! The times at which a task's jobs may arrive under its scenario.
//!
//! A periodic task and a list leave no choice. A sporadic task may delay each job by at most the delay that its
//! scenario states, so one of its jobs can arrive at a given time, or at the first time after it that the delays allow.
//! The pieces of a split task arrive together; this module does not delay them.

use schedlab_model::{Instant, Task};
use schedlab_scenario::{Arrival, TaskSpec};
use std::rc::Rc;

/// The arrival times of one task's jobs.
#[derive(Clone, Debug)]
pub(super) struct Arriving {
    times: Times,
    /// The time from which on no job arrives, in ns.
    leave: u64,
}

#[derive(Clone, Debug)]
enum Times {
    Listed(Rc<[Instant]>),
    /// Job n arrives at `first + n period`, plus the delays of the jobs up to it: each at most `longest`, in sum `sum`.
    Spaced {
        first: u64,
        period: u64,
        longest: u64,
        sum: u64,
    },
}

impl Arriving {
    /// Lets each job arrive as early as its scenario allows.
    pub(crate) fn early(task: &Task, arrival: &Arrival) -> Arriving {
        let (first, period) = (task.offset.max(task.join).as_ns(), task.period.as_ns());
        let times = match arrival {
            Arrival::Periodic => Times::Spaced { first, period, longest: 0, sum: 0 },
            Arrival::Sporadic { delay, like: _ } => {
                Times::Spaced { first, period, longest: delay.as_ns(), sum: 0 }
            }
            Arrival::Listed(times) => Times::Listed(times.as_slice().into()),
        };
        Arriving { times, leave: task.leave.as_ns() }
    }

    /// Delays a sporadic task's jobs such that one arrives at `at`, if they can be, with as few jobs before it as
    /// possible. Leaves other tasks as they are.
    pub(crate) fn delayed_to(mut self, at: u64) -> Arriving {
        if let Times::Spaced { first, period, longest, sum } = &mut self.times {
            let ahead = at.saturating_sub(*first);
            let most = u128::from(*period) + u128::from(*longest);
            let before = u128::from(ahead.saturating_sub(*longest)).div_ceil(most) as u64;
            // If `before` periods do not fit, no job arrives at `at`, and no job is delayed.
            *sum = before.checked_mul(*period).map_or(0, |spaced| ahead.saturating_sub(spaced));
        }
        self
    }

    /// Returns the arrival of job `number` in ns; `None` if there is no such job.
    pub(crate) fn at(&self, number: u32) -> Option<u64> {
        let number = u64::from(number);
        let arrival = match &self.times {
            Times::Listed(times) => times.get(number as usize)?.as_ns(),
            Times::Spaced { first, period, longest, sum } => {
                let delay = longest.saturating_mul(number + 1).min(*sum);
                first.checked_add(number.checked_mul(*period)?)?.checked_add(delay)?
            }
        };
        (arrival < self.leave).then_some(arrival)
    }

    /// Returns the first arrival at `from` or later, as if no job were delayed; `None` if there is none.
    pub(crate) fn next(&self, from: u64) -> Option<u64> {
        let number = match &self.times {
            Times::Listed(times) => times.partition_point(|time| time.as_ns() < from) as u64,
            Times::Spaced { first, period, .. } => from.saturating_sub(*first).div_ceil(*period),
        };
        self.at(u32::try_from(number).ok()?)
    }
}

/// True if the scenario leaves open when the task's jobs arrive, and no other task has to arrive with them.
pub(super) fn is_open(spec: &TaskSpec, all: &[TaskSpec]) -> bool {
    let follows = |other: &TaskSpec| match &other.arrival {
        Arrival::Sporadic { like, .. } => like.as_ref() == Some(&spec.name),
        Arrival::Periodic | Arrival::Listed(_) => false,
    };
    match &spec.arrival {
        Arrival::Sporadic { delay, like } => !delay.is_zero() && like.is_none() && !all.iter().any(follows),
        Arrival::Periodic | Arrival::Listed(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{Duration, Work};

    fn arriving(arrival: &Arrival) -> Arriving {
        let task = Task::implicit(Work::from_ns(1), Duration::from_ns(10));
        Arriving::early(&Task { offset: Instant::from_ns(3), leave: Instant::from_ns(60), ..task }, arrival)
    }

    fn all(arriving: &Arriving) -> Vec<u64> {
        (0..).map_while(|number| arriving.at(number)).collect()
    }

    #[test]
    fn periodic_and_listed_arrivals_stay_where_they_are() {
        let periodic = arriving(&Arrival::Periodic).delayed_to(7);
        assert_eq!(all(&periodic), [3, 13, 23, 33, 43, 53]);
        assert_eq!([periodic.next(0), periodic.next(13), periodic.next(14)], [Some(3), Some(13), Some(23)]);
        assert_eq!(periodic.next(54), None);
        let listed = arriving(&Arrival::Listed([5, 15, 70].map(Instant::from_ns).to_vec())).delayed_to(7);
        assert_eq!(all(&listed), [5, 15]);
        assert_eq!([listed.next(5), listed.next(6), listed.next(16)], [Some(5), Some(15), None]);
    }

    /// Delayed arrivals are never closer than the period, nor further apart than the period and the delay; one is at
    /// `at` if the delays can reach it.
    #[test]
    fn sporadic_arrivals_are_delayed_as_far_as_they_may() {
        for delay in [0, 1, 4, 9, 10, 25] {
            let sporadic = arriving(&Arrival::Sporadic { delay: Duration::from_ns(delay), like: None });
            for at in 0..60 {
                let found = all(&sporadic.clone().delayed_to(at));
                assert!((3..=3 + delay).contains(&found[0]), "{delay} {at}: {found:?}");
                let gaps = found.windows(2).map(|pair| pair[1] - pair[0]);
                assert!(
                    gaps.into_iter().all(|gap| (10..=10 + delay).contains(&gap)),
                    "{delay} {at}: {found:?}"
                );
                let reached =
                    |before: u64| (3 + before * 10..=3 + before * 10 + (before + 1) * delay).contains(&at);
                assert_eq!(found.contains(&at), (0..6).any(reached), "{delay} {at}: {found:?}");
            }
        }
    }
}
