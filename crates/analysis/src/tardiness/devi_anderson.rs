//! Tardiness under preemptive global EDF.
//!
//! U. Devi and J. Anderson, *Tardiness bounds under global EDF scheduling on a multiprocessor*, RTSS
//! 2005 and Real-Time Systems 38(2), 2008; U. Devi's dissertation, Chapel Hill 2006, Corollary 4.11: if
//! U <= m, no job of task i with an implicit deadline is tardier than x + C_i, where
//!
//! ```text
//! x = (sum of the L largest costs - least cost) / (m - sum of the L - 1 largest utilizations)
//! L = ceil(U) - 1
//! ```
//!
//! and x = 0 where L = 0. Jitter and self-suspension count as execution: at an instant where fewer than
//! ceil(U) tasks execute or suspend themselves, all pending tasks do, which is what the proof uses.
//! O(n log n).

use super::{largest_costs, largest_utilizations, unbounded, verdict, x};
use crate::assumption::Assumption;
use crate::exact::{ceiling_of_sum, Fraction, Pair};
use crate::system::System;
use crate::verdict::{Guarantee, Test};

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "devi_anderson",
    guarantee: Guarantee::Soft,
    exact: false,
    assumptions: &[
        Assumption::GlobalEdf,
        Assumption::ImplicitDeadlines,
        Assumption::JobsInSequence,
        Assumption::DelaysAsExecution,
        Assumption::NoOverheads,
    ],
    source: "Devi and Anderson, RTS 38(2), 2008; Devi, dissertation 2006, Corollary 4.11",
    cost: "O(n log n)",
    applies: System::is_preemptive_edf,
    run: |system| verdict(&TEST, system, tardiness_x),
};

/// x for tasks with these (cost, period), or `None` if U > m or some C > T.
pub fn tardiness_x(utilizations: &[Pair], processors: u32) -> Option<Fraction> {
    if unbounded(utilizations, processors).is_some() {
        return None;
    }
    let carried = ceiling_of_sum(utilizations).saturating_sub(1) as usize;
    let busy = largest_utilizations(utilizations, carried.saturating_sub(1));
    Some(x(largest_costs(utilizations, carried), utilizations, processors, &busy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;

    /// `da-5tasks-m3` of the published examples, by hand.
    #[test]
    fn five_tasks_on_three_processors() {
        let tasks = [(3000, 5000), (4000, 6000), (2000, 7000), (6000, 10000), (1000, 4000)];
        let x = tardiness_x(&tasks, 3).unwrap();
        assert_eq!(x.lowest_terms(), (BigInt::from(27000), BigInt::from(7)));
        assert_eq!(x.ceiling(), BigInt::from(3858));
    }

    /// `da-3x(2,3)`: U = m exactly, and one processor too few.
    #[test]
    fn at_full_load_and_beyond() {
        let tasks = [(2000, 3000); 3];
        assert_eq!(tardiness_x(&tasks, 2).unwrap().ceiling(), BigInt::from(0));
        assert!(tardiness_x(&tasks, 1).is_none());
        assert!(tardiness_x(&[(4, 3)], 2).is_none());
    }

    /// L = ceil(U) - 1: U = 2 carries one task, a little more carries two.
    #[test]
    fn the_number_of_carried_tasks_jumps_after_an_integer() {
        let x = |tasks: &[Pair]| tardiness_x(tasks, 4).unwrap().lowest_terms();
        assert_eq!(x(&[(5, 10), (10, 20), (20, 20)]), (BigInt::from(15), BigInt::from(4)));
        assert_eq!(x(&[(6, 10), (10, 20), (20, 20)]), (BigInt::from(8), BigInt::from(1)));
    }
}
