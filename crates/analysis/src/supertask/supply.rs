//! The least service of a Pfair server.
//!
//! Its lag, a multiple of 1/q for a weight of p/q in lowest terms, is strictly between -1 and 1. In L whole slots from
//! t on it gets w L + lag(t) - lag(t + L) quanta. Over all values that the two lags can have together (both are
//! determined up to one by t modulo q), the least of these is
//!
//! ```text
//! least(L) = floor((p L + 1) / q) - 1
//! ```
//!
//! or 0 if that is less: one quantum more than w L - 2 rounded up would say where p L + 1 is a multiple of q, and all
//! of L for a weight of 1. So simple fractions are the better ones: 2/3 gets 2 quanta in every 4 slots, 67/100 perhaps
//! one.
//!
//! An interval that begins or ends within a slot gets least in between linearly, as the service of a given schedule is
//! piecewise linear in where the interval lies. If quanta are staggered, one that would begin at x begins anywhere in
//! [x, x + delta], and an interval of length l gets at least what it got in l - delta: less by delta if the last slot
//! counts, nothing less if it does not (staggered-pfair-2005, fig. 10).

use crate::exact::Pair;
use num_integer::gcd;

/// The least number of quanta in `slots` whole slots in a row, for a weight in (0, 1].
pub(crate) fn least_quanta(weight: Pair, slots: u64) -> u64 {
    let common = gcd(weight.0, weight.1);
    let (p, q) = (u128::from(weight.0 / common), u128::from(weight.1 / common));
    let quanta = ((p * u128::from(slots) + 1) / q).saturating_sub(1);
    u64::try_from(quanta).expect("a server gets at most each slot")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least service in any interval of `length`, in nanoseconds; `delay` is the largest offset of staggered
    /// quanta.
    fn least_service(weight: Pair, quantum: u64, delay: u64, length: u64) -> u64 {
        let (slots, rest) = (length.saturating_sub(delay) / quantum, length.saturating_sub(delay) % quantum);
        let before = least_quanta(weight, slots);
        let grows = least_quanta(weight, slots + 1) > before;
        before * quantum + if grows { rest } else { 0 }
    }

    /// The definition: every placement of each subtask in its window is a schedule, so an interval misses those that
    /// may be placed outside.
    fn by_windows(p: u64, q: u64, slots: u64) -> u64 {
        let inside = |t: u64| {
            let windows = (0..p * (q + slots + 2)).map(|i| (i * q / p, ((i + 1) * q).div_ceil(p)));
            windows.filter(|&(release, deadline)| release >= t && deadline <= t + slots).count() as u64
        };
        (0..=q).map(inside).min().unwrap()
    }

    #[test]
    fn least_quanta_is_what_windows_guarantee() {
        for q in 1..=12 {
            for p in 1..=q {
                for slots in 0..=3 * q {
                    assert_eq!(least_quanta((p, q), slots), by_windows(p, q, slots), "{p}/{q} in {slots}");
                }
            }
        }
    }

    /// Every phase of an interval against every window-respecting extreme, in quarters of a quantum.
    #[test]
    fn partial_slots_count_linearly() {
        for (p, q) in [(1, 1), (1, 2), (2, 3), (3, 10), (5, 7)] {
            for length in 0..80 {
                let served = least_service((p, q), 4, 0, length);
                let whole = 4 * least_quanta((p, q), length / 4);
                assert!(served >= whole && served <= 4 * least_quanta((p, q), length / 4 + 1));
                assert_eq!(least_service((p, q), 4, 3, length + 3), served);
            }
        }
        assert_eq!(least_service((1, 1), 4, 0, 7), 7);
        assert_eq!(least_service((1, 1), 4, 3, 2), 0);
        // 2/3: nothing in two slots, one quantum in three, that of the third.
        assert_eq!([8, 9, 11, 12].map(|length| least_service((2, 3), 4, 0, length)), [0, 1, 3, 4]);
    }

    /// staggered-pfair-2005, fig. 10: four processors, an interval of 14 slots; less by 3/4 of a quantum, if by
    /// anything.
    #[test]
    fn staggering_costs_delta_only_in_a_last_slot_that_counts() {
        let (mut less, mut equal) = (0, 0);
        for q in 2..20 {
            for p in 1..q {
                let lost = least_service((p, q), 4, 0, 56) - least_service((p, q), 4, 3, 56);
                let last_counts = least_quanta((p, q), 14) > least_quanta((p, q), 13);
                assert_eq!(lost, if last_counts { 3 } else { 0 }, "{p}/{q}");
                *(if last_counts { &mut less } else { &mut equal }) += 1;
            }
        }
        assert!(less > 20 && equal > 20);
    }
}
