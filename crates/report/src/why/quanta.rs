//! Causes for a job that is ready and waits, under a scheduler that decides by quanta.

use super::{join_equal, Cause, Interval};
use crate::context::QuantumGrid;
use schedlab_model::{CpuId, Instant, JobId};

/// Returns what `job`, which is not linked, waits for, as far as is known by now; `others` are linked.
///
/// The priorities of subtasks are not in the trace: a job that has a quantum goes before.
pub(super) fn backlogged(quanta: &QuantumGrid, job: JobId, others: &[JobId], is_wasted: bool) -> Cause {
    if let Some(supertask) = quanta.supertask_of(job.task) {
        let is_fellow = |other: &JobId| quanta.supertask_of(other.task) == Some(supertask);
        return match others.iter().copied().find(is_fellow) {
            Some(fellow) => Cause::Interference(vec![fellow]),
            None => Cause::Supertask,
        };
    }
    if is_wasted {
        Cause::Waste
    } else if others.is_empty() {
        Cause::Boundary
    } else {
        Cause::Interference(others.to_vec())
    }
}

/// A quantum that `job` is granted on `cpu` at `at`, for the subtask whose window begins at `release`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Granted {
    pub cpu: CpuId,
    pub job: JobId,
    pub release: Instant,
    pub at: Instant,
}

/// Attributes the time for which the job was backlogged until now: only now is its subtask's window known.
pub(super) fn attribute(intervals: &mut Vec<Interval>, quanta: &QuantumGrid, granted: Granted) {
    if quanta.supertask_of(granted.job.task).is_some() {
        return;
    }
    let is_backlog = |interval: &Interval| {
        matches!(interval.cause, Cause::Interference(_) | Cause::Idle | Cause::Boundary | Cause::Waste)
    };
    let first = intervals.iter().rposition(|interval| !is_backlog(interval)).map_or(0, |at| at + 1);
    let Some(begin) = intervals.get(first).map(|interval| interval.from) else { return };
    let ran = first.checked_sub(1).is_some_and(|before| intervals[before].cause == Cause::Own);
    // All slots begin on the first processor. A job that ran until now is at a boundary.
    let boundary = if ran { begin } else { quanta.boundary_from(CpuId(0), begin) };
    let slot = granted.at.as_ns().saturating_sub(quanta.offset(granted.cpu).as_ns());
    let slot = Instant::from_ns(slot);
    // From when on the job competed, and until when.
    let window = match quanta.early_release {
        true => boundary,
        false => granted.release.max(boundary),
    };
    let cause_at = |at: Instant| {
        if at < boundary || at >= slot.max(window) {
            Some(Cause::Boundary)
        } else {
            (at < window).then_some(Cause::Window)
        }
    };
    let limits = [boundary, window, slot];
    let mut split = Vec::new();
    for interval in intervals.drain(first..) {
        let mut cuts: Vec<Instant> =
            limits.iter().copied().filter(|at| interval.from < *at && *at < interval.to).collect();
        cuts.extend([interval.from, interval.to]);
        cuts.sort_unstable();
        cuts.dedup();
        let part = |pair: &[Instant]| Interval {
            from: pair[0],
            to: pair[1],
            cause: cause_at(pair[0]).unwrap_or_else(|| interval.cause.clone()),
        };
        split.extend(cuts.windows(2).map(part));
    }
    intervals.extend(split);
    join_equal(intervals);
}
