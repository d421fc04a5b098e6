//! The share of threads that are no tasks of the run.

/// Time that threads outside of the scenario had on one processor, and corrections, since the scheduler was loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outside {
    /// Execution of kernel threads that are bound to the processor, in ns: they go before all tasks.
    pub kernel_ns: u64,
    /// Execution of all other threads, in ns.
    pub ordinary_ns: u64,
    /// Part of `ordinary_ns` that was the reserve's, in ns: a task was ready.
    pub reserve_ns: u64,
    /// Stops of threads that had come back although another was to execute, after a thread of a real-time class.
    pub corrected: u64,
    /// Times that a thread kept the processor in a section although it would have been stopped.
    pub kept: u64,
}

impl Outside {
    /// The account of one processor.
    #[cfg(feature = "kernel")]
    pub(crate) fn of(account: &crate::mapped::Account) -> Self {
        use std::sync::atomic::Ordering::Relaxed;
        Outside {
            kernel_ns: account.kernel_ns.load(Relaxed),
            ordinary_ns: account.outside_ns.load(Relaxed),
            reserve_ns: account.reserve_ns.load(Relaxed),
            corrected: account.corrected.load(Relaxed),
            kept: account.kept.load(Relaxed),
        }
    }

    /// What was added since `before`, the account of the same processor at an earlier time.
    pub fn since(self, before: Outside) -> Outside {
        Outside {
            kernel_ns: self.kernel_ns.saturating_sub(before.kernel_ns),
            ordinary_ns: self.ordinary_ns.saturating_sub(before.ordinary_ns),
            reserve_ns: self.reserve_ns.saturating_sub(before.reserve_ns),
            corrected: self.corrected.saturating_sub(before.corrected),
            kept: self.kept.saturating_sub(before.kept),
        }
    }
}
