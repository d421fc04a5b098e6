//! Local executions laid end to end: each slice's schedule is known when it begins.
//!
//! R. McNaughton, *Scheduling with deadlines and loss functions*, Management Science 6(1), 1959: the local executions
//! stand in a row, in the order of the tasks, and the row is cut at each length of a slice; the first piece is
//! processor 0's. A task that is cut executes at the end of the slice on one processor and at the beginning on the next
//! one. The two do not overlap, because it does not execute longer than the slice. At most m - 1 tasks are cut.

use super::plan::{Optional, Plan};
use crate::change::Change;
use crate::decisions::Decisions;
use crate::setup::{ClusterSetup, SetupError};
use crate::timer::Timer;
use crate::Policy;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{CpuId, Event, Instant, Invariant, JobId, Jobs, Priority};

const NOWHERE: u32 = u32::MAX;

/// A stretch of time on a processor in which a member has its local execution.
#[derive(Clone, Copy, Debug)]
struct Segment {
    begin: Instant,
    end: Instant,
    member: u32,
}

/// Segments of a processor in the current slice that have not ended.
#[derive(Clone, Copy, Debug)]
struct Row {
    next: usize,
    after: usize,
}

/// A policy that lays local executions end to end, once for each slice.
#[derive(Clone, Debug)]
pub(crate) struct Timeline {
    plan: Plan,
    /// Nanoseconds of a unit.
    unit: u64,
    /// True if every other slice runs backwards, so that a task that is cut stays where the slice before ended.
    mirrored: bool,
    is_backward: bool,
    cpus: Vec<CpuId>,
    /// By processor of the platform.
    links: Vec<Option<JobId>>,
    /// By place in `cpus`, in the order of time.
    segments: Vec<Segment>,
    rows: Vec<Row>,
    /// Member by task.
    member_of: Vec<u32>,
    /// By member: the job that may execute.
    live: Vec<Option<JobId>>,
    timer: Timer,
}

impl Timeline {
    /// A policy before the first slice.
    pub(super) fn new(
        setup: &ClusterSetup<'_>,
        (unit, optional): (u64, Optional),
        mirrored: bool,
    ) -> Result<Timeline, SetupError> {
        if setup.cpus.is_empty() {
            return Err(SetupError::NoProcessor);
        }
        let plan = Plan::new(setup, unit, optional)?;
        let mut member_of = vec![NOWHERE; setup.tasks.len()];
        (0..).zip(plan.members()).for_each(|(member, task)| member_of[task.index()] = member);
        Ok(Timeline {
            unit,
            mirrored,
            is_backward: true,
            cpus: setup.cpus.to_vec(),
            links: vec![None; setup.platform.processors().into()],
            segments: Vec::with_capacity(plan.members().len() + setup.cpus.len()),
            rows: vec![Row { next: 0, after: 0 }; setup.cpus.len()],
            member_of,
            live: vec![None; plan.members().len()],
            timer: Timer::default(),
            plan,
        })
    }

    fn instant(&self, units: u64) -> Instant {
        units.checked_mul(self.unit).map_or(Instant::NEVER, Instant::from_ns)
    }

    /// Lays out the slice that holds `now`.
    fn begin_slice(&mut self, now: Instant) {
        while self.instant(self.plan.end()) <= now {
            self.plan.next();
            self.is_backward = self.mirrored && !self.is_backward;
        }
        self.segments.clear();
        let length = self.plan.end() - self.plan.begin();
        let (mut place, mut used, mut first) = (0, 0, 0);
        for member in 0..self.live.len() {
            let mut left = self.plan.local()[member];
            while left > 0 {
                let part = left.min(length - used);
                self.segments.push(self.segment(member as u32, used, used + part));
                (used, left) = (used + part, left - part);
                if used == length {
                    self.close_row(place, first);
                    (place, used, first) = (place + 1, 0, self.segments.len());
                }
            }
        }
        for empty in place..self.cpus.len() {
            self.close_row(empty, first);
            first = self.segments.len();
        }
    }

    fn segment(&self, member: u32, from: u64, to: u64) -> Segment {
        let (from, to) = match self.is_backward {
            true => (self.plan.end() - to, self.plan.end() - from),
            false => (self.plan.begin() + from, self.plan.begin() + to),
        };
        Segment { begin: self.instant(from), end: self.instant(to), member }
    }

    /// The segments from `first` on are those of the processor at `place`.
    fn close_row(&mut self, place: usize, first: usize) {
        if self.is_backward {
            self.segments[first..].reverse();
        }
        self.rows[place] = Row { next: first, after: self.segments.len() };
    }

    /// Returns the job of the segment of the processor at `place`, and the time at which that changes.
    fn current(&mut self, place: usize, now: Instant) -> (Option<JobId>, Instant) {
        let row = &mut self.rows[place];
        while row.next < row.after && self.segments[row.next].end <= now {
            row.next += 1;
        }
        match self.segments[row.next..row.after].first() {
            Some(segment) if segment.begin <= now => (self.live[segment.member as usize], segment.end),
            Some(segment) => (None, segment.begin),
            None => (None, Instant::NEVER),
        }
    }
}

impl Policy for Timeline {
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

    fn decide(&mut self, now: Instant, _: &Jobs, out: &mut Decisions) {
        if self.instant(self.plan.end()) <= now {
            self.begin_slice(now);
        }
        let mut next = self.instant(self.plan.end());
        for place in 0..self.cpus.len() {
            let (job, until) = self.current(place, now);
            next = next.min(until);
            let cpu = self.cpus[place];
            let link = &mut self.links[cpu.index()];
            if *link != job {
                *link = job;
                out.look(cpu);
            }
        }
        self.timer.set(Some(next).filter(|next| *next < Instant::NEVER), out);
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.links[cpu.index()]
    }

    fn promises(&self) -> &'static [Invariant] {
        &[]
    }
}
