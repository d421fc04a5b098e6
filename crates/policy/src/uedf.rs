//! U-EDF: G. Nelissen, V. Berten, V. Nélis, J. Goossens and D. Milojevic, *U-EDF: an unfair but optimal multiprocessor
//! scheduling algorithm for sporadic tasks*, ECRTS 2012.
//!
//! 1. *Allotments.* Whenever jobs arrive, tasks get time on each of the processors 1 to m, by the deadlines of their
//!    current jobs, ties by task. On processor j up to its deadline d, a job can have d - t less what tasks before it
//!    have there, less what it has on processors before j, with which it must not run in parallel. It takes as much as
//!    it still needs. What a task before it, of the deadline d', has there up to d is its allotment and the share u(j)
//!    (d - d') set aside for its later jobs: utilizations stand in a row in the same order, and the row is cut at 1, 2,
//!    ... into processors.
//! 2. *EDF-D.* At any time, processor 1 executes the first job with an allotment left there, processor 2 the first one
//!    with an allotment left there that does not execute on processor 1, and so on.
//!
//! The processors of the algorithm are numbers; jobs execute on whichever processors of the machine they were on.
//! **Allotments are whole nanoseconds**: shares are multiples of 1/g, where g is the greatest common divisor of the
//! periods ([`crate::grid`]), and arrivals and deadlines multiples of g apart, so that u(j) (d - d') is whole. If
//! utilizations are not of this kind, they are rounded up, and the scheduler refuses tasks that then need more than m
//! processors. The proofs of the paper are then about these numbers as they are.
//!
//! An arrival takes O(n + k m) for k tasks with work left, another decision O(k m). Where U <= m and no utilization
//! is above 1, no job of synchronous periodic tasks with implicit deadlines is late. The paper proves sporadic
//! tasks, too. They are not here: jobs that arrive at any time need shares in fractions of a nanosecond, and the
//! scheduler refuses them. A job that completes early leaves its allotments unused.
//!
//! Three tasks of cost 2 and period 3 on two processors, by hand from the rules. A has [0, 2) of processor 1; B has the
//! 1 that is left there and 1 of processor 2; C has 2 of processor 2. There B goes first, while A is on processor 1:
//!
//! ```text
//! P0  AAB
//! P1  BCC
//! ```

use crate::chosen::Chosen;
use crate::decisions::Decisions;
use crate::grid::{Periodic, Rates};
use crate::setup::{ClusterSetup, SetupError};
use crate::timer::instant;
use crate::Policy;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{CpuId, Event, Instant, Invariant, JobId, Jobs, Priority};

/// A task and its current job.
#[derive(Clone, Copy, Debug)]
struct Member {
    cost: u64,
    period: u64,
    /// Utilization in parts of [`Rates::one`].
    rate: u128,
    deadline: u64,
    /// Time on a processor that the job still needs.
    left: u64,
    /// The job, if it may execute.
    live: Option<JobId>,
}

/// What the tasks that were handled have of a processor.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    /// Allotments.
    allotted: u128,
    /// Sum of shares, in parts of [`Rates::one`].
    shares: u128,
    /// Sum of shares times the deadlines from which on they are set aside.
    weighted: u128,
}

/// A policy that allots processors by EDF.
#[derive(Clone, Debug)]
pub(crate) struct Uedf {
    one: u128,
    members: Vec<Member>,
    /// Members by deadline.
    order: Vec<u32>,
    /// Members whose jobs had work left when processors were allotted, by deadline.
    at_work: Vec<u32>,
    processors: usize,
    /// By member, then processor: time left.
    allotments: Vec<u64>,
    taken: Vec<Taken>,
    /// By processor of the algorithm: the member that executes.
    executing: Vec<Option<u32>>,
    chosen: Chosen,
    member_of: Vec<u32>,
    counted: u64,
    /// Time of the next arrival.
    next_arrival: u64,
}

impl Uedf {
    /// A policy before the first arrivals, or an error if the tasks do not suit it.
    pub(crate) fn new(setup: &ClusterSetup<'_>) -> Result<Uedf, SetupError> {
        let tasks = Periodic::new(setup)?;
        let Rates { one, rates } = tasks.rounded();
        let processors = setup.cpus.len();
        if rates.iter().sum::<u128>() > processors as u128 * one {
            let is_rounded = tasks
                .exact()
                .is_none_or(|exact| exact.rates.iter().sum::<u128>() <= processors as u128 * exact.one);
            return Err(SetupError::OverUtilized { processors, is_rounded });
        }
        let member = |(&(cost, period), &rate): (&(u64, u64), &u128)| Member {
            cost,
            period,
            rate,
            deadline: 0,
            left: 0,
            live: None,
        };
        let members: Vec<Member> = tasks.pairs.iter().zip(&rates).map(member).collect();
        Ok(Uedf {
            one,
            order: (0..members.len() as u32).collect(),
            at_work: Vec::with_capacity(members.len()),
            allotments: vec![0; members.len() * processors],
            taken: vec![Taken::default(); processors],
            executing: vec![None; processors],
            chosen: Chosen::new(setup),
            member_of: tasks.member_of(setup.tasks.len()),
            counted: 0,
            next_arrival: 0,
            processors,
            members,
        })
    }

    fn place(&self, member: u32, processor: usize) -> usize {
        member as usize * self.processors + processor
    }

    /// Counts what the jobs that executed had since the last decision.
    fn count(&mut self, now: u64) {
        let elapsed = now - self.counted;
        self.counted = now;
        for processor in 0..self.processors {
            let Some(member) = self.executing[processor] else { continue };
            let place = self.place(member, processor);
            self.allotments[place] = self.allotments[place].saturating_sub(elapsed);
            let left = &mut self.members[member as usize].left;
            *left = left.saturating_sub(elapsed);
        }
    }

    /// Begins with the jobs that arrive, and allots processors anew.
    fn allot(&mut self, now: u64) {
        self.begin_jobs(now);
        self.taken.fill(Taken::default());
        self.at_work.clear();
        let has_work = |&number: &u32| self.members[number as usize].left > 0;
        // What is set aside for later members than the last one with work takes nothing from any of them.
        let last = self.order.iter().rposition(has_work).map_or(0, |place| place + 1);
        // The processor on which the row of utilizations ends, and how much of it the row has, in parts of `one`.
        let (mut at, mut used) = (0, 0);
        for index in 0..last {
            let number = self.order[index];
            let Member { rate, deadline, left, .. } = self.members[number as usize];
            if left > 0 {
                self.at_work.push(number);
                self.allot_one(number, (deadline, left), now);
            }
            let here = rate.min(self.one - used);
            self.set_aside(at, here, deadline);
            used += here;
            if used == self.one {
                (at, used) = (at + 1, rate - here);
                self.set_aside(at, used, deadline);
            }
        }
    }

    /// Begins the jobs of tasks whose deadlines have come, which are the first of the order, and puts them where they
    /// belong in it.
    fn begin_jobs(&mut self, now: u64) {
        let members = &mut self.members;
        let due = self.order.partition_point(|&number| members[number as usize].deadline <= now);
        for place in (0..due).rev() {
            let number = self.order[place];
            let member = &mut members[number as usize];
            while member.deadline <= now {
                member.deadline += member.period;
            }
            member.left = member.cost;
            let key = (member.deadline, number);
            let goes_before = |&other: &u32| (members[other as usize].deadline, other) < key;
            let passed = self.order[place + 1..].partition_point(goes_before);
            self.order[place..=place + passed].rotate_left(1);
        }
        self.next_arrival = self.order.first().map_or(u64::MAX, |&first| members[first as usize].deadline);
    }

    /// Allots processors to a member, before its own share is set aside.
    fn allot_one(&mut self, number: u32, (deadline, mut left): (u64, u64), now: u64) {
        let from = number as usize * self.processors;
        let allotments = &mut self.allotments[from..from + self.processors];
        allotments.fill(0);
        let (length, until) = (u128::from(deadline - now), u128::from(deadline));
        let mut elsewhere = 0;
        for (taken, allotment) in self.taken.iter_mut().zip(allotments) {
            if left == 0 {
                return;
            }
            let set_aside = (taken.shares * until - taken.weighted) / self.one;
            let room = length.saturating_sub(taken.allotted + set_aside + elsewhere);
            let part = u128::from(left).min(room);
            taken.allotted += part;
            elsewhere += part;
            left -= part as u64;
            *allotment = part as u64;
        }
    }

    /// Sets a share of a processor aside for a task's jobs after this deadline.
    fn set_aside(&mut self, processor: usize, share: u128, deadline: u64) {
        if share > 0 {
            let taken = &mut self.taken[processor];
            taken.shares += share;
            taken.weighted += share * u128::from(deadline);
        }
    }

    /// Chooses by EDF-D: the first of the order has the lowest free processor on which it has an allotment left.
    fn choose(&mut self) {
        self.executing.fill(None);
        self.chosen.renew([]);
        for &number in &self.at_work {
            if self.chosen.len() == self.processors {
                return;
            }
            let Some(job) = self.members[number as usize].live else { continue };
            let from = number as usize * self.processors;
            let allotments = &self.allotments[from..from + self.processors];
            let mut free = self.executing.iter_mut().zip(allotments).filter(|(place, _)| place.is_none());
            if let Some((place, _)) = free.find(|(_, left)| **left > 0) {
                *place = Some(number);
                self.chosen.push(job);
            }
        }
    }

    /// Returns the time of the next arrival, or at which a job that executes has used up an allotment.
    fn next_event(&self) -> u64 {
        let left = |(processor, member): (usize, &Option<u32>)| {
            member.map(|member| self.allotments[self.place(member, processor)])
        };
        let used_up = self.executing.iter().enumerate().filter_map(left);
        used_up.map(|left| self.counted.saturating_add(left)).fold(self.next_arrival, u64::min)
    }
}

impl Policy for Uedf {
    /// Orders by absolute deadline. The priority only shows in traces; decisions do not read it.
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        Priority::new(jobs.get(job).absolute_deadline.as_ns().min(Priority::MAX_POINT), job)
    }

    fn note(&mut self, now: Instant, event: Event, _: &Jobs) {
        match event {
            Event::Ready(job) => {
                let member = &mut self.members[self.member_of[job.task.index()] as usize];
                member.live = Some(job);
                if member.left == 0 {
                    // At an arrival all is allotted anew anyway. A job that waited for a late one comes in between.
                    member.left = member.cost;
                    self.next_arrival = now.as_ns();
                }
            }
            Event::Resumed(job) => {
                self.members[self.member_of[job.task.index()] as usize].live = Some(job);
            }
            Event::Completed(job) | Event::Aborted(job) => {
                let member = &mut self.members[self.member_of[job.task.index()] as usize];
                (member.live, member.left) = (None, 0);
                self.chosen.forget(job);
            }
            Event::Suspended(job) => {
                self.members[self.member_of[job.task.index()] as usize].live = None;
                self.chosen.forget(job);
            }
            Event::Timer(_) => self.chosen.timer_went_off(),
            Event::PriorityChanged(_)
            | Event::Dispatched { .. }
            | Event::Undispatched { .. }
            | Event::BudgetExhausted(_)
            | Event::Joined(_)
            | Event::Left(_) => {}
        }
    }

    fn decide(&mut self, now: Instant, jobs: &Jobs, out: &mut Decisions) {
        self.count(now.as_ns());
        if self.next_arrival <= now.as_ns() {
            self.allot(now.as_ns());
        }
        self.choose();
        let next = instant(self.next_event());
        self.chosen.tell(next, jobs, out);
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.chosen.on(cpu)
    }

    fn promises(&self) -> &'static [Invariant] {
        &[]
    }
}
