//! Does what the kernel ran agree with what was decided?
//!
//! Computed from the kernel's context switches alone: for each time that a decision gave a job a processor, when did the
//! kernel run its thread there; and for how long did it run it after a decision had taken the processor away.

use crate::witness::Switched;
use crate::Outcome;
use schedlab_model::{CpuId, Duration, Instant, JobId, TaskId};
use schedlab_trace::Record;
use std::collections::BTreeMap;
use std::ops::Range;

/// How far the kernel was from what was decided.
#[derive(Clone, Debug, Default)]
pub struct Agreement {
    /// From each decision to run a job to its thread's getting that processor, where it did before the decision changed.
    pub starts: Vec<Duration>,
    /// From each decision to stop a job to its thread's leaving the processor.
    pub stops: Vec<Duration>,
    /// Decisions to run a job that the kernel never made true before they changed.
    pub never_ran: usize,
    /// The longest time that a thread of a task ran while no decision let it: on its way out, or to its gate.
    pub unasked: Option<(TaskId, Instant, Duration)>,
    /// How many decisions there were to run a job.
    pub decisions: usize,
    /// How often a thread ran for longer than [`TRUE_WITHIN`] while no decision let it.
    pub untrue: usize,
    /// Threads of tasks were on two processors at once, by the kernel's word.
    pub on_two: usize,
    /// Switches that the kernel could not write.
    pub lost: u64,
}

/// A thread that goes on for longer after its decision is not on its way out any more. Nobody else can be to blame: who takes a processor from a
/// thread keeps it from running.
pub const TRUE_WITHIN: Duration = Duration::from_ms(10);

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
        let ran = ran(outcome, switches, run_itself(outcome));
        for task in 0..outcome.threads.len() as u32 {
            let task = TaskId(task);
            found.compare(&of_task(&decided, task), &of_task(&ran, task), outcome.zero);
        }
        found.starts.sort_unstable();
        found.stops.sort_unstable();
        found
    }

    /// Within which time 99.9% of the decisions to run a job were true, if any was.
    pub fn true_within(&self) -> Option<Duration> {
        let last = self.starts.len().checked_sub(1)?;
        Some(self.starts[last * 999 / 1_000])
    }

    /// False if threads were on two processors, or if more than one decision in a hundred did not end so.
    pub fn holds(&self) -> bool {
        self.on_two == 0 && self.untrue <= 1 + self.decisions / 100
    }

    fn compare(&mut self, decided: &[Span], ran: &[Span], zero: u64) {
        for pair in ran.windows(2) {
            self.on_two += usize::from(pair[1].from < pair[0].to);
        }
        // Both are by time, and neither overlaps itself: what a span meets is found without looking at all others.
        for (at, span) in decided.iter().enumerate() {
            let until = decided.get(at + 1).map_or(u64::MAX, |next| next.from);
            let (first, end) = (after(ran, span.from), ran.partition_point(|run| run.from < span.to));
            let there = ran.get(first..end).into_iter().flatten().find(|run| run.cpu == span.cpu);
            match there {
                Some(run) => self.starts.push(Duration::from_ns(run.from.saturating_sub(span.from))),
                None => self.never_ran += 1,
            }
            let last = ran[..end].last().filter(|run| run.to > span.to && run.to < until);
            if let Some(run) = last {
                self.stops.push(Duration::from_ns(run.to - span.to));
            }
        }
        self.decisions += decided.len();
        for run in ran {
            for (from, to) in outside(run, &decided[after(decided, run.from)..]) {
                let length = Duration::from_ns(to - from);
                self.untrue += usize::from(length > TRUE_WITHIN);
                if self.unasked.is_none_or(|(_, _, longest)| longest < length) {
                    self.unasked = Some((run.task, Instant::from_ns(from.saturating_sub(zero)), length));
                }
            }
        }
    }
}

/// When `run` went on although none of `decided` (those that end after its beginning) let it, there.
fn outside(run: &Span, decided: &[Span]) -> Vec<(u64, u64)> {
    let mut parts = Vec::new();
    let mut at = run.from;
    for span in decided.iter().take_while(|span| span.from < run.to).filter(|span| span.cpu == run.cpu) {
        parts.push((at, span.from));
        at = span.to;
    }
    parts.push((at, run.to));
    parts.retain(|(from, to)| from < to);
    parts
}

/// The first of `spans` that goes on after `at`.
pub(crate) fn after(spans: &[Span], at: u64) -> usize {
    spans.partition_point(|span| span.to <= at)
}

/// Those of `spans` that are the task's.
pub(crate) fn of_task(spans: &[Span], task: TaskId) -> Vec<Span> {
    spans.iter().filter(|span| span.task == task).copied().collect()
}

/// When decisions let each task execute, by the monotonic clock: those of each task by time.
pub(crate) fn decided(outcome: &Outcome) -> Vec<Span> {
    let mut open: Vec<(JobId, CpuId, Instant)> = Vec::new();
    let mut spans = Vec::new();
    let end = outcome.end();
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
    spans
}

/// When the kernel ran each task's thread, within this interval of the monotonic clock. A thread that the kernel has not taken off
/// its processor runs on, unless switches are missing. Those of each task are by time.
pub(crate) fn ran(outcome: &Outcome, switches: &[Switched], within: Range<u64>) -> Vec<Span> {
    let task_of = |thread| outcome.threads.iter().position(|tid| *tid == thread).map(|at| TaskId(at as u32));
    // A thread is on one processor, if the kernel is right: what it says of each is kept apart, so that it can be seen to be wrong.
    let mut open: BTreeMap<(TaskId, usize), u64> = BTreeMap::new();
    let mut spans = Vec::new();
    let mut close = |(task, cpu): (TaskId, usize), from: u64, to: u64| {
        let (from, to) = (from.max(within.start), to.min(within.end));
        if from < to {
            spans.push(Span { task, cpu, from, to });
        }
    };
    for switch in switches {
        let Some(task) = task_of(switch.thread) else { continue };
        let there = (task, switch.processor);
        if switch.to {
            open.insert(there, switch.at);
        } else if let Some(since) = open.remove(&there) {
            close(there, since, switch.at);
        }
    }
    if outcome.witness_is_whole() {
        open.into_iter().for_each(|(there, since)| close(there, since, within.end));
    }
    spans.sort_by_key(|span| (span.task, span.from));
    spans
}

/// The run itself, from time zero to its end, by the monotonic clock.
pub(crate) fn run_itself(outcome: &Outcome) -> Range<u64> {
    outcome.zero..outcome.zero + outcome.end().as_ns()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_hand;

    fn span(cpu: usize, from: u64, to: u64) -> Span {
        Span { task: TaskId(0), cpu, from, to }
    }

    /// Decided: 100 to 200 and 300 to 400 on processor 0, 500 to 520 on 1, 600 to 700 on 0.
    #[test]
    fn a_task_by_hand() {
        let decided = [span(0, 100, 200), span(0, 300, 400), span(1, 500, 520), span(0, 600, 700)];
        let ran = [
            span(0, 110, 150),
            span(0, 160, 205),
            span(0, 240, 270),
            span(0, 290, 390),
            span(1, 530, 540),
            span(1, 590, 605),
            span(0, 620, 690),
        ];
        let mut found = Agreement::default();
        found.compare(&decided, &ran, 0);
        let ns = |all: &[Duration]| all.iter().map(|one| one.as_ns()).collect::<Vec<_>>();
        // It was there before the second decision; the fourth began while it was elsewhere; the third changed before it was there.
        assert_eq!((ns(&found.starts), found.never_ran), (vec![10, 0, 20], 1));
        // After the first decision it went on for 5. Whether it left before the end or after the next decision, nothing is said.
        assert_eq!(ns(&found.stops), [5]);
        assert_eq!(found.unasked, Some((TaskId(0), Instant::from_ns(240), Duration::from_ns(30))));
        assert_eq!((found.on_two, found.decisions, found.untrue, found.holds()), (0, 4, 0, true));
        found.compare(&[], &[span(0, 0, 10), span(1, 9, 20), span(0, 20, 30)], 0);
        assert_eq!(found.on_two, 1);
    }

    /// What ends where the other begins does not meet it.
    #[test]
    fn instants_that_touch() {
        let decided = [span(0, 100, 200), span(0, 300, 400)];
        let mut found = Agreement::default();
        found.compare(&decided, &[span(0, 80, 100), span(0, 200, 300)], 50);
        assert_eq!((found.starts.len(), found.stops.len(), found.never_ran), (0, 0, 2));
        assert_eq!(found.unasked, Some((TaskId(0), Instant::from_ns(150), Duration::from_ns(100))));
        // It leaves with the decision, and when the next one lets it go on; of equally long times that nobody asked for the first counts.
        let mut found = Agreement::default();
        found.compare(&decided, &[span(0, 100, 200), span(0, 210, 230), span(0, 400, 420)], 0);
        assert_eq!((found.stops.len(), found.never_ran), (0, 1));
        assert_eq!(found.unasked, Some((TaskId(0), Instant::from_ns(210), Duration::from_ns(20))));
        let mut found = Agreement::default();
        found.compare(&decided, &[span(0, 150, 300)], 0);
        assert_eq!((found.stops.len(), found.never_ran), (0, 1));
    }

    /// Two tasks on two of the machine's processors, 3 and 5. The first is complete at 200; the second is told to go to the other processor at 260,
    /// to which its thread comes only after it was told to leave at that very instant, at 300, and is there to the end.
    #[test]
    fn an_outcome_by_hand() {
        let jobs = [JobId::new(TaskId(0), 0), JobId::new(TaskId(1), 0)];
        let dispatch = |cpu, job| Record::Dispatch { cpu: CpuId(cpu), job };
        let preempt = |cpu, job| Record::Preempt { cpu: CpuId(cpu), job };
        let decisions = [
            (100, dispatch(0, jobs[0])),
            (100, dispatch(1, jobs[1])),
            (200, Record::Complete { job: jobs[0] }),
            (250, preempt(1, jobs[1])),
            (260, dispatch(0, jobs[1])),
            (260, preempt(0, jobs[1])),
            (300, dispatch(0, jobs[1])),
            (600, Record::End),
        ];
        let switches = [
            (110, 11, 5, true),
            (120, 10, 3, true),
            (203, 10, 3, false),
            (257, 11, 5, false),
            (330, 11, 3, true),
            (600, 11, 3, false),
        ];
        let outcome = by_hand::outcome(&decisions, &switches);
        let found = Agreement::new(&outcome, &outcome.witness.as_ref().unwrap().0, 4);
        let ns = |all: &[Duration]| all.iter().map(|one| one.as_ns()).collect::<Vec<_>>();
        assert_eq!((ns(&found.starts), ns(&found.stops)), (vec![10, 20, 30], vec![3, 7]));
        assert_eq!((found.never_ran, found.on_two, found.lost), (0, 0, 4));
        assert_eq!(
            found.unasked,
            Some((TaskId(1), Instant::from_ns(250), Duration::from_ns(7))),
            "on its way out"
        );
    }

    /// A thread that no gate ever stops: neither starts nor stops show it, the check does. What kept a thread from its processor is lost time.
    #[test]
    fn a_thread_that_nothing_stops_is_found() {
        let ms = 1_000_000;
        let decided: Vec<Span> = (0..10).map(|at| span(0, at * 100 * ms, (at * 100 + 20) * ms)).collect();
        let mut endless = Agreement::default();
        endless.compare(&decided, &[span(0, 0, 1_000 * ms)], 0);
        assert_eq!(endless.unasked, Some((TaskId(0), Instant::from_ns(20 * ms), Duration::from_ms(80))));
        assert_eq!((endless.untrue, endless.holds()), (10, false));
        let mut kept_away = Agreement::default();
        kept_away.compare(&decided, &[], 0);
        assert_eq!((kept_away.never_ran, kept_away.untrue, kept_away.holds()), (10, 0, true));
        let mut elsewhere = Agreement::default();
        elsewhere.compare(&decided, &decided.iter().map(|of| Span { cpu: 1, ..*of }).collect::<Vec<_>>(), 0);
        assert!(!elsewhere.holds(), "on the wrong processor");
        // A host that stopped a processor once, while a thread was on its way out, is forgiven.
        let mut once = Agreement::default();
        once.compare(&decided[..1], &[span(0, 0, 31 * ms)], 0);
        assert_eq!((once.untrue, once.holds()), (1, true));
    }
}
