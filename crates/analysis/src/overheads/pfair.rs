//! Time that the simulator's overheads take from the quanta of a Pfair scheduler.
//!
//! A job of E quanta in a pattern of P slots runs in at most S = min(E, P - E + 1) stretches: E slots of P can be
//! parted by no more than P - E others. So it is preempted at most min(E - 1, P - E) times (A. Srinivasan, P. Holman,
//! J. Anderson and S. Baruah, *The case for fair multiprocessor scheduling*, IPDPS 2003; P. Holman, dissertation,
//! Chapel Hill 2004). Within a stretch the job keeps its processor, whose link does not change. It loses at most
//!
//! ```text
//! E tick + S (ipi + scheduling + again + context switch) + (S - 1) cache + releases
//! releases = release min(E sum over tasks of ceil((2Q + J) / T), sum over tasks of ceil(((P + 2)Q + J) / T))
//! again = max(0, scheduling - Q / M) with staggered quanta, else 0
//! ```
//!
//! A stretch begins when the processor receives the decision (ipi), runs the scheduler, and switches; all but a job's
//! first one reload the working set. Interrupts queue up. Interrupts left over at a boundary came within a quantum
//! before it, since a quantum is longer than all that may be lost in it. Jobs that share patterns, as jitter allows,
//! have windows that span P + 1 slots, so P is one more then.
//!
//! With staggered quanta, the job may still be on the processor of a slot that ended Q / M before, which has to let it
//! go. The scheduler then runs there, and again here. The job waits longer only for what that one takes beyond Q / M.
//!
//! E is the least number of quanta that leaves C to the job. What is left grows with E. The cost is C with what is
//! lost, but above E - 1 quanta: with E - 1 quanta the job may be preempted more often, and lose more.
//!
//! A stretch may be a single quantum where jobs move between slots that follow each other ([`Continuity::Moves`]), and
//! where they wait for locks or suspend themselves. Then all overheads are charged in every quantum. The same holds for
//! a task for which P slots are not enough.
//!
//! A release that costs something is noticed late, by as much as may be queued before it. This delay counts as jitter.
//!
//! B. Brandenburg's quantum-based accounting ([`super::quanta`]) differs where an interrupt finds the processor
//! busy with another, and where a job waits to be let go.

use super::jlfp::{Accounting, NotInflated};
use schedlab_model::{Duration, OverheadKind, Suspension, Task, TaskId, Work};

/// Processors on which a task runs in slots that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continuity {
    /// One processor; the quanta of all processors begin together.
    Stays,
    /// One processor; quanta are staggered.
    StaysStaggered,
    /// Any processors.
    Moves,
}

/// Time that a job loses, in ns.
#[derive(Clone, Copy, Debug)]
struct Losses {
    quantum: u128,
    /// Loss in each quantum.
    each: u128,
    /// Loss at the begin of a stretch.
    start: u128,
    /// Further loss at the begin of a stretch that is not the job's first.
    reload: u128,
    /// Loss to releases in one quantum.
    releases: u128,
    /// Loss to releases in a whole pattern.
    releases_of_pattern: u128,
}

impl Losses {
    /// Most time that may be lost in one quantum.
    fn most(&self) -> u128 {
        self.each + self.releases + self.start + self.reload
    }

    /// Returns the time that a job loses in `quanta` of `slots`.
    fn of_job(&self, quanta: u128, slots: u128) -> u128 {
        let stretches = quanta.min(slots + 1 - quanta);
        let releases = (quanta * self.releases).min(self.releases_of_pattern);
        quanta * self.each + releases + stretches * self.start + (stretches - 1) * self.reload
    }

    /// C' of a job of cost `cost` whose stretches are as few as in a pattern of `slots` slots; `None` if the job needs
    /// more slots.
    fn in_stretches(&self, cost: u128, slots: u128) -> Option<u128> {
        let suffices = |quanta: u128| quanta * self.quantum >= cost + self.of_job(quanta, slots);
        if cost == 0 || slots == 0 || !suffices(slots) {
            return None;
        }
        let (mut few, mut enough) = (0, slots);
        while enough - few > 1 {
            let middle = few + (enough - few) / 2;
            match suffices(middle) {
                true => enough = middle,
                false => few = middle,
            }
        }
        Some((cost + self.of_job(enough, slots)).max((enough - 1) * self.quantum + 1))
    }

    /// C' of a job that may suffer all overheads in every quantum. `most` is less than a quantum.
    fn in_every_quantum(&self, cost: u128) -> u128 {
        cost + cost.div_ceil(self.quantum - self.most()) * self.most()
    }
}

/// The tasks with overheads accounted for: costs, and jitter where releases cost something.
///
/// The delay of releases to the next tick is not added, nor are latencies.
pub fn inflate(
    tasks: &[Task],
    accounting: &Accounting<'_>,
    continuity: Continuity,
) -> Result<Vec<Task>, NotInflated> {
    let release = accounting.of(OverheadKind::Release);
    let quantum = u128::from(accounting.quantum.as_ns());
    let scheduling = accounting.of(OverheadKind::Scheduling);
    let again = match continuity {
        Continuity::Stays => 0,
        Continuity::StaysStaggered => scheduling.saturating_sub(quantum / u128::from(accounting.processors)),
        Continuity::Moves => scheduling,
    };
    let common = Losses {
        quantum,
        each: accounting.of(OverheadKind::Tick),
        start: accounting.of(OverheadKind::Ipi)
            + scheduling
            + again
            + accounting.of(OverheadKind::ContextSwitch),
        reload: 0,
        releases: release * releases_within(2, tasks, accounting),
        releases_of_pattern: 0,
    };
    let late = if release == 0 { 0 } else { common.most() };
    each(tasks, |task| {
        let jitter = u128::from(task.jitter.as_ns()) + late;
        let polled = continuity == Continuity::StaysStaggered && !accounting.polled.is_zero();
        let slots = slots_of(task, quantum) + u128::from(jitter > 0 || polled);
        let losses = Losses {
            reload: accounting.cache_of(task).into(),
            releases_of_pattern: match release {
                0 => 0,
                _ => release * releases_within(slots + 2, tasks, accounting),
            },
            ..common
        };
        if losses.most() >= losses.quantum {
            return None;
        }
        let cost = u128::from(task.wcet.as_ns());
        let is_parted_by_slots = match continuity {
            Continuity::Stays | Continuity::StaysStaggered => task.program.is_empty(),
            Continuity::Moves => false,
        };
        let in_stretches = if is_parted_by_slots { losses.in_stretches(cost, slots) } else { None };
        Some((in_stretches.unwrap_or_else(|| losses.in_every_quantum(cost)), jitter))
    })
}

/// The published accounting: costs only.
///
/// Srinivasan, Holman, Anderson and Baruah 2003, with the scheduler and the tick in every quantum, and a switch and a
/// reload at each of min(E - 1, P - E) preemptions:
///
/// ```text
/// E (tick + scheduling) + S context switch + (S - 1) cache
/// ```
///
/// It assumes that decisions reach processors at once, that ticks release jobs at no cost of their own, that a
/// processor never waits for another one to let a job go, and that a job keeps its processor in slots that follow each
/// other. Where an assumption fails a job may need more (`crates/lab/tests/pfair_overheads.rs` has one), so a verdict
/// by it is no promise.
pub fn published(tasks: &[Task], accounting: &Accounting<'_>) -> Result<Vec<Task>, NotInflated> {
    let common = Losses {
        quantum: u128::from(accounting.quantum.as_ns()),
        each: accounting.of(OverheadKind::Tick) + accounting.of(OverheadKind::Scheduling),
        start: accounting.of(OverheadKind::ContextSwitch),
        reload: 0,
        releases: 0,
        releases_of_pattern: 0,
    };
    each(tasks, |task| {
        let losses = Losses { reload: accounting.cache_of(task).into(), ..common };
        if losses.most() >= losses.quantum {
            return None;
        }
        let cost = u128::from(task.wcet.as_ns());
        let in_stretches = losses.in_stretches(cost, slots_of(task, losses.quantum));
        let inflated = in_stretches.unwrap_or_else(|| losses.in_every_quantum(cost));
        Some((inflated, task.jitter.as_ns().into()))
    })
}

/// The tasks with the cost and jitter that `inflated` gives them; `None` if nothing is left of a quantum.
fn each(tasks: &[Task], inflated: impl Fn(&Task) -> Option<(u128, u128)>) -> Result<Vec<Task>, NotInflated> {
    let mut found = Vec::with_capacity(tasks.len());
    for (index, task) in tasks.iter().enumerate() {
        if matches!(task.suspension, Suspension::Dynamic(bound) if !bound.is_zero()) {
            return Err(NotInflated::UnboundedSuspensions(TaskId(index as u32)));
        }
        let (cost, jitter) = inflated(task).ok_or(NotInflated::Interrupts)?;
        let (Ok(cost), Ok(jitter)) = (u64::try_from(cost), u64::try_from(jitter)) else {
            return Err(NotInflated::Task(TaskId(index as u32)));
        };
        let (wcet, jitter) = (Work::from_ns(cost), Duration::from_ns(jitter));
        found.push(Task { wcet, jitter, ..task.clone() });
    }
    Ok(found)
}

/// The most slots that a pattern of `task` has, whatever its weight is made of.
fn slots_of(task: &Task, quantum: u128) -> u128 {
    let (period, relative_deadline) = (task.period.as_ns(), task.relative_deadline.as_ns());
    if quantum == 0 {
        return 0;
    }
    (u128::from(period) / quantum).min(u128::from(relative_deadline).div_ceil(quantum))
}

/// Returns the most releases within `quanta` quanta.
fn releases_within(quanta: u128, tasks: &[Task], accounting: &Accounting<'_>) -> u128 {
    let length = quanta * u128::from(accounting.quantum.as_ns());
    let of_task = |task: &Task| {
        (length + u128::from(task.jitter.as_ns())).div_ceil(u128::from(task.period.as_ns().max(1)))
    };
    tasks.iter().map(of_task).sum()
}

#[cfg(test)]
mod tests;
