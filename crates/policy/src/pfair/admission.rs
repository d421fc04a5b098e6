//! Admission of tasks, and the slot at which the weight of a task that left is free.
//!
//! A. Srinivasan and J. Anderson, "Fair scheduling of dynamic task systems on multiprocessors", J. Systems and Software
//! 77, 2005. A task may join if the weights then add up to at most M. A task that leaves keeps its weight until its lag
//! is not negative for certain: a light task until d + b of the last subtask that ran, a heavy one until that one's
//! group deadline. A change of weight is a leave and a join. A task that is refused changes nothing.

use super::sum::{exceeds, Estimate};
use super::window::Window;
use crate::setup::Weight;
use alloc::vec::Vec;
use core::fmt;

/// Error: there is no room for a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRoom {
    /// Weight of the task.
    pub weight: Weight,
    /// Number of processors, M.
    pub processors: usize,
    /// Slot from which on there is room if no other task joins; `None` if no task that leaves makes room.
    pub from: Option<u64>,
}

impl fmt::Display for NoRoom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (weight, processors) = (self.weight, self.processors);
        let plural = if processors == 1 { "" } else { "s" };
        write!(f, "a weight of {weight} more than {processors} processor{plural} can bear")?;
        match self.from {
            Some(slot) => write!(f, "; there is room from slot {slot} on"),
            None => write!(f, "; allowed: weights that add up to at most {processors}"),
        }
    }
}

impl core::error::Error for NoRoom {}

/// Returns the first slot in which the weight of a task is free that leaves after the subtask of window `last` has run.
pub const fn free_from(last: &Window) -> u64 {
    match last.group_deadline {
        0 => last.deadline + last.overlaps as u64,
        group_deadline => group_deadline,
    }
}

#[derive(Clone, Copy, Debug)]
struct Member {
    number: u32,
    weight: Weight,
    /// Slot from which on the task's weight is free; `u64::MAX` while the task stays.
    free: u64,
}

/// The tasks whose weights are in use.
#[derive(Clone, Debug)]
pub struct Admission {
    processors: usize,
    members: Vec<Member>,
    sum: Estimate,
    /// Least `free` of all tasks.
    first_free: u64,
}

impl Admission {
    /// Admission to `processors` processors, without a task yet.
    pub fn new(processors: usize) -> Self {
        Admission { processors, members: Vec::new(), sum: Estimate::default(), first_free: u64::MAX }
    }

    /// Admits task `number` at `slot`, or returns an error if there is no room. Slots must not fall from call to call.
    pub fn join(&mut self, number: u32, weight: Weight, slot: u64) -> Result<(), NoRoom> {
        self.let_go(slot);
        let with = self.sum.plus(weight);
        let weights = self.members.iter().map(|member| member.weight).chain([weight]);
        if with.exceeds(self.processors).unwrap_or_else(|| exceeds(weights, self.processors)) {
            return Err(NoRoom { weight, processors: self.processors, from: self.room_for(weight) });
        }
        self.sum = with;
        self.members.push(Member { number, weight, free: u64::MAX });
        Ok(())
    }

    /// Notes that task `number` leaves after the subtask of window `last` has run.
    pub fn leave(&mut self, number: u32, last: &Window) {
        self.leave_at(number, free_from(last));
    }

    /// Frees the weight of task `number` from `slot` on.
    pub(crate) fn leave_at(&mut self, number: u32, slot: u64) {
        for member in self.members.iter_mut().filter(|member| member.number == number) {
            member.free = member.free.min(slot);
            self.first_free = self.first_free.min(member.free);
        }
    }

    fn let_go(&mut self, slot: u64) {
        if self.first_free > slot {
            return;
        }
        let sum = &mut self.sum;
        self.members.retain(|member| {
            let stays = member.free > slot;
            if !stays {
                *sum = sum.minus(member.weight);
            }
            stays
        });
        self.first_free = self.members.iter().map(|member| member.free).min().unwrap_or(u64::MAX);
    }

    /// Returns the slot from which on `weight` fits, as others leave; `None` if it never does.
    fn room_for(&self, weight: Weight) -> Option<u64> {
        let mut ends: Vec<u64> = self.members.iter().map(|member| member.free).collect();
        ends.retain(|end| *end < u64::MAX);
        ends.sort_unstable();
        ends.dedup();
        let stay = |end: u64| self.members.iter().filter(move |member| member.free > end);
        let fits =
            |end: &u64| !exceeds(stay(*end).map(|member| member.weight).chain([weight]), self.processors);
        ends.into_iter().find(fits)
    }
}
