//! What the simulator's overheads take from the quanta of a Pfair scheduler.
//!
//! In every quantum, a task may lose to the system
//!
//! ```text
//! lost = ipi + tick + 2 scheduling + context switch + cache + sum over tasks of ceil((2Q + J) / T) release
//! ```
//!
//! A processor hears of the decision, is interrupted by the tick, runs the scheduler (twice if the job is still
//! on another processor, which has to let it go first), switches, and the job loads its working set. Interrupts queue
//! up, and those that are left over came within a quantum before, since a quantum is longer than all that may be
//! lost in it; each release is on one processor. The job gets ceil(C / (Q - lost)) quanta, so its cost grows by `lost` for
//! each. A release that costs something is noticed late, by what may be queued before it: that is jitter.
//!
//! B. Brandenburg's quantum-based accounting ([`super::quanta`]) differs where an interrupt finds the processor
//! busy with another, and where a job waits to be let go.

use super::jlfp::{Accounting, Inflation};
use schedlab_model::{Duration, OverheadKind, Suspension, Task, TaskId, Work};

/// The tasks with overheads accounted for: costs, and jitter where releases cost something.
///
/// Releases at ticks and latencies are not looked at.
pub fn inflate(tasks: &[Task], accounting: &Accounting<'_>) -> Inflation<Vec<Task>> {
    let quantum = u128::from(accounting.quantum.as_ns());
    let mut interrupts = accounting.of(OverheadKind::Tick);
    let release = accounting.of(OverheadKind::Release);
    for task in tasks {
        let window = 2 * quantum + u128::from(task.jitter.as_ns());
        interrupts += window.div_ceil(u128::from(task.period.as_ns().max(1))) * release;
    }
    let system = interrupts
        + 2 * accounting.of(OverheadKind::Scheduling)
        + accounting.of(OverheadKind::ContextSwitch)
        + accounting.of(OverheadKind::Ipi);
    let mut inflated = Vec::with_capacity(tasks.len());
    for (at, task) in tasks.iter().enumerate() {
        if matches!(task.suspension, Suspension::Dynamic(bound) if !bound.is_zero()) {
            return Inflation::UnboundedSuspensions(TaskId(at as u32));
        }
        let lost = system + u128::from(accounting.cache_of(task));
        let Some(useful) = quantum.checked_sub(lost).filter(|&left| left > 0) else {
            return Inflation::InterruptOverload;
        };
        let quanta = u128::from(task.wcet.as_ns()).div_ceil(useful);
        let cost = u128::from(task.wcet.as_ns()) + quanta * lost;
        let late = if release == 0 { 0 } else { system };
        let jitter = u128::from(task.jitter.as_ns()) + late;
        let (Ok(cost), Ok(jitter)) = (u64::try_from(cost), u64::try_from(jitter)) else {
            return Inflation::TaskOverload(TaskId(at as u32));
        };
        let (wcet, jitter) = (Work::from_ns(cost), Duration::from_ns(jitter));
        inflated.push(Task { wcet, jitter, ..task.clone() });
    }
    Inflation::Fits(inflated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{Cost, Overheads, Statistic};

    fn inflated(quantum: u64, release: u64, cost: u64) -> Option<[(u64, u64); 2]> {
        let mut overheads = Overheads::default();
        for (kind, ns) in [
            (OverheadKind::Ipi, 1),
            (OverheadKind::Tick, 10),
            (OverheadKind::Scheduling, 20),
            (OverheadKind::ContextSwitch, 30),
            (OverheadKind::CacheRelatedPreemption, 40),
            (OverheadKind::Release, release),
        ] {
            let cost = Cost::Constant(Duration::from_ns(ns));
            overheads.set(kind, cost.into());
        }
        let accounting = Accounting {
            overheads: &overheads,
            statistic: Statistic::Max,
            quantum: Duration::from_ns(quantum),
            processors: 2,
            machine_tasks: 2,
            release_latency: Duration::ZERO,
            polled: Duration::ZERO,
            dedicated_interrupts: false,
            switches_in_progress: true,
        };
        let task = |cost, period| Task::implicit(Work::from_ns(cost), Duration::from_ns(period));
        let tasks = [task(cost, 3000), Task { jitter: Duration::from_ns(1200), ..task(100, 1500) }];
        match inflate(&tasks, &accounting) {
            Inflation::Fits(found) => {
                Some([0, 1].map(|at| (found[at].wcet.as_ns(), found[at].jitter.as_ns())))
            }
            _ => None,
        }
    }

    /// By hand. In 2000 and a jitter the first task is released once and the second ceil(3200 / 1500) = 3 times: 10 + 4 5 + 2 20 + 30 + 1 = 101 are the
    /// system's, 141 are lost with the cache, 859 are left of a quantum of 1000.
    #[test]
    fn each_quantum_loses_what_the_system_takes() {
        assert_eq!(inflated(1000, 5, 1700), Some([(1700 + 2 * 141, 101), (100 + 141, 1301)]));
        assert_eq!(inflated(1000, 5, 2 * 859), Some([(2000, 101), (241, 1301)]));
        assert_eq!(inflated(1000, 5, 2 * 859 + 1), Some([(1719 + 3 * 141, 101), (241, 1301)]));
    }

    /// Who is not interrupted by releases knows of them at once.
    #[test]
    fn releases_without_cost_are_not_late() {
        assert_eq!(inflated(1000, 0, 1700), Some([(1700 + 2 * 121, 0), (100 + 121, 1200)]));
    }

    /// One release of each task: 131 are lost of a quantum, which has to be longer.
    #[test]
    fn something_is_left_of_a_quantum() {
        assert_eq!(inflated(131, 5, 1), None);
        assert_eq!(inflated(132, 5, 1), Some([(1 + 131, 91), (100 + 100 * 131, 1291)]));
    }
}
