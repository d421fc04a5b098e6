//! The on-line part of NPS-F: reserves in slots, and EDF within each.

use super::assignment::{assign, Assignment, Unassigned};
use crate::change::Change;
use crate::decisions::Decisions;
use crate::grid::Periodic;
use crate::only_execute;
use crate::setup::{ClusterSetup, SetupError};
use crate::timer::{instant, Timer};
use crate::Policy;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{CpuId, Event, Instant, Invariant, JobId, Jobs, Priority};

/// A stretch of each slot on a processor, in nanoseconds from the slot's begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reserve {
    begin: u64,
    end: u64,
    /// Place of the notional processor in the assignment.
    notional: usize,
}

/// A policy that executes an assignment.
#[derive(Clone, Debug)]
pub(crate) struct NpsF {
    assignment: Assignment,
    /// By place in `cpus`, in the order of time.
    reserves: Vec<Vec<Reserve>>,
    cpus: Vec<CpuId>,
    /// By processor of the platform.
    links: Vec<Option<JobId>>,
    member_of: Vec<u32>,
    /// By member: the job that may execute.
    live: Vec<Option<JobId>>,
    timer: Timer,
}

impl NpsF {
    /// A policy before the first slot, with so many slots in the shortest period.
    pub(crate) fn new(slots: u16, setup: &ClusterSetup<'_>) -> Result<NpsF, SetupError> {
        only_execute::plain_and_implicit(setup)?;
        let tasks = Periodic::members_of(setup)?;
        let processors = setup.cpus.len();
        let assignment = assign(&tasks.pairs, processors, slots).map_err(|refused| match refused {
            Unassigned::ShortPeriod { task } => SetupError::NotForTask {
                task: tasks.members[task as usize],
                why: "a period of fewer nanoseconds than it has slots; allowed: fewer slots in the shortest period, or \
                      longer periods",
            },
            Unassigned::Reserves { needed, available } => SetupError::NoRoomInSlots { needed, available },
        })?;
        Ok(NpsF {
            reserves: lay_out(&assignment, processors),
            cpus: setup.cpus.to_vec(),
            links: vec![None; setup.platform.processors().into()],
            member_of: tasks.member_of(setup.tasks.len()),
            live: vec![None; tasks.members.len()],
            timer: Timer::default(),
            assignment,
        })
    }

    /// The job of the notional processor that is due first, ties by task.
    fn earliest(&self, notional: usize, jobs: &Jobs) -> Option<JobId> {
        let tasks = &self.assignment.notional[notional].tasks;
        let live = tasks.iter().filter_map(|member| self.live[*member as usize]);
        live.min_by_key(|job| (jobs.get(*job).absolute_deadline, *job))
    }
}

/// Lays reserves end to end, on one processor after the other.
fn lay_out(assignment: &Assignment, processors: usize) -> Vec<Vec<Reserve>> {
    let mut rows = vec![Vec::new(); processors];
    let (mut place, mut begin) = (0, 0);
    for (notional, its) in assignment.notional.iter().enumerate() {
        let mut left = its.reserve;
        while left > 0 {
            let end = assignment.slot.min(begin + left);
            rows[place].push(Reserve { begin, end, notional });
            left -= end - begin;
            begin = end;
            if end == assignment.slot {
                (place, begin) = (place + 1, 0);
            }
        }
    }
    rows
}

/// Returns the notional processor that has the processor `at` so far into a slot, if one has, and how far into the slot
/// that changes; [`u64::MAX`] if it never does.
fn reserved(row: &[Reserve], slot: u64, at: u64) -> (Option<usize>, u64) {
    let current = row.iter().find(|reserve| at < reserve.end);
    match current {
        Some(reserve) if at < reserve.begin => (None, reserve.begin),
        Some(reserve) if reserve.end - reserve.begin == slot => (Some(reserve.notional), u64::MAX),
        Some(reserve) => (Some(reserve.notional), reserve.end),
        None if row.is_empty() => (None, u64::MAX),
        None => (None, slot),
    }
}

impl Policy for NpsF {
    /// Orders by absolute deadline. The priority only shows in traces; decisions do not read it.
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        Priority::new(jobs.get(job).absolute_deadline.as_ns().min(Priority::MAX_POINT), job)
    }

    fn note(&mut self, _: Instant, event: Event, _: &Jobs) {
        match Change::by(event) {
            Some(Change::Live(job)) => self.live[self.member_of[job.task.index()] as usize] = Some(job),
            Some(Change::Gone(job)) => self.live[self.member_of[job.task.index()] as usize] = None,
            Some(Change::Timer) => self.timer.went_off(),
            None => {}
        }
    }

    fn decide(&mut self, now: Instant, jobs: &Jobs, out: &mut Decisions) {
        let slot = self.assignment.slot;
        let at = now.as_ns() % slot;
        let mut next = u64::MAX;
        for place in 0..self.cpus.len() {
            let (notional, until) = reserved(&self.reserves[place], slot, at);
            let job = notional.and_then(|notional| self.earliest(notional, jobs));
            next = next.min(until);
            let cpu = self.cpus[place];
            let link = &mut self.links[cpu.index()];
            if *link != job {
                *link = job;
                out.look(cpu);
            }
        }
        // Boundaries matter only while a job may execute.
        let waits = next < u64::MAX && self.live.iter().any(Option::is_some);
        let due = waits.then(|| (now.as_ns() - at).saturating_add(next));
        self.timer.set(due.and_then(instant), out);
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.links[cpu.index()]
    }

    fn promises(&self) -> &'static [Invariant] {
        &[]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two reserves of 6 in slots of 10: the second one is cut, and its parts meet at the boundary of slots.
    #[test]
    fn a_reserve_that_does_not_end_on_its_processor_goes_on_at_the_next_one() {
        let assignment = assign(&[(2, 20), (2, 20)], 1, 2).unwrap();
        assert_eq!(assignment.notional.len(), 1);
        let assignment = assign(&[(6, 10); 3], 3, 1).unwrap();
        let rows = lay_out(&assignment, 3);
        let reserve = |begin, end, notional| Reserve { begin, end, notional };
        assert_eq!(rows[0], [reserve(0, 8, 0), reserve(8, 10, 1)]);
        assert_eq!(rows[1], [reserve(0, 6, 1), reserve(6, 10, 2)]);
        assert_eq!(rows[2], [reserve(0, 4, 2)]);
        let at = |row: usize, at| reserved(&rows[row], 10, at);
        assert_eq!([at(0, 7), at(0, 8), at(1, 6)], [(Some(0), 8), (Some(1), 10), (Some(2), 10)]);
        assert_eq!([at(2, 3), at(2, 4)], [(Some(2), 4), (None, 10)]);
        assert_eq!(reserved(&[], 10, 3), (None, u64::MAX));
        assert_eq!(reserved(&[reserve(0, 10, 5)], 10, 3), (Some(5), u64::MAX));
    }
}
