//! EDF-WM, EDF with window-constrained migration: S. Kato, N. Yamasaki and Y. Ishikawa, *Semi-partitioned scheduling of
//! sporadic task systems on multiprocessors*, ECRTS 2009.
//!
//! Tasks go by falling utilization to the first processor that they fit on. One that fits nowhere is split into s = 2,
//! 3, ... pieces, each with a window of D / s (rounded down; the last has the rest, of which it is promised no more):
//! each processor says how much it can take within such a window in each period, and the s that can take most share the
//! task, largest first, until nothing is left.
//!
//! Exact processor demand for each try.

use super::{begin, first_fit, streams, NotSplit, Piece, SplitPieces};
use crate::budget::Budget;
use crate::system::System;
use crate::uniprocessor::c_equals_d::largest_within;
use std::cmp::Reverse;

/// Splits the tasks of `system` over its processors.
pub fn split(system: &System, budget: &mut Budget) -> Result<SplitPieces, NotSplit> {
    let (queue, mut split) = begin(system)?;
    for task in queue {
        if !first_fit(&mut split, task, budget)? && !share(&mut split, task, budget)? {
            split.misfits.push(task.task);
        }
    }
    Ok(split)
}

/// Shares `task` among as few processors as can be; false if all together are not enough.
fn share(split: &mut SplitPieces, task: Piece, budget: &mut Budget) -> Result<bool, NotSplit> {
    for count in 2..=split.processors.len() {
        let window = task.relative_deadline / count as u64;
        let mut room = Vec::with_capacity(split.processors.len());
        for (index, processor) in split.processors.iter().enumerate() {
            let streams = streams(processor);
            let most = largest_within(&streams, task.cost.min(window), task.period, window, budget);
            room.push((Reverse(most.ok_or(NotSplit::Spent)?), index));
        }
        room.sort_unstable();
        room.truncate(count);
        if room.iter().map(|(room, _)| u128::from(room.0)).sum::<u128>() < u128::from(task.cost) {
            continue;
        }
        let mut left = task.cost;
        for (turn, (room, index)) in room.into_iter().enumerate() {
            let cost = room.0.min(left);
            if cost > 0 {
                let offset = turn as u64 * window;
                split.processors[index].push(Piece { cost, offset, relative_deadline: window, ..task });
            }
            left -= cost;
        }
        return Ok(true);
    }
    Ok(false)
}
