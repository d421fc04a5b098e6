//! The density test of global EDF.
//!
//! J. Goossens, S. Funk and S. Baruah, *Priority-driven scheduling of periodic task systems on
//! multiprocessors*, Real-Time Systems 25(2-3), 2003, Theorem 5, in its density form (M. Bertogna, M.
//! Cirinei and G. Lipari, ECRTS 2005): deadlines are met on m processors if
//!
//! ```text
//! sum of d_i <= m - (m - 1) max d_i,   d_i = C_i / D_i
//! ```
//!
//! The proof compares EDF with a platform that has one processor of speed d_i for each task: any jobs
//! that meet their deadlines there meet them under EDF here. A job released up to J late meets its
//! deadline there at speed C / (D - J), and jobs of one task do not overlap as D <= T. Self-suspension
//! counts as execution: whenever a pending job neither executes nor suspends itself, m processors
//! execute jobs of higher priority, which is all that the proof asks of the schedule.
//!
//! Linear time.

use crate::assumption::Assumption;
use crate::exact::{compare, filter, Fraction, Pair};
use crate::reason::Reason;
use crate::sentences::Ns;
use crate::sides::{Quantity, Sides};
use crate::steps::{sum_of_all, RatioKind, Unwatched, Watch};
use crate::system::System;
use crate::verdict::{Guarantee, Test, Verdict};
use std::cmp::Ordering;

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "gfb",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &[
        Assumption::GlobalEdf,
        Assumption::ConstrainedDeadlines,
        Assumption::JitterShortensDeadlines,
        Assumption::SuspensionAsExecution,
        Assumption::NoOverheads,
    ],
    source: "Goossens, Funk and Baruah, RTS 25(2-3), 2003, Theorem 5",
    cost: "O(n)",
    applies: System::is_preemptive_edf,
    run: |system| run(system, &mut Unwatched),
};

/// Runs the test while `watch` watches.
pub(crate) fn run(system: &System, watch: &mut impl Watch) -> Verdict {
    if system.needs_blocking() {
        return TEST.unknown(Reason::SectionsNotCounted);
    }
    if !system.has_constrained_deadlines() {
        return TEST.unknown(Reason::DeadlineBeyondPeriod);
    }
    let mut densities = Vec::with_capacity(system.tasks.len());
    for task in &system.tasks {
        let cost = task.oblivious_cost();
        match task.relative_deadline.checked_sub(task.jitter) {
            Some(window) if cost <= window && window > 0 => densities.push((cost, window)),
            window => {
                let (needs, has) = (Ns(cost), Ns(window.unwrap_or(0)));
                return TEST.unknown(Reason::LateAlone { task: task.id, needs, has });
            }
        }
    }
    let holds = holds(&densities, system.processors);
    let shown = watch.wants(None).then(|| densities.clone());
    let sides = sides(densities, system.processors, holds);
    if let Some(densities) = shown {
        watch.add(sum_of_all(RatioKind::Densities, system, densities, &sides));
    }
    let reason = system.with_suspension(Reason::Densities(sides));
    match holds {
        true => TEST.meets_deadlines(system, reason),
        false => TEST.unknown(reason),
    }
}

/// The sum of the densities beside m - (m - 1) times the largest.
pub(crate) fn sides(densities: Vec<Pair>, processors: u32, holds: bool) -> Sides {
    let of = densities.iter().copied().max_by(|a, b| compare(*a, *b)).unwrap_or((0, 1));
    Sides::percent(Quantity::Sum(densities), Quantity::Rest { processors, of }, holds)
}

/// Returns whether the sum of the densities is at most m - (m - 1) times the largest.
pub(crate) fn holds(densities: &[Pair], processors: u32) -> bool {
    let (limit, others) = (f64::from(processors), f64::from(processors.saturating_sub(1)));
    let (mut sum, mut largest) = (0.0, 0.0f64);
    for &density in densities {
        let value = filter::quotient(density);
        (sum, largest) = (sum + value, largest.max(value));
    }
    let left = sum + others * largest;
    filter::compare(left, left * filter::relative_error(densities.len()), limit)
        .unwrap_or_else(|| exactly(densities, processors))
        .is_le()
}

fn exactly(densities: &[Pair], processors: u32) -> Ordering {
    let Some(&largest) = densities.iter().max_by(|a, b| compare(**a, **b)) else { return Ordering::Less };
    let repeated =
        Fraction::new(largest.0, largest.1).times(&Fraction::integer(processors.saturating_sub(1)));
    Fraction::sum(densities).plus(&repeated).compare(&Fraction::integer(processors))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AnalysedScheduler, Answer};
    use schedlab_model::{Duration, Suspension, Task, Work};

    /// (500 + 500) / (2500 - 500) three times on two processors, which is the bound, and a nanosecond more of each.
    #[test]
    fn suspension_is_execution_and_jitter_takes_time() {
        let answer = |suspension, jitter| {
            let task = Task {
                suspension: Suspension::Dynamic(Duration::from_ns(suspension)),
                jitter: Duration::from_ns(jitter),
                ..Task::implicit(Work::from_ns(500), Duration::from_ns(2500))
            };
            (TEST.run)(&System::global(&vec![task; 3], 2, &AnalysedScheduler::EDF).unwrap()).answer
        };
        assert_eq!(answer(500, 500), Answer::Schedulable);
        assert_eq!([answer(501, 500), answer(500, 501)], [Answer::Unknown; 2]);
    }

    /// `gfb-equality` of the published examples, and a nanosecond more.
    #[test]
    fn holds_with_equality_and_not_beyond() {
        assert!(holds(&[(1000, 2000); 3], 2));
        assert!(!holds(&[(1000, 2000), (1000, 2000), (1001, 2000)], 2));
        assert!(holds(&[(1 << 50, 1 << 51); 3], 2));
        assert!(!holds(&[(1 << 50, 1 << 51), (1 << 50, 1 << 51), ((1 << 50) + 1, 1 << 51)], 2));
    }

    /// S. Dhall's effect: m light tasks and one of density nearly 1.
    #[test]
    fn refuses_the_dhall_effect() {
        assert!(!holds(&[(2, 10), (2, 10), (10, 11)], 2));
    }

    #[test]
    fn one_processor_is_the_density_test() {
        assert!(holds(&[(1, 2), (1, 3), (1, 6)], 1));
        assert!(!holds(&[(1, 2), (1, 3), (1, 5)], 1));
    }
}
