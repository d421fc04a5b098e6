//! The plane of time and local execution: which jobs run, so that all local executions fit into a slice?
//!
//! H. Cho, B. Ravindran and E. D. Jensen, *An optimal real-time scheduling algorithm for multiprocessors*, RTSS 2006:
//! plotted over time, what is left of a local execution falls while its job executes and stays while it waits. A token
//! that reaches the bottom is done (event B); one that reaches the hypotenuse, where as much is left of it as of the
//! slice, has to execute from then on (event C). A scheduler chooses tokens at these events alone.
//!
//! What is left is counted as time on the processor. A job that completes early leaves the plane until its task's next
//! job. Lengths and times are whole nanoseconds ([`super::plan`]), so that events are, too.

use super::plan::{Optional, Plan};
use crate::change::Change;
use crate::chosen::Chosen;
use crate::decisions::Decisions;
use crate::setup::{ClusterSetup, SetupError};
use crate::timer::instant;
use crate::Policy;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{CpuId, Event, Heap, HeapKey, Instant, Invariant, JobId, Jobs, Priority};

const NOWHERE: u32 = u32::MAX;

/// A way to choose tokens at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The members with the largest local executions are chosen anew at each event, as LLREF does.
    Largest,
    /// The members that were chosen before stay. Waiting members take free places, and a member that has to execute
    /// takes the place of the one with the smallest local execution, as LRE-TL does.
    Kept,
}

/// A waiting token: the largest goes first, of equal ones that of the lower member.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    left: u64,
    member: u32,
}

impl HeapKey for Waiting {
    fn goes_before(self, other: Waiting) -> bool {
        (self.left, other.member) > (other.left, self.member)
    }
}

/// Place of a member's token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Outside,
    Waiting,
    Running,
}

/// A policy that chooses tokens at events of the plane.
#[derive(Clone, Debug)]
pub(crate) struct LocalPlane {
    choice: Choice,
    plan: Plan,
    chosen: Chosen,
    processors: usize,
    /// By member: what is left of its local execution.
    left: Vec<u64>,
    places: Vec<Place>,
    running: Vec<u32>,
    waiting: Heap<Waiting>,
    /// Time up to which the running ones' local executions are counted.
    counted: u64,
    member_of: Vec<u32>,
    /// By member: the job that may execute.
    live: Vec<Option<JobId>>,
}

impl LocalPlane {
    /// A policy before the first slice.
    pub(crate) fn new(choice: Choice, setup: &ClusterSetup<'_>) -> Result<LocalPlane, SetupError> {
        if setup.cpus.is_empty() {
            return Err(SetupError::NoProcessor);
        }
        let plan = Plan::new(setup, 1, Optional::Windows)?;
        let (members, processors) = (plan.members().len(), setup.cpus.len());
        let mut member_of = vec![NOWHERE; setup.tasks.len()];
        (0..).zip(plan.members()).for_each(|(member, task)| member_of[task.index()] = member);
        Ok(LocalPlane {
            choice,
            chosen: Chosen::new(setup),
            processors,
            left: vec![0; members],
            places: vec![Place::Outside; members],
            running: Vec::with_capacity(processors),
            waiting: Heap::with_capacity(members),
            counted: 0,
            member_of,
            live: vec![None; members],
            plan,
        })
    }

    /// Counts what the running ones had since the last decision, and takes out those that are done.
    fn count(&mut self, now: u64) {
        let elapsed = now - self.counted;
        self.counted = now;
        let mut index = 0;
        while let Some(&member) = self.running.get(index) {
            let left = &mut self.left[member as usize];
            *left = left.saturating_sub(elapsed);
            if *left == 0 || self.live[member as usize].is_none() {
                self.places[member as usize] = Place::Outside;
                self.running.remove(index);
            } else {
                index += 1;
            }
        }
    }

    /// Begins the slice that holds `now`: all tokens wait.
    fn begin_slice(&mut self, now: u64) {
        while self.plan.end() <= now {
            self.plan.next();
        }
        self.left.copy_from_slice(self.plan.local());
        self.running.clear();
        self.waiting.renew(0);
        self.places.fill(Place::Outside);
        for member in 0..self.live.len() as u32 {
            match self.choice {
                Choice::Kept if self.running.len() < self.processors && self.has_token(member) => {
                    self.run(member);
                }
                Choice::Kept | Choice::Largest => self.enter(member, now),
            }
        }
    }

    fn has_token(&self, member: u32) -> bool {
        self.left[member as usize] > 0 && self.live[member as usize].is_some()
    }

    fn run(&mut self, member: u32) {
        self.places[member as usize] = Place::Running;
        self.running.push(member);
    }

    /// Lets the member's token wait, if it has one and is outside.
    fn enter(&mut self, member: u32, now: u64) {
        if self.places[member as usize] == Place::Outside && self.has_token(member) {
            let left = &mut self.left[member as usize];
            *left = (*left).min(self.plan.end() - now);
            self.waiting.push(Waiting { left: *left, member });
            self.places[member as usize] = Place::Waiting;
        }
    }

    /// Returns the first waiting token whose job may execute.
    fn first_waiting(&mut self) -> Option<Waiting> {
        loop {
            let first = self.waiting.peek()?;
            if self.has_token(first.member) {
                return Some(first);
            }
            self.waiting.pop();
            self.places[first.member as usize] = Place::Outside;
        }
    }

    /// Fills free places, then exchanges tokens as the way to choose wants it.
    fn choose(&mut self, now: u64) {
        while let Some(first) = self.first_waiting() {
            if self.running.len() < self.processors {
                self.waiting.pop();
                self.run(first.member);
                continue;
            }
            let smallest = (0..self.running.len()).min_by_key(|&index| {
                let member = self.running[index];
                (self.left[member as usize], core::cmp::Reverse(member))
            });
            let Some(place) = smallest else { return };
            let member = self.running[place];
            let left = self.left[member as usize];
            let must = match self.choice {
                Choice::Largest => first.left > left,
                Choice::Kept => first.left >= self.plan.end() - now && first.left > left,
            };
            if !must {
                return;
            }
            self.waiting.pop();
            self.running.swap_remove(place);
            self.places[member as usize] = Place::Waiting;
            self.waiting.push(Waiting { left, member });
            self.run(first.member);
        }
    }

    /// Returns the time of the next event of the plane.
    fn next_event(&mut self) -> u64 {
        let (now, end) = (self.counted, self.plan.end());
        let bottom = self.running.iter().map(|&member| now.saturating_add(self.left[member as usize])).min();
        let hypotenuse = self.first_waiting().map(|first| end - first.left).filter(|at| *at > now);
        bottom.into_iter().chain(hypotenuse).min().map_or(end, |first| first.min(end))
    }
}

impl Policy for LocalPlane {
    /// Orders by absolute deadline. The priority only shows in traces; decisions do not read it.
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        Priority::new(jobs.get(job).absolute_deadline.as_ns().min(Priority::MAX_POINT), job)
    }

    fn note(&mut self, now: Instant, event: Event, _: &Jobs) {
        match Change::by(event) {
            Some(Change::Live(job)) => {
                let member = self.member_of[job.task.index()];
                self.live[member as usize] = Some(job);
                // At a slice's begin, all tokens enter together.
                if now.as_ns() < self.plan.end() {
                    self.enter(member, now.as_ns());
                }
            }
            Some(Change::Gone(job)) => {
                self.live[self.member_of[job.task.index()] as usize] = None;
                self.chosen.forget(job);
            }
            Some(Change::Timer) => self.chosen.timer_went_off(),
            None => {}
        }
    }

    fn decide(&mut self, now: Instant, jobs: &Jobs, out: &mut Decisions) {
        let time = now.as_ns();
        self.count(time);
        if self.plan.end() <= time {
            self.begin_slice(time);
        }
        self.choose(time);
        self.chosen.renew(self.running.iter().filter_map(|&member| self.live[member as usize]));
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
