//! Reasons why the kernel ended the scheduler.

/// The end of the scheduler, as the kernel reports it (`enum scx_exit_kind` and the messages beside it).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchedulerEnd {
    /// The kernel's number of the kind.
    pub kind: u64,
    /// The kernel's code; with hotplug it says whether a restart would help.
    pub code: i64,
    /// The kind in the kernel's words.
    pub reason: String,
    /// Details in the kernel's words; may be empty.
    pub message: String,
}

impl SchedulerEnd {
    /// True if the run itself took the scheduler away, as at every end of a run.
    pub fn is_regular(&self) -> bool {
        // SCX_EXIT_UNREG
        self.kind == 64
    }

    /// Name of the kind of end, for people and files.
    pub fn name(&self) -> &'static str {
        match self.kind {
            64 => "unloaded by the run",
            // The reasons for which a scheduler takes itself away: `EXIT_NO_TIMER`, `EXIT_OFF_LINE`, and
            // `EXIT_STANDS_STILL`.
            65 if self.code == 2 => "a processor's timer could not be set",
            65 if self.code == 3 => "a processor went off line",
            65 => "the run's process stood still",
            66 => "unloaded by the kernel",
            67 => "unloaded by SysRq-S",
            1024 => "error in the kernel",
            1025 => "error of the scheduler",
            1026 => "a ready thread got no processor in time",
            // Later kernels may have more kinds: their reason, in the kernel's words, stands beside the name.
            _ => "ended by the kernel",
        }
    }
}
