//! Linux's class `SCHED_FIFO` as a model: a run queue for each processor, pushes and pulls between them.
//!
//! The rules are those of `kernel/sched/rt.c` and `cpupri.c` from Linux 2.6.37 on; below stands what newer kernels do
//! otherwise:
//!
//! * A thread that wakes up stays on the processor of its last run queue, if that runs a less urgent thread or none
//!   (`select_task_rq_rt`). Otherwise it goes to the processor that runs the least urgent thread, if that is less
//!   urgent than itself (`find_lowest_rq`). Of several such, its own last one is taken, then the first.
//! * A processor runs the most urgent thread of its queue. Equal ones run in the order in which they came; a preempted
//!   one stays in front. There is no round robin (`SCHED_RR`). Throttling is off (`sched_rt_runtime_us = -1`) unless
//!   the setup says otherwise.
//! * A processor that has begun a thread pushes the others of its queue to less urgent processors, the most urgent
//!   first, until one has no place (`push_rt_tasks`). A thread that wakes up and does not preempt causes the same.
//! * A processor whose thread leaves looks at all queues in which threads wait, by number, and takes from each the most
//!   urgent waiting thread, if that is more urgent than what it has (`pull_rt_task`).
//! * A thread whose next job is released does not sleep: it goes on where it is.
//!
//! In the model, each thread that is queued, pushed or pulled takes O(n + m) for n threads on m processors. The kernel
//! finds the target of a push by a table of priorities (`cpupri`).
//!
//! The processors are one scheduling domain. A task's thread begins on the processor of its number, modulo the
//! processors. Timers fire where their threads slept.
//!
//! A (cost 4, from 1 on), B and C (cost 2, from 3 and from 0 on), of which A is the least urgent. A finds C on its
//! processor P0, and goes to P1. There B preempts it at 3, although P0 is idle, and P1 pushes A there. Under G-FP, B
//! goes to P0:
//!
//! ```text
//! P0  CC.AA.
//! P1  .AABB.
//! ```
//!
//! Throttling (`sched_rt_runtime_exceeded`, `do_sched_rt_period_timer`; without `RT_RUNTIME_SHARE`, which is off since
//! 5.10, and without `RT_GROUP_SCHED`): a processor that has run threads for the runtime stops until the period ends.
//!
//! * Its threads stay in its queue, the one that ran in its place. None is pushed or pulled from there: both look for
//!   threads that are no more urgent than what the processor runs, and it runs none (`push_rt_task`, `pull_rt_task`).
//! * The urgency of its queue is that of its first thread as before. So it gets threads that wake up and slept there,
//!   and others as any processor does.
//! * When a period ends, what it has used falls by the runtime, to zero at least. It runs on once that is below the
//!   runtime.
//!
//! The runtime is 3 of 5. A (cost 7) is the most urgent; B and C (cost 2, from 2 on) follow. C waits on P0 behind A, P1
//! does not pull it at 4, and P0 pushes it at 5, when A goes on:
//!
//! ```text
//! P0  AAA..AAA..A
//! P1  ..BB.CC....
//! ```
//!
//! Here a processor stops at the moment at which the runtime is used; the kernel looks at ticks and where threads
//! change. Periods begin at zero, on all processors at once. The kernel has one timer for all, too: it begins when a
//! thread wakes up after a period without any. From 6.12 on a server for ordinary threads replaces throttling:
//! real-time threads lose time to ordinary ones that starve, and to nothing else.
//!
//! Threads of `SCHED_DEADLINE` go before those of `SCHED_FIFO` (`reservations.rs`), and ordinary ones take the time
//! that both leave. All move by the same rules here: a thread of `SCHED_DEADLINE` goes to the processor that runs the
//! least urgent thread, where the kernel takes any that runs none of its class. Ordinary threads go in the order in
//! which they came, and do not share a processor's time in turns. The fair server, which gives them some of it from
//! 6.12 on, is not modelled.
//!
//! Beside other classes, throttling stops threads of `SCHED_FIFO` alone, and ordinary ones then run. What threads of
//! `SCHED_DEADLINE` execute counts as used runtime (`update_curr_dl`), what ordinary ones execute does not.
//!
//! The model decides in no time. How long each push and pull takes its processor is up to the engine (`moves.rs`).
//! Outside of the model are the races: two processors that push to the same third one, a push that gives up after three
//! tries, a thread that wakes up while its processor switches. Here the events of one instant happen one after another,
//! in the written order, each with all its consequences. From 4.1 on, a processor
//! that pulls asks those where threads wait to push. On two processors that is the same; on more, another thread of
//! equal urgency may move. From 5.10 on, `find_lowest_rq` takes turns among equal processors.

mod moves;
mod queues;
mod reservations;
mod throttle;

use crate::decisions::{Decision, Decisions, QueueMove};
use crate::setup::ClusterSetup;
use crate::Policy;
use alloc::vec;
use alloc::vec::Vec;
use queues::{LocalCpu, Queues};
use reservations::Reservations;
use schedlab_model::{
    Band, BitSet, CpuId, Event, Instant, Invariant, JobId, Jobs, OverheadKind, Priority, Step, Task, TaskId,
    ThreadClass, TimerKey,
};
use throttle::Throttle;

/// The threads of one cluster under `SCHED_FIFO`.
#[derive(Clone, Debug)]
pub(crate) struct SchedFifo {
    /// By processor of the platform: its place in the cluster.
    place_of: Vec<LocalCpu>,
    cpus: Vec<CpuId>,
    queues: Queues,
    /// By task: its live job.
    jobs: Vec<JobId>,
    /// By task: the class of its thread.
    classes: Vec<ThreadClass>,
    /// Processors that have to choose anew.
    to_schedule: BitSet,
    /// Processors that run another thread than at the last decision.
    changed: BitSet,
    /// True if all tasks always have different priorities.
    is_strict: bool,
    throttle: Option<Throttle>,
    /// `None` if no thread has one.
    reservations: Option<Reservations>,
    /// By task: true if its thread wants to execute. Only threads with reservations are looked at.
    is_awake: Vec<bool>,
    /// Pushes and pulls since the last decision: the processor that makes each, and the thread.
    moves: Vec<(LocalCpu, u32, OverheadKind)>,
}

/// Number of the first timer of a reservation; those before are of processors.
const OF_RESERVATIONS: u32 = 1 << 16;

impl SchedFifo {
    /// An idle cluster. [`Task::fixed_priority`] is the urgency of a thread.
    pub(crate) fn new(setup: &ClusterSetup<'_>) -> Self {
        let mut place_of = vec![LocalCpu::MAX; setup.platform.processors().into()];
        for (index, cpu) in setup.cpus.iter().enumerate() {
            place_of[cpu.index()] = index as LocalCpu;
        }
        let here = setup.tasks.iter().filter(|task| task.cluster == setup.cluster);
        let mut keys: Vec<u32> = here.clone().map(|task| task.fixed_priority).collect();
        keys.sort_unstable();
        let has_sections =
            |task: &Task| task.program.iter().any(|step| matches!(step, Step::Request(..) | Step::NpEnter));
        let is_other = |task: &Task| task.class != ThreadClass::Fifo;
        let is_strict = keys.windows(2).all(|pair| pair[0] != pair[1])
            && !here.clone().any(|task| has_sections(task) || is_other(task));
        SchedFifo {
            place_of,
            cpus: setup.cpus.to_vec(),
            queues: Queues::new(setup.cpus.len(), setup.tasks.len()),
            jobs: (0..setup.tasks.len() as u32).map(|task| JobId::new(TaskId(task), 0)).collect(),
            classes: setup.tasks.iter().map(|task| task.class).collect(),
            to_schedule: BitSet::new(setup.cpus.len()),
            changed: BitSet::new(setup.cpus.len()),
            is_strict,
            throttle: Throttle::new(setup.throttling, setup.cpus.len()),
            reservations: Some(Reservations::new(setup.tasks)).filter(|all| !all.are_none()),
            is_awake: vec![false; setup.tasks.len()],
            moves: Vec::new(),
        }
    }

    /// Updates the accounts: stops processors that have used their runtime, and lets those go on that have some again.
    fn keep_accounts(&mut self, now: Instant) {
        let Some(throttle) = &mut self.throttle else { return };
        let (queues, classes) = (&self.queues, &self.classes);
        throttle.keep(now, |place| uses_runtime(queues.current(place), classes));
        while let Some((place, stops)) = throttle.take_changed() {
            let current = self.queues.current(place).map(|thread| self.classes[thread as usize]);
            if stops && current == Some(ThreadClass::Fifo) && self.queues.stop(place) {
                self.changed.insert(place.into());
            }
            self.to_schedule.insert(place.into());
        }
        self.settle();
    }

    fn is_throttled(&self, place: LocalCpu) -> bool {
        self.throttle.as_ref().is_some_and(|throttle| throttle.is_throttled(place))
    }

    /// Charges budgets, and wakes threads whose next period has begun.
    fn keep_budgets(&mut self, now: Instant) {
        let Some(reservations) = &mut self.reservations else { return };
        let queues = &self.queues;
        let running = (0..self.cpus.len() as LocalCpu).filter_map(|place| queues.current(place));
        reservations.charge(now, running);
        let all: Vec<u32> = reservations.tasks().collect();
        for task in all {
            let resumed = self.reservations.as_mut().and_then(|all| all.resume(task, now));
            if let Some(deadline) = resumed.filter(|_| self.is_awake[task as usize]) {
                self.enqueue(task, self.urgency_of(task, deadline));
            }
        }
    }

    /// Stops threads that have used their budgets.
    fn stop_exhausted(&mut self, now: Instant) {
        let Some(reservations) = &self.reservations else { return };
        let all: Vec<u32> = reservations.tasks().filter(|task| self.queues.is_queued(*task)).collect();
        for task in all {
            let found = self.reservations.as_mut().map(|all| all.exhaust(task, now));
            match found {
                Some((true, _)) => self.dequeue(task),
                Some((false, Some(deadline))) => self.requeue(task, self.urgency_of(task, deadline)),
                Some((false, None)) | None => {}
            }
        }
    }

    /// Urgency of a thread with a reservation that ends at `deadline`: before all without one.
    fn urgency_of(&self, task: u32, deadline: u64) -> u64 {
        Priority::in_band(Band::Boosted, deadline.min(Priority::MAX_POINT), self.jobs[task as usize]).rank()
    }

    /// Notes that the job may execute: its thread goes on, or wakes up.
    fn wake(&mut self, job: JobId, jobs: &Jobs, now: Instant) {
        self.jobs[job.task.index()] = job;
        let thread = job.task.0;
        let was_awake = core::mem::replace(&mut self.is_awake[job.task.index()], true);
        if jobs.task(job.task).class != ThreadClass::Deadline {
            return self.enqueue(thread, jobs.get(job).effective.rank());
        }
        if was_awake {
            // A thread that did not sleep keeps its reservation, or stays stopped.
            let place = self.queues.place(thread);
            if self.queues.current(place) == Some(thread) {
                self.changed.insert(place.into());
            }
            return;
        }
        let woken = self.reservations.as_mut().and_then(|all| all.wake(thread, now)).flatten();
        if let Some(deadline) = woken {
            self.enqueue(thread, self.urgency_of(thread, deadline));
        }
    }

    /// Puts the thread into a queue, or sets its urgency there.
    fn enqueue(&mut self, thread: u32, urgency: u64) {
        if self.queues.is_queued(thread) {
            // Its job before was complete a moment ago, and it did not sleep.
            let place = self.queues.place(thread);
            if self.queues.current(place) == Some(thread) {
                self.changed.insert(place.into());
            }
            return self.requeue(thread, urgency);
        }
        let mut place = self.queues.place(thread);
        if self.queues.running(place) <= urgency {
            place = self.queues.least_urgent_cpu(thread, urgency).unwrap_or(place);
        }
        self.queues.append(thread, urgency, place);
        if urgency < self.queues.running(place) {
            self.to_schedule.insert(place.into());
        } else {
            self.push_all(place);
        }
        self.settle();
    }

    /// Notes that the job may not execute any more: its thread sleeps.
    fn leave(&mut self, job: JobId) {
        self.is_awake[job.task.index()] = false;
        self.dequeue(job.task.0);
    }

    /// Takes the thread out of its queue.
    fn dequeue(&mut self, thread: u32) {
        if !self.queues.is_queued(thread) {
            return;
        }
        let (place, urgency) = (self.queues.place(thread), self.queues.urgency(thread));
        let was_running = self.queues.remove(thread);
        if was_running {
            self.changed.insert(place.into());
            if self.queues.most_urgent(place) > urgency {
                self.pull(place);
            }
            self.to_schedule.insert(place.into());
        }
        self.settle();
    }

    /// Sets the thread's urgency, which has changed by inheritance or a ceiling.
    fn requeue(&mut self, thread: u32, urgency: u64) {
        let before = self.queues.urgency(thread);
        if before == urgency {
            return;
        }
        let place = self.queues.place(thread);
        self.queues.change_urgency(thread, urgency);
        if self.queues.current(place) != Some(thread) {
            if urgency < self.queues.running(place) {
                self.to_schedule.insert(place.into());
            }
        } else if before < urgency {
            let pulled = self.pull(place);
            if pulled || urgency > self.queues.most_urgent(place) {
                self.to_schedule.insert(place.into());
            }
        }
        self.settle();
    }

    fn set_reservation_timers(&mut self, now: Instant, out: &mut Decisions) {
        let Some(reservations) = &mut self.reservations else { return };
        let all: Vec<u32> = reservations.tasks().collect();
        for task in all {
            let runs =
                self.queues.is_queued(task) && self.queues.current(self.queues.place(task)) == Some(task);
            if let Some(due) = reservations.next_timer(task, runs, now) {
                out.push(Decision::Timer(TimerKey(OF_RESERVATIONS + task), due));
            }
        }
    }

    /// Lets processors choose, by number, until none has to choose anew.
    fn settle(&mut self) {
        while let Some(place) = self.to_schedule.take_first() {
            let place = place as LocalCpu;
            let (is_throttled, classes) = (self.is_throttled(place), &self.classes);
            let may_run = |thread: u32| !is_throttled || classes[thread as usize] != ThreadClass::Fifo;
            if self.queues.begin_first(place, may_run) {
                self.changed.insert(place.into());
            }
            if !is_throttled && self.queues.current(place).is_some() {
                self.push_all(place);
            }
        }
    }
}

/// True if a processor that runs this thread uses its runtime up: ordinary threads do not.
fn uses_runtime(thread: Option<u32>, classes: &[ThreadClass]) -> bool {
    thread.is_some_and(|thread| classes[thread as usize] != ThreadClass::Ordinary)
}

impl Policy for SchedFifo {
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        let task = jobs.task(job.task);
        match task.class {
            ThreadClass::Deadline => {
                let point = jobs.get(job).absolute_deadline.as_ns().min(Priority::MAX_POINT);
                Priority::in_band(Band::Boosted, point, job)
            }
            ThreadClass::Fifo => Priority::new(task.fixed_priority.into(), job),
            ThreadClass::Ordinary => Priority::in_band(Band::Background, 0, job),
        }
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs) {
        self.keep_accounts(now);
        self.keep_budgets(now);
        match event {
            Event::Ready(job) | Event::Resumed(job) => self.wake(job, jobs, now),
            // A thread whose next job is released does not sleep.
            Event::Completed(job) if jobs.get(job).has_successor => {}
            Event::Completed(job) | Event::Suspended(job) | Event::Aborted(job) => self.leave(job),
            Event::PriorityChanged(job) => {
                let is_fifo = jobs.task(job.task).class == ThreadClass::Fifo;
                if is_fifo && self.queues.is_queued(job.task.0) {
                    self.requeue(job.task.0, jobs.get(job).effective.rank());
                }
            }
            Event::Dispatched { cpu, job } => {
                let place = self.place_of[cpu.index()];
                let uses_runtime = uses_runtime(Some(job.task.0), &self.classes);
                self.throttle.iter_mut().for_each(|throttle| throttle.occupy(place, uses_runtime));
            }
            Event::Undispatched { cpu, .. } => {
                let place = self.place_of[cpu.index()];
                self.throttle.iter_mut().for_each(|throttle| throttle.occupy(place, false));
            }
            Event::Timer(TimerKey(key)) if key >= OF_RESERVATIONS => {
                self.reservations.iter_mut().for_each(|all| all.rang(key - OF_RESERVATIONS));
            }
            Event::Timer(TimerKey(place)) => {
                self.throttle.iter_mut().for_each(|throttle| throttle.rang(place as LocalCpu));
            }
            Event::BudgetExhausted(_) | Event::Joined(_) | Event::Left(_) => {}
        }
        // A job that is complete needs no more of its budget, even if its thread goes on with the next one.
        if !matches!(event, Event::Completed(_)) {
            self.stop_exhausted(now);
        }
    }

    fn decide(&mut self, now: Instant, _: &Jobs, out: &mut Decisions) {
        for (place, thread, kind) in self.moves.drain(..) {
            let (cpu, job) = (self.cpus[usize::from(place)], self.jobs[thread as usize]);
            out.take_move(QueueMove { cpu, job, kind });
        }
        while let Some(place) = self.changed.take_first() {
            out.look(self.cpus[place]);
        }
        self.set_reservation_timers(now, out);
        let Some(throttle) = &mut self.throttle else { return };
        for place in 0..self.cpus.len() as LocalCpu {
            let runs = uses_runtime(self.queues.current(place), &self.classes);
            if let Some(due) = throttle.next_timer(place, runs, now) {
                out.push(Decision::Timer(TimerKey(place.into()), due));
            }
        }
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        let thread = self.queues.current(self.place_of[cpu.index()])?;
        Some(self.jobs[thread as usize])
    }

    fn promises(&self) -> &'static [Invariant] {
        if self.throttle.is_some() {
            // A processor may stop although jobs wait, and then less urgent ones run elsewhere.
            return &[];
        }
        match self.is_strict {
            true => &[Invariant::WorkConserving, Invariant::RespectsPriority],
            // Which of equally urgent threads waits depends on the queue that it is in.
            false => &[Invariant::WorkConserving],
        }
    }
}
