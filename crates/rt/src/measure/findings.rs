//! What a run says of the runtime's overheads.

use super::samples::Samples;
use schedlab_model::{Instant, JobId, ResourceId};
use schedlab_runtime::{Cause, Outcome, Passage, Span};
use schedlab_sim::Input;
use schedlab_trace::Record;
use std::collections::BTreeMap;

/// By what was measured.
pub type Findings = BTreeMap<&'static str, Samples>;

/// When a timer was due, until gates said what was decided at it; `tick` under a quantum-driven scheduler.
pub const RELEASE: &str = "release";
/// As [`RELEASE`], where quanta drive the scheduler.
pub const TICK: &str = "tick";
/// When a timer was due, until its thread asked for the engine.
pub const TIMER_LATENCY: &str = "timer_latency";
/// A job ended, until gates said who goes next.
pub const SCHEDULING: &str = "scheduling";
/// Gates said who goes next, until it executes, decided on the same processor.
pub const CONTEXT_SWITCH: &str = "context_switch";
/// A decision was made, until the thread of who stops is interrupted, decided on another processor.
pub const IPI: &str = "ipi";
/// Leaving a non-preemptive section.
pub const LEAVING: &str = "leaving_np_section";

/// How long releases or ticks, decisions, switches and interrupts took in a run. `domain_of` says by processor of the system
/// which domain's it is.
pub fn of_dispatching(outcome: &Outcome, domain_of: &[usize], quanta: bool) -> Findings {
    let mut found = Findings::new();
    let mut add = |what, ns| found.entry(what).or_default().add(ns);
    for span in outcome.spans.iter().flatten() {
        match span.cause {
            Cause::Timer(due) => {
                add(TIMER_LATENCY, span.begin.saturating_sub(due));
                add(if quanta { TICK } else { RELEASE }, span.done.saturating_sub(due));
            }
            Cause::Does(_, Input::Complete | Input::Suspend) => add(SCHEDULING, span.done - span.begin),
            Cause::Does(_, Input::NpExit) => add(LEAVING, span.done - span.begin),
            Cause::Does(..) => {}
        }
    }
    let mut passages = Passages::new(outcome);
    for (at, record) in &outcome.decisions {
        let (Record::Dispatch { cpu, job } | Record::Preempt { cpu, job }) = record else { continue };
        let Some(span) = cause_of(&outcome.spans[domain_of[cpu.index()]], *at) else { continue };
        let here = span.processor == outcome.processors[cpu.index()];
        let starts = matches!(record, Record::Dispatch { .. });
        let itself = matches!(span.cause, Cause::Does(task, _) if task == job.task);
        let Some(then) = passages.next(*job, *at, starts) else { continue };
        let from = if starts { span.done } else { span.chosen };
        let ns = (outcome.zero + then.as_ns()).saturating_sub(from);
        match (starts, here) {
            // A thread that goes on with its own next job is not switched to.
            (true, true) if !itself => add(CONTEXT_SWITCH, ns),
            (false, false) => add(IPI, ns),
            _ => {}
        }
    }
    found
}

/// The telling at which something was decided: the first one that got as far as `at`.
fn cause_of(spans: &[Span], at: Instant) -> Option<&Span> {
    spans.get(spans.partition_point(|span| span.decided < at))
}

/// By job: when its thread passed and was stopped.
struct Passages<'a>(BTreeMap<JobId, Vec<&'a (Instant, JobId, Passage)>>);

impl<'a> Passages<'a> {
    fn new(outcome: &'a Outcome) -> Self {
        let mut of: BTreeMap<JobId, Vec<_>> = BTreeMap::new();
        for passage in &outcome.passages {
            of.entry(passage.1).or_default().push(passage);
        }
        of.values_mut().for_each(|list| list.reverse());
        Passages(of)
    }

    /// The first passage of `job` from `at` on, if it is of the wanted kind: earlier ones are done with.
    fn next(&mut self, job: JobId, at: Instant, starts: bool) -> Option<Instant> {
        let list = self.0.get_mut(&job)?;
        while list.last().is_some_and(|passage| passage.0 < at) {
            list.pop();
        }
        list.last()
            .filter(|passage| matches!(passage.2, Passage::Passed(_)) == starts)
            .map(|passage| passage.0)
    }
}

/// How long requests and releases of a resource took, by how many waited for it just before.
pub fn of_locking(outcome: &Outcome) -> BTreeMap<(&'static str, usize), Samples> {
    let waiting = waiters(outcome);
    let mut found: BTreeMap<_, Samples> = BTreeMap::new();
    for span in outcome.spans.iter().flatten() {
        let what = match span.cause {
            Cause::Does(_, Input::Request(..)) => "lock_acquire",
            Cause::Does(_, Input::Release(..)) => "lock_release",
            _ => continue,
        };
        if let Some(waiters) = waiting.get(&span.decided) {
            found.entry((what, *waiters)).or_default().add(span.done - span.begin);
        }
    }
    found
}

/// At each request or release: how many other jobs waited for the resource.
fn waiters(outcome: &Outcome) -> BTreeMap<Instant, usize> {
    let mut waiting: BTreeMap<ResourceId, Vec<JobId>> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for (at, record) in &outcome.decisions {
        match record {
            Record::Request { job, resource, .. } => {
                let queue = waiting.entry(*resource).or_default();
                found.entry(*at).or_insert(queue.len());
                queue.push(*job);
            }
            // What is lock-free is not acquired: an operation on it is over when it is committed.
            Record::Acquire { job, resource, .. } | Record::Commit { job, resource } => {
                waiting.entry(*resource).or_default().retain(|other| other != job);
            }
            Record::Release { resource, .. } => {
                found.entry(*at).or_insert(waiting.entry(*resource).or_default().len());
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{CpuId, TaskId};

    fn ns(ns: u64) -> Instant {
        Instant::from_ns(ns)
    }

    fn span(cause: Cause, processor: usize, [begin, locked, done]: [u64; 3], decided: u64) -> Span {
        Span { cause, processor, begin, locked, chosen: locked + 3, done, decided: ns(decided) }
    }

    fn sum(found: &Findings, what: &str) -> (usize, u64) {
        found
            .get(what)
            .and_then(|samples| samples.clone().kept())
            .map_or((0, 0), |kept| (kept.count, kept.max))
    }

    /// Two processors, numbers 4 and 5 of the machine; time zero at 1000. A timer due at 1100 is handled on 4 until 1130: A is
    /// preempted on 5, where its thread stops at 1150, and B passes there at 1160; C passes on 4 at 1175.
    #[test]
    fn a_run_by_hand() {
        let [a, b, c] = [0, 1, 2].map(|task| JobId::new(TaskId(task), 0));
        let [here, there] = [0, 1].map(CpuId);
        let outcome = Outcome {
            decisions: vec![
                (ns(100), Record::Preempt { cpu: there, job: a }),
                (ns(100), Record::Dispatch { cpu: there, job: b }),
                (ns(100), Record::Dispatch { cpu: here, job: c }),
                (ns(300), Record::Complete { job: c }),
                (ns(300), Record::Dispatch { cpu: here, job: a }),
            ],
            passages: vec![
                (ns(150), a, Passage::Stopped),
                (ns(160), b, Passage::Passed(there)),
                (ns(175), c, Passage::Passed(here)),
                (ns(340), a, Passage::Passed(here)),
            ],
            spans: vec![vec![
                span(Cause::Timer(1_100), 4, [1_110, 1_112, 1_130], 100),
                span(Cause::Does(TaskId(2), Input::Complete), 4, [1_295, 1_299, 1_320], 300),
            ]],
            zero: 1_000,
            processors: vec![4, 5],
            ..Outcome::default()
        };
        let found = of_dispatching(&outcome, &[0, 0], false);
        assert_eq!(sum(&found, TIMER_LATENCY), (1, 10));
        assert_eq!(sum(&found, RELEASE), (1, 30));
        assert_eq!(sum(&found, IPI), (1, 35), "since the decision at 1115");
        // C after the timer: 45; A after the end of C: 20. B was decided elsewhere.
        assert_eq!(sum(&found, CONTEXT_SWITCH), (2, 45));
        assert_eq!(sum(&found, SCHEDULING), (1, 25));
        assert_eq!(sum(&of_dispatching(&outcome, &[0, 0], true), TICK), (1, 30));
    }

    #[test]
    fn waiters_are_counted_before_each_call() {
        let [a, b, c] = [0, 1, 2].map(|task| JobId::new(TaskId(task), 0));
        let resource = ResourceId(0);
        let request = |job| Record::Request { job, resource, units: 1 };
        let acquire = |job| Record::Acquire { job, resource, units: 1 };
        let outcome = Outcome {
            decisions: vec![
                (ns(1), request(a)),
                (ns(1), acquire(a)),
                (ns(2), request(b)),
                (ns(3), request(c)),
                (ns(9), Record::Release { job: a, resource, units: 1 }),
                (ns(9), acquire(b)),
                (ns(12), Record::Release { job: b, resource, units: 1 }),
            ],
            spans: vec![vec![
                span(Cause::Does(TaskId(2), Input::Request(resource, 1)), 0, [3, 4, 9], 3),
                span(Cause::Does(TaskId(0), Input::Release(resource, 1)), 0, [9, 9, 20], 9),
            ]],
            ..Outcome::default()
        };
        let expected = [(ns(1), 0), (ns(2), 0), (ns(3), 1), (ns(9), 2), (ns(12), 1)];
        assert_eq!(waiters(&outcome), BTreeMap::from(expected));
        let found = of_locking(&outcome);
        let keys: Vec<_> = found.keys().copied().collect();
        assert_eq!(keys, [("lock_acquire", 1), ("lock_release", 2)]);
        assert_eq!(found[&("lock_release", 2)].clone().kept().unwrap().max, 11);
    }
}
