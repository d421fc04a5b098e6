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
