//! A task's fluid schedule in whole numbers: the units that it must have, and when the next one is due.

use core::cmp::Reverse;
use schedlab_model::Task;

/// Cost and period of a task in units, and what its current job was given of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    pub(super) cost: u64,
    pub(super) period: u64,
    /// Arrival of the current job.
    release: u64,
    /// Units that the current job was given in slices until now.
    given: u64,
}

/// Units that a task must and may have in a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Portion {
    /// Units without which the task would be a whole unit behind the fluid schedule at the end.
    pub(super) mandatory: u64,
    /// Number of the next unit of the job, from 1 on, if having that one, too, would leave the task less than a unit
    /// ahead of the fluid schedule, and the slice has room for it.
    pub(super) optional: Option<u64>,
}

/// Urgency of an optional unit: the smaller goes first.
pub(super) type Urgency = (u64, bool, Reverse<u64>);

impl Share {
    /// Share of a task that has arrived at time zero, by units of `unit` nanoseconds. A job without cost completes as
    /// soon as it has a processor; a unit a job is set aside for it.
    pub(super) fn new(task: &Task, unit: u64) -> Share {
        Share {
            cost: (task.wcet.as_ns() / unit).max(1),
            period: task.period.as_ns() / unit,
            release: 0,
            given: 0,
        }
    }

    /// Absolute deadline of the current job.
    pub(super) fn deadline(&self) -> u64 {
        self.release.saturating_add(self.period)
    }

    /// Begins with the next job at the deadline of the current one.
    pub(super) fn advance_to(&mut self, now: u64) {
        while self.deadline() <= now {
            self.release = self.deadline();
            self.given = 0;
        }
    }

    /// Adds units to what the current job was given.
    pub(super) fn give(&mut self, units: u64) {
        self.given += units;
    }

    /// Returns what the task must and may have in the slice from `from` to `to`, which is not after its deadline.
    pub(super) fn portion(&self, from: u64, to: u64) -> Portion {
        let (whole, rest) = divided(self.cost, to - self.release, self.period);
        let mandatory = whole.saturating_sub(self.given);
        let is_open = rest > 0 && self.given <= whole && mandatory < to - from;
        Portion { mandatory, optional: is_open.then_some(whole + 1) }
    }

    /// Urgency of the job's `unit`-th unit, from 1 on, by the rules of PD2 for a quantum of one unit: the end of its
    /// window, whether the next window overlaps it, and the group deadline.
    pub(super) fn urgency(&self, unit: u64) -> Urgency {
        let (whole, rest) = divided(self.period, unit, self.cost);
        let end = whole + u64::from(rest > 0);
        let slack = self.period - self.cost;
        let is_heavy = self.cost >= slack;
        let group = match slack {
            0 => u64::MAX,
            _ if !is_heavy => 0,
            // The first slot at or after `end` whose predecessor the task does not need, by its windows of slack.
            _ => {
                let skipped = ceiling(slack, end, self.period);
                self.release.saturating_add(ceiling(self.period, skipped, slack))
            }
        };
        (self.release.saturating_add(end), rest == 0, Reverse(group))
    }

    /// Quotient and remainder of cost times `time` by period.
    pub(super) fn fluid(&self, time: u64) -> (u64, u64) {
        divided(self.cost, time, self.period)
    }
}

/// Quotient, rounded down, and remainder of `a` times `b` by `divisor`. Mostly the product has 64 bits.
#[inline]
pub(super) fn divided(a: u64, b: u64, divisor: u64) -> (u64, u64) {
    match a.checked_mul(b) {
        Some(product) => (product / divisor, product % divisor),
        None => {
            let product = u128::from(a) * u128::from(b);
            let divisor = u128::from(divisor);
            ((product / divisor) as u64, (product % divisor) as u64)
        }
    }
}

/// Quotient of `a` times `b` by `divisor`, rounded up.
fn ceiling(a: u64, b: u64, divisor: u64) -> u64 {
    let (whole, rest) = divided(a, b, divisor);
    whole + u64::from(rest > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pfair::{Stream, Weight};
    use schedlab_model::{Duration, Work};

    fn share(cost: u64, period: u64) -> Share {
        Share::new(&Task::implicit(Work::from_ns(cost), Duration::from_ns(period)), 1)
    }

    /// A task of 2/5 within [0, 3): 1.2 units, of which one is due, or two.
    #[test]
    fn a_portion_is_the_fluid_schedule_rounded_down_or_up() {
        let mut two_fifths = share(2, 5);
        assert_eq!(two_fifths.portion(0, 3), Portion { mandatory: 1, optional: Some(2) });
        two_fifths.give(2);
        // Ahead by 0.4 at 4; exact at its deadline.
        assert_eq!(two_fifths.portion(3, 4), Portion { mandatory: 0, optional: None });
        assert_eq!(two_fifths.portion(4, 5), Portion { mandatory: 0, optional: None });
        two_fifths.advance_to(5);
        assert_eq!(two_fifths.portion(5, 10), Portion { mandatory: 2, optional: None });
        // Beyond 64 bits.
        let long = share((1 << 60) - 1, 1 << 60);
        assert_eq!(long.portion(0, 1 << 59), Portion { mandatory: (1 << 59) - 1, optional: Some(1 << 59) });
    }

    /// The urgency of each unit is that of the subtask of the same number under PD2.
    #[test]
    fn urgencies_are_those_of_pfair_windows() {
        for (cost, period) in [(1, 3), (2, 5), (3, 5), (7, 11), (8, 11), (5, 6), (1, 2), (2, 4), (4, 4)] {
            let mut stream = Stream::new(Weight::new(cost, period).unwrap(), false, 0);
            for unit in 1..=cost {
                let window = stream.window();
                let (end, touches, Reverse(group)) = share(cost, period).urgency(unit);
                assert_eq!((end, !touches), (window.deadline, window.overlaps), "{cost}/{period}, {unit}");
                if cost < period {
                    assert_eq!(group, window.group_deadline, "{cost}/{period}, {unit}");
                }
                stream.advance(window.deadline - 1);
            }
        }
    }
}
