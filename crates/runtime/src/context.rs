//! What a task's code may ask of the runtime.

use crate::domain::{Domain, Surroundings};
use crate::gate::{Gate, Leave};
use crate::sys;
use schedlab_model::{Duration, Instant, JobId, ResourceId, TaskId};
use schedlab_sim::Input;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;

/// The runtime, as one task's code sees it: at first without a job, then with one after the other.
///
/// What a job may do, it does between [`Context::next_job`] and the next; outside of a job these calls panic.
pub struct Context<'a> {
    domain: &'a Domain,
    around: Surroundings<'a>,
    stop: &'a AtomicBool,
    task: TaskId,
    job: JobId,
    arrival: Instant,
    absolute_deadline: Instant,
    /// Between a job's first instruction and its end.
    executing: bool,
    over: bool,
}

impl<'a> Context<'a> {
    pub(crate) fn new(
        domain: &'a Domain,
        around: Surroundings<'a>,
        stop: &'a AtomicBool,
        task: TaskId,
    ) -> Self {
        Context {
            domain,
            around,
            stop,
            task,
            job: JobId::new(task, 0),
            arrival: Instant::ZERO,
            absolute_deadline: Instant::ZERO,
            executing: false,
            over: false,
        }
    }

    /// Ends the job, if there is one, and waits until the task's next may execute. False if the run is over.
    pub fn next_job(&mut self) -> bool {
        self.end_job(Input::Complete);
        if self.over || self.domain.has_left(self.task) {
            return false;
        }
        let Leave::Execute(cpu) = wait_to_execute(self.gate()).0 else {
            self.over = true;
            return false;
        };
        let (job, arrival, absolute_deadline) = self.domain.live_job(self.task);
        (self.job, self.arrival, self.absolute_deadline) = (job, arrival, absolute_deadline);
        self.gate().passed(cpu, job.number);
        self.over = pass(self.gate(), job.number) == Leave::End;
        self.executing = !self.over;
        self.executing
    }

    /// The task has no further job: ends the one that executes, and those that have arrived meanwhile.
    pub(crate) fn leave(&mut self) {
        if self.executing || self.next_job() {
            self.end_job(Input::Leave);
            while self.next_job() {}
        }
    }

    fn end_job(&mut self, input: Input) {
        if std::mem::take(&mut self.executing) {
            self.gate().set_inside(true);
            say(self.domain, self.around, self.gate(), self.job, input);
        }
    }

    fn gate(&self) -> &'a Gate {
        &self.around.gates[self.task.index()]
    }

    /// Asks for the end of the run; jobs go on until they notice.
    pub fn end_run(&self) {
        self.stop.store(true, SeqCst);
    }

    /// True between a job's first instruction and its end.
    pub fn is_executing(&self) -> bool {
        self.executing
    }

    /// The task.
    pub fn task(&self) -> TaskId {
        self.task
    }

    /// The job, or the last one.
    pub fn job(&self) -> JobId {
        self.job
    }

    /// When it arrived.
    pub fn arrival(&self) -> Instant {
        self.arrival
    }

    /// When it ought to be complete.
    pub fn absolute_deadline(&self) -> Instant {
        self.absolute_deadline
    }

    /// The time.
    pub fn now(&self) -> Instant {
        self.around.clock.now()
    }

    /// Waits for `resource` as the protocol says, and holds it then.
    pub fn lock(&mut self, resource: ResourceId) {
        self.lock_units(resource, 1);
    }

    /// As [`Context::lock`], for `units` of it.
    pub fn lock_units(&mut self, resource: ResourceId, units: u32) {
        self.call(Input::Request(resource, units));
    }

    /// Gives `resource` back.
    pub fn unlock(&mut self, resource: ResourceId) {
        self.unlock_units(resource, 1);
    }

    /// Gives `units` of `resource` back.
    pub fn unlock_units(&mut self, resource: ResourceId, units: u32) {
        self.call(Input::Release(resource, units));
    }

    /// Is not preempted from now on.
    pub fn enter_non_preemptive(&mut self) {
        self.call(Input::NpEnter);
    }

    /// Ends [`Context::enter_non_preemptive`]; a preemption that was delayed happens now.
    pub fn exit_non_preemptive(&mut self) {
        self.call(Input::NpExit);
    }

    fn call(&mut self, input: Input) {
        assert!(self.executing || self.over, "a job's calls are made by a job");
        let gate = self.gate();
        gate.set_inside(true);
        say(self.domain, self.around, gate, self.job, input);
        pass(gate, self.job.number);
    }

    /// Gives up the processor for `length`: it waits for something that schedlab does not know.
    pub fn suspend(&mut self, length: Duration) {
        assert!(self.executing || self.over, "a job's calls are made by a job");
        let gate = self.gate();
        gate.set_inside(true);
        say(self.domain, self.around, gate, self.job, Input::Suspend);
        sys::sleep_until(self.around.clock.monotonic(self.now() + length));
        self.domain.wake(self.around, self.job);
        pass(gate, self.job.number);
    }
}

/// Says what `job` does, until it is heard or the run is over; the thread is inside.
pub(crate) fn say(domain: &Domain, around: Surroundings<'_>, gate: &Gate, job: JobId, input: Input) {
    while !domain.tell(around, job, input) {
        if pass(gate, job.number) == Leave::End {
            return;
        }
        gate.set_inside(true);
    }
}

/// Waits until the thread may execute or the run is over; the thread is inside. True if it had to give up its processor.
fn wait_to_execute(gate: &Gate) -> (Leave, bool) {
    let mut waited = false;
    loop {
        match gate.leave() {
            Leave::Wait => {
                waited = true;
                gate.wait_while_shut();
            }
            Leave::Spin(_) => std::hint::spin_loop(),
            leave @ (Leave::Execute(_) | Leave::End) => return (leave, waited),
        }
    }
}

/// Leaves our code once the thread may execute. Whoever shuts the gate after the last look signals.
pub(crate) fn pass(gate: &Gate, number: u32) -> Leave {
    loop {
        if gate.leave() == Leave::Wait {
            gate.stopped(number);
        }
        let (leave, waited) = wait_to_execute(gate);
        if let (Leave::Execute(cpu), true) = (leave, waited) {
            gate.passed(cpu, number);
        }
        gate.set_inside(false);
        if matches!(gate.leave(), Leave::Execute(_) | Leave::End) {
            return leave;
        }
        gate.set_inside(true);
    }
}
