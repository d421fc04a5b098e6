//! Semi-partitioned EDF: each processor is judged by itself.
//!
//! S. Kato, N. Yamasaki and Y. Ishikawa, ECRTS 2009; A. Burns, R. Davis, P. Wang and F. Zhang, Real-Time Systems 48(1),
//! 2012. To its processor, a piece is a sporadic task of its budget, the task's period and the piece's deadline. If EDF
//! meets the deadlines of all pieces of a processor ([`crate::uniprocessor::demand`]), and this on every processor, no
//! piece waits for the one before it, which was due when it begins, and each job is complete when its last piece is
//! due. A job that needs less than its WCET shortens its last pieces, which delays no other.

use crate::assumption::Assumption;
use crate::budget::Budget;
use crate::piece::Piece;
use crate::reason::Reason;
use crate::sentences::Ns;
use crate::split::meets;
use crate::system::System;
use crate::verdict::{Bounds, Guarantee, Test, Verdict};
use schedlab_model::{CpuId, Duration, Theorem};
use std::collections::BTreeMap;

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "semi_partitioned_edf",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &[Assumption::SemiPartitionedEdf, Assumption::NoJitter, Assumption::NoOverheads],
    source: "Kato, Yamasaki and Ishikawa, ECRTS 2009; Burns et al., RTS 48(1), 2012",
    cost: "pseudo-polynomial for utilizations below 1",
    applies: |system| system.theorem() == Some(Theorem::KeepsPieces),
    run,
};

fn run(system: &System) -> Verdict {
    if system.needs_blocking() {
        return TEST.unknown(Reason::SectionsNotCounted);
    }
    if system.has_suspension() || system.has_jitter() {
        return TEST.unknown(Reason::JitterOrSuspension);
    }
    let mut by_processor: BTreeMap<CpuId, Vec<Piece>> = BTreeMap::new();
    let mut bounds = Vec::with_capacity(system.tasks.len());
    for task in &system.tasks {
        let (mut held, mut due) = (0u64, 0u64);
        for &(cpu, piece) in system.pieces.iter().filter(|(_, piece)| piece.task == task.id) {
            if piece.offset < due {
                return TEST.unknown(Reason::PiecesOverlap { task: task.id });
            }
            held = held.saturating_add(piece.cost);
            due = piece.offset.saturating_add(piece.relative_deadline);
            by_processor.entry(cpu).or_default().push(piece);
        }
        if held < task.cost {
            return TEST.unknown(Reason::PiecesHoldLess {
                task: task.id,
                needs: Ns(task.cost),
                has: Ns(held),
            });
        }
        if due > task.relative_deadline {
            let (needs, has) = (Ns(due), Ns(task.relative_deadline));
            return TEST.unknown(Reason::LateAlone { task: task.id, needs, has });
        }
        bounds.push(Some(Duration::from_ns(due)));
    }
    let mut budget = Budget::default();
    for (cpu, pieces) in &by_processor {
        match meets(pieces, &mut budget) {
            Ok(true) => {}
            Ok(false) => return TEST.unknown(Reason::PiecesDoNotFit { cpu: cpu.0 }),
            Err(_) => return TEST.unknown(Reason::BudgetOfDemandSpent),
        }
    }
    TEST.schedulable(Reason::PiecesFit, Bounds::ResponseTime(bounds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::{AnalysedOrder, AnalysedScheduler};
    use crate::verdict::Answer;
    use schedlab_model::{Task, TaskPiece, Work};

    fn task(cost: u64, pieces: &[(u16, u64, u64, u64)]) -> Task {
        let piece = |&(cpu, budget, begin, deadline): &(u16, u64, u64, u64)| TaskPiece {
            cpu: CpuId(cpu),
            budget: Work::from_ns(budget),
            begin: Duration::from_ns(begin),
            relative_deadline: Duration::from_ns(deadline),
        };
        let pieces = pieces.iter().map(piece).collect();
        Task { pieces, ..Task::implicit(Work::from_ns(cost), Duration::from_ns(10)) }
    }

    fn verdict(tasks: &[Task]) -> Verdict {
        let order = AnalysedOrder::Theorem(Theorem::KeepsPieces);
        let scheduler = AnalysedScheduler { order, ..AnalysedScheduler::EDF };
        let system = System::global(tasks, 2, &scheduler).unwrap();
        assert!((TEST.applies)(&system));
        run(&system)
    }

    /// Three tasks of 6 in 10 on two processors: 4 of the last one go before all on the first processor.
    #[test]
    fn processors_are_judged_one_by_one() {
        let split = |cost, first, second| {
            vec![task(6, &[(0, 6, 0, 10)]), task(6, &[(1, 6, 0, 10)]), task(cost, &[first, second])]
        };
        let found = verdict(&split(6, (0, 4, 0, 4), (1, 2, 4, 6)));
        assert_eq!(found.answer, Answer::Schedulable, "{:?}", found.reason);
        assert_eq!(found.bounds, Bounds::ResponseTime(vec![Some(Duration::from_ns(10)); 3]));
        let unknown = |tasks: &[Task]| {
            let found = verdict(tasks);
            assert_eq!(found.answer, Answer::Unknown);
            found.reason
        };
        let overfull = split(7, (0, 5, 0, 5), (1, 2, 5, 5));
        assert_eq!(unknown(&overfull), Reason::PiecesDoNotFit { cpu: 0 });
        let id = schedlab_model::TaskId(2);
        let short = unknown(&split(6, (0, 3, 0, 4), (1, 2, 4, 6)));
        assert_eq!(short, Reason::PiecesHoldLess { task: id, needs: Ns(6), has: Ns(5) });
        assert_eq!(unknown(&split(6, (0, 4, 0, 4), (1, 2, 3, 6))), Reason::PiecesOverlap { task: id });
        let late = unknown(&split(6, (0, 4, 0, 4), (1, 2, 4, 7)));
        assert_eq!(late, Reason::LateAlone { task: id, needs: Ns(11), has: Ns(10) });
    }
}
