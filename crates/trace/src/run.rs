//! What only real runs record: what was decided, and what the machine did meanwhile.
//!
//! In a real run, [`Record::Dispatch`](crate::Record::Dispatch) and `Preempt` are when threads began and stopped to
//! execute. These records add the decisions themselves and the kernel's context switches, on the same clock. Together
//! they say who took processor time from which job. All that happened before time zero or after the end bears the
//! nearest of these times. The header has the names of threads and of the machine's processors.

use crate::part::{cpu, duration, instant, job, number, task};
use crate::varint;
use schedlab_model::{CpuId, Duration, Instant, JobId, TaskId};

/// A thread of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Thread {
    /// That of the task.
    Task(TaskId),
    /// Another one, by the kernel's number; 0 is the kernel's idle thread, which some kernels name and others do not.
    Other(u32),
}

/// What only a real run records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunRecord {
    /// It was decided that the job occupies the processor.
    Dispatch {
        /// Which processor.
        cpu: CpuId,
        /// Which job.
        job: JobId,
    },
    /// It was decided that the job leaves the processor although it is ready to go on.
    Preempt {
        /// Which processor.
        cpu: CpuId,
        /// Which job.
        job: JobId,
    },
    /// The kernel gave the processor to the thread.
    SwitchIn {
        /// Which processor.
        cpu: CpuId,
        /// Which thread.
        thread: Thread,
    },
    /// The kernel took the processor from the thread.
    SwitchOut {
        /// Which processor.
        cpu: CpuId,
        /// Which thread.
        thread: Thread,
        /// True if the thread was ready to go on.
        ready: bool,
    },
    /// The kernel was asked for its context switches. A run without this record knows none.
    Switches {
        /// How many the kernel could not write.
        missing: u64,
    },
    /// The host of the virtual machine took time from the processor. One of no length says that the kernel counts it.
    Stolen {
        /// Which processor.
        cpu: CpuId,
        /// It took the time after this, and before the record's time.
        since: Instant,
        /// How much.
        length: Duration,
    },
    /// No thread of the run executed: its process was stopped, or the machine was.
    Standstill {
        /// From then on, until the record's time.
        since: Instant,
    },
    /// The task's thread went on after the end of the run.
    Afterwards {
        /// Which task.
        task: TaskId,
        /// For so long.
        length: Duration,
    },
}

impl RunRecord {
    /// The task that the record names.
    pub fn task(&self) -> Option<TaskId> {
        match *self {
            RunRecord::Dispatch { job, .. } | RunRecord::Preempt { job, .. } => Some(job.task),
            RunRecord::SwitchIn { thread: Thread::Task(task), .. }
            | RunRecord::SwitchOut { thread: Thread::Task(task), .. }
            | RunRecord::Afterwards { task, .. } => Some(task),
            RunRecord::SwitchIn { thread: Thread::Other(_), .. }
            | RunRecord::SwitchOut { thread: Thread::Other(_), .. }
            | RunRecord::Switches { .. }
            | RunRecord::Stolen { .. }
            | RunRecord::Standstill { .. } => None,
        }
    }

    /// The processor that the record names.
    pub fn cpu(&self) -> Option<CpuId> {
        match *self {
            RunRecord::Dispatch { cpu, .. }
            | RunRecord::Preempt { cpu, .. }
            | RunRecord::SwitchIn { cpu, .. }
            | RunRecord::SwitchOut { cpu, .. }
            | RunRecord::Stolen { cpu, .. } => Some(cpu),
            RunRecord::Switches { .. } | RunRecord::Standstill { .. } | RunRecord::Afterwards { .. } => None,
        }
    }

    /// The number of each kind. Never reused, never renumbered.
    pub(crate) fn kind(&self) -> u8 {
        match self {
            RunRecord::Dispatch { .. } => 33,
            RunRecord::Preempt { .. } => 34,
            RunRecord::SwitchIn { .. } => 35,
            RunRecord::SwitchOut { ready: false, .. } => 36,
            RunRecord::SwitchOut { ready: true, .. } => 37,
            RunRecord::Switches { .. } => 38,
            RunRecord::Stolen { .. } => 39,
            RunRecord::Standstill { .. } => 40,
            RunRecord::Afterwards { .. } => LAST_KIND,
        }
    }

    /// What it holds, in order.
    pub(crate) fn numbers(&self, mut write: impl FnMut(u64)) {
        let numbers: &[u64] = match *self {
            RunRecord::Dispatch { cpu, job } | RunRecord::Preempt { cpu, job } => {
                &[cpu.0.into(), job.task.0.into(), job.number.into()]
            }
            RunRecord::SwitchIn { cpu, thread } | RunRecord::SwitchOut { cpu, thread, .. } => {
                let (is_other, number) = match thread {
                    Thread::Task(task) => (0, task.0),
                    Thread::Other(number) => (1, number),
                };
                &[cpu.0.into(), is_other, number.into()]
            }
            RunRecord::Switches { missing } => &[missing],
            RunRecord::Stolen { cpu, since, length } => &[cpu.0.into(), since.as_ns(), length.as_ns()],
            RunRecord::Standstill { since } => &[since.as_ns()],
            RunRecord::Afterwards { task, length } => &[task.0.into(), length.as_ns()],
        };
        numbers.iter().for_each(|number| write(*number));
    }

    pub(crate) fn read(kind: u8, p: &mut &[u8]) -> Option<Self> {
        Some(match kind {
            33 => RunRecord::Dispatch { cpu: cpu(p)?, job: job(p)? },
            34 => RunRecord::Preempt { cpu: cpu(p)?, job: job(p)? },
            35 => RunRecord::SwitchIn { cpu: cpu(p)?, thread: thread(p)? },
            36 => RunRecord::SwitchOut { cpu: cpu(p)?, thread: thread(p)?, ready: false },
            37 => RunRecord::SwitchOut { cpu: cpu(p)?, thread: thread(p)?, ready: true },
            38 => RunRecord::Switches { missing: varint::read(p)? },
            39 => RunRecord::Stolen { cpu: cpu(p)?, since: instant(p)?, length: duration(p)? },
            40 => RunRecord::Standstill { since: instant(p)? },
            LAST_KIND => RunRecord::Afterwards { task: task(p)?, length: duration(p)? },
            _ => return None,
        })
    }
}

/// The first of the kinds that version 2 of the format adds.
pub(crate) const FIRST_KIND: u8 = 33;
/// The last of them.
pub(crate) const LAST_KIND: u8 = 41;

fn thread(p: &mut &[u8]) -> Option<Thread> {
    match varint::read(p)? {
        0 => task(p).map(Thread::Task),
        1 => number(p).map(Thread::Other),
        _ => None,
    }
}
