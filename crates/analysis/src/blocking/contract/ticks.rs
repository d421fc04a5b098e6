//! Releases at ticks, as blocking bounds see them.
//!
//! A job that arrives between two quantum boundaries is released at the later one. Bounds on blocking count releases,
//! so they are asked about the tasks as they are released: jobs of distance T' and with D' from release to absolute
//! deadline,
//!
//! ```text
//! T' = floor(T / Q) Q,  D' = D - Q
//! ```
//!
//! *Why.* Two releases of a task are more than T - Q apart, and by whole quanta: by T' or more. A release is at most Q
//! late. All jobs of a cluster are released at the same boundaries, so a job that is released before another one
//! arrives before it, too: a job whose deadline is later although it was released earlier has the longer relative
//! deadline. Preemption levels are those of the arrivals, as without ticks. An absolute deadline is up to D, not D',
//! after a release: that counts where a job is pending for long ([`super::sharing::Sharing::longest_responses`]) or
//! where its deadline may come after another one.

use schedlab_model::{Platform, ReleasePoint, Task};

/// Returns T' and D' of a task, in ns; T' is 0 if the task's period is below a quantum.
pub(crate) fn released(task: &Task, platform: &Platform) -> (u64, u64) {
    let (period, relative_deadline) = (task.period.as_ns(), task.relative_deadline.as_ns());
    match platform.releases {
        ReleasePoint::Timer => (period, relative_deadline),
        ReleasePoint::Tick => {
            let quantum = platform.quantum.as_ns();
            (period / quantum * quantum, relative_deadline.saturating_sub(quantum))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{Duration, Work};

    /// Arrivals 25 apart are released 20 or 30 apart at ticks of 10, as much as 10 late.
    #[test]
    fn releases_are_whole_quanta_apart() {
        let task = Task::constrained(Work::from_ns(1), Duration::from_ns(25), Duration::from_ns(18));
        let at = |releases| {
            let platform = Platform { releases, quantum: Duration::from_ns(10), ..Platform::global(1) };
            released(&task, &platform)
        };
        assert_eq!(at(ReleasePoint::Timer), (25, 18));
        assert_eq!(at(ReleasePoint::Tick), (20, 8));
    }
}
