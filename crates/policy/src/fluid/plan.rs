//! Local executions in whole units: how much does each task execute in each slice?
//!
//! D. Zhu, D. Mossé and R. Melhem, *Multiple-resource periodic scheduling problem: how much fairness is necessary?*,
//! RTSS 2003 (BF); G. Nelissen, H. Su, Y. Guo, D. Zhu, V. Nélis and J. Goossens, *An optimal boundary fair scheduling*,
//! Real-Time Systems 50(4), 2014 (BF2). A unit is a nanosecond, or a quantum.
//!
//! At the end t of a slice, the fluid schedule has given a job that arrived at r exactly w (t - r) units, w = C/T,
//! which is mostly no whole number. A local execution takes the job to that number rounded down or up:
//!
//! 1. *Mandatory units*: each task gets what takes it to floor(w (t - r)), if it is not there or beyond already.
//! 2. *Optional units*: m L less the mandatory units are left of a slice of length L. They go one by one to the most
//!    urgent tasks that are not beyond floor(w (t - r)), that would not be ahead of the fluid schedule by a whole unit,
//!    and that have less than L yet.
//!
//! **Each job has exactly its cost at its deadline.** There w (t - r) = C is whole: the mandatory units take the job to
//! C, and no optional unit is open. **No task has more than L:** a job is never a whole unit or more behind, so that it
//! lacks less than 1 + w L, and its mandatory units are at most floor(w L + 1 - 1/T) <= L. **Local executions add up to
//! at most m L** if the mandatory units do. Which tasks got the optional units of slices before decides that: had the
//! wrong ones had them, too many would be behind. Urgency by the rules of PD2, for a quantum of one unit, or by the
//! characteristic strings of BF never lets it happen if the utilizations add up to at most m: these are the theorems of
//! BF2, which has the rules of PD2 as urgency factor and recovery time, and of BF. [`Plan::next`] asserts it, and tests
//! run it at U = m. Local executions that add up to at most m L, none above L, fit into the slice, and any way of
//! fitting them in gives no job more than it has to execute.
//!
//! O(n) for each slice, besides O(n log n) where strings are compared.

use super::share::{Portion, Share, Urgency};
use super::strings;
use crate::only_execute;
use crate::pfair::exceeds;
use crate::setup::{ClusterSetup, SetupError, Weight};
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::TaskId;

/// Order in which tasks get optional units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Optional {
    /// By the windows and group deadlines of PD2.
    Windows,
    /// By the characteristic strings of BF.
    Strings,
}

/// The tasks of a cluster, and their local executions in the current slice.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    optional: Optional,
    /// Tasks of the cluster that ever arrive.
    members: Vec<TaskId>,
    /// By member.
    shares: Vec<Share>,
    /// By member: units of the current slice.
    local: Vec<u64>,
    /// Members that may have an optional unit.
    open: Vec<(Urgency, u32)>,
    processors: u64,
    begin: u64,
    end: u64,
}

impl Plan {
    /// A plan before its first slice, by units of so many nanoseconds. Refuses tasks that are not synchronous, periodic
    /// ones with deadlines equal to periods and whole units, or that need more than all processors.
    pub(super) fn new(setup: &ClusterSetup<'_>, unit: u64, optional: Optional) -> Result<Plan, SetupError> {
        only_execute::plain_and_synchronous(setup)?;
        let here = |(_, task): &(u32, &schedlab_model::Task)| task.cluster == setup.cluster && task.arrives();
        let members = (0..).zip(setup.tasks).filter(here);
        let (mut ids, mut shares, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for (index, task) in members {
            let id = TaskId(index);
            if task.wcet.as_ns() % unit != 0 || task.period.as_ns() % unit != 0 {
                let why = "a cost or period that is not a multiple of the quantum: the scheduler gives whole quanta, and \
                           plans from deadline to deadline; allowed: multiples of platform.quantum";
                return Err(SetupError::NotForTask { task: id, why });
            }
            let share = Share::new(task, unit);
            let weight = Weight::new(share.cost, share.period)
                .map_err(|error| SetupError::Weight { task: id, error })?;
            ids.push(id);
            shares.push(share);
            weights.push(weight);
        }
        if exceeds(weights.iter().copied(), setup.cpus.len()) {
            return Err(SetupError::OverUtilized { processors: setup.cpus.len(), is_rounded: false });
        }
        Ok(Plan {
            optional,
            local: vec![0; ids.len()],
            open: Vec::with_capacity(ids.len()),
            members: ids,
            shares,
            processors: setup.cpus.len() as u64,
            begin: 0,
            end: 0,
        })
    }

    /// The tasks with a share, by member.
    pub(super) fn members(&self) -> &[TaskId] {
        &self.members
    }

    /// Units of each member in the current slice.
    pub(super) fn local(&self) -> &[u64] {
        &self.local
    }

    /// Begin of the current slice, in units.
    pub(super) fn begin(&self) -> u64 {
        self.begin
    }

    /// End of the current slice, in units; `u64::MAX` without tasks.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Plans the slice after the current one.
    pub(super) fn next(&mut self) {
        self.begin = self.end;
        self.shares.iter_mut().for_each(|share| share.advance_to(self.begin));
        self.end = self.shares.iter().map(Share::deadline).min().unwrap_or(u64::MAX);
        self.open.clear();
        let mut taken = 0u64;
        for (index, share) in self.shares.iter().enumerate() {
            let Portion { mandatory, optional } = share.portion(self.begin, self.end);
            self.local[index] = mandatory;
            taken += mandatory;
            if let Some(unit) = optional {
                self.open.push(((unit, false, core::cmp::Reverse(0)), index as u32));
            }
        }
        if self.shares.is_empty() {
            return;
        }
        let room = self.processors * (self.end - self.begin);
        assert!(taken <= room, "mandatory units of {taken} in a slice with room for {room}");
        self.keep_most_urgent((room - taken) as usize);
        for &(_, index) in &self.open {
            self.local[index as usize] += 1;
        }
        self.shares.iter_mut().zip(&self.local).for_each(|(share, &units)| share.give(units));
    }

    /// Keeps the `room` most urgent ones of the open optional units.
    fn keep_most_urgent(&mut self, room: usize) {
        if self.open.len() <= room {
            return;
        }
        match self.optional {
            Optional::Windows => {
                for (urgency, index) in &mut self.open {
                    *urgency = self.shares[*index as usize].urgency(urgency.0);
                }
                if room > 0 {
                    self.open.select_nth_unstable(room - 1);
                }
            }
            Optional::Strings => {
                let shares = &self.shares;
                let end = self.end;
                let second = strings::boundary_after(shares, end);
                self.open.sort_unstable_by(|&(_, one), &(_, other)| {
                    strings::compare(shares, (one, other), (end, second))
                });
            }
        }
        self.open.truncate(room);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::Affinity;
    use schedlab_model::{ClusterId, CpuId, Duration, Platform, Task, Work};

    fn plan(tasks: &[(u64, u64)], processors: u16, optional: Optional) -> Result<Plan, SetupError> {
        let platform = Platform::global(processors);
        let task =
            |&(cost, period): &(u64, u64)| Task::implicit(Work::from_ns(cost), Duration::from_ns(period));
        let tasks: Vec<Task> = tasks.iter().map(task).collect();
        let cpus: Vec<CpuId> = (0..processors).map(CpuId).collect();
        let setup = ClusterSetup {
            cluster: ClusterId(0),
            cpus: &cpus,
            platform: &platform,
            tasks: &tasks,
            affinity: Affinity::default(),
            supertasks: &[],
            throttling: None,
        };
        Plan::new(&setup, 1, optional)
    }

    /// Weights of small numbers at U = m exactly: of random tasks, and one more that fills up.
    fn full(random: &mut impl FnMut(u64) -> u64, processors: u16) -> Vec<(u64, u64)> {
        loop {
            let mut tasks: Vec<(u64, u64)> = Vec::new();
            // Utilization in 2520ths.
            let mut left = 2520 * u64::from(processors);
            while left > 0 {
                let period = [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 18, 20, 21][random(15) as usize];
                let unit = 2520 / period.min(2520);
                if 2520 % period != 0 {
                    continue;
                }
                let most = (left / unit).min(period);
                if most == 0 {
                    break;
                }
                let cost = if random(3) == 0 { most } else { 1 + random(most) };
                tasks.push((cost, period));
                left -= cost * unit;
            }
            if left == 0 && tasks.len() > usize::from(processors) {
                return tasks;
            }
        }
    }

    /// Every job has exactly its cost at its deadline; no task has more than a slice, all have at most m slices; and
    /// no task is a whole unit or more from the fluid schedule.
    fn check(tasks: &[(u64, u64)], processors: u16, optional: Optional, until: u64) {
        let mut plan = plan(tasks, processors, optional).unwrap();
        let mut given = vec![0u64; tasks.len()];
        while plan.end() < until {
            plan.next();
            let length = plan.end() - plan.begin();
            assert!(plan.local().iter().sum::<u64>() <= u64::from(processors) * length, "{tasks:?}");
            for (index, (&(cost, period), &units)) in tasks.iter().zip(plan.local()).enumerate() {
                assert!(units <= length, "{tasks:?}");
                given[index] += units;
                let (have, fluid) = (
                    u128::from(given[index]) * u128::from(period),
                    u128::from(cost) * u128::from(plan.end()),
                );
                assert!(have.abs_diff(fluid) < u128::from(period), "{tasks:?} at {}", plan.end());
            }
        }
    }

    #[test]
    fn local_executions_fit_at_full_utilization() {
        let mut state = 5u64;
        let mut random = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        for round in 0..3_000 {
            let processors = 1 + (round % 5) as u16;
            let tasks = full(&mut random, processors);
            check(&tasks, processors, Optional::Windows, 2 * 2520);
            check(&tasks, processors, Optional::Strings, 2 * 2520);
        }
    }

    #[test]
    fn too_much_is_refused() {
        let refused = |tasks: &[(u64, u64)]| plan(tasks, 2, Optional::Windows).unwrap_err();
        assert_eq!(
            refused(&[(2, 3), (2, 3), (2, 3), (1, 1000)]),
            SetupError::OverUtilized { processors: 2, is_rounded: false }
        );
        assert!(matches!(refused(&[(4, 3)]), SetupError::Weight { task: TaskId(0), .. }));
        assert!(refused(&[(4, 3)]).is_lack_of_room());
    }
}
