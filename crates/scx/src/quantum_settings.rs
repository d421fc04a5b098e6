//! What the scheduler by quanta has to know before it decides.

use crate::Settings;

/// Settings of a scheduler by quanta that hold for a whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantumSettings {
    /// Settings of every scheduler. Its processors are those of `processors`.
    pub common: Settings,
    /// Numbers of the processors, in the order in which they get their quanta.
    pub processors: Vec<u32>,
    /// Length of a quantum, in ns; at least 1,000, and below 2^50.
    pub quantum: u64,
    /// Number of tasks: their indices are 1 to this number.
    pub tasks: u32,
    /// True if processor k of m decides k/m quanta after the first one, about its own quantum.
    pub staggered: bool,
    /// True if a task that executed in the slot before keeps its processor. Staggered quanta need it.
    pub keeps: bool,
    /// Bytes of the ring of records, a power of two of at least one page; a record takes 40.
    pub ring_bytes: u32,
}

impl QuantumSettings {
    /// Aligned quanta on these processors, with a usual reserve and a ring for 26,000 records.
    pub fn of(processors: &[u32], quantum: u64, tasks: u32) -> Self {
        QuantumSettings {
            common: Settings::of(processors.iter().fold(0, |all, processor| all | 1 << processor)),
            processors: processors.to_vec(),
            quantum,
            tasks,
            staggered: false,
            keeps: true,
            ring_bytes: 1 << 20,
        }
    }
}

/// What the scheduler by quanta knows of a task: its weight, as a number of quanta in every so many slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuantumShare {
    /// Quanta of the weight, at least 1 and at most as many as `slots`.
    pub quanta: u64,
    /// Slots of the weight, at most [`QuantumShare::MOST_SLOTS`].
    pub slots: u64,
    /// True if subtasks are released early, within their jobs.
    pub early: bool,
    /// Time after which a job is recorded as overrunning, in ns, if it is to be.
    pub budget: Option<u64>,
}

impl QuantumShare {
    /// The largest number of slots of a weight: the kernel computes windows with 64 bits.
    pub const MOST_SLOTS: u64 = (1 << 32) - 1;
}
