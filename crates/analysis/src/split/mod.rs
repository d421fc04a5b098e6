//! Semi-partitioned scheduling: which tasks are split between processors, and how?
//!
//! A split task is a chain of pieces, each on a processor of its own, one after the other: piece k may run from its
//! offset after the job's arrival on, and is due at its own relative deadline after that. The next piece's offset is
//! that deadline, so that pieces never run in parallel, and each is a sporadic task of the job's period to its
//! processor, which EDF schedules: so the processors are judged one by one by processor demand, which is exact.

pub mod c_equals_d;
pub mod edf_wm;

use crate::budget::Budget;
use crate::exact::compare;
use crate::system::System;
use crate::uniprocessor::demand::Demands;
use crate::uniprocessor::examination::ExaminationEnd;
use crate::uniprocessor::qpa::walk;
use schedlab_model::TaskId;

pub use crate::piece::Piece;

/// Pieces of all processors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SplitPieces {
    /// The pieces of each processor, in the order in which they were placed.
    pub processors: Vec<Vec<Piece>>,
    /// Tasks that fit nowhere, even split.
    pub misfits: Vec<TaskId>,
}

/// Reason why a system is not split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotSplit {
    /// The system has no processor.
    NoProcessors,
    /// Jobs request resources, suspend themselves or have jitter: pieces then would not begin at their offsets.
    Disturbed,
    /// The budget was spent before all pieces were placed.
    Spent,
}

impl SplitPieces {
    /// Returns whether all tasks are on processors that meet their deadlines.
    pub fn fits(&self) -> bool {
        self.misfits.is_empty()
    }
}

/// Returns tasks by falling utilization, ties by task, and a split with nothing placed yet.
fn begin(system: &System) -> Result<(Vec<Piece>, SplitPieces), NotSplit> {
    if system.processors == 0 {
        return Err(NotSplit::NoProcessors);
    }
    if system.needs_blocking() || system.has_suspension() || system.has_jitter() {
        return Err(NotSplit::Disturbed);
    }
    let whole = |task: &crate::SporadicTask| Piece {
        task: task.id,
        cost: task.cost,
        period: task.period,
        offset: 0,
        relative_deadline: task.relative_deadline,
    };
    let mut queue: Vec<Piece> = system.tasks.iter().map(whole).collect();
    queue.sort_by(|a, b| compare((b.cost, b.period), (a.cost, a.period)).then(a.task.cmp(&b.task)));
    let processors = vec![Vec::new(); system.processors as usize];
    Ok((queue, SplitPieces { processors, misfits: Vec::new() }))
}

fn streams(pieces: &[Piece]) -> Vec<(u64, u64, u64)> {
    pieces.iter().map(|piece| (piece.cost, piece.period, piece.relative_deadline)).collect()
}

/// Returns whether EDF meets all deadlines of `pieces`.
pub(crate) fn meets(pieces: &[Piece], budget: &mut Budget) -> Result<bool, NotSplit> {
    if pieces.iter().any(|piece| piece.cost > piece.relative_deadline) {
        return Ok(false);
    }
    let demands = Demands::of_streams(streams(pieces));
    if demands.load().is_gt() {
        return Ok(false);
    }
    let limit = demands.limit(budget).shortest().ok_or(NotSplit::Spent)?;
    match walk(&demands, limit, budget, |_, _| {}) {
        ExaminationEnd::Meets => Ok(true),
        ExaminationEnd::Exceeds { .. } => Ok(false),
        ExaminationEnd::Spent => Err(NotSplit::Spent),
    }
}

/// Puts `piece` on the first processor on which it fits; false if there is none.
fn first_fit(split: &mut SplitPieces, piece: Piece, budget: &mut Budget) -> Result<bool, NotSplit> {
    for processor in &mut split.processors {
        processor.push(piece);
        if meets(processor, budget)? {
            return Ok(true);
        }
        processor.pop();
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AnalysedScheduler;
    use schedlab_model::{Duration, Task, Work};

    fn system(rows: &[(u64, u64, u64)], processors: u32) -> System {
        let task = |&(cost, period, relative_deadline): &(u64, u64, u64)| {
            Task::constrained(
                Work::from_ns(cost),
                Duration::from_ns(period),
                Duration::from_ns(relative_deadline),
            )
        };
        let tasks: Vec<Task> = rows.iter().map(task).collect();
        System::global(&tasks, processors, &AnalysedScheduler::EDF).unwrap()
    }

    /// Simulates a schedule unit by unit and returns whether it misses a deadline: every piece is released at its
    /// offset, all jobs of a task arrive a period apart, costs are longest.
    fn misses(split: &SplitPieces, periods: &[u64]) -> bool {
        let phases = [0, 1, 3];
        phases.iter().any(|phase| {
            split.processors.iter().any(|pieces| {
                let mut left: Vec<(u64, u64)> = Vec::new();
                for now in 0..600u64 {
                    for piece in pieces {
                        let arrival = piece.task.0 as u64 * phase + piece.offset;
                        if now >= arrival && (now - arrival) % periods[piece.task.index()] == 0 {
                            left.push((now + piece.relative_deadline, piece.cost));
                        }
                    }
                    left.retain(|job| job.1 > 0);
                    left.sort_unstable();
                    if left.iter().any(|job| job.0 <= now) {
                        return true;
                    }
                    if let Some(job) = left.first_mut() {
                        job.1 -= 1;
                    }
                }
                false
            })
        })
    }

    /// Pieces begin at fixed offsets after the arrival: a job that comes late or suspends itself would not keep to
    /// them.
    #[test]
    fn disturbed_jobs_are_refused() {
        let mut late = system(&[(6, 10, 10); 3], 2);
        late.tasks[1].jitter = 1;
        let mut absent = system(&[(6, 10, 10); 3], 2);
        absent.tasks[1].suspension = 1;
        for disturbed in [late, absent] {
            for split in [c_equals_d::split, edf_wm::split] {
                assert_eq!(split(&disturbed, &mut Budget::default()), Err(NotSplit::Disturbed));
            }
        }
    }

    /// Returns how many tasks have more than one piece.
    fn migrating(split: &SplitPieces) -> usize {
        let of = |task| split.processors.iter().flatten().filter(|piece| piece.task == task).count();
        let mut tasks: Vec<TaskId> = split.processors.iter().flatten().map(|piece| piece.task).collect();
        tasks.sort_unstable();
        tasks.dedup();
        tasks.into_iter().filter(|task| of(*task) > 1).count()
    }

    /// (1, 2) twice fill a processor and are not split.
    #[test]
    fn a_processor_can_be_filled() {
        for split in [c_equals_d::split, edf_wm::split] {
            let split = split(&system(&[(1, 2, 2); 2], 1), &mut Budget::default()).unwrap();
            assert!(split.fits() && migrating(&split) == 0, "{split:?}");
        }
    }

    /// Both algorithms split 0.6, 0.6, 0.6 on two processors, which no partition can hold.
    #[test]
    fn three_of_six_tenths_on_two() {
        let three = system(&[(6, 10, 10); 3], 2);
        for split in [c_equals_d::split, edf_wm::split] {
            let split = split(&three, &mut Budget::default()).unwrap();
            assert!(split.fits() && migrating(&split) == 1, "{split:?}");
        }
        let too_much = system(&[(7, 10, 10); 3], 2);
        assert!(!c_equals_d::split(&too_much, &mut Budget::default()).unwrap().fits());
        assert!(!edf_wm::split(&too_much, &mut Budget::default()).unwrap().fits());
    }

    /// Random sets: all of a task is somewhere, pieces follow each other and end in time, and no schedule misses;
    /// splitting helps.
    #[test]
    fn pieces_make_up_their_tasks() {
        let mut state = 5u64;
        let mut below = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        let mut counts = [(0, 0); 2];
        for _ in 0..400 {
            let rows: Vec<(u64, u64, u64)> = (0..3 + below(4))
                .map(|_| {
                    let period = [4, 5, 6, 10, 12, 20, 30][below(7) as usize];
                    let cost = 1 + below(period * 4 / 5);
                    (cost, period, period - below(period - cost + 1) / 2)
                })
                .collect();
            let system = system(&rows, 2 + below(2) as u32);
            let periods: Vec<u64> = rows.iter().map(|row| row.1).collect();
            for (count, split) in counts.iter_mut().zip([c_equals_d::split, edf_wm::split]) {
                let split = split(&system, &mut Budget::default()).unwrap();
                assert!(!misses(&split, &periods), "{rows:?} {split:?}");
                for (task, row) in rows.iter().enumerate() {
                    let mut pieces: Vec<Piece> = split
                        .processors
                        .iter()
                        .flatten()
                        .filter(|piece| piece.task.index() == task)
                        .copied()
                        .collect();
                    if split.misfits.contains(&TaskId(task as u32)) {
                        assert!(pieces.is_empty());
                        continue;
                    }
                    pieces.sort_by_key(|piece| piece.offset);
                    let mut due = 0;
                    for piece in &pieces {
                        assert!(piece.offset >= due && piece.period == row.1 && piece.cost > 0, "{split:?}");
                        due = piece.offset + piece.relative_deadline;
                    }
                    assert!(due <= row.2 && pieces.iter().map(|piece| piece.cost).sum::<u64>() == row.0);
                }
                count.0 += u32::from(split.fits());
                count.1 += u32::from(split.fits() && migrating(&split) > 0);
            }
        }
        assert!(counts.iter().all(|&(fits, migrating)| fits > 100 && migrating > 10), "{counts:?}");
    }
}
