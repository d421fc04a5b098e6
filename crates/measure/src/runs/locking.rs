//! Costs of taking a lock (P) and giving it back (V), by the number of waiting jobs.
//!
//! Resource-protocols-2020, section IV-B: tasks that ask for one resource in a cascade. Each job arrives a little after
//! a less urgent one, asks, and waits if the protocol makes it wait; the first holder goes on until all have asked. So
//! each round meets every number of waiters that the protocol and the machine let happen. A call that tells the engine
//! is timed by the engine's own span, which does not contain the waiting; one that takes or gives a free mutex in
//! memory alone, around the call.

use crate::runs::sets::scheduler_for;
use crate::runs::{real, sets};
use crate::values::samples::Samples;
use schedlab_lab::Prepared;
use schedlab_lock::{Protocol, Reach};
use schedlab_model::{Duration, Instant, JobId, ResourceId, Step, Work};
use schedlab_policy::{find, Scope};
use schedlab_runtime::program::system::refuse_simulated;
use schedlab_runtime::program::workload::Burner;
use schedlab_runtime::{sys, Body, Outcome, Span, Trigger};
use schedlab_scenario::{ResourceSpec, Scenario, TaskSpec};
use schedlab_sim::Input;
use schedlab_trace::{about, Record};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{channel, Sender};
use std::sync::Arc;

/// Times by operation and number of waiters.
pub(crate) type SamplesByKind = BTreeMap<(&'static str, usize), Samples>;

/// Taking a lock: P.
pub(crate) const ACQUIRE: &str = "lock_acquire";
/// Giving a lock back: V.
pub(crate) const RELEASE: &str = "lock_release";

/// Time from one arrival to the next, more urgent one, in ns.
const APART: u64 = 150_000;
/// Work of a job before and after its section, and in it unless it is the first one.
const SHORT: Work = Work::from_ns(20_000);
/// Time from one cascade to the next.
const PERIOD: Duration = Duration::from_ms(20);
/// Id of the resource.
const SHARED: ResourceId = ResourceId(0);

/// Returns how many of a machine's processors `protocol` takes.
pub(crate) fn processors(protocol: &Protocol, there: u16) -> u16 {
    if protocol.reach == Reach::Local {
        1
    } else {
        there
    }
}

/// Returns how many tasks share: as many as in the paper, on one processor and on several.
pub(crate) fn tasks(processors: u16) -> usize {
    if processors == 1 {
        20
    } else {
        8
    }
}

/// Runs cascades for `length` and returns the times of the calls.
pub(crate) fn measure(
    protocol: &Protocol,
    processors: u16,
    length: Duration,
    burner: Burner,
    stop: &Arc<AtomicBool>,
) -> Result<SamplesByKind, String> {
    let scenario = cascade(protocol, processors, length)?;
    refuse_simulated(&scenario).map_err(|why| why.to_string())?;
    let prepared = Prepared::new(&scenario).map_err(|error| error.to_string())?;
    let (sender, receiver) = channel();
    // What is between its first and its last part.
    let bodies = scenario.tasks.iter().map(|task| body(task.wcet - SHORT - SHORT, burner, sender.clone()));
    let outcome = real::run_with(&prepared, bodies.collect(), real::options(), stop)?;
    drop(sender);
    let calls: Vec<Call> = receiver.try_iter().flatten().collect();
    Ok(of_locking(&outcome, &calls))
}

/// Tasks that ask for one resource, the least urgent first, under `protocol` and a scheduler that it takes.
pub(crate) fn cascade(protocol: &Protocol, processors: u16, length: Duration) -> Result<Scenario, String> {
    let (tasks, scheduler) = (tasks(processors), scheduler_for(protocol));
    let partitioned = find(scheduler).map_err(|error| error.to_string())?.scope == Scope::Partitioned;
    let mut specs = Vec::new();
    // Equal periods: where priorities are fixed, the first task has the highest.
    for index in 0..tasks {
        let after = (tasks - 1 - index) as u64 * APART;
        let first = after == 0;
        let section = if first { Work::from_ns(tasks as u64 * APART + APART) } else { SHORT };
        let mut task = TaskSpec::new(format!("t{index}"), SHORT + section + SHORT, PERIOD);
        task.offset = Instant::from_ns(after);
        // A job that comes later has an earlier absolute deadline.
        task.relative_deadline = Duration::from_ns(PERIOD.as_ns() - 2 * after);
        // So that the resource is shared by processors, as far as there are several.
        task.processor = partitioned.then_some((index % usize::from(processors)) as u16);
        task.program = vec![
            Step::Execute(SHORT),
            Step::Request(SHARED, 1),
            Step::Execute(section),
            Step::Release(SHARED, 1),
            Step::Execute(SHORT),
        ];
        specs.push(task);
    }
    let mut scenario = sets::of_tasks(specs, processors, length);
    scenario.resources = vec![ResourceSpec::new("r")];
    scenario.protocol = protocol.name.to_owned();
    sets::finish(scenario, scheduler)
}

/// A call that a job made: its kind, its begin and its end.
#[derive(Clone, Copy, Debug)]
struct Call {
    what: &'static str,
    begin: u64,
    back: u64,
}

/// Makes the body of a task in a cascade, which sends the times of its calls at its end.
fn body(section: Work, burner: Burner, sender: Sender<Vec<Call>>) -> Body {
    Box::new(move |context| {
        let mut calls = Vec::with_capacity(1 << 12);
        while context.next_job() {
            burner.burn(SHORT);
            let asks = sys::monotonic_ns();
            context.lock(SHARED);
            let holds = sys::monotonic_ns();
            burner.burn(section);
            let gives = sys::monotonic_ns();
            context.unlock(SHARED);
            let gave = sys::monotonic_ns();
            burner.burn(SHORT);
            calls.push(Call { what: ACQUIRE, begin: asks, back: holds });
            calls.push(Call { what: RELEASE, begin: gives, back: gave });
        }
        let _ = sender.send(calls);
    })
}

/// Returns how long requests and releases took, by the number of jobs that waited for the resource just before.
fn of_locking(outcome: &Outcome, calls: &[Call]) -> SamplesByKind {
    let waiting = waiters(outcome);
    let mut found = SamplesByKind::new();
    let mut inputs = Vec::new();
    for span in outcome.spans.iter().flatten() {
        let Some(what) = operation(span) else { continue };
        inputs.push(span.begin);
        if let Some(waiters) = waiting.get(&span.decided) {
            found.entry((what, *waiters)).or_default().add(span.done - span.begin);
        }
    }
    inputs.sort_unstable();
    // A job that did not tell the engine found the mutex free, and no other job waiting.
    let untold = |call: &&Call| {
        inputs.get(inputs.partition_point(|at| *at < call.begin)).is_none_or(|next| *next > call.back)
    };
    for call in calls.iter().filter(untold) {
        found.entry((call.what, 0)).or_default().add(call.back - call.begin);
    }
    found
}

/// Returns how long requests and releases took that were inputs of the engine, however many jobs waited.
pub(crate) fn of_calls(outcome: &Outcome) -> BTreeMap<&'static str, Samples> {
    let mut found: BTreeMap<_, Samples> = BTreeMap::new();
    for span in outcome.spans.iter().flatten() {
        if let Some(what) = operation(span) {
            found.entry(what).or_default().add(span.done - span.begin);
        }
    }
    found
}

fn operation(span: &Span) -> Option<&'static str> {
    match span.cause {
        Trigger::Does(_, Input::Request(..)) => Some(ACQUIRE),
        Trigger::Does(_, Input::Release(..)) => Some(RELEASE),
        Trigger::Timer(_)
        | Trigger::Does(
            _,
            Input::Complete
            | Input::HandedBack
            | Input::Retry(_)
            | Input::NpEnter
            | Input::NpExit
            | Input::Suspend
            | Input::Leave
            | Input::Overran,
        ) => None,
    }
}

/// By request or release: the number of other jobs that waited for the resource.
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
            about![Spin, Delay, Attempt, Retry, lives, places, urgencies, machine] => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_lock::{Ceilings, ALL_PROTOCOLS};
    use schedlab_model::TaskId;

    fn ns(ns: u64) -> Instant {
        Instant::from_ns(ns)
    }

    fn span(task: u32, input: Input, [begin, done]: [u64; 2], decided: u64) -> Span {
        let cause = Trigger::Does(TaskId(task), input);
        Span { cause, processor: 0, begin, locked: begin, chosen: begin + 1, done, decided: ns(decided) }
    }

    fn largest(found: &SamplesByKind, key: (&'static str, usize)) -> u64 {
        found[&key].clone().kept().unwrap().max
    }

    #[test]
    fn waiters_are_counted_before_each_call() {
        let [a, b, c] = [0, 1, 2].map(|task| JobId::new(TaskId(task), 0));
        let request = |job| Record::Request { job, resource: SHARED, units: 1 };
        let acquire = |job| Record::Acquire { job, resource: SHARED, units: 1 };
        let outcome = Outcome {
            decisions: vec![
                (ns(1), request(a)),
                (ns(1), acquire(a)),
                (ns(2), request(b)),
                (ns(3), request(c)),
                (ns(9), Record::Release { job: a, resource: SHARED, units: 1 }),
                (ns(9), acquire(b)),
                (ns(12), Record::Release { job: b, resource: SHARED, units: 1 }),
            ],
            spans: vec![vec![
                span(2, Input::Request(SHARED, 1), [3, 9], 3),
                span(0, Input::Release(SHARED, 1), [19, 30], 9),
            ]],
            ..Outcome::default()
        };
        let expected = [(ns(1), 0), (ns(2), 0), (ns(3), 1), (ns(9), 2), (ns(12), 1)];
        assert_eq!(waiters(&outcome), BTreeMap::from(expected));
        // The first call is a's, in memory alone; in the second, a tells the engine that it gives the resource back.
        let calls = [
            Call { what: ACQUIRE, begin: 0, back: 2 },
            Call { what: RELEASE, begin: 18, back: 40 },
            Call { what: RELEASE, begin: 41, back: 44 },
        ];
        let found = of_locking(&outcome, &calls);
        let keys: Vec<_> = found.keys().copied().collect();
        assert_eq!(keys, [(ACQUIRE, 0), (ACQUIRE, 1), (RELEASE, 0), (RELEASE, 2)]);
        assert_eq!([largest(&found, (ACQUIRE, 0)), largest(&found, (ACQUIRE, 1))], [2, 6]);
        assert_eq!([largest(&found, (RELEASE, 0)), largest(&found, (RELEASE, 2))], [3, 11]);
    }

    #[test]
    fn every_cascade_can_be_prepared() {
        for protocol in ALL_PROTOCOLS.iter().filter(|protocol| protocol.ceilings != Ceilings::Quanta) {
            for processors in [1, processors(protocol, 2)] {
                let cascade = cascade(protocol, processors, Duration::from_ms(10)).unwrap();
                Prepared::new(&cascade).unwrap_or_else(|why| panic!("{}: {why}", protocol.name));
            }
        }
    }
}
