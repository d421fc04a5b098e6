//! Jobs and releases of a thread.

/// A release of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Release {
    /// Stamp of the wake-up, or of the first run after a sleep.
    pub(crate) at: u64,
    /// True if the trace has the wake-up.
    pub(crate) is_woken: bool,
    /// True if the thread did not yet have its priority: it was starting.
    pub(crate) is_startup: bool,
}

/// A job that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    /// Stamp of the release.
    pub(crate) released: u64,
    /// Stamp of the end.
    pub(crate) ended: u64,
    /// Length of all runs.
    pub(crate) cost: u64,
    /// True if the wake-up was seen.
    pub(crate) is_woken: bool,
    /// True if all of the job was seen: its cost is known then.
    pub(crate) is_whole: bool,
    /// True if the thread got its class or its priority in this job: it was starting.
    pub(crate) is_startup: bool,
}

/// A job that has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open {
    /// Stamps of the events that woke the thread, if they were seen.
    pub(crate) waking: Option<u64>,
    pub(crate) wakeup: Option<u64>,
    /// Stamp of the first run.
    pub(crate) first_run: Option<u64>,
    /// Length of all runs.
    pub(crate) cost: u64,
    /// True while nothing of the job was missed.
    pub(crate) is_whole: bool,
    /// Kernel priority at the job's begin, without what it inherited.
    pub(crate) priority: i16,
    /// True if the thread had just been made.
    pub(crate) is_new: bool,
}

impl Open {
    /// A job whose release was not seen.
    pub(crate) fn unseen(priority: i16, is_whole: bool) -> Self {
        Open { waking: None, wakeup: None, first_run: None, cost: 0, is_whole, priority, is_new: false }
    }

    /// Stamp of the job's release: of the first event that woke the thread, or else of its first run.
    pub(crate) fn released(&self) -> Option<u64> {
        self.waking.or(self.wakeup).or(self.first_run)
    }

    /// Returns the job as it ends, with the thread's priority then.
    pub(crate) fn end(&self, at: u64, priority: i16) -> Job {
        Job {
            released: self.released().unwrap_or(at),
            ended: at,
            cost: self.cost,
            is_woken: self.waking.or(self.wakeup).is_some(),
            is_whole: self.is_whole,
            is_startup: self.is_new || priority != self.priority,
        }
    }
}
