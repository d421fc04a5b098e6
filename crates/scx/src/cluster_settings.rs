//! What the clustered scheduler has to know before it decides.

use crate::Settings;

/// Settings of a clustered scheduler that hold for a whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterSettings {
    /// Settings of every scheduler. Its processors are those of all clusters.
    pub common: Settings,
    /// Processors of each cluster: bit n stands for processor n. No two clusters share one.
    pub clusters: Vec<u64>,
    /// True if a job gives way to one that goes before it.
    pub preemptive: bool,
    /// True if a task has a budget or a longest section: only then are timers used, which kernels with PREEMPT_RT
    /// refuse.
    pub timers: bool,
    /// Bytes of the ring of records, a power of two of at least one page; a record takes 40.
    pub ring_bytes: u32,
}

impl ClusterSettings {
    /// Preemptive scheduling of these clusters with timers, a usual reserve, and a ring for 26,000 records.
    pub fn of(clusters: &[u64]) -> Self {
        ClusterSettings {
            common: Settings::of(clusters.iter().fold(0, |all, cluster| all | cluster)),
            clusters: clusters.to_vec(),
            preemptive: true,
            timers: true,
            ring_bytes: 1 << 20,
        }
    }

    /// What needs timers, in words; none if nothing does.
    #[cfg(any(feature = "kernel", test))]
    pub(crate) fn timers_needed_by(&self) -> Option<&'static str> {
        self.timers.then_some("budgets and longest sections")
    }
}

/// What the clustered scheduler knows of a task. Times are in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskPlan {
    /// The task's cluster, as an index of [`ClusterSettings::clusters`].
    pub cluster: u32,
    /// The priority point of all jobs if there are no `parts`, else its distance from the arrival, in parts of a
    /// nanosecond. A job with a smaller point goes first; ties by index.
    pub after: u64,
    /// Number of parts of a nanosecond, the same for all tasks of a cluster; 0 if the point does not depend on the
    /// arrival.
    pub parts: u64,
    /// Least time between two arrivals. The kernel does not begin a job before that.
    pub separation: u64,
    /// Time for which a job may execute, if that is limited.
    pub budget: Option<u64>,
    /// True if a job goes to the background once its budget is used up: after all others, by absolute deadline. Else
    /// that is only recorded.
    pub demotes: bool,
    /// Distance from the arrival to the absolute deadline.
    pub relative_deadline: u64,
    /// Longest time for which a section may delay a preemption, if that is limited.
    pub longest_section: Option<u64>,
}

impl TaskPlan {
    /// The largest priority point; the kernel takes larger ones for this one. In nanoseconds 104 days.
    pub const MOST_POINT: u64 = (1 << 53) - 1;

    /// The largest priority point of a job that arrives by `horizon`; `None` if it is above [`Self::MOST_POINT`], so
    /// that the kernel would not order the jobs.
    pub fn last_point(&self, horizon: u64) -> Option<u64> {
        let point = match self.parts {
            0 => self.after,
            parts => horizon.checked_mul(parts)?.checked_add(self.after)?,
        };
        let absolute_deadline = horizon.checked_add(self.relative_deadline)?;
        Some(point).filter(|point| *point.max(&absolute_deadline) <= Self::MOST_POINT)
    }
}
