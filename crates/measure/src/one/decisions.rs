//! Chronos-scalability-2011, figure 4: cost of the scheduling algorithm by the number of tasks in the scheduler.
//!
//! A timestamp before the policy decides and one after it, as in the paper: neither waiting for the engine nor
//! carrying out what was decided is in it. Both are in a second length, which shows what the lock and the architecture
//! of section 2 cost. Jobs arrive one after another, faster than processors execute them, until all tasks are there;
//! then they complete one after another. So every number of ready jobs is met, in random order of priorities.
//!
//! Under a utility-accrual scheduler each job is worth a random amount until the end of its period, so that densities
//! are in random order and no job is given up on a machine that is quick enough. Jobs that are given up nevertheless
//! count as gone.

use super::Sample;
use crate::bench::Bench;
use crate::dispatch::Dispatch;
use crate::runs::{real, sets};
use schedlab_model::{Duration, Instant, TimeUtility, Utility, Work};
use schedlab_policy::{find, Scope};
use schedlab_runtime::program::system;
use schedlab_runtime::{Outcome, Span, Trigger};
use schedlab_scenario::{Clusters, Scenario, TaskSpec};
use schedlab_sim::Input;
use schedlab_trace::Life;
use schedlab_workload::Random;
use serde_json::{json, Value};
use std::collections::BTreeMap;

/// The run.
#[derive(clap::Args)]
pub struct DecisionsArguments {
    #[command(flatten)]
    sample: Sample,
    /// The seed of all sets.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Processors of each cluster, for a scheduler of clusters.
    #[arg(long)]
    cluster_size: Option<u16>,
    #[command(flatten)]
    dispatch: Dispatch,
}

/// Distance of arrivals, in ns.
const APART: u64 = 25_000;
/// Work of a job.
const COST: Work = Work::from_ns(100_000);
/// Part of a period for each task, in ns: its job, and the time that the machine takes for it.
const PART: u64 = 200_000;
/// Least period, in ns.
const LEAST: u64 = 2_000_000;

/// Largest utility of a job, in millionths.
const MOST_WORTH: u64 = 100_000_000;

/// Decisions by event and number of ready jobs.
type SpansByKind<'a> = BTreeMap<(&'static str, usize), Vec<&'a Span>>;

/// Runs the tasks and returns the times of decisions.
pub(crate) fn measure(arguments: &DecisionsArguments, bench: &Bench) -> Result<Value, String> {
    let scenario = wave(arguments, bench.count())?;
    let options = arguments.dispatch.with(real::options());
    let (prepared, outcome) = real::run_as(&scenario, bench.burner, options, &bench.stop)?;
    let found = by_ready_jobs(&outcome, &system::domain_of(&prepared));
    Ok(found.iter().map(|((event, ready), spans)| row(event, *ready, spans)).collect())
}

/// Writes a row: the policy's part in `ns`; in `whole_ns` with the way to the engine, the stop barrier, and the gates.
fn row(event: &str, ready: usize, spans: &[&Span]) -> Value {
    let each = |length: fn(&Span) -> u64| spans.iter().map(|span| length(span)).collect::<Vec<u64>>();
    json!({
        "event": event,
        "ready": ready,
        "ns": each(|span| span.chosen - span.locked),
        "whole_ns": each(|span| span.done - span.begin),
    })
}

fn wave(arguments: &DecisionsArguments, processors: u16) -> Result<Scenario, String> {
    let DecisionsArguments { sample: Sample { scheduler, tasks, set, length }, seed, .. } = arguments;
    let found = find(scheduler).map_err(|error| error.to_string())?;
    let partitioned = found.scope == Scope::Partitioned;
    let mut random = Random::new(*seed, *b"Decision", *set);
    let mut turns: Vec<u64> = (0..*tasks as u64).collect();
    random.shuffle(&mut turns);
    let period = (*tasks as u64 * PART / u64::from(processors)).max(LEAST);
    let task = |(index, turn): (usize, u64)| {
        let mut task = TaskSpec::new(format!("t{index}"), COST, Duration::from_ns(period));
        task.offset = Instant::from_ns(turn * APART);
        task.relative_deadline = Duration::from_ns(random.between(period / 2, period));
        task.processor = partitioned.then_some((index % usize::from(processors)) as u16);
        task.utility = found.accrues_utility().then(|| TimeUtility::Step {
            height: Utility::from_millionths(random.between(1, MOST_WORTH)),
            termination: Some(task.period),
        });
        task
    };
    let tasks = turns.into_iter().enumerate().map(task).collect();
    let mut scenario = sets::of_tasks(tasks, processors, *length);
    if let Some(size) = arguments.cluster_size {
        scenario.platform.clusters = Clusters::OfSize(size);
    }
    sets::finish(scenario, scheduler)
}

/// Change of the number of jobs that a scheduler has.
enum Change {
    Arrives,
    Completes,
    IsGivenUp,
}

/// Returns the decisions at which one job arrived or was complete, by the number of jobs that the scheduler had then,
/// with that one.
fn by_ready_jobs<'a>(outcome: &'a Outcome, domain_of: &[usize]) -> SpansByKind<'a> {
    let mut found = SpansByKind::new();
    for (domain, spans) in outcome.spans.iter().enumerate() {
        let mut records = outcome
            .decisions
            .iter()
            .filter_map(|(at, record)| match record.life() {
                Some(Life::Arrival(job, _)) => Some((at, job, Change::Arrives)),
                Some(Life::Completion(job)) => Some((at, job, Change::Completes)),
                Some(Life::Abort(job)) => Some((at, job, Change::IsGivenUp)),
                Some(Life::Miss(_)) | None => None,
            })
            .filter(|(_, job, _)| domain_of[job.task.index()] == domain)
            .peekable();
        let mut ready = 0;
        for span in spans {
            let (mut arrived, mut completed, mut given_up) = (0, 0, 0);
            while let Some((_, _, change)) = records.next_if(|(at, ..)| **at <= span.decided) {
                match change {
                    Change::Arrives => arrived += 1,
                    Change::Completes => completed += 1,
                    Change::IsGivenUp => given_up += 1,
                }
            }
            let before: usize = ready;
            ready = (ready + arrived).saturating_sub(completed + given_up);
            let one = of_one_job(span, arrived, completed, before).filter(|_| given_up == 0);
            if let Some((event, ready)) = one {
                found.entry((event, ready)).or_default().push(span);
            }
        }
    }
    found
}

/// Returns the event, if it is of one job, and the number of ready jobs.
fn of_one_job(span: &Span, arrived: usize, completed: usize, before: usize) -> Option<(&'static str, usize)> {
    match (span.cause, arrived, completed) {
        (Trigger::Timer(_), 1, 0) => Some(("arrival", before + 1)),
        (Trigger::Does(_, Input::Complete), 0, 1) => Some(("completion", before)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_lab::Prepared;
    use schedlab_model::{JobId, TaskId};
    use schedlab_trace::Record;

    /// A and B arrive at 10, which does not count; C arrives at 20 as the third; B is complete at 30, when there are
    /// three.
    #[test]
    fn jobs_are_counted_at_each_decision() {
        let [a, b, c] = [0, 1, 2].map(|task| JobId::new(TaskId(task), 0));
        let at = Instant::from_ns;
        let arrival = |job| Record::Arrival { job, absolute_deadline: at(100), cost: COST };
        let span = |cause, locked, chosen, decided| Span {
            cause,
            processor: 0,
            begin: locked - 1,
            locked,
            chosen,
            done: 99,
            decided: at(decided),
        };
        let outcome = Outcome {
            decisions: vec![
                (at(10), arrival(a)),
                (at(10), arrival(b)),
                (at(20), arrival(c)),
                (at(30), Record::Complete { job: b }),
            ],
            spans: vec![vec![
                span(Trigger::Timer(10), 11, 15, 12),
                span(Trigger::Timer(20), 21, 27, 22),
                span(Trigger::Does(TaskId(1), Input::Complete), 31, 39, 30),
            ]],
            ..Outcome::default()
        };
        let spans = &outcome.spans[0];
        let expected = [(("arrival", 3), vec![&spans[1]]), (("completion", 3), vec![&spans[2]])];
        assert_eq!(by_ready_jobs(&outcome, &[0, 0, 0]), SpansByKind::from(expected));
        let said = json!({ "event": "arrival", "ready": 3, "ns": [6], "whole_ns": [79] });
        assert_eq!(row("arrival", 3, &[&spans[1]]), said, "begun at 20, 21 to 27 the policy's, done at 99");
    }

    /// A is given up at 20, as B arrives: the decision is of no one job, and B is the only one that is left.
    #[test]
    fn a_job_that_is_given_up_counts_as_gone() {
        let [a, b, c] = [0, 1, 2].map(|task| JobId::new(TaskId(task), 0));
        let at = Instant::from_ns;
        let arrival = |job| Record::Arrival { job, absolute_deadline: at(100), cost: COST };
        let span = |now| Span {
            cause: Trigger::Timer(now),
            processor: 0,
            begin: now,
            locked: now,
            chosen: now + 1,
            done: now + 2,
            decided: at(now),
        };
        let outcome = Outcome {
            decisions: vec![
                (at(10), arrival(a)),
                (at(20), Record::Abort { job: a }),
                (at(20), arrival(b)),
                (at(30), arrival(c)),
            ],
            spans: vec![vec![span(10), span(20), span(30)]],
            ..Outcome::default()
        };
        let spans = &outcome.spans[0];
        let expected = [(("arrival", 1), vec![&spans[0]]), (("arrival", 2), vec![&spans[2]])];
        assert_eq!(by_ready_jobs(&outcome, &[0, 0, 0]), SpansByKind::from(expected));
    }

    #[test]
    fn waves_can_be_prepared() {
        let by_priority = ["P-EDF", "P-RM", "G-EDF", "G-RM", "G-FIFO", "NG-EDF", "C-EDF"];
        let by_utility = ["P-LBESA", "P-DASA-ND", "gMUA", "G-GUA", "NG-GUA", "NG-HVDF"];
        for scheduler in by_priority.into_iter().chain(by_utility) {
            let length = Duration::from_ms(100);
            let sample = Sample { scheduler: scheduler.to_owned(), tasks: 32, set: 3, length };
            let cluster_size = scheduler.starts_with("C-").then_some(2);
            let dispatch = Dispatch::default();
            let arguments = DecisionsArguments { sample, seed: 1, cluster_size, dispatch };
            let scenario = wave(&arguments, 4).unwrap_or_else(|why| panic!("{scheduler}: {why}"));
            let prepared = Prepared::new(&scenario).unwrap_or_else(|why| panic!("{scheduler}: {why}"));
            let clusters = prepared.platform.clusters.len();
            assert_eq!(
                clusters,
                if scheduler.starts_with("C-") {
                    2
                } else if scheduler.starts_with("P-") {
                    4
                } else {
                    1
                }
            );
            let worth: Vec<_> = prepared.tasks.iter().map(|task| task.time_utility().largest()).collect();
            let differ = worth.windows(2).any(|pair| pair[0] != pair[1]);
            assert_eq!(differ, by_utility.contains(&scheduler), "{scheduler}");
        }
    }
}
