//! Characteristic strings: which of two tasks is more urgent under BF?
//!
//! D. Zhu, D. Mossé and R. Melhem, RTSS 2003, section 4. Let b(0) be the end of the current slice and b(1), b(2), ...
//! the deadlines after it. A task's string has one sign for each slice after the current one,
//!
//! ```text
//! sign of  w b(s+1) - floor(w b(s)) - (b(s+1) - b(s))
//! ```
//!
//! up to the first that is not `+`: a `+` says that the task has to run all through the slice, and still lacks part of
//! a unit. Strings are compared sign by sign, `+` above `0` above `-`. If both end with `-`, the task that reaches its
//! next whole unit sooner goes first: the smaller urgency factor (1 - (w b - floor(w b))) / w, where b begins the last
//! slice. Ties go to the lower index.

use super::share::Share;
use core::cmp::Ordering;

/// Compares two shares by their indices: `Less` if the first is more urgent. `next` are the ends of the current slice
/// and of the one after it.
pub(super) fn compare(shares: &[Share], (one, other): (u32, u32), next: (u64, u64)) -> Ordering {
    let (mut begin, mut end) = next;
    let pair = (&shares[one as usize], &shares[other as usize]);
    loop {
        let signs = (sign(pair.0, begin, end), sign(pair.1, begin, end));
        match signs.1.cmp(&signs.0) {
            Ordering::Equal if signs.0 == Ordering::Greater => {
                (begin, end) = (end, boundary_after(shares, end));
            }
            Ordering::Equal if signs.0 == Ordering::Equal => return one.cmp(&other),
            Ordering::Equal => return compare_factors(pair, begin).then(one.cmp(&other)),
            differs @ (Ordering::Less | Ordering::Greater) => return differs,
        }
    }
}

/// The first deadline after `time`.
pub(super) fn boundary_after(shares: &[Share], time: u64) -> u64 {
    let next = |share: &Share| (time / share.period + 1).saturating_mul(share.period);
    shares.iter().map(next).min().unwrap_or(u64::MAX)
}

/// The sign of a task for a slice, compared to zero.
fn sign(share: &Share, begin: u64, end: u64) -> Ordering {
    let (whole, rest) = share.fluid(end);
    let needed = whole - share.fluid(begin).0;
    match needed.cmp(&(end - begin)) {
        Ordering::Equal if rest == 0 => Ordering::Equal,
        Ordering::Equal => Ordering::Greater,
        differs @ (Ordering::Less | Ordering::Greater) => differs,
    }
}

/// Compares the urgency factors of two tasks at `time`.
fn compare_factors((one, other): (&Share, &Share), time: u64) -> Ordering {
    let to_go = |share: &Share| share.period - share.fluid(time).1;
    let cross = |a: u64, b: u64| u128::from(a) * u128::from(b);
    cross(to_go(one), other.cost).cmp(&cross(to_go(other), one.cost))
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{Duration, Task, Work};

    fn shares(rows: &[(u64, u64)]) -> alloc::vec::Vec<Share> {
        let share = |&(cost, period): &(u64, u64)| {
            Share::new(&Task::implicit(Work::from_ns(cost), Duration::from_ns(period)), 1)
        };
        rows.iter().map(share).collect()
    }

    /// At 5, with deadlines at 6 and 9 after it: 1/3 and 2/3 need exactly all of [5, 6), and 8/9 needs more.
    #[test]
    fn strings_are_compared_sign_by_sign() {
        let shares = shares(&[(1, 3), (2, 3), (8, 9)]);
        assert_eq!(boundary_after(&shares, 5), 6);
        assert_eq!(sign(&shares[0], 5, 6), Ordering::Equal);
        assert_eq!(sign(&shares[0], 6, 9), Ordering::Less);
        assert_eq!(sign(&shares[2], 5, 6), Ordering::Greater);
        assert_eq!(compare(&shares, (0, 2), (5, 6)), Ordering::Greater);
        assert_eq!(compare(&shares, (2, 1), (5, 6)), Ordering::Less);
        // Both can wait at 6: 2/3 reaches its next whole unit after 1.5, 1/3 after 3.
        assert_eq!(compare(&shares, (0, 1), (6, 9)), Ordering::Greater);
        assert_eq!(compare(&shares, (1, 0), (6, 9)), Ordering::Less);
    }
}
