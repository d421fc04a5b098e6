//! How do tasks run where a scheduling class of Linux itself decides, without gates and the engine?

pub(crate) mod assembled;
pub(crate) mod attributes;
pub(crate) mod mutex;

use self::mutex::{KernelMutex, MutexKind};
use crate::machine::sys;
use schedlab_lab::KernelParameters;
use schedlab_model::{Band, CpuId, Instant, JobId, JobSource, Priority};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;

/// A run under a scheduling class of Linux.
pub struct KernelRun {
    /// By task: the scheduling parameters of its thread.
    pub parameters: Vec<KernelParameters>,
    /// By task: the processor to which its thread is bound; none where the thread may use all of the system's.
    pub bound: Vec<Option<CpuId>>,
    /// By resource: its mutex.
    pub mutexes: Vec<MutexKind>,
    /// By task: its jobs, which its thread draws.
    pub sources: Vec<Box<dyn JobSource + Send>>,
    /// The jobs of all tasks once more: those that arrive and never begin are drawn from here.
    pub unbegun: Box<dyn JobSource + Send>,
}

/// The state that the threads of such a run share.
#[derive(Debug)]
pub(crate) struct KernelSide {
    /// Not zero once the run is over; threads that wait for a time wait here.
    over: AtomicU32,
    pub mutexes: Vec<KernelMutex>,
}

impl KernelSide {
    pub(crate) fn of(run: &KernelRun) -> Self {
        KernelSide {
            over: AtomicU32::new(0),
            mutexes: run.mutexes.iter().map(|kind| KernelMutex::new(*kind)).collect(),
        }
    }

    /// The state of threads without mutexes of the kernel's.
    pub(crate) fn without_mutexes() -> Self {
        KernelSide { over: AtomicU32::new(0), mutexes: Vec::new() }
    }

    /// Ends the run: threads that wait for a time wake up.
    pub(crate) fn end(&self) {
        self.over.store(1, SeqCst);
        sys::futex_wake(&self.over);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.load(SeqCst) != 0
    }

    /// Sleeps until the monotonic clock says `until`, or the run is over.
    pub(crate) fn sleep_until(&self, until: u64) {
        while !self.is_over() && sys::monotonic_ns() < until {
            sys::futex_wait(&self.over, 0, Some(until));
        }
    }
}

/// The priority of a job as the trace has it: larger is less urgent.
pub(crate) fn priority_of(parameters: KernelParameters, job: JobId, absolute_deadline: Instant) -> Priority {
    let (band, point) = match parameters {
        // Threads with reservations go before all others.
        KernelParameters::Deadline { .. } => {
            (Band::Boosted, absolute_deadline.as_ns().min(Priority::MAX_POINT))
        }
        KernelParameters::Fifo(priority) => (Band::Base, u64::from(u8::MAX - priority)),
        KernelParameters::Ordinary => (Band::Background, 0),
    };
    Priority::in_band(band, point, job)
}
