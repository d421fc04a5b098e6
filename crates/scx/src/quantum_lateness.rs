//! How late the processors of the scheduler by quanta were, in numbers.

/// Delays of one processor, counted since the scheduler was loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuantumLateness {
    /// Quanta that were over before the kernel gave them to their tasks.
    pub missed: u64,
    /// Inputs that came after a boundary, and were met by its decision: they count just before it.
    pub moved_back: u64,
    /// Inputs that came before a boundary, and were not met by its decision: they count just after it.
    pub moved_on: u64,
    /// Longest time by which one of these inputs was moved, in ns.
    pub longest_move: u64,
    /// Longest time for which a task's thread executed without a quantum, in ns: from the boundary by which it lost its
    /// processor to when it stopped, or had that processor again, however many quanta later.
    pub longest_stop: u64,
}
