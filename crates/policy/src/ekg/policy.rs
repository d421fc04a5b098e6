//! The on-line part of EKG: slices of each group, shares of split tasks, and EDF between.

use super::assignment::{assign, members, Assignment, Processor, Unassigned};
use crate::change::Change;
use crate::decisions::Decisions;
use crate::grid::Periodic;
use crate::setup::{ClusterSetup, SetupError};
use crate::timer::{instant, Timer};
use crate::Policy;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;
use schedlab_model::{CpuId, Event, Instant, Invariant, JobId, Jobs, Priority};

/// Processors that split tasks between them, and their current slice.
#[derive(Clone, Debug)]
struct Group {
    processors: Range<usize>,
    /// Periods of the tasks.
    periods: Vec<u64>,
    begin: u64,
    end: u64,
    is_backward: bool,
}

impl Group {
    /// Begins the slice that holds `now`.
    fn advance_to(&mut self, now: u64) {
        while self.end <= now {
            self.begin = self.end;
            let next = |period: &u64| (self.begin / period + 1).saturating_mul(*period);
            self.end = self.periods.iter().map(next).min().unwrap_or(u64::MAX);
            self.is_backward = !self.is_backward;
        }
    }

    /// Returns the split task that has the processor at `now`, if one has, and the time at which that changes.
    fn reserved(&self, processor: &Processor, one: u128, now: u64) -> (Option<u32>, u64) {
        let (first, last) = match self.is_backward {
            true => (processor.after, processor.before),
            false => (processor.before, processor.after),
        };
        let length = u128::from(self.end - self.begin);
        let time = |part: u128| (part * length / one) as u64;
        let first_end = self.begin + first.map_or(0, |share| time(share.part));
        let last_begin = self.end - last.map_or(0, |share| time(share.part));
        if now < first_end {
            (first.map(|share| share.task), first_end)
        } else if now < last_begin {
            (None, last_begin)
        } else {
            (last.map(|share| share.task), self.end)
        }
    }
}

/// A policy that executes an assignment.
#[derive(Clone, Debug)]
pub(crate) struct Ekg {
    assignment: Assignment,
    groups: Vec<Group>,
    cpus: Vec<CpuId>,
    /// By processor of the platform.
    links: Vec<Option<JobId>>,
    member_of: Vec<u32>,
    /// By member: the job that may execute.
    live: Vec<Option<JobId>>,
    timer: Timer,
}

impl Ekg {
    /// A policy before the first slices, with tasks split between at most `k` processors, or between all.
    pub(crate) fn new(k: Option<u16>, setup: &ClusterSetup<'_>) -> Result<Ekg, SetupError> {
        let tasks = Periodic::new(setup)?;
        let processors = setup.cpus.len();
        let k = k.map_or(processors, |k| usize::from(k).min(processors));
        let assignment = assign(&tasks.pairs, processors, k).map_err(|refused| {
            let Unassigned { task, is_rounded } = refused;
            match k == processors {
                true => SetupError::OverUtilized { processors, is_rounded },
                false => SetupError::NoGroup { task: tasks.members[task as usize], k, is_rounded },
            }
        })?;
        let mut first = 0;
        let group = |&count: &usize| {
            let processors = first..first + count;
            first += count;
            let its = members(&assignment.processors[processors.clone()]);
            let periods = its.map(|member| tasks.pairs[member as usize].1).collect();
            Group { processors, periods, begin: 0, end: 0, is_backward: true }
        };
        Ok(Ekg {
            groups: assignment.groups.iter().map(group).collect(),
            cpus: setup.cpus.to_vec(),
            links: vec![None; setup.platform.processors().into()],
            member_of: tasks.member_of(setup.tasks.len()),
            live: vec![None; tasks.members.len()],
            timer: Timer::default(),
            assignment,
        })
    }

    /// The job of a whole task of the processor that is due first, ties by task.
    fn earliest(&self, processor: &Processor, jobs: &Jobs) -> Option<JobId> {
        let live = processor.whole.iter().filter_map(|member| self.live[*member as usize]);
        live.min_by_key(|job| (jobs.get(*job).absolute_deadline, *job))
    }
}

impl Policy for Ekg {
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
        let now = now.as_ns();
        let mut next = u64::MAX;
        for index in 0..self.groups.len() {
            self.groups[index].advance_to(now);
            for place in self.groups[index].processors.clone() {
                let processor = &self.assignment.processors[place];
                let (split, until) = self.groups[index].reserved(processor, self.assignment.one, now);
                let reserved = split.and_then(|member| self.live[member as usize]);
                let job = reserved.or_else(|| self.earliest(processor, jobs));
                next = next.min(until);
                let cpu = self.cpus[place];
                let link = &mut self.links[cpu.index()];
                if *link != job {
                    *link = job;
                    out.look(cpu);
                }
            }
        }
        self.timer.set(instant(next), out);
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.links[cpu.index()]
    }

    fn promises(&self) -> &'static [Invariant] {
        &[]
    }
}
