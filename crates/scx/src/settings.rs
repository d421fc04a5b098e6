//! Settings of the scheduler that follows links.

/// Settings that hold for a whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The machine's processors that the scenario uses: bit n stands for processor n. Below
    /// [`MOST_PROCESSORS`](crate::MOST_PROCESSORS).
    pub processors: u64,
    /// Part of each second that threads outside of the scenario have on each of these processors, in ns, even if its
    /// tasks would execute all the time.
    pub reserve_ns: u64,
    /// Longest time that a ready thread may go without a processor before the kernel ejects the scheduler, in ms; at
    /// most 30,000.
    pub timeout_ms: u32,
}

impl Settings {
    /// Settings for these processors, with a reserve of 50 ms of each second and the kernel's longest time-out.
    pub fn of(processors: u64) -> Self {
        Settings { processors, reserve_ns: 50_000_000, timeout_ms: 30_000 }
    }
}
