//! The state of a domain's engine: which job executes where, the inputs, the timer. And the way in which each decision
//! is passed on to the enforcer.

use super::{Domain, Engine};
use crate::engine::permission::Permission;
use crate::engine::raised::Raised;
use crate::engine::surroundings::Surroundings;
use crate::machine::clock::Clock;
use crate::machine::sys;
use crate::record::inputs::EngineInput;
use crate::record::span::{Begun, Spans};
use crate::timers::owner::Arming;
use schedlab_model::{CpuId, Duration, Instant, JobId, ResourceId, TaskId};
use schedlab_objects::{FastSection, FastSections};
use schedlab_sim::Input;

/// An engine with the state of its tasks' threads.
pub(super) struct Core {
    pub(super) live: Engine,
    /// By processor of the domain: the job that the enforcer lets execute there.
    pub(super) scheduled: Vec<Option<JobId>>,
    /// By mutex that threads may take in fast sections: how many threads want or hold it, as far as the engine knows.
    pub(super) asked: Vec<u32>,
    /// By task: the processor to which its thread is bound.
    pub(super) bound: Vec<Option<CpuId>>,
    /// The engine's inputs, in order. With the set-up they determine every decision.
    pub(super) inputs: Vec<(Instant, JobId, EngineInput)>,
    pub(super) inputs_lost: bool,
    /// The ends of suspensions, with the suspended jobs.
    pub(super) wakes: Vec<(Instant, JobId)>,
    /// The processor where the timer for the end of a suspension ought to be set.
    pub(super) wakes_on: CpuId,
    /// Tasks whose jobs were given up by the decision that is carried out.
    pub(super) given_up: Vec<TaskId>,
    /// The thread that owns the timer, and the threads that could.
    pub(super) arming: Arming,
    /// The time that each decision took.
    pub(super) spans: Spans,
    /// The end of the run: no report is accepted from then on.
    pub(super) horizon: Instant,
    /// True once the run is over: no report is accepted, no gate is set.
    pub(super) ended: bool,
}

impl Core {
    /// Begins, at the engine, the fast sections of the threads of scheduled jobs. True if there is any.
    pub(super) fn notice_fast_sections(&mut self, domain: &Domain, clock: &Clock) -> bool {
        let executing = domain.cpus.iter().filter_map(|cpu| self.live.scheduled(*cpu));
        // The bias of all of them is revoked, and one barrier does for all.
        if executing.filter(|job| domain.fast_sections.revoke(job.task.index())).count() > 0 {
            sys::barrier();
        }
        let mut at = None;
        for cpu in &domain.cpus {
            let Some(job) = self.live.scheduled(*cpu) else { continue };
            let mutex_of = |resource| domain.mutex_of(ResourceId(resource));
            let Some(section) = domain.fast_sections.notice(job.task.index(), mutex_of, sys::barrier) else {
                continue;
            };
            let at = *at.get_or_insert_with(|| self.live.time_of_fast_sections(clock.now()));
            let input = match section {
                FastSection::NonPreemptive => Input::NpEnter,
                FastSection::Resource(resource) => {
                    let mutex = mutex_of(resource).expect("it was taken without asking");
                    self.asked[mutex] += 1;
                    Input::Request(ResourceId(resource), 1)
                }
            };
            self.live.begin_fast_section(at, job, input);
            self.remember(at, job, EngineInput::FastSection(input));
        }
        at.is_some()
    }

    /// Closes the mutex for fast sections, unless it is closed: a thread is about to ask the engine for it.
    pub(super) fn ask(&mut self, mutex: usize, fast_sections: &FastSections) {
        if self.asked[mutex] == 0 {
            fast_sections.close(mutex);
        }
        self.asked[mutex] += 1;
    }

    /// Removes one known waiter or holder of the mutex, and opens it for fast sections after the last one.
    pub(super) fn ask_no_more(&mut self, mutex: usize, fast_sections: &FastSections) {
        self.asked[mutex] -= 1;
        if self.asked[mutex] == 0 {
            fast_sections.open(mutex);
        }
    }

    /// The time now, but after all that the engine has done, so that a replay cannot mistake the order.
    pub(super) fn time(&self, clock: &Clock) -> Instant {
        clock.now().max(self.live.now() + Duration::from_ns(1))
    }

    pub(super) fn end_span(&mut self, begun: Option<Begun>) {
        let decided = self.live.now();
        self.spans.end(begun, decided);
    }

    /// Wakes the jobs whose suspensions have ended.
    pub(super) fn wake_those_due(&mut self, clock: &Clock) {
        while let Some(due) = self.wakes.iter().position(|(at, _)| *at <= clock.now()) {
            let (_, job) = self.wakes.swap_remove(due);
            let now = self.time(clock);
            if now < self.horizon {
                self.live.wake(now, job);
                self.remember(now, job, EngineInput::Resumed);
            }
        }
    }

    pub(super) fn remember(&mut self, at: Instant, job: JobId, what: EngineInput) {
        if self.inputs.len() < self.inputs.capacity() {
            self.inputs.push((at, job, what));
        } else {
            self.inputs_lost = true;
        }
    }

    /// True if the engine decides nothing any more at `now`. Then this shuts the gate of `task`, whose thread asks,
    /// until it is let go. Were its report accepted, the thread would begin one job after the other at its real-time
    /// priority, and no decision would keep it out of others' sections.
    pub(super) fn keep_if_over(&self, around: Surroundings<'_>, task: TaskId, now: Instant) -> bool {
        // The thread that has ended the run opens all gates for good, not under the engine's lock.
        if now >= self.horizon && !self.ended {
            around.threads.close(task);
        }
        self.ended || now >= self.horizon
    }

    /// Updates the gates to the engine's schedule: closes first, then opens.
    pub(super) fn open_and_shut(
        &mut self,
        cpus: &[CpuId],
        around: Surroundings<'_>,
        me: Option<TaskId>,
    ) -> Raised {
        self.carry_out_aborts(around);
        for (place, cpu) in cpus.iter().enumerate() {
            let (before, now) = (self.scheduled[place], self.live.scheduled(*cpu));
            if before == now {
                continue;
            }
            if let Some(job) = before.filter(|job| self.permission(job.task) == Permission::Wait) {
                around.threads.close(job.task);
                if me != Some(job.task) {
                    around.threads.stop(job.task);
                }
            }
        }
        let mut raised = Raised::not_yet(me);
        for (place, cpu) in cpus.iter().enumerate() {
            self.scheduled[place] = self.live.scheduled(*cpu);
            if let Some(job) = self.scheduled[place] {
                self.open(job.task, *cpu, around, &mut raised);
            }
        }
        around.threads.commit(cpus);
        self.wake_those_next(cpus, around, &mut raised);
        for task in self.given_up.drain(..).filter(|task| me != Some(*task)) {
            around.threads.interrupt(task);
        }
        raised
    }

    /// Gives up, at the gates, the jobs that the engine has given up, and withdraws the requests of those that go on
    /// without them. Such a job waits for no suspension any more.
    fn carry_out_aborts(&mut self, around: Surroundings<'_>) {
        while let Some(job) = self.live.next_withdrawn() {
            around.threads.withdraw(job.task, job.number);
        }
        while let Some(job) = self.live.next_given_up() {
            around.threads.abort(job.task, job.number);
            self.wakes.retain(|(_, waits)| *waits != job);
            self.given_up.push(job.task);
        }
    }

    fn open(&mut self, task: TaskId, cpu: CpuId, around: Surroundings<'_>, raised: &mut Raised) {
        let permission = self.permission(task);
        if around.threads.permission(task) != permission {
            self.bind(task, cpu, around, raised);
        }
        // The task's next job may follow the one before on the same processor.
        around.threads.open(task, permission, self.live.job(task).id.number);
    }

    /// Wakes the threads of jobs that a section on their processors keeps waiting. They queue up there behind the
    /// thread in the section, which then need not wake them: it opens the gate and waits, which is one system call.
    /// Threads without a real-time priority would not queue.
    fn wake_those_next(&mut self, cpus: &[CpuId], around: Surroundings<'_>, raised: &mut Raised) {
        for cpu in cpus {
            let next = self.live.linked(*cpu).filter(|job| self.permission(job.task) == Permission::Wait);
            if let (Some(job), Some(_)) = (next, around.priority) {
                self.bind(job.task, *cpu, around, raised);
                around.threads.wake_early(job.task);
            }
        }
    }

    /// Binds the thread of `task` to `cpu`.
    fn bind(&mut self, task: TaskId, cpu: CpuId, around: Surroundings<'_>, raised: &mut Raised) {
        if self.bound[task.index()] == Some(cpu) {
            return;
        }
        self.bound[task.index()] = Some(cpu);
        if around.threads.thread(task).is_some() {
            if !around.threads.is_asleep(task) {
                raised.raise(around);
            }
            let processor = around.processors[cpu.index()];
            self.spans.time_move(|| around.threads.move_to(task, processor));
        }
    }

    /// The permission of the thread of `task`, by the engine's schedule.
    pub(super) fn permission(&self, task: TaskId) -> Permission {
        let job = self.live.job(task);
        match job.scheduled_on {
            None => Permission::Wait,
            Some(cpu) if self.live.is_spinning(job.id) => Permission::Spin(cpu),
            Some(cpu) => Permission::Execute(cpu),
        }
    }
}
