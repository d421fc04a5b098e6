//! When decisions let each task execute, and when the kernel ran its thread.

use crate::trace::real_run::RealRun;
use schedlab_model::{CpuId, Instant, JobId, TaskId};
use schedlab_trace::{about, Record, Thread};
use std::collections::BTreeMap;

/// An interval in which a task's thread ran somewhere, or was to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub task: TaskId,
    pub cpu: CpuId,
    pub from: Instant,
    pub to: Instant,
}

/// The first of `spans` that goes on after `at`.
pub(crate) fn after(spans: &[Span], at: Instant) -> usize {
    spans.partition_point(|span| span.to <= at)
}

/// Those of `spans` that are the task's.
pub(crate) fn of_task(spans: &[Span], task: TaskId) -> Vec<Span> {
    spans.iter().filter(|span| span.task == task).copied().collect()
}

/// When decisions let each task execute: those of each task by time.
pub(crate) fn decided(run: &RealRun) -> Vec<Span> {
    let mut open: Vec<(JobId, CpuId, Instant)> = Vec::new();
    let mut spans = Vec::new();
    let end = run.end();
    let mut close = |open: &mut Vec<(JobId, CpuId, Instant)>, job: JobId, to: Instant| {
        if let Some(place) = open.iter().position(|(other, ..)| *other == job) {
            let (job, cpu, from) = open.swap_remove(place);
            if to > from {
                spans.push(Span { task: job.task, cpu, from, to });
            }
        }
    };
    for (at, record) in &run.decisions {
        match *record {
            Record::Dispatch { cpu, job } => open.push((job, cpu, *at)),
            Record::Preempt { job, .. }
            | Record::Complete { job }
            | Record::Suspend { job, .. }
            | Record::Abort { job } => close(&mut open, job, *at),
            about![
                Arrival, Ready, GiveUp, Miss, Link, Resume, Move, urgencies, requests, attempts, quanta,
                overheads, tasks, trace
            ] => {}
        }
    }
    for (job, ..) in open.clone() {
        close(&mut open, job, end);
    }
    spans
}

/// When the kernel ran each task's thread. A thread that the kernel has not taken off its processor runs on, unless
/// switches are missing. Those of each task are by time.
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
