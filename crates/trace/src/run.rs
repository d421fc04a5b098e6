//! Records that only real runs have: the decisions, and what the machine did meanwhile.
//!
//! In a real run, [`Record::Dispatch`](crate::Record::Dispatch) and `Preempt` have the times at which threads began and
//! stopped to execute. These records add the decisions themselves and the kernel's context switches, on the same clock.
//! Together they show who took processor time from which job. All that happened before time zero or after the end bears
//! the nearest of these times. The header has the names of threads and of the machine's processors.

use crate::kinds::records;
use crate::part::{byte, Part};
use crate::varint;
use alloc::vec::Vec;
use schedlab_model::{CpuId, Duration, Instant, JobId, TaskId};

/// A thread of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Thread {
    /// The thread of the task.
    Task(TaskId),
    /// Another thread, by the kernel's number; 0 is the kernel's idle thread, which some kernels name and others do
    /// not.
    Other(u32),
}

records! {
    /// A record that only a real run has.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum RunRecord {
        /// A decision gave the processor to the job.
        33 "decided_dispatch" Dispatch {
            /// Id of the processor.
            cpu: CpuId,
            /// Id of the job.
            job: JobId,
        },
        /// A decision took the processor from the job, which is ready to go on.
        34 "decided_preempt" Preempt {
            /// Id of the processor.
            cpu: CpuId,
            /// Id of the job.
            job: JobId,
        },
        /// The kernel gave the processor to the thread.
        35 "switch_in" SwitchIn {
            /// Id of the processor.
            cpu: CpuId,
            /// The thread.
            thread: Thread,
        },
        /// The kernel took the processor from the thread, which was not ready to go on.
        36 "switch_out" SwitchOut {
            /// Id of the processor.
            cpu: CpuId,
            /// The thread.
            thread: Thread,
        },
        /// The kernel took the processor from the thread, which was ready to go on.
        37 "switch_out_ready" SwitchOutReady {
            /// Id of the processor.
            cpu: CpuId,
            /// The thread.
            thread: Thread,
        },
        /// The kernel was asked for its context switches. A run without this record knows none.
        38 "switches_missing" Switches {
            /// Number of switches that the kernel could not write.
            missing: u64,
        },
        /// The host of the virtual machine took time from the processor. A record with a length of zero shows that the
        /// kernel counts such time.
        39 "stolen" Stolen {
            /// Id of the processor.
            cpu: CpuId,
            /// Begin of the interval, up to the record's time, within which the host took the time.
            since: Instant,
            /// Length of the time that the host took.
            length: Duration,
        },
        /// No thread of the run executed: its process was stopped, or the machine was.
        40 "standstill" Standstill {
            /// Begin of the standstill, which lasts until the record's time.
            since: Instant,
        },
        /// The task's thread went on after the end of the run.
        41 "afterwards" Afterwards {
            /// Id of the task.
            task: TaskId,
            /// Time for which the thread went on.
            length: Duration,
        },
    }
}

impl RunRecord {
    /// Returns the task that the record names.
    pub(crate) fn task(&self) -> Option<TaskId> {
        match *self {
            RunRecord::Dispatch { job, .. } | RunRecord::Preempt { job, .. } => Some(job.task),
            RunRecord::SwitchIn { thread: Thread::Task(task), .. }
            | RunRecord::SwitchOut { thread: Thread::Task(task), .. }
            | RunRecord::SwitchOutReady { thread: Thread::Task(task), .. }
            | RunRecord::Afterwards { task, .. } => Some(task),
            RunRecord::SwitchIn { thread: Thread::Other(_), .. }
            | RunRecord::SwitchOut { thread: Thread::Other(_), .. }
            | RunRecord::SwitchOutReady { thread: Thread::Other(_), .. }
            | RunRecord::Switches { .. }
            | RunRecord::Stolen { .. }
            | RunRecord::Standstill { .. } => None,
        }
    }

    /// Returns the processor that the record names.
    pub fn cpu(&self) -> Option<CpuId> {
        match *self {
            RunRecord::Dispatch { cpu, .. }
            | RunRecord::Preempt { cpu, .. }
            | RunRecord::SwitchIn { cpu, .. }
            | RunRecord::SwitchOut { cpu, .. }
            | RunRecord::SwitchOutReady { cpu, .. }
            | RunRecord::Stolen { cpu, .. } => Some(cpu),
            RunRecord::Switches { .. } | RunRecord::Standstill { .. } | RunRecord::Afterwards { .. } => None,
        }
    }
}

impl Part for Thread {
    fn write(self, out: &mut Vec<u8>) {
        let (is_other, number) = match self {
            Thread::Task(task) => (0, task.0),
            Thread::Other(number) => (1, number),
        };
        out.push(is_other);
        varint::write(out, number.into());
    }

    fn read(p: &mut &[u8]) -> Option<Self> {
        match byte(p)? {
            0 => Part::read(p).map(Thread::Task),
            1 => Part::read(p).map(Thread::Other),
            _ => None,
        }
    }
}
