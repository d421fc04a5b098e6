//! A task's thread that a scheduler in the kernel schedules by itself: it waits for its releases by the clock, and
//! publishes its next arrival before. The kernel records what it does.

use crate::backend::gates::gate::Gate;
use crate::backend::kernel_class::KernelSide;
use crate::backend::native::{index_of, NativeSide};
use crate::machine::clock::Clock;
use crate::machine::sys;
use crate::task::current::Current;
use crate::task::drawn_jobs::DrawnJobs;
use crate::task::sections::{Call, Misuse, Sections};
use schedlab_model::{CpuId, Instant, Step, TaskId};
use std::ffi::c_void;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;

/// The state that a task's thread owns.
pub(crate) struct NativeTask {
    pub task: TaskId,
    pub program: Vec<Step>,
    pub jobs: DrawnJobs,
}

/// The parts of the run that the thread uses.
#[derive(Clone, Copy)]
pub(crate) struct NativeSurroundings<'a> {
    pub native: &'a NativeSide,
    pub side: &'a KernelSide,
    pub clock: &'a Clock,
    pub gate: &'a Gate,
    pub processors: &'a [usize],
    pub stop: &'a AtomicBool,
}

/// The part of a [`Context`](crate::Context) that belongs to a thread that the kernel schedules as an engine would.
pub(crate) struct NativeThread<'a> {
    pub current: Current<'a>,
    task: TaskId,
    around: NativeSurroundings<'a>,
    sections: Sections,
    jobs: DrawnJobs,
}

impl<'a> NativeThread<'a> {
    pub(crate) fn new(own: NativeTask, around: NativeSurroundings<'a>) -> Self {
        NativeThread {
            current: Current::of(own.task, around.clock, around.stop),
            sections: Sections::of(&own.program),
            task: own.task,
            around,
            jobs: own.jobs,
        }
    }

    fn index(&self) -> u32 {
        index_of(self.task)
    }

    pub(crate) fn next_job(&mut self) -> bool {
        if self.current.is_forked() {
            return false;
        }
        self.end_job();
        if self.is_over() {
            return false;
        }
        let Some(next) = self.jobs.draw(&mut self.current) else {
            self.have_no_job();
            self.around.side.sleep_until(u64::MAX);
            return false;
        };
        let scheduler = &self.around.native.scheduler;
        scheduler.publish(self.index(), self.jobs.count(), next.arrival.as_ns());
        let release = self.around.clock.monotonic(next.release);
        loop {
            self.around.side.sleep_until(scheduler.due(self.index()).max(release));
            if self.is_over() {
                return false;
            }
            if scheduler.has_begun(self.index()) {
                break;
            }
        }
        self.around.gate.passed(self.here(), self.current.job.number);
        self.current.executing = true;
        true
    }

    /// The processor where the thread executes.
    fn here(&self) -> CpuId {
        let here = sys::current_processor();
        let place = self.around.processors.iter().position(|known| *known == here);
        CpuId(place.unwrap_or(0) as u16)
    }

    fn have_no_job(&self) {
        self.around.native.left[self.task.index()].store(true, SeqCst);
        self.around.native.scheduler.leave(self.index(), self.jobs.count());
    }

    pub(crate) fn leave(&mut self) {
        if self.current.is_forked() {
            sys::exit_at_once();
        }
        self.end_job();
        if !self.is_over() {
            self.have_no_job();
        }
    }

    fn end_job(&mut self) {
        while self.sections.is_non_preemptive() {
            self.exit().expect("it is in such a section");
        }
        self.current.executing = false;
    }

    pub(crate) fn is_over(&self) -> bool {
        self.around.side.is_over() || self.current.is_forked()
    }

    /// False: no job is given up.
    pub(crate) fn aborted(&self) -> bool {
        false
    }

    /// True: the job goes on until the next one begins, and is not given up.
    pub(crate) fn complete(&mut self) -> bool {
        true
    }

    /// Does nothing: no job is given up.
    pub(crate) fn set_landing(&mut self, _: *mut c_void) {}

    pub(crate) fn call(&mut self, call: Call) -> Result<(), Misuse> {
        self.current.refuse_forked()?;
        if !self.current.executing {
            return if self.is_over() { Ok(()) } else { Err(Misuse::NoJob) };
        }
        match call {
            // No resource is declared where the kernel decides by itself.
            Call::Lock(resource, units) => self.sections.request(resource, units),
            Call::Unlock(resource, units) => self.sections.release(resource, units),
            Call::Retry(resource) => self.sections.check_held(resource),
            Call::EnterNonPreemptive => {
                if !self.sections.is_non_preemptive() {
                    self.around.native.scheduler.enter_section(self.index());
                }
                self.sections.enter_non_preemptive();
                Ok(())
            }
            Call::ExitNonPreemptive => self.exit(),
            Call::Suspend(length) => {
                self.sections.check_suspension()?;
                let until = self.current.clock.now().checked_add(length).unwrap_or(Instant::NEVER);
                self.around.side.sleep_until(self.around.clock.monotonic(until));
                Ok(())
            }
        }
    }

    fn exit(&mut self) -> Result<(), Misuse> {
        self.sections.exit_non_preemptive()?;
        if !self.sections.is_non_preemptive() {
            self.around.native.scheduler.leave_section(self.index());
        }
        Ok(())
    }
}
