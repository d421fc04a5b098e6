//! Succession of tasks: tasks that take the weight of others wait until those have really left.
//!
//! Set-up checks that there is room when the windows of a leaving task end. But a job may need more than its WCET, by
//! overheads or by a fault: its task goes on with later windows, and leaves late. The task that was to have its weight
//! joins then, when the weight is free by the published conditions ([`super::admission`]). So no other job is late for
//! it.
//!
//! Two tasks of which one takes the other's weight are never both there. Tasks of which no two are so were there
//! together by the plan that set-up checked: intervals that overlap by pairs have a point in common. So a task that
//! left by those conditions, and turns out to need more, joins anew like any other: when the task that has its weight
//! has left.

use super::admission::free_from;
use super::quantize::{competes, free_slot, join_slot};
use super::sum::exceeds;
use super::supertask::members;
use super::window::Window;
use crate::setup::{ClusterSetup, SetupError, Weight};
use alloc::vec;
use alloc::vec::Vec;

/// Tasks that have left, and tasks that wait for them.
#[derive(Clone, Debug)]
pub(super) struct Succession {
    /// By task: the slot at which it joins, and the slot from which on its weight should be free.
    plan: Vec<(u64, u64)>,
    /// By task: the slot from which on its weight is free; `u64::MAX` until it has left.
    free: Vec<u64>,
    /// By task: whether it was let in; it may have left since.
    entered: Vec<bool>,
    /// Tasks that wait although their job is ready.
    held: Vec<u32>,
    /// False if all tasks together fit, so that no task needs another one's weight.
    binds: bool,
}

impl Succession {
    /// Succession before any task has left. `weights` are those of the tasks, then of the supertasks, of `setup`.
    pub(super) fn new(weights: &[Weight], setup: &ClusterSetup<'_>) -> Result<Self, SetupError> {
        let supertask_of = members(setup)?;
        let here = |index: &usize| competes(*index, &supertask_of, setup);
        let plan = |index: usize| match here(&index) {
            true => (join_slot(index, setup), free_slot(index, weights[index], setup)),
            false => (0, u64::MAX),
        };
        Ok(Succession {
            plan: (0..setup.tasks.len()).map(plan).collect(),
            free: vec![u64::MAX; setup.tasks.len()],
            entered: vec![false; setup.tasks.len()],
            held: Vec::with_capacity(setup.tasks.len()),
            binds: exceeds((0..weights.len()).filter(here).map(|index| weights[index]), setup.cpus.len()),
        })
    }

    /// Returns the slot from which on `task` may compete, which enters, or goes on after it has left; `None` if it has
    /// to wait for another one to leave: it is held then.
    pub(super) fn enter(&mut self, task: u32) -> Option<u64> {
        let slot = self.room(task);
        match slot {
            Some(_) => self.let_in(task),
            None if self.held.contains(&task) => {}
            None => self.held.push(task),
        }
        slot
    }

    fn let_in(&mut self, task: u32) {
        self.entered[task as usize] = true;
        self.free[task as usize] = u64::MAX;
    }

    /// True if the weight of `task` should be free when `joining` joins.
    pub(super) fn is_before(&self, task: u32, joining: u32) -> bool {
        self.plan[task as usize].1 <= self.plan[joining as usize].0
    }

    /// Notes that `task` has left, as far as is known; `last` is the window of the last subtask that it ran.
    pub(super) fn leave(&mut self, task: u32, last: &Window) {
        self.free[task as usize] = free_from(last);
        self.held.retain(|&held| held != task);
    }

    /// Takes a task that was held and may enter now, with the slot from which on it may compete.
    pub(super) fn next(&mut self) -> Option<(u32, u64)> {
        let room = |(index, task): (usize, &u32)| self.room(*task).map(|slot| (index, slot));
        let (index, slot) = self.held.iter().enumerate().find_map(room)?;
        let task = self.held.remove(index);
        self.let_in(task);
        Some((task, slot))
    }

    /// Returns when the tasks that may not be there with `task` have left: all those before it, and those after it that
    /// are there already.
    fn room(&self, task: u32) -> Option<u64> {
        if !self.binds {
            return Some(0);
        }
        let excludes = |other: &u32| {
            self.is_before(*other, task) || (self.entered[*other as usize] && self.is_before(task, *other))
        };
        let others = (0..self.plan.len() as u32).filter(excludes);
        let latest = others.map(|other| self.free[other as usize]).max().unwrap_or(0);
        (latest < u64::MAX).then_some(latest)
    }
}
