//! The largest piece of a task that a processor can take with a relative deadline equal to its cost.
//!
//! A. Burns, R. Davis, P. Wang and F. Zhang, *Partitioned EDF scheduling for multiprocessors using a C=D task splitting
//! scheme*, Real-Time Systems 48(1), 2012: a piece of cost c with D = c and period T executes at once under EDF. It
//! fits if h(t) + n(t) c <= t for all t, where n(t) = floor((t - c) / T) + 1 counts its deadlines.
//!
//! If c fits, so does less: let c' < c. For t with k c-pieces due besides one of c' (k T + c' <= t < k T + c), h(t) <=
//! h(k T + c) <= k (T - c) <= k (T - c') <= t - (k + 1) c'. So there is a largest c. It is found from above: where c
//! fails at t, a c' that fits is due at t at least as often, hence c' <= (t - h(t)) / n(t), and that is below c. Some
//! processor-demand analyses.

use super::demand::Demands;
use super::examination::ExaminationEnd;
use super::qpa::walk;
use crate::budget::Budget;

/// The largest cost up to `most` of a piece with period `period` beside `streams` (cost, period, time from the latest
/// release to the absolute deadline), which fit themselves; `None` if the budget is spent before that is known.
pub fn largest_piece(
    streams: &[(u64, u64, u64)],
    most: u64,
    period: u64,
    budget: &mut Budget,
) -> Option<u64> {
    largest(streams, most, period, |cost| cost, budget)
}

/// Returns the largest cost of a piece that is due within `window`, whatever it costs; a smaller cost fits wherever a
/// larger one does.
pub(crate) fn largest_within(
    streams: &[(u64, u64, u64)],
    most: u64,
    period: u64,
    window: u64,
    budget: &mut Budget,
) -> Option<u64> {
    largest(streams, most.min(window), period, |_| window, budget)
}

fn largest(
    streams: &[(u64, u64, u64)],
    most: u64,
    period: u64,
    due: impl Fn(u64) -> u64,
    budget: &mut Budget,
) -> Option<u64> {
    let others = Demands::of_streams(streams.iter().copied());
    let mut piece = most.min(period);
    while piece > 0 {
        let with_piece = Demands::of_streams(streams.iter().copied().chain([(piece, period, due(piece))]));
        if with_piece.load().is_gt() {
            piece = largest_by_load(streams, piece, period);
            continue;
        }
        let limit = with_piece.limit(budget).shortest()?;
        piece = match walk(&with_piece, limit, budget, |_, _| {}) {
            ExaminationEnd::Meets => return Some(piece),
            ExaminationEnd::Spent => return None,
            ExaminationEnd::Exceeds { t, .. } => {
                // Where no piece is due, the others alone exceed t.
                let Some(rest) = t.checked_sub(due(piece)) else { return Some(0) };
                let left = u128::from(t).saturating_sub(others.within(t));
                // Below `piece`, as the demand exceeds t with it.
                (left / u128::from(rest / period + 1)) as u64
            }
        };
    }
    Some(0)
}

/// The largest cost below `piece` with which the utilization is at most 1.
fn largest_by_load(streams: &[(u64, u64, u64)], piece: u64, period: u64) -> u64 {
    let fits = |cost: u64| {
        Demands::of_streams(streams.iter().copied().chain([(cost, period, cost.max(1))])).load().is_le()
    };
    let (mut good, mut bad) = (0, piece);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        match fits(middle) {
            true => good = middle,
            false => bad = middle,
        }
    }
    good
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half of a processor is left, and all of it fits: (1, 2) and a piece of 1 every 2.
    #[test]
    fn a_processor_can_be_filled() {
        for most in [1, 2] {
            assert_eq!(largest_piece(&[(1, 2, 2)], most, 2, &mut Budget::default()), Some(1));
        }
        assert_eq!(largest_within(&[(1, 2, 2)], 2, 2, 2, &mut Budget::default()), Some(1));
        assert_eq!(largest_piece(&[(2, 2, 2)], 2, 2, &mut Budget::default()), Some(0));
    }

    /// The largest cost agrees with a trial of all costs, on all pairs of small tasks.
    #[test]
    fn is_the_largest_that_fits() {
        let fits = |streams: &[(u64, u64, u64)]| {
            let demands = Demands::of_streams(streams.iter().copied());
            (1..=200).all(|t| demands.within(t) <= u128::from(t)) && demands.load().is_le()
        };
        let mut tried = 0;
        for (cost, window) in [(1, 2), (1, 4), (2, 3), (3, 5), (2, 8), (4, 4)] {
            for (other, due) in [(1, 3), (2, 6), (1, 10)] {
                let streams = [(cost, 4.max(window), window), (other, 10, due)];
                if !fits(&streams) {
                    continue;
                }
                for period in [3, 5, 6, 20] {
                    let all = |piece: u64| [streams[0], streams[1], (piece, period, piece)];
                    let largest = (1..=period).rev().find(|&piece| fits(&all(piece))).unwrap_or(0);
                    let found = largest_piece(&streams, period, period, &mut Budget::default());
                    assert_eq!(found, Some(largest), "{streams:?} {period}");
                    tried += u32::from(largest > 0);
                }
            }
        }
        assert!(tried > 20, "{tried}");
    }
}
