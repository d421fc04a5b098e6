//! Semi-partitioned EDF: jobs go from piece to piece.

use crate::support::{draw, ideal, run_setup, task};
use schedlab_model::*;
use schedlab_sim::Setup;

fn piece(cpu: u16, budget: u64, begin: u64, deadline: u64) -> TaskPiece {
    TaskPiece {
        cpu: CpuId(cpu),
        budget: Work::from_ns(budget),
        begin: Duration::from_ns(begin),
        relative_deadline: Duration::from_ns(deadline),
    }
}

fn drawn(rows: &[(u64, u64, &[TaskPiece])], overruns: Overrun) -> String {
    let made = |&(cost, period, pieces): &(u64, u64, &[TaskPiece])| Task {
        pieces: pieces.to_vec(),
        ..task(cost, period, period)
    };
    let setup = ideal(rows.iter().map(made).collect(), Platform::global(2), 10);
    draw(&run_setup(Setup { overruns, ..setup }, "SP-EDF"), 2, 10)
}

/// The file of the scheduler draws the first one, which C=D splits.
#[test]
fn drawn_schedules() {
    let (left, right) = ([piece(0, 6, 0, 10)], [piece(1, 6, 0, 10)]);
    let rows = |pieces| [(6, 10, &left[..]), (6, 10, &right[..]), (6, 10, pieces)];
    let by_c_equals_d = [piece(0, 4, 0, 4), piece(1, 2, 4, 6)];
    assert_eq!(drawn(&rows(&by_c_equals_d), Overrun::Ignore), "CCCCAAAAAA / BBBBBBCC..");
    // EDF-WM has windows of 5, the second of which begins at 5, whenever the first piece is complete.
    let by_windows = [piece(0, 4, 0, 5), piece(1, 2, 5, 5)];
    assert_eq!(drawn(&rows(&by_windows), Overrun::Ignore), "CCCCAAAAAA / BBBBBBCC..");
    // A piece waits for its begin, though its processor is idle.
    let alone = [(3, 10, &[piece(0, 1, 2, 1), piece(1, 2, 6, 4)][..])];
    assert_eq!(drawn(&alone, Overrun::Ignore), "..A....... / ......AA..");
}

/// The end of a WCET, where overruns are watched, is no end of a piece.
#[test]
fn a_watched_wcet_ends_no_piece() {
    let roomy = [(3, 10, &[piece(0, 2, 0, 2), piece(1, 4, 2, 8)][..])];
    assert_eq!(drawn(&roomy, Overrun::Warn), "AA........ / ..A.......");
    let early = [(1, 10, &[piece(0, 2, 0, 2), piece(1, 4, 2, 8)][..])];
    assert_eq!(drawn(&early, Overrun::Warn), "A......... / ..........");
}
