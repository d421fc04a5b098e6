//! Bandwidths as whole parts of a processor, for servers that reclaim the bandwidth of others.

use schedlab_model::{Duration, Task, Work};

/// Most parts of a processor. With them, all sums and products below have room.
const MOST: u64 = 1 << 40;

/// Number of parts that make up a processor: the least common multiple of `periods`, so that each bandwidth is a whole
/// number of parts. If that is beyond `2^40`, bandwidths are rounded up to parts of `2^40`.
pub(super) fn whole(periods: impl Iterator<Item = Duration>) -> u64 {
    let mut whole = 1u64;
    for period in periods.map(Duration::as_ns).filter(|period| *period > 0) {
        let multiple = u128::from(whole / common(whole, period)) * u128::from(period);
        match u64::try_from(multiple) {
            Ok(multiple) if multiple <= MOST => whole = multiple,
            _ => return MOST,
        }
    }
    whole
}

fn common(one: u64, other: u64) -> u64 {
    match other {
        0 => one,
        _ => common(other, one % other),
    }
}

/// Bandwidth of `work` in each `period`, in parts of which `whole` make up a processor, rounded up.
pub(super) fn parts(work: Work, period: Duration, whole: u64) -> u64 {
    let parts = (u128::from(work.as_ns()) * u128::from(whole)).div_ceil(u128::from(period.as_ns().max(1)));
    u64::try_from(parts).unwrap_or(u64::MAX)
}

/// Shortest time in which a task may ask for its WCET: its density is the WCET over this.
pub(super) fn room(task: &Task) -> Duration {
    let latest = task.relative_deadline.as_ns().saturating_sub(task.jitter.as_ns());
    Duration::from_ns(latest.min(task.period.as_ns()).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bandwidths_are_whole_parts_or_rounded_up() {
        let ns = Duration::from_ns;
        let few = whole([4, 6, 10].map(ns).into_iter());
        assert_eq!((few, parts(Work::from_ns(1), ns(6), few)), (60, 10));
        let many = whole([1_000_003, 1_000_033, 7].map(ns).into_iter());
        assert_eq!((many, parts(Work::from_ns(1), ns(3), many)), (1 << 40, (1 << 40) / 3 + 1));
    }

    #[test]
    fn a_task_has_room_until_its_deadline_at_the_latest() {
        let ns = Duration::from_ns;
        let task = Task::constrained(Work::from_ns(1), ns(10), ns(7));
        assert_eq!(room(&task), ns(7));
        assert_eq!(room(&Task { jitter: ns(3), ..task }), ns(4));
    }
}
