//! Does what the kernel ran agree with what was decided?
//!
//! Computed from the kernel's context switches alone: for each time that a decision gave a job a processor, when did the
//! kernel run its thread there; and for how long did it run it after a decision had taken the processor away.

use crate::witness::Switched;
use crate::Outcome;
use schedlab_model::{CpuId, Duration, Instant, JobId, TaskId};
use schedlab_trace::Record;

/// How far the kernel was from what was decided.
#[derive(Clone, Debug, Default)]
pub struct Agreement {
    /// From each decision to run a job to its thread's getting that processor, where it did before the decision changed.
    pub starts: Vec<Duration>,
    /// From each decision to stop a job to its thread's leaving the processor.
    pub stops: Vec<Duration>,
    /// Decisions to run a job that the kernel never made true before they changed.
    pub never_ran: usize,
    /// The longest time that a thread of a task ran while no decision let it, and the stop latency does not explain it.
    pub unasked: Option<(TaskId, Instant, Duration)>,
    /// Threads of tasks were on two processors at once, by the kernel's word.
    pub on_two: usize,
    /// Switches that the kernel could not write.
    pub lost: u64,
}

/// An interval, by the monotonic clock, in which a task's thread ran somewhere, or was to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub task: TaskId,
    /// The machine's processor.
    pub cpu: usize,
    pub from: u64,
    pub to: u64,
}

impl Agreement {
    /// Compares `outcome` with the `switches` of its threads.
    pub fn new(outcome: &Outcome, switches: &[Switched], lost: u64) -> Self {
        let mut found = Agreement { lost, ..Agreement::default() };
        let decided = decided(outcome);
        let ran = ran(outcome, switches);
        for task in 0..outcome.threads.len() as u32 {
            let of = |spans: &[Span]| -> Vec<Span> {
                spans.iter().filter(|span| span.task == TaskId(task)).copied().collect()
            };
            found.compare(&of(&decided), &of(&ran), outcome.zero);
        }
        found.starts.sort_unstable();
        found.stops.sort_unstable();
        found
    }

    fn compare(&mut self, decided: &[Span], ran: &[Span], zero: u64) {
        for pair in ran.windows(2) {
            self.on_two += usize::from(pair[1].from < pair[0].to);
        }
        for (at, span) in decided.iter().enumerate() {
            let until = decided.get(at + 1).map_or(u64::MAX, |next| next.from);
            let there = ran.iter().filter(|run| run.cpu == span.cpu && run.to > span.from);
            match there.clone().find(|run| run.from < span.to) {
                Some(run) => self.starts.push(Duration::from_ns(run.from.saturating_sub(span.from))),
                None => self.never_ran += 1,
            }
            let last = ran.iter().rfind(|run| run.from < until && run.to > span.to && run.from < span.to);
            if let Some(run) = last.filter(|run| run.to < until) {
                self.stops.push(Duration::from_ns(run.to - span.to));
            }
        }
        for run in ran {
            let asked = decided.iter().any(|span| span.from < run.to && run.from < span.to);
            let length = Duration::from_ns(run.to - run.from);
            if !asked && self.unasked.is_none_or(|(_, _, longest)| longest < length) {
                self.unasked = Some((run.task, Instant::from_ns(run.from.saturating_sub(zero)), length));
            }
        }
    }
}

/// When decisions let each task execute, by the monotonic clock.
pub(crate) fn decided(outcome: &Outcome) -> Vec<Span> {
    let mut open: Vec<(JobId, CpuId, Instant)> = Vec::new();
    let mut spans = Vec::new();
    let end = outcome.decisions.last().map_or(Instant::ZERO, |(at, _)| *at);
    let mut close = |open: &mut Vec<(JobId, CpuId, Instant)>, job: JobId, at: Instant| {
        if let Some(place) = open.iter().position(|(other, ..)| *other == job) {
            let (job, cpu, since) = open.swap_remove(place);
            let (from, to) = (outcome.zero + since.as_ns(), outcome.zero + at.as_ns());
            if to > from {
                spans.push(Span { task: job.task, cpu: outcome.processors[cpu.index()], from, to });
            }
        }
    };
    for (at, record) in &outcome.decisions {
        match *record {
            Record::Dispatch { cpu, job } => open.push((job, cpu, *at)),
            Record::Preempt { job, .. }
            | Record::Complete { job }
            | Record::Suspend { job, .. }
            | Record::Abort { job } => close(&mut open, job, *at),
            _ => {}
        }
    }
    for (job, ..) in open.clone() {
        close(&mut open, job, end);
    }
    spans.sort_by_key(|span| span.from);
    spans
}

/// When the kernel ran each task's thread, between time zero and the end.
pub(crate) fn ran(outcome: &Outcome, switches: &[Switched]) -> Vec<Span> {
    let end = outcome.zero + outcome.decisions.last().map_or(0, |(at, _)| at.as_ns());
    let task_of = |thread| outcome.threads.iter().position(|tid| *tid == thread).map(|at| TaskId(at as u32));
    let mut open: Vec<Option<(u64, usize)>> = vec![None; outcome.threads.len()];
    let mut spans = Vec::new();
    for switch in switches.iter().filter(|switch| (outcome.zero..end).contains(&switch.at)) {
        let Some(task) = task_of(switch.thread) else { continue };
        if switch.to {
            open[task.index()] = Some((switch.at, switch.processor));
        } else if let Some((from, cpu)) = open[task.index()].take() {
            spans.push(Span { task, cpu, from, to: switch.at });
        }
    }
    spans.sort_by_key(|span| span.from);
    spans
}
