//! Overheads of the runtime, from a run.

use crate::values::samples::Samples;
use schedlab_model::{Instant, JobId, TaskId};
use schedlab_runtime::{Outcome, Passage, Span, Trigger};
use schedlab_sim::Input;
use schedlab_trace::{about, Record};
use std::collections::BTreeMap;

/// Samples by the name of the overhead.
pub(crate) type Findings = BTreeMap<&'static str, Samples>;

/// From the time at which a timer was due to the change of the gates by its decision; [`TICK`] under a quantum-driven
/// scheduler.
pub(crate) const RELEASE: &str = "release";
/// From the time at which a quantum's timer was due to the change of the gates by its decision.
pub(crate) const TICK: &str = "tick";
/// From the time at which a timer was due to its thread's request for the engine.
pub(crate) const TIMER_LATENCY: &str = "timer_latency";
/// From the end of a job to the change of the gates for the next one.
pub(crate) const SCHEDULING: &str = "scheduling";
/// From the change of the gates to the execution of the next job, decided on the same processor.
pub(crate) const CONTEXT_SWITCH: &str = "context_switch";
/// From a decision to the interrupt of the thread that stops, decided on another processor.
pub(crate) const IPI: &str = "ipi";
/// Leaving a non-preemptive section.
pub(crate) const LEAVING: &str = "leaving_np_section";

/// Returns how long policies took to decide, without the engine's lock and the effects of a decision. Where quanta
/// drive the scheduler, only timers make it decide.
pub(crate) fn of_deciding(outcome: &Outcome, quanta: bool) -> Samples {
    let mut found = Samples::default();
    for span in outcome.spans.iter().flatten() {
        let decides = match span.cause {
            Trigger::Timer(_) => true,
            Trigger::Does(_, Input::Complete | Input::Suspend) => !quanta,
            Trigger::Does(..) => false,
        };
        if decides {
            found.add(span.chosen - span.locked);
        }
    }
    found
}

/// Returns how long releases or ticks, decisions, switches and interrupts took in a run. `domain_of` holds the domain
/// of each processor of the system.
pub(crate) fn of_dispatching(outcome: &Outcome, domain_of: &[usize], quanta: bool) -> Findings {
    let mut found = Findings::new();
    let mut add = |what, ns| found.entry(what).or_default().add(ns);
    for span in outcome.spans.iter().flatten() {
        match span.cause {
            Trigger::Timer(due) => {
                add(TIMER_LATENCY, span.begin.saturating_sub(due));
                add(if quanta { TICK } else { RELEASE }, span.done.saturating_sub(due));
            }
            Trigger::Does(_, Input::Complete | Input::Suspend) => add(SCHEDULING, span.done - span.begin),
            Trigger::Does(_, Input::NpExit) => add(LEAVING, span.done - span.begin),
            Trigger::Does(..) => {}
        }
    }
    for change in changes(outcome, domain_of) {
        match (change.starts, change.here) {
            // A thread that goes on with its own next job is not switched to.
            (true, true) if !change.itself => add(CONTEXT_SWITCH, change.at.saturating_sub(change.done)),
            (false, false) => add(IPI, change.at.saturating_sub(change.chosen)),
            _ => {}
        }
    }
    found
}

/// Returns how long it took from a decision until the thread that it chose for the same processor executed there, the
/// kernel's migration included: by the machine's processors on which the thread executed before and then.
pub(crate) fn of_switches(outcome: &Outcome, domain_of: &[usize]) -> BTreeMap<(usize, usize), Samples> {
    let mut found: BTreeMap<_, Samples> = BTreeMap::new();
    let mut last: BTreeMap<TaskId, usize> = BTreeMap::new();
    for change in changes(outcome, domain_of).iter().filter(|change| change.starts) {
        let before = last.insert(change.task, change.processor);
        if let (Some(before), true, false) = (before, change.here, change.itself) {
            let ns = change.at.saturating_sub(change.chosen);
            found.entry((before, change.processor)).or_default().add(ns);
        }
    }
    found
}

/// A decision to start or stop a thread, and when it was carried out.
struct Change {
    task: TaskId,
    /// Whether the thread starts.
    starts: bool,
    /// Processor of the machine where it starts or stops.
    processor: usize,
    /// Whether the decision was made on the same processor.
    here: bool,
    /// Whether the thread itself caused the decision.
    itself: bool,
    /// Time of the decision, by the monotonic clock.
    chosen: u64,
    /// Time of the change of the gates.
    done: u64,
    /// Time at which the thread executes, or is interrupted.
    at: u64,
}

fn changes(outcome: &Outcome, domain_of: &[usize]) -> Vec<Change> {
    let mut found = Vec::new();
    let mut passages = Passages::new(outcome);
    let until = changed_again(outcome);
    for ((at, record), until) in outcome.decisions.iter().zip(until) {
        let (Record::Dispatch { cpu, job } | Record::Preempt { cpu, job }) = record else { continue };
        let Some(span) = cause_of(&outcome.spans[domain_of[cpu.index()]], *at) else { continue };
        let processor = outcome.processors[cpu.index()];
        let starts = matches!(record, Record::Dispatch { .. });
        // A decision that changed before it was true was never carried out: what the thread does later has another
        // cause.
        let then = passages.next(*job, *at, starts).filter(|then| until.is_none_or(|until| *then <= until));
        let Some(then) = then else { continue };
        found.push(Change {
            task: job.task,
            starts,
            processor,
            here: span.processor == processor,
            itself: matches!(span.cause, Trigger::Does(task, _) if task == job.task),
            chosen: span.chosen,
            done: span.done,
            at: outcome.zero + then.as_ns(),
        });
    }
    found
}

/// By decision: the time at which another dispatch or preemption of the same job was decided, if one was.
fn changed_again(outcome: &Outcome) -> Vec<Option<Instant>> {
    let mut next: BTreeMap<JobId, Instant> = BTreeMap::new();
    let mut found: Vec<Option<Instant>> = Vec::with_capacity(outcome.decisions.len());
    for (at, record) in outcome.decisions.iter().rev() {
        found.push(match record {
            Record::Dispatch { job, .. } | Record::Preempt { job, .. } => next.insert(*job, *at),
            about![Link, Suspend, Resume, Move, lives, urgencies, requests, attempts, machine] => None,
        });
    }
    found.reverse();
    found
}

/// Returns the entry into the engine at which something was decided: the first one that got as far as `at`.
fn cause_of(spans: &[Span], at: Instant) -> Option<&Span> {
    spans.get(spans.partition_point(|span| span.decided < at))
}

/// By job: the times at which its thread passed and was stopped.
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

    /// Returns the first passage of `job` from `at` on, if it is of the wanted kind. Earlier passages are not needed
    /// any more.
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

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::CpuId;

    fn ns(ns: u64) -> Instant {
        Instant::from_ns(ns)
    }

    fn span(cause: Trigger, processor: usize, [begin, locked, done]: [u64; 3], decided: u64) -> Span {
        Span { cause, processor, begin, locked, chosen: locked + 3, done, decided: ns(decided) }
    }

    fn sum(found: &Findings, what: &str) -> (usize, u64) {
        found
            .get(what)
            .and_then(|samples| samples.clone().kept())
            .map_or((0, 0), |kept| (kept.count, kept.max))
    }

    /// B is to start at 100 and to stop at 130, before its thread is there; it starts at last at 400. 300 are no
    /// switch.
    #[test]
    fn a_decision_that_changed_before_it_was_true_is_no_switch() {
        let b = JobId::new(TaskId(1), 0);
        let cpu = CpuId(0);
        let timer = |due, decided| span(Trigger::Timer(due), 4, [due + 1, due + 2, due + 9], decided);
        let outcome = Outcome {
            decisions: vec![
                (ns(100), Record::Dispatch { cpu, job: b }),
                (ns(130), Record::Preempt { cpu, job: b }),
                (ns(390), Record::Dispatch { cpu, job: b }),
            ],
            passages: vec![(ns(400), b, Passage::Passed(cpu))],
            spans: vec![vec![timer(100, 100), timer(130, 130), timer(385, 390)]],
            processors: vec![4],
            ..Outcome::default()
        };
        let found = of_dispatching(&outcome, &[0], true);
        assert_eq!(sum(&found, CONTEXT_SWITCH), (1, 6), "from 394 on");
    }

    /// Two processors, numbers 4 and 5 of the machine; time zero at 1000. A starts on 5. A timer due at 1100 is handled
    /// on 4 until 1130: A is preempted on 5, where its thread stops at 1150, and B passes there at 1160; C passes on 4
    /// at 1175.
    #[test]
    fn a_run_by_hand() {
        let [a, b, c] = [0, 1, 2].map(|task| JobId::new(TaskId(task), 0));
        let [here, there] = [0, 1].map(CpuId);
        let outcome = Outcome {
            decisions: vec![
                (ns(50), Record::Dispatch { cpu: there, job: a }),
                (ns(100), Record::Preempt { cpu: there, job: a }),
                (ns(100), Record::Dispatch { cpu: there, job: b }),
                (ns(100), Record::Dispatch { cpu: here, job: c }),
                (ns(300), Record::Complete { job: c }),
                (ns(300), Record::Dispatch { cpu: here, job: a }),
            ],
            passages: vec![
                (ns(60), a, Passage::Passed(there)),
                (ns(150), a, Passage::Stopped),
                (ns(160), b, Passage::Passed(there)),
                (ns(175), c, Passage::Passed(here)),
                (ns(340), a, Passage::Passed(here)),
            ],
            spans: vec![vec![
                span(Trigger::Timer(1_050), 4, [1_051, 1_052, 1_055], 50),
                span(Trigger::Timer(1_100), 4, [1_110, 1_112, 1_130], 100),
                span(Trigger::Does(TaskId(2), Input::Complete), 4, [1_295, 1_299, 1_320], 300),
            ]],
            zero: 1_000,
            processors: vec![4, 5],
            ..Outcome::default()
        };
        let found = of_dispatching(&outcome, &[0, 0], false);
        let decided = |quanta| of_deciding(&outcome, quanta).kept().map(|kept| (kept.count, kept.max));
        assert_eq!([decided(false), decided(true)], [Some((3, 3)), Some((2, 3))]);
        assert_eq!(sum(&found, TIMER_LATENCY), (2, 10));
        assert_eq!(sum(&found, RELEASE), (2, 30));
        assert_eq!(sum(&found, IPI), (1, 35), "since the decision at 1115");
        // C after the timer: 45; A after the end of C: 20. B was decided elsewhere.
        assert_eq!(sum(&found, CONTEXT_SWITCH), (2, 45));
        assert_eq!(sum(&found, SCHEDULING), (1, 25));
        assert_eq!(sum(&of_dispatching(&outcome, &[0, 0], true), TICK), (2, 30));
        // B and C start for the first time; A comes from there.
        let switches = of_switches(&outcome, &[0, 0]);
        assert_eq!(switches.keys().collect::<Vec<_>>(), [&(5, 4)]);
        assert_eq!(switches[&(5, 4)].clone().kept().unwrap().max, 38, "since the decision at 1302");
    }
}
