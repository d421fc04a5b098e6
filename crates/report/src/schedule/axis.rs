//! Round numbers for an axis of time.

use super::Window;
use schedlab_model::Instant;

/// Returns between `most / 2` and about `most` instants that are multiples of 1, 2 or 5 times a power of ten.
pub(super) fn round_times(window: Window, most: u64) -> Vec<Instant> {
    let length = window.length().as_ns();
    let (mut power, mut step) = (1u64, 1u64);
    'search: loop {
        for factor in [1, 2, 5] {
            let Some(candidate) = power.checked_mul(factor) else { break 'search };
            step = candidate;
            if length / step <= most {
                break 'search;
            }
        }
        match power.checked_mul(10) {
            Some(next) => power = next,
            None => break,
        }
    }
    let first = window.from.as_ns().div_ceil(step);
    let last = window.to.as_ns() / step;
    (first..=last).map(|index| Instant::from_ns(index * step)).collect()
}

/// Returns the unit in which the times are whole numbers, and its length in ns.
pub(super) fn unit(times: &[Instant]) -> (&'static str, u64) {
    let units = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)];
    let whole = |size: u64| times.iter().all(|time| time.as_ns() % size == 0);
    units.into_iter().find(|(_, size)| whole(*size)).unwrap_or(("ns", 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(from: u64, to: u64) -> Vec<u64> {
        let window = Window { from: Instant::from_ns(from), to: Instant::from_ns(to) };
        round_times(window, 10).into_iter().map(Instant::as_ns).collect()
    }

    #[test]
    fn times_are_round_and_few() {
        assert_eq!(between(0, 7), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(between(13, 99), [20, 30, 40, 50, 60, 70, 80, 90]);
        assert_eq!(between(0, 23_000_000).len(), 5);
        assert!(between(0, u64::MAX).len() <= 11);
    }

    #[test]
    fn labels_use_the_largest_whole_unit() {
        assert_eq!(unit(&[Instant::ZERO, Instant::from_ns(5_000_000)]), ("ms", 1_000_000));
        assert_eq!(unit(&[Instant::from_ns(1_500)]), ("ns", 1));
    }
}
