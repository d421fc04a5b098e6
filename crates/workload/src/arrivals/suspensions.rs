//! Self-suspension of jobs, within what their task announces.
//!
//! A segmented task states in its program where it suspends itself and for how long at most; a dynamic one announces a
//! total only, and chance decides where (J.-J. Chen et al., "Many suspensions, many problems: a review of
//! self-suspending tasks in real-time systems", Real-Time Systems 55, 2019, names the two models).

use crate::random::Random;
use schedlab_model::{Duration, Step, Work};

/// The most suspensions of one job of a dynamically self-suspending task.
const MAX_PIECES: u64 = 3;

/// A dynamic suspension: how much execution comes before it, and how long it takes.
pub(super) type Piece = (u64, Duration);

/// Fills `pieces` with the suspensions of a job of this cost, in rising order of their points.
///
/// A point has execution before and after it, so a job of 1 ns does not suspend itself.
pub(super) fn pieces(cost: Work, bound: Duration, random: &mut Random, pieces: &mut Vec<Piece>) {
    pieces.clear();
    let mut rest = bound;
    if cost.as_ns() < 2 || rest.is_zero() {
        return;
    }
    for left in (0..random.between(1, MAX_PIECES)).rev() {
        let length = if left == 0 { rest } else { Duration::from_ns(random.between(0, rest.as_ns())) };
        rest = rest - length;
        pieces.push((random.between(1, cost.as_ns() - 1), length));
    }
    pieces.retain(|(_, length)| !length.is_zero());
    pieces.sort_by_key(|(point, _)| *point);
}

/// Writes the program of a job of `cost`, whose program at its worst is `worst`, with a WCET of `wcet`.
///
/// Execution shrinks in proportion, so that what has been done of `x` up to some point is
/// `floor(x*cost/wcet)`, and steps of zero length disappear. The suspensions of `pieces` happen at their
/// points, but a job does not suspend itself while it holds a resource or must not be preempted: then it
/// does so at the end of that section if execution follows.
pub(super) fn write_program(
    worst: &[Step],
    (cost, wcet): (Work, Work),
    pieces: &[Piece],
    out: &mut Vec<Step>,
) {
    let mut pieces = pieces.iter().copied().peekable();
    let (mut worst_done, mut done, mut sections) = (0u64, 0u64, 0u32);
    for step in worst {
        match *step {
            Step::Execute(work) => {
                worst_done += work.as_ns();
                let scaled = u128::from(worst_done) * u128::from(cost.as_ns());
                let end = (scaled / u128::from(wcet.as_ns())) as u64;
                while let Some((point, length)) = pieces.next_if(|(at, _)| sections == 0 && *at < end) {
                    execute(point.saturating_sub(done), out);
                    done = done.max(point);
                    out.push(Step::Suspend(length));
                }
                execute(end - done, out);
                done = end;
            }
            Step::Suspend(length) if length.is_zero() => {}
            Step::Suspend(_) | Step::Serve(_) => out.push(*step),
            Step::Request(..) | Step::NpEnter => {
                sections += 1;
                out.push(*step);
            }
            Step::Release(..) | Step::NpExit => {
                sections = sections.saturating_sub(1);
                out.push(*step);
            }
        }
    }
}

fn execute(ns: u64, out: &mut Vec<Step>) {
    if ns > 0 {
        out.push(Step::Execute(Work::from_ns(ns)));
    }
}
