//! What the clustered scheduler reports of jobs and switches.

/// A record of the clustered scheduler: the inputs from which a run decides anew, and what the kernel made of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelRecord {
    /// By the monotonic clock, in ns.
    pub at: u64,
    /// The processor on which it was written: for switches, where the thread executes.
    pub processor: u32,
    /// Index of the task.
    pub index: u32,
    /// Number of the job, from 1 on; 0 if the task has none.
    pub job: u32,
    /// What happened.
    pub what: KernelEvent,
}

/// What a [`KernelRecord`] says. Times are in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelEvent {
    /// The job begins to be ready.
    Arrived {
        /// When it arrived, by the run's clock: its point is computed from this.
        arrival: u64,
    },
    /// The job is complete: its thread sleeps, or has published its next job.
    Completed {
        /// How long it executed.
        executed: u64,
    },
    /// The job sleeps before it is complete.
    Suspended,
    /// The job is ready again.
    Resumed,
    /// The task's thread begins to execute.
    Running,
    /// The task's thread stops executing.
    Stopped {
        /// True if it could go on.
        ready: bool,
    },
    /// The job's section delays a preemption for the first time.
    SectionKept {
        /// Number of the section.
        section: u32,
    },
    /// A section that has delayed a preemption is over.
    SectionLeft {
        /// Number of the section.
        section: u32,
    },
    /// A section has delayed a preemption for too long, and is not heeded any more.
    SectionBroken {
        /// Number of the section.
        section: u32,
    },
    /// The job sleeps in a section that is heeded.
    SectionSlept {
        /// Number of the section.
        section: u32,
    },
    /// The job that slept in a section is ready again.
    SectionWoke {
        /// Number of the section.
        section: u32,
    },
    /// The job has used its budget up.
    Overran {
        /// How long it has executed.
        executed: u64,
    },
    /// The thread wants a job to arrive before that may be.
    TooEarly {
        /// When it may arrive, by the run's clock.
        earliest: u64,
    },
    /// The thread may execute on other processors than its cluster's: it is no task's any more.
    Strayed,
    /// The job is given a quantum that begins now.
    Given {
        /// The quantum's processor.
        processor: u32,
    },
}

#[cfg(feature = "kernel")]
impl KernelRecord {
    /// Bytes of a record, as `struct record` of `src/bpf/cluster.h` has them.
    pub(crate) const BYTES: usize = 32;

    /// Reads a record.
    pub(crate) fn of(bytes: &[u8; Self::BYTES]) -> Self {
        let word = |from: usize| u32::from_ne_bytes(bytes[from..from + 4].try_into().expect("four bytes"));
        let half = |from: usize| u16::from_ne_bytes(bytes[from..from + 2].try_into().expect("two bytes"));
        let long = |from: usize| u64::from_ne_bytes(bytes[from..from + 8].try_into().expect("eight bytes"));
        let value = long(8);
        let section = value as u32;
        let what = match word(24) {
            1 => KernelEvent::Arrived { arrival: value },
            2 => KernelEvent::Completed { executed: value },
            3 => KernelEvent::Suspended,
            4 => KernelEvent::Resumed,
            5 => KernelEvent::Running,
            6 => KernelEvent::Stopped { ready: value != 0 },
            7 => KernelEvent::SectionKept { section },
            8 => KernelEvent::SectionLeft { section },
            9 => KernelEvent::SectionBroken { section },
            10 => KernelEvent::Overran { executed: value },
            11 => KernelEvent::TooEarly { earliest: value },
            12 => KernelEvent::Strayed,
            13 => KernelEvent::SectionSlept { section },
            14 => KernelEvent::SectionWoke { section },
            64 => KernelEvent::Given { processor: value as u32 },
            other => panic!("the scheduler writes no records of kind {other}"),
        };
        KernelRecord {
            at: long(0),
            processor: u32::from(half(22)),
            index: u32::from(half(20)),
            job: word(16),
            what,
        }
    }
}
