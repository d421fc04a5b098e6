//! Spans of time: when decisions let each task execute, and when the kernel ran its thread.

use crate::trace::real_run::RealRun;
use schedlab_model::{CpuId, Instant, JobId, TaskId};
use schedlab_trace::{about, Record, Thread};
use std::collections::BTreeMap;

/// An interval in which a task's thread ran somewhere, or was to run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub task: TaskId,
    pub cpu: CpuId,
    pub from: Instant,
    pub to: Instant,
}

/// Returns the place of the first of `spans` that goes on after `at`.
pub(crate) fn after(spans: &[Span], at: Instant) -> usize {
    spans.partition_point(|span| span.to <= at)
}

/// Returns the task's `spans`.
pub(crate) fn of_task(spans: &[Span], task: TaskId) -> Vec<Span> {
    spans.iter().filter(|span| span.task == task).copied().collect()
}

/// A stretch of time of a job, and the record that began it.
pub(crate) type Stretch<'r> = (JobId, &'r Record, (Instant, Instant));

/// Returns the stretches between a job's records that begin something and the next ones that end it, by their ends. The
/// run's end ends every stretch.
pub(crate) fn stretches(
    run: &RealRun,
    begins: impl Fn(&Record) -> bool,
    ends: impl Fn(&Record) -> bool,
) -> Vec<Stretch<'_>> {
    let mut open: BTreeMap<JobId, (&Record, Instant)> = BTreeMap::new();
    let mut found = Vec::new();
    for (at, record) in &run.decisions {
        let Some(job) = record.job() else { continue };
        if begins(record) {
            open.entry(job).or_insert((record, *at));
        } else if ends(record) {
            found.extend(open.remove(&job).map(|(begin, from)| (job, begin, (from, *at))));
        }
    }
    found.extend(open.into_iter().map(|(job, (begin, from))| (job, begin, (from, run.end()))));
    found
}

/// Returns the stretches in which decisions let each job execute.
pub(crate) fn dispatched(run: &RealRun) -> Vec<Stretch<'_>> {
    stretches(run, is_dispatch, |record| matches!(record, about![Preempt, Complete, Suspend, Abort]))
}

pub(crate) fn is_dispatch(record: &Record) -> bool {
    matches!(record, Record::Dispatch { .. })
}

/// Returns the spans in which decisions let each task execute; those of each task by time.
pub(crate) fn decided(run: &RealRun) -> Vec<Span> {
    let span = |(_, begin, (from, to)): Stretch<'_>| {
        let Record::Dispatch { cpu, job } = *begin else { return None };
        (from < to).then_some(Span { task: job.task, cpu, from, to })
    };
    dispatched(run).into_iter().filter_map(span).collect()
}

/// Returns the spans in which the kernel ran each task's thread. A thread that the kernel has not taken off its
/// processor runs on, unless switches are missing. Those of each task are by time.
pub(crate) fn ran(run: &RealRun) -> Vec<Span> {
    // A thread is on one processor, if the kernel is right: what it says of each is kept apart, so that it can be seen
    // to be wrong.
    let mut open: BTreeMap<(TaskId, CpuId), Instant> = BTreeMap::new();
    let mut spans = Vec::new();
    let end = run.end();
    let mut close = |(task, cpu): (TaskId, CpuId), from: Instant, to: Instant| {
        let to = to.min(end);
        if from < to {
            spans.push(Span { task, cpu, from, to });
        }
    };
    for switch in run.known_switches() {
        let Thread::Task(task) = switch.thread else { continue };
        let there = (task, switch.cpu);
        if switch.to {
            open.insert(there, switch.at);
        } else if let Some(since) = open.remove(&there) {
            close(there, since, switch.at);
        }
    }
    if run.knows_all_switches() {
        open.into_iter().for_each(|(there, since)| close(there, since, end));
    }
    spans.sort_by_key(|span| (span.task, span.from));
    spans
}
