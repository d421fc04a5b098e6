//! What supply is there at least in any interval? Each file is a model of a supply.
//!
//! A subsystem has a processor only at times that a budget server, or whatever stands above it, leaves to it. Its
//! *supply bound function* sbf(t) is the least time that it has in any interval of length t, over all supplies that the
//! model allows. All lengths and amounts are whole nanoseconds, and nothing is rounded but a bounded delay's rate,
//! which is rounded to the safe side.

mod bounded_delay;
mod explicit_deadline;
mod periodic;

pub use bounded_delay::BoundedDelay;
pub use explicit_deadline::ExplicitDeadline;
pub use periodic::PeriodicResource;

use crate::exact::Pair;

/// A model of a supply.
pub trait Supply {
    /// The supply bound function: the least supply in any interval of `length` ns. It never falls as lengths rise, and
    /// is at most the length.
    fn within(&self, length: u128) -> u128;

    /// The shortest length in which `work` is supplied for sure: the least t with sbf(t) >= `work`.
    fn length_of(&self, work: u128) -> u128;

    /// The rate of the supply in the long run, above zero, and the longest wait d: sbf(t) >= rate (t - d) for each t.
    fn line(&self) -> (Pair, u128);

    /// A length p and a begin b, so that sbf(t + p) = sbf(t) + rate p for each t from b on.
    fn pattern(&self) -> (u128, u128);
}

/// The longest wait and the slope-one parts of a supply that comes as `budget` in each `period`: the least length in
/// which `work` is there, where the first supply comes after `wait`.
fn length_after(wait: u128, budget: u64, period: u64, work: u128) -> u128 {
    let Some(rest) = work.checked_sub(1) else { return 0 };
    let pauses = (rest / u128::from(budget)).saturating_mul(u128::from(period - budget));
    wait.saturating_add(pauses).saturating_add(work)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least supply in any interval of `length` slots, over all choices of `budget` slots among the first
    /// `deadline` ones of each `period`.
    fn least(budget: u32, period: usize, deadline: usize, length: usize) -> u128 {
        let choices: Vec<u32> = (0u32..1 << deadline).filter(|slots| slots.count_ones() == budget).collect();
        let in_part = |from: usize, to: usize| {
            let window = (from..to).fold(0u32, |mask, slot| mask | 1 << slot);
            choices.iter().map(|slots| (slots & window).count_ones()).min().unwrap()
        };
        let from = |begin: usize| -> u128 {
            let (mut at, end, mut sum) = (begin, begin + length, 0);
            while at < end {
                let next = end.min((at / period + 1) * period);
                sum += u128::from(in_part(at % period, (next - 1) % period + 1));
                at = next;
            }
            sum
        };
        (0..period).map(from).min().unwrap()
    }

    #[test]
    fn the_bounds_are_the_least_over_all_supplies() {
        for period in 1..=7u64 {
            for deadline in 1..=period {
                for budget in 1..=deadline {
                    let explicit = ExplicitDeadline::new(budget, period, deadline);
                    let periodic = PeriodicResource::new(budget, period);
                    for length in 0..=4 * period {
                        let slots = [period, deadline, length].map(|value| value as usize);
                        let expected = least(budget as u32, slots[0], slots[1], slots[2]);
                        let known = (budget, period, deadline, length);
                        assert_eq!(explicit.within(length.into()), expected, "{known:?}");
                        if deadline == period {
                            assert_eq!(periodic.within(length.into()), expected, "{known:?}");
                        }
                    }
                }
            }
        }
    }

    fn all() -> Vec<Box<dyn Supply>> {
        let mut all: Vec<Box<dyn Supply>> = Vec::new();
        for period in 1..=9u64 {
            for budget in 1..=period {
                all.push(Box::new(PeriodicResource::new(budget, period)));
                all.push(Box::new(BoundedDelay::new((budget, period), u128::from(period - budget))));
                all.extend((budget..=period).map(|deadline| -> Box<dyn Supply> {
                    Box::new(ExplicitDeadline::new(budget, period, deadline))
                }));
            }
        }
        all
    }

    #[test]
    fn lengths_are_the_least_in_which_the_work_is_there() {
        for supply in all() {
            for work in 0..30u128 {
                let length = supply.length_of(work);
                assert!(supply.within(length) >= work);
                assert!(length == 0 || supply.within(length - 1) < work);
            }
        }
    }

    #[test]
    fn lines_are_below_and_patterns_repeat() {
        for supply in all() {
            let ((supplied, of), wait) = supply.line();
            let (begin, pattern) = supply.pattern();
            for length in 0..60u128 {
                let line = length.saturating_sub(wait) * u128::from(supplied);
                // A whole number is below the line by less than one.
                assert!((supply.within(length) + 1) * u128::from(of) > line);
                if length >= begin {
                    let more = pattern * u128::from(supplied) / u128::from(of);
                    assert_eq!(supply.within(length + pattern), supply.within(length) + more);
                }
            }
        }
    }

    /// A budget of 2 in each period of 3, by hand: no supply in the longest wait of 2, then 2 in each 3.
    #[test]
    fn a_supply_by_hand() {
        let supply = PeriodicResource::new(2, 3);
        let found: Vec<u128> = (0..=9).map(|length| supply.within(length)).collect();
        assert_eq!(found, [0, 0, 0, 1, 2, 2, 3, 4, 4, 5]);
    }

    /// More budget, and an earlier deadline, never supply less: each supply that the larger budget allows contains one
    /// that the smaller allows, and each that the earlier deadline allows is allowed by the later one.
    #[test]
    fn more_budget_and_an_earlier_deadline_never_supply_less() {
        for period in 2..=9u64 {
            for deadline in 2..=period {
                for budget in 1..deadline {
                    let of = |budget, deadline| ExplicitDeadline::new(budget, period, deadline);
                    for length in 0..40 {
                        let here = of(budget, deadline).within(length);
                        assert!(here <= of(budget + 1, deadline).within(length));
                        assert!(here <= of(budget, deadline - 1).within(length));
                        assert!(
                            of(budget, budget).within(length) <= of(budget + 1, budget + 1).within(length)
                        );
                    }
                }
            }
        }
    }
}
