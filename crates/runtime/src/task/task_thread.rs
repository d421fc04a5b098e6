//! How a task's thread leaves the runtime's code: past its gate, when that is open.

use crate::backend::gates::gate::Gate;
use crate::engine::domain::Domain;
use crate::engine::permission::Permission;
use crate::engine::surroundings::Surroundings;
use crate::machine::sys;
use crate::timers::thread_timer::ReportsTime;
use schedlab_model::TaskId;
use schedlab_sim::Input;

/// Longest time that a thread waits for another thread's decision before it sleeps again, in nanoseconds.
const LINGER: u64 = 20_000;

/// The thread of a task, between its task's code and the engine.
#[derive(Clone, Copy)]
pub(crate) struct TaskThread<'a> {
    pub domain: &'a Domain,
    pub around: Surroundings<'a>,
    pub task: TaskId,
    pub gate: &'a Gate,
}

impl<'a> TaskThread<'a> {
    pub(crate) fn new(domain: &'a Domain, around: Surroundings<'a>, gate: &'a Gate, task: TaskId) -> Self {
        TaskThread { domain, around, task, gate }
    }

    /// Reports to the engine what the task's job does, until it is accepted or the run is over; the thread is inside
    /// from then on. False, and the thread is not inside, if the job was given up before it was complete.
    pub(crate) fn report(&self, input: Input) -> bool {
        let gate = self.gate;
        gate.set_inside(true);
        while !self.domain.report(self.around, self.task, input) {
            let permission = self.pass(gate.job_number());
            if permission != Permission::End && input == Input::Complete && gate.has_been_aborted() {
                return false;
            }
            gate.set_inside(true);
            if permission == Permission::End {
                break;
            }
        }
        true
    }

    /// Waits until the thread may execute or the run is over; the thread is inside. True if it had given up its
    /// processor just before.
    ///
    /// Meanwhile the thread may have to report the time: one that sleeps on an idle processor is there sooner than the
    /// timer thread, which would have to wake it.
    pub(crate) fn wait_to_execute(&self) -> (Permission, bool) {
        let gate = self.gate;
        let (mut waited, mut spun) = (false, None);
        loop {
            match gate.permission() {
                Permission::Wait => {
                    waited = true;
                    if spun.take().is_some() {
                        gate.stopped(gate.job_number());
                    }
                    if let Some(due) = gate.wait_or_due() {
                        self.report_time(due);
                        self.linger();
                    }
                }
                Permission::Spin(cpu) => {
                    // The thread has its processor back, though not yet what it spins for.
                    if std::mem::take(&mut waited) || spun.is_some_and(|before| before != cpu) {
                        gate.passed(cpu, gate.job_number());
                    }
                    spun = Some(cpu);
                    self.report_noted();
                    std::hint::spin_loop();
                }
                Permission::Execute(cpu) => {
                    // The thread may have been moved meanwhile, too soon to be seen.
                    return (Permission::Execute(cpu), waited || spun.is_some_and(|before| before != cpu));
                }
                Permission::End => return (Permission::End, waited),
            }
        }
    }

    /// Stays awake for a moment while another thread decides, whose timer was due at the same time on another
    /// processor.
    fn linger(&self) {
        let until = sys::monotonic_ns() + LINGER;
        while self.gate.permission() == Permission::Wait
            && self.domain.fast_sections().is_deciding()
            && sys::monotonic_ns() < until
        {
            std::hint::spin_loop();
        }
    }

    /// Reports what was due, if the thread's timer has fired meanwhile.
    pub(crate) fn report_noted(&self) {
        if let Some(due) = self.gate.thread_timer.take_noted() {
            self.report_time(due);
        }
    }

    /// Leaves the runtime's code once the thread may execute. A thread that shuts the gate after the last look sends a
    /// signal.
    pub(crate) fn pass(&self, number: u32) -> Permission {
        let gate = self.gate;
        loop {
            if gate.permission() == Permission::Wait {
                gate.stopped(number);
            }
            let (permission, waited) = self.wait_to_execute();
            // The thread may have been stopped and let go on elsewhere while it was inside.
            if let Permission::Execute(cpu) = permission {
                if waited || !gate.is_recorded_on(cpu) {
                    gate.passed(cpu, number);
                }
            }
            gate.set_inside(false);
            let noted = gate.thread_timer.take_noted();
            if noted.is_none() && matches!(gate.permission(), Permission::Execute(_) | Permission::End) {
                return permission;
            }
            gate.set_inside(true);
            noted.inspect(|due| self.report_time(*due));
        }
    }
}

impl ReportsTime for TaskThread<'_> {
    fn report_time(&self, due: u64) {
        self.domain.report_time(self.around, due, Some(self.task));
    }
}
