//! A task's thread that a scheduler in the kernel schedules by itself: it waits for its releases by the clock, and
//! publishes its next arrival before. The kernel records what it does, and the thread itself which locks it takes.

use crate::backend::gates::gate::Gate;
use crate::backend::kernel_class::KernelSide;
use crate::backend::native::{index_of, NativeSide};
use crate::machine::clock::Clock;
use crate::machine::sys;
use crate::record::lock_records::LockRecord;
use crate::record::log::Writer;
use crate::task::current::Current;
use crate::task::drawn_jobs::DrawnJobs;
use crate::task::native_locks::OwnLocks;
use crate::task::sections::{Call, Misuse, Sections};
use schedlab_model::{CpuId, Instant, ResourceId, Step, TaskId};
use std::ffi::c_void;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;

/// The state that a task's thread owns.
pub(crate) struct NativeTask {
    pub task: TaskId,
    pub program: Vec<Step>,
    pub jobs: DrawnJobs,
    /// The thread's records of the locks that it takes.
    pub log: Writer<LockRecord>,
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
    locks: OwnLocks<'a>,
    jobs: DrawnJobs,
}

impl<'a> NativeThread<'a> {
    pub(crate) fn new(own: NativeTask, around: NativeSurroundings<'a>) -> Self {
        NativeThread {
            current: Current::of(own.task, around.clock, around.stop),
            sections: Sections::of(&own.program),
            locks: OwnLocks::new(&around.native.locks, around.clock, own.log, own.program.len()),
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
        let after = scheduler.looks_ahead().then(|| self.jobs.look_ahead(self.task)).flatten();
        scheduler.publish(self.index(), self.jobs.count(), next, after);
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
        while let Some((resource, units)) = self.sections.last_held() {
            self.unlock(resource, units).expect("it is held");
        }
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
            return if self.is_over() { self.call_after_end(call) } else { Err(Misuse::NoJob) };
        }
        match call {
            Call::EnterNonPreemptive | Call::ExitNonPreemptive
                if !self.around.native.scheduler.has_sections() =>
            {
                Err(Misuse::KernelDecides)
            }
            Call::Lock(resource, units) => {
                let is_first = self.sections.is_outside();
                self.sections.request(resource, units)?;
                if is_first {
                    self.around.native.scheduler.enter_section(self.index());
                }
                self.lock(resource);
                Ok(())
            }
            Call::Unlock(resource, units) => self.unlock(resource, units),
            Call::Retry(resource) => {
                self.sections.check_held(resource)?;
                Err(Misuse::NoAttempt(resource))
            }
            Call::EnterNonPreemptive => {
                if self.sections.is_outside() {
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

    /// Does what a thread may do once the run is over: it takes and gives back locks, and nothing else happens.
    #[cold]
    fn call_after_end(&mut self, call: Call) -> Result<(), Misuse> {
        match call {
            Call::Lock(resource, units) => {
                self.sections.request_anything(resource, units);
                self.lock(resource);
            }
            Call::Unlock(resource, units) => {
                // The end of the run may have taken what is not held any more.
                if self.sections.release(resource, units).is_ok() {
                    self.locks.unlock(resource, self.current.job.number, self.sections.is_outside());
                }
            }
            Call::Retry(_) | Call::EnterNonPreemptive | Call::ExitNonPreemptive | Call::Suspend(_) => {}
        }
        Ok(())
    }

    fn lock(&mut self, resource: ResourceId) {
        let side = self.around.side;
        self.locks.lock(resource, self.current.job.number, || side.is_over());
    }

    fn unlock(&mut self, resource: ResourceId, units: u32) -> Result<(), Misuse> {
        self.sections.release(resource, units)?;
        self.locks.unlock(resource, self.current.job.number, self.sections.is_outside());
        self.leave_section();
        Ok(())
    }

    fn exit(&mut self) -> Result<(), Misuse> {
        self.sections.exit_non_preemptive()?;
        self.leave_section();
        Ok(())
    }

    /// Has the kernel heed preemptions again, if the thread is in no section any more.
    fn leave_section(&self) {
        if self.sections.is_outside() {
            self.around.native.scheduler.leave_section(self.index());
        }
    }
}
