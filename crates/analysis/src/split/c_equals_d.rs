//! C=D task splitting: A. Burns, R. Davis, P. Wang and F. Zhang, *Partitioned EDF scheduling for multiprocessors using
//! a C=D task splitting scheme*, Real-Time Systems 48(1), 2012.
//!
//! Tasks go by falling utilization to the first processor that they fit on. From one that fits nowhere, the largest
//! piece with C = D ([`crate::uniprocessor::c_equals_d`]) is cut off, where it is largest; it executes at once. What
//! remains, with as much less time, goes to the first processor that it fits on, or is cut again. Each processor takes
//! at most one piece of a task.
//!
//! Exact processor demand for each try.

use super::{begin, first_fit, streams, NotSplit, Piece, SplitPieces};
use crate::budget::Budget;
use crate::system::System;
use crate::uniprocessor::c_equals_d::largest_piece;

/// Splits the tasks of `system` over its processors.
pub fn split(system: &System, budget: &mut Budget) -> Result<SplitPieces, NotSplit> {
    let (queue, mut split) = begin(system)?;
    for task in queue {
        if first_fit(&mut split, task, budget)? {
            continue;
        }
        let before = split.clone();
        if !cut(&mut split, task, budget)? {
            split = before;
            split.misfits.push(task.task);
        }
    }
    Ok(split)
}

/// Cuts pieces off `rest` until it fits; false if it does not.
fn cut(split: &mut SplitPieces, mut rest: Piece, budget: &mut Budget) -> Result<bool, NotSplit> {
    let mut taken = vec![false; split.processors.len()];
    loop {
        let mut best: Option<(u64, usize)> = None;
        for (index, processor) in split.processors.iter().enumerate().filter(|(index, _)| !taken[*index]) {
            // Something must remain, or it would have fitted as a whole.
            let most = rest.cost - 1;
            let piece =
                largest_piece(&streams(processor), most, rest.period, budget).ok_or(NotSplit::Spent)?;
            if piece > best.map_or(0, |best| best.0) {
                best = Some((piece, index));
            }
        }
        let Some((cost, index)) = best else { return Ok(false) };
        taken[index] = true;
        split.processors[index].push(Piece { cost, relative_deadline: cost, ..rest });
        rest = Piece {
            cost: rest.cost - cost,
            offset: rest.offset + cost,
            relative_deadline: rest.relative_deadline.saturating_sub(cost),
            ..rest
        };
        if fits_elsewhere(split, &taken, rest, budget)? {
            return Ok(true);
        }
    }
}

/// Puts `rest` on the first processor on which it fits and which has no other piece of it.
fn fits_elsewhere(
    split: &mut SplitPieces,
    taken: &[bool],
    rest: Piece,
    budget: &mut Budget,
) -> Result<bool, NotSplit> {
    let mut others = SplitPieces::default();
    let free: Vec<usize> = (0..taken.len()).filter(|&index| !taken[index]).collect();
    others.processors.extend(free.iter().map(|&index| std::mem::take(&mut split.processors[index])));
    let fits = first_fit(&mut others, rest, budget);
    free.into_iter().zip(others.processors).for_each(|(index, pieces)| split.processors[index] = pieces);
    fits
}
