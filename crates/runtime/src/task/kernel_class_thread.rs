//! A task's thread that Linux schedules: it waits for its releases by the clock, and records what it does.
//!
//! No decision stands behind these records: the thread records where its job begins, and when it takes and gives back
//! what it shares. The context switches show what the kernel ran in between.

use crate::backend::gates::gate::Gate;
use crate::backend::kernel_class::{priority_of, KernelSide};
use crate::machine::clock::Clock;
use crate::machine::sys;
use crate::record::log::Writer;
use crate::task::current::Current;
use crate::task::drawn_jobs::DrawnJobs;
use crate::task::sections::{Call, Misuse, Sections};
use schedlab_lab::KernelParameters;
use schedlab_model::{ClusterId, CpuId, Instant, ResourceId, Step, TaskId};
use schedlab_trace::{Record, RunRecord};
use std::ffi::c_void;
use std::sync::atomic::AtomicBool;

/// The state that a task's thread owns.
pub(crate) struct KernelClassTask {
    pub task: TaskId,
    pub parameters: KernelParameters,
    /// The processor to which the thread is bound; none where it may use all of the system's.
    pub bound: Option<CpuId>,
    pub cluster: ClusterId,
    pub program: Vec<Step>,
    pub jobs: DrawnJobs,
    pub log: Writer<(Instant, Record)>,
}

/// The parts of the run that the thread uses.
#[derive(Clone, Copy)]
pub(crate) struct KernelClassSurroundings<'a> {
    pub side: &'a KernelSide,
    pub clock: &'a Clock,
    pub gate: &'a Gate,
    pub processors: &'a [usize],
    pub stop: &'a AtomicBool,
}

/// The part of a [`Context`](crate::Context) that belongs to a thread that Linux schedules.
pub(crate) struct KernelClassThread<'a> {
    pub current: Current<'a>,
    own: KernelClassTask,
    around: KernelClassSurroundings<'a>,
    sections: Sections,
    /// The ceilings of the mutexes that the job holds.
    raised: Vec<u8>,
    completed: Instant,
}

impl<'a> KernelClassThread<'a> {
    pub(crate) fn new(own: KernelClassTask, around: KernelClassSurroundings<'a>) -> Self {
        KernelClassThread {
            current: Current::of(own.task, around.clock, around.stop),
            sections: Sections::of(&own.program),
            raised: Vec::with_capacity(own.program.len()),
            own,
            around,
            completed: Instant::ZERO,
        }
    }

    pub(crate) fn next_job(&mut self) -> bool {
        if self.current.is_forked() {
            return false;
        }
        self.end_job();
        if self.is_over() {
            return false;
        }
        let Some(next) = self.own.jobs.draw(&mut self.current) else {
            self.around.side.sleep_until(u64::MAX);
            return false;
        };
        self.around.side.sleep_until(self.around.clock.monotonic(next.release));
        if self.is_over() {
            return false;
        }
        self.begin_job(next.release);
        true
    }

    /// Records that the job begins: its thread executes already.
    fn begin_job(&mut self, release: Instant) {
        let (job, absolute_deadline) = (self.current.job, self.current.absolute_deadline);
        let (at, cpu) = self.here();
        let ready = release.max(self.completed);
        let priority = priority_of(self.own.parameters, job, absolute_deadline);
        let cost = schedlab_model::Work::ZERO;
        self.write(self.current.arrival, Record::Arrival { job, absolute_deadline, cost });
        self.write(ready, Record::Ready { job, priority, cluster: self.own.cluster });
        self.write(at, Record::Run(RunRecord::Dispatch { cpu, job }));
        self.around.gate.passed(cpu, job.number);
        self.current.executing = true;
    }

    /// The time, and the processor on which it was read.
    fn here(&self) -> (Instant, CpuId) {
        loop {
            let before = sys::current_processor();
            let now = self.current.clock.now();
            if sys::current_processor() == before {
                let place = self.around.processors.iter().position(|known| *known == before);
                return (now, CpuId(place.unwrap_or(0) as u16));
            }
        }
    }

    pub(crate) fn leave(&mut self) {
        if self.current.is_forked() {
            sys::exit_at_once();
        }
        self.end_job();
        self.write(self.current.clock.now(), Record::Leave { task: self.own.task });
    }

    fn end_job(&mut self) {
        while let Some((resource, _)) = self.sections.last_held() {
            let given = self.sections.release(resource, 1);
            given.expect("it is held");
            self.unlock(resource);
        }
        if !self.current.executing {
            return;
        }
        self.current.executing = false;
        let (job, now) = (self.current.job, self.current.clock.now());
        self.completed = now;
        self.write(now, Record::Complete { job });
        if now > self.current.absolute_deadline {
            self.write(now, Record::Miss { job });
        }
    }

    fn write(&mut self, at: Instant, record: Record) {
        self.own.log.push((at, record));
    }

    pub(crate) fn is_over(&self) -> bool {
        self.around.side.is_over() || self.current.is_forked()
    }

    /// False: Linux gives no job up.
    pub(crate) fn aborted(&self) -> bool {
        false
    }

    /// True: the job goes on until the next one begins, and is not given up.
    pub(crate) fn complete(&mut self) -> bool {
        true
    }

    /// Does nothing: Linux gives no job up.
    pub(crate) fn set_landing(&mut self, _: *mut c_void) {}

    pub(crate) fn call(&mut self, call: Call) -> Result<(), Misuse> {
        self.current.refuse_forked()?;
        if !self.current.executing {
            return if self.is_over() { Ok(()) } else { Err(Misuse::NoJob) };
        }
        match call {
            Call::Lock(resource, units) => {
                self.sections.request(resource, units)?;
                self.lock(resource);
            }
            Call::Unlock(resource, units) => {
                self.sections.release(resource, units)?;
                self.unlock(resource);
            }
            Call::EnterNonPreemptive | Call::ExitNonPreemptive | Call::Retry(_) => {
                return Err(Misuse::KernelDecides)
            }
            Call::Suspend(length) => {
                self.sections.check_suspension()?;
                let until = self.current.clock.now().checked_add(length).unwrap_or(Instant::NEVER);
                self.around.side.sleep_until(self.around.clock.monotonic(until));
            }
        }
        Ok(())
    }

    fn lock(&mut self, resource: ResourceId) {
        let (job, units) = (self.current.job, 1);
        self.write(self.current.clock.now(), Record::Request { job, resource, units });
        let mutex = &self.around.side.mutexes[resource.index()];
        if let Some(ceiling) = mutex.ceiling() {
            self.raised.push(ceiling);
            self.take_priority();
        }
        mutex.lock().unwrap_or_else(|error| panic!("{job} waits for {resource}: {error}"));
        self.write(self.current.clock.now(), Record::Acquire { job, resource, units });
    }

    fn unlock(&mut self, resource: ResourceId) {
        let (job, units) = (self.current.job, 1);
        // Before the next holder can say that it acquires.
        self.write(self.current.clock.now(), Record::Release { job, resource, units });
        let mutex = &self.around.side.mutexes[resource.index()];
        mutex.unlock().unwrap_or_else(|error| panic!("{job} gives {resource} back: {error}"));
        if let Some(place) = mutex.ceiling().and_then(|own| self.raised.iter().rposition(|held| *held == own))
        {
            self.raised.remove(place);
            self.take_priority();
        }
    }

    /// Takes the highest ceiling of the mutexes that the job holds, or its own priority. No thread is real-time once
    /// the run is over.
    fn take_priority(&self) {
        let KernelParameters::Fifo(own) = self.own.parameters else { return };
        let wanted = self.raised.iter().copied().max().map_or(own, |ceiling| ceiling.max(own));
        if self.around.side.is_over() {
            return;
        }
        let given = sys::set_fifo(sys::current_thread(), wanted);
        given.expect("the kernel gave this thread a real-time priority before");
        // The run may have ended, and taken the priority away, just before.
        if self.around.side.is_over() {
            let _ = sys::set_other(sys::current_thread());
        }
    }
}
