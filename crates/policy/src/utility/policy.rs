//! The policy of a utility-accrual scheduler: it offers the ready jobs to an algorithm, links the jobs that it chooses,
//! and gives up jobs at their termination times.

use super::dasa::deadlocked;
use super::kind::{DecisionMemory, UtilityKind};
use super::{Candidate, Queues};
use crate::chosen_links::ChosenLinks;
use crate::decisions::{Decision, Decisions};
use crate::setup::{ClusterSetup, SetupError};
use crate::Policy;
use alloc::vec::Vec;
use schedlab_model::{
    CpuId, Duration, Event, Instant, Invariant, JobId, Jobs, Priority, Step, Task, TaskId, TimerKey, Utility,
    Work,
};

/// Key of the only timer, for the time when the first live job is to be given up.
const TERMINATION: TimerKey = TimerKey(0);

/// A job that is neither complete nor given up.
#[derive(Clone, Copy, Debug)]
struct Live {
    job: JobId,
    /// True if the job may execute: it is not suspended.
    is_ready: bool,
    /// Service that the job had received when it was given up; it then executes its abort handler.
    given_up: Option<Work>,
}

impl Live {
    fn ready(job: JobId) -> Self {
        Live { job, is_ready: true, given_up: None }
    }
}

/// One cluster under a utility-accrual scheduler.
pub(crate) struct UtilityAccrual {
    kind: UtilityKind,
    memory: DecisionMemory,
    links: ChosenLinks,
    /// By task: the time from arrival after which its jobs are given up.
    terminations: Vec<Duration>,
    /// Jobs that have become ready and are neither complete nor given up, by task.
    live: Vec<Live>,
    candidates: Vec<Candidate>,
    /// The abort handlers that could execute.
    handlers: Vec<Candidate>,
    queues: Queues,
    chosen: Vec<JobId>,
    timer: Option<Instant>,
}

impl UtilityAccrual {
    /// An idle cluster. Refuses tasks with sections and without an abort handler that would leave them.
    pub(crate) fn new(kind: UtilityKind, setup: &ClusterSetup<'_>) -> Result<Self, SetupError> {
        let is_section = |step: &Step| matches!(step, Step::Request(..) | Step::NpEnter);
        let has_sections = |task: &Task| {
            task.is_server() || task.abort_handler.is_none() && task.program.iter().any(is_section)
        };
        if let Some(index) = setup.tasks.iter().position(has_sections) {
            return Err(SetupError::SectionsOfAborted { task: TaskId(index as u32) });
        }
        let (tasks, processors) = (setup.tasks.len(), setup.cpus.len());
        let here = setup.tasks.iter().filter(|task| task.cluster == setup.cluster).count();
        Ok(UtilityAccrual {
            kind,
            memory: DecisionMemory::new(here, processors),
            links: ChosenLinks::new(setup.cpus, setup.platform.processors().into(), tasks),
            terminations: setup.tasks.iter().map(Task::termination).collect(),
            live: Vec::with_capacity(here),
            candidates: Vec::with_capacity(here),
            handlers: Vec::with_capacity(here),
            queues: Queues::new(processors, here),
            chosen: Vec::with_capacity(processors),
            timer: None,
        })
    }

    fn termination(&self, job: JobId, jobs: &Jobs) -> Instant {
        let length = self.terminations[job.task.index()];
        jobs.get(job).arrival.checked_add(length).unwrap_or(Instant::NEVER)
    }

    fn place(&self, job: JobId) -> Result<usize, usize> {
        self.live.binary_search_by_key(&job.task, |live| live.job.task)
    }

    fn admit(&mut self, job: JobId) {
        match self.place(job) {
            Ok(index) if self.live[index].job == job => self.live[index].is_ready = true,
            Ok(index) => self.live[index] = Live::ready(job),
            Err(index) => self.live.insert(index, Live::ready(job)),
        }
    }

    /// Gives up the live job at a place.
    fn abort(&mut self, index: usize, now: Instant, jobs: &Jobs, out: &mut Decisions) {
        let job = self.live[index].job;
        self.live[index].given_up = Some(jobs.get(job).service(now));
        out.push(Decision::Abort(job));
    }

    /// Gives up the jobs that have not completed by their termination times; true if there were any.
    fn give_up(&mut self, now: Instant, jobs: &Jobs, out: &mut Decisions) -> bool {
        let (mut first, mut any) = (Instant::NEVER, false);
        for index in 0..self.live.len() {
            let Live { job, given_up: None, .. } = self.live[index] else { continue };
            match self.termination(job, jobs) {
                passed if passed <= now => {
                    any = true;
                    self.abort(index, now, jobs, out);
                }
                later => first = first.min(later),
            }
        }
        let timer = Some(first).filter(|first| *first < Instant::NEVER);
        if !any && timer != self.timer {
            self.timer = timer;
            out.push(Decision::Timer(TERMINATION, timer));
        }
        any
    }

    /// Chooses abort handlers, which go before all jobs, the densest first: jobs wait for the resources that they hold,
    /// and so do the next jobs of their tasks. A handler's utility does not fall with time, so that no other job can
    /// make it worth less.
    fn choose_handlers(&mut self, now: Instant, jobs: &Jobs, room: usize) {
        self.handlers.clear();
        for Live { job, is_ready, given_up } in &self.live {
            let Some(before) = given_up.filter(|_| *is_ready) else { continue };
            if !self.kind.preemptive && self.links.is_linked(*job) {
                continue;
            }
            let handler = jobs.task(job.task).abort_handler.unwrap_or_default();
            let executed = jobs.get(*job).service(now) - before;
            let left = Work::from_ns(handler.cost.as_ns().saturating_sub(executed.as_ns()));
            self.handlers.push(Candidate {
                id: *job,
                termination: Instant::NEVER,
                remaining: left,
                load: left,
                utility: handler.utility.as_millionths(),
                waits_for: None,
            });
        }
        self.handlers.sort_unstable_by(Candidate::by_density);
        self.chosen.clear();
        for handler in &self.handlers {
            if self.queues.occupy(handler.remaining) && self.chosen.len() < room {
                self.chosen.push(handler.id);
            }
        }
    }

    /// Collects the jobs that may be chosen: those that are ready, and those that wait for others if the kind follows
    /// holders. Jobs that would accrue nothing even if they ran at once are left out, unless the kind keeps processors
    /// busy or others may wait for it.
    fn offer(&mut self, now: Instant, jobs: &Jobs) {
        let kind = self.kind;
        self.candidates.clear();
        for live in self.live.iter().filter(|live| live.given_up.is_none()) {
            let waits = kind.follows_holders && jobs.wanted_by(live.job).is_some();
            if !live.is_ready && !waits || !kind.preemptive && self.links.is_linked(live.job) {
                continue;
            }
            if waits && self.awaits_handler(live.job, jobs) {
                continue;
            }
            let job = jobs.get(live.job);
            let left = job.wcet.as_ns().saturating_sub(job.service(now).as_ns()).max(1);
            let completion = now.checked_add(Duration::from_ns(left)).unwrap_or(Instant::NEVER);
            let utility = jobs.task(job.id.task).utility_after(completion - job.arrival);
            if utility > Utility::ZERO || kind.is_work_conserving || kind.follows_holders {
                self.candidates.push(Candidate {
                    id: job.id,
                    termination: self.termination(job.id, jobs),
                    remaining: Work::from_ns(left),
                    load: Work::from_ns(left),
                    utility: utility.as_millionths(),
                    waits_for: None,
                });
            }
        }
        if kind.follows_holders {
            self.follow_holders(jobs);
        }
    }

    /// True if the job waits, by however many steps, for one that was given up. The handler of that one goes before all
    /// candidates, but other processors could take the job that waits for it for one that may run.
    fn awaits_handler(&self, job: JobId, jobs: &Jobs) -> bool {
        let holder = |waiter: &JobId| jobs.wanted_by(*waiter).and_then(|resource| jobs.holder(resource));
        let is_given_up = |job: JobId| self.place(job).is_ok_and(|index| self.live[index].given_up.is_some());
        self.queues.processors() > 1
            && core::iter::successors(holder(&job), holder).take(self.live.len()).any(is_given_up)
    }

    /// Finds out which job waits for which. A holder that was given up is no candidate, because its handler goes before
    /// all of them.
    fn follow_holders(&mut self, jobs: &Jobs) {
        for index in 0..self.candidates.len() {
            let wanted = jobs.wanted_by(self.candidates[index].id);
            let holder = wanted.and_then(|resource| jobs.holder(resource));
            let place = |holder: JobId| {
                self.candidates.binary_search_by_key(&holder.task, |candidate| candidate.id.task).ok()
            };
            self.candidates[index].waits_for = holder.and_then(place).map(|place| place as u32);
        }
    }
}

impl Policy for UtilityAccrual {
    /// Orders by termination time. The priority only shows in traces; decisions do not read it.
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        Priority::new(self.termination(job, jobs).as_ns().min(Priority::MAX_POINT), job)
    }

    fn note(&mut self, _: Instant, event: Event, _: &Jobs) {
        match event {
            Event::Ready(job) | Event::Resumed(job) => self.admit(job),
            Event::Suspended(job) => {
                self.links.remove(job);
                if let Ok(index) = self.place(job) {
                    self.live[index].is_ready = false;
                }
            }
            Event::Completed(job) | Event::Aborted(job) => {
                self.links.remove(job);
                if let Ok(index) = self.place(job) {
                    self.live.remove(index);
                }
            }
            Event::Timer(_) => self.timer = None,
            Event::PriorityChanged(_)
            | Event::Dispatched { .. }
            | Event::Undispatched { .. }
            | Event::BudgetExhausted(_)
            | Event::Joined(_)
            | Event::Left(_) => {}
        }
    }

    fn decide(&mut self, now: Instant, jobs: &Jobs, out: &mut Decisions) {
        if self.give_up(now, jobs, out) {
            // The cluster hears of the aborts and decides again.
            return;
        }
        self.offer(now, jobs);
        let victim = self.kind.follows_holders.then(|| deadlocked(&self.candidates)).flatten();
        if let Some(victim) = victim {
            let job = self.candidates[victim as usize].id;
            let index = self.place(job).expect("candidates are live");
            return self.abort(index, now, jobs, out);
        }
        self.queues.clear();
        let room = if self.kind.preemptive { self.queues.all().len() } else { self.links.idle() };
        self.choose_handlers(now, jobs, room);
        (self.kind.decide)(now, &self.candidates, &mut self.queues, &mut self.memory);
        let heads = self.queues.heads().flatten().take(room - self.chosen.len());
        self.chosen.extend(heads.map(|index| self.candidates[index as usize].id));
        if self.kind.preemptive {
            self.links.keep(&self.chosen, out);
        }
        self.links.add(&self.chosen, jobs, out);
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.links.on(cpu)
    }

    fn promises(&self) -> &'static [Invariant] {
        match (self.kind.is_work_conserving, self.kind.preemptive) {
            (true, true) => &[Invariant::WorkConserving],
            (true, false) => &[Invariant::WorkConserving, Invariant::NonPreemptive],
            (false, _) => &[],
        }
    }
}
