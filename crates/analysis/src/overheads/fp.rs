//! Accounting for fixed priorities: interrupts are tasks of their own.
//!
//! B. Brandenburg, *Scheduling and locking in multiprocessor real-time operating systems*, dissertation, Chapel Hill
//! 2011, chapter 3, section 3.4 (task-centric interrupt accounting): on a processor with quantum Q, above all tasks
//! stand
//!
//! ```text
//! the tick         cost tick,     period Q,   jitter lat
//! each release     cost release,  period T_i, jitter lat + J_i (unless another processor takes interrupts)
//! ```
//!
//! and a task has `C' = C + 2 (scheduling + context switch) + cache`,
//! `J' = J + lat + release (+ ipi from the processor that takes interrupts)`. `cache` is the dearest reload of any
//! task. The jitter counts: a response time is w + J, not w.
//!
//! Assumes that no two jobs' interrupts coincide with those of other processors, and overheads bounded by the values
//! used. A job that suspends itself pays for each time that it becomes ready; dynamic self-suspension is refused.
//! Linear.

use super::jlfp::{times_ready, Accounting, NotInflated};
use schedlab_model::{Duration, OverheadKind, Task, TaskId, Work};

/// The tasks of one processor by falling priority. The interrupts go before all given tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChargedTasks {
    /// Tick and releases as tasks, without those that cost nothing.
    pub interrupts: Vec<Task>,
    /// The given tasks, with their costs.
    pub tasks: Vec<Task>,
}

/// The tasks with overheads accounted for, in whole nanoseconds.
pub fn charge(tasks: &[Task], accounting: &Accounting<'_>) -> Result<ChargedTasks, NotInflated> {
    let release = accounting.of(OverheadKind::Release);
    let latency = u128::from(accounting.release_latency.as_ns());
    let (Ok(tick), Ok(each)) = (u64::try_from(accounting.of(OverheadKind::Tick)), u64::try_from(release))
    else {
        return Err(NotInflated::Interrupts);
    };
    let interrupt = |cost: u64, period: Duration, jitter: Duration| Task {
        jitter: accounting.release_latency + jitter,
        ..Task::implicit(Work::from_ns(cost), period)
    };
    let mut interrupts = Vec::with_capacity(tasks.len() + 1);
    if tick > 0 {
        interrupts.push(interrupt(tick, accounting.quantum, Duration::ZERO));
    }
    if each > 0 && !accounting.dedicated_interrupts {
        let released = |task: &Task| interrupt(each, task.period, task.jitter + accounting.polled);
        interrupts.extend(tasks.iter().map(released));
    }
    let cache = tasks.iter().map(|task| accounting.cache_of(task)).max().unwrap_or(0);
    let switches = 2 * (accounting.of(OverheadKind::Scheduling) + accounting.of(OverheadKind::ContextSwitch));
    let ipi = if accounting.dedicated_interrupts { accounting.of(OverheadKind::Ipi) } else { 0 };
    let mut charged = Vec::with_capacity(tasks.len());
    for (index, task) in tasks.iter().enumerate() {
        let id = TaskId(index as u32);
        let times = times_ready(task).ok_or(NotInflated::UnboundedSuspensions(id))?;
        let cost = u128::from(task.wcet.as_ns()) + times * (switches + u128::from(cache));
        let jitter = u128::from(task.jitter.as_ns()) + latency + release + ipi;
        let (Ok(cost), Ok(jitter)) = (u64::try_from(cost), u64::try_from(jitter)) else {
            return Err(NotInflated::Task(id));
        };
        charged.push(Task { wcet: Work::from_ns(cost), jitter: Duration::from_ns(jitter), ..task.clone() });
    }
    Ok(ChargedTasks { interrupts, tasks: charged })
}
