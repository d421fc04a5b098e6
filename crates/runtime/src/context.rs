//! What a job's code may ask of the runtime.

use crate::domain::{Domain, Surroundings};
use crate::gate::{Gate, Leave};
use crate::sys;
use schedlab_model::{Duration, Instant, JobId, ResourceId, TaskId};
use schedlab_sim::Input;

/// The runtime, as one job's code sees it.
pub struct Context<'a> {
    pub(crate) domain: &'a Domain,
    pub(crate) around: Surroundings<'a>,
    pub(crate) job: JobId,
    pub(crate) arrival: Instant,
}

impl Context<'_> {
    /// The job.
    pub fn job(&self) -> JobId {
        self.job
    }

    /// When it arrived.
    pub fn arrival(&self) -> Instant {
        self.arrival
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
        let gate = &self.around.gates[self.job.task.index()];
        gate.set_inside(true);
        say(self.domain, self.around, gate, self.job, input);
        pass(gate, self.job.number);
    }

    /// Gives up the processor for `length`: it waits for something that schedlab does not know.
    pub fn suspend(&mut self, length: Duration) {
        let gate = &self.around.gates[self.job.task.index()];
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

/// The live job of `task`, once it may execute; none if the run is over.
pub(crate) fn next_job<'a>(
    domain: &'a Domain,
    around: Surroundings<'a>,
    task: TaskId,
) -> Option<Context<'a>> {
    let gate = &around.gates[task.index()];
    let Leave::Execute(cpu) = wait_to_execute(gate).0 else { return None };
    let (job, arrival) = domain.live_job(task);
    gate.passed(cpu, job.number);
    (pass(gate, job.number) != Leave::End).then_some(Context { domain, around, job, arrival })
}
