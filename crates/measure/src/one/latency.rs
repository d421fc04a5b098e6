//! Latency from a job's arrival to its first instruction: what cyclictest (rt-tests) measures of a thread of its own.
//!
//! A task for each processor, all of one period, which do next to nothing: no job waits for another one. Both times are
//! the monotonic clock's, the later one read by the job's own code.

use super::values;
use crate::bench::Bench;
use crate::runs::{real, sets};
use crate::values::samples::Samples;
use schedlab_lab::Prepared;
use schedlab_model::{Duration, Work};
use schedlab_policy::{find, Scope};
use schedlab_runtime::program::system;
use schedlab_runtime::{Body, Options, Outcome, Span, Trigger};
use schedlab_scenario::{Scenario, TaskSpec};
use serde_json::{json, Value};
use std::sync::mpsc::{channel, Sender};

/// The run.
#[derive(clap::Args)]
pub struct LatencyArguments {
    /// The scheduler; one that has no quanta.
    #[arg(long)]
    scheduler: String,
    /// From one arrival to the next.
    #[arg(long, default_value = "1ms", value_parser = super::length)]
    interval: Duration,
    /// How many arrivals on each processor.
    #[arg(long, default_value_t = 1_000)]
    loops: u64,
    /// Also say how far the release was when; this takes time itself.
    #[arg(long)]
    phases: bool,
}

/// Longest measurement.
const LONGEST: Duration = Duration::from_ms(3_600_000);
/// Bound on the work of a job.
const COST: Work = Work::from_ns(20_000);

/// Measures the time from each arrival to the job's first instruction; and on the way, to the instruction that finds
/// the timer due, to the decision, and to the change of the gates.
pub(crate) fn measure(arguments: &LatencyArguments, bench: &Bench) -> Result<Value, String> {
    let prepared = Prepared::new(&scenario(arguments, bench.count())?).map_err(|error| error.to_string())?;
    let (done, first_instructions) = channel();
    let bodies = prepared.tasks.iter().map(|_| timed(arguments.loops, done.clone())).collect();
    drop(done);
    let spans = if arguments.phases { real::SPANS } else { 0 };
    let options = Options { spans, interrupts: true, ..Options::default() };
    let outcome = real::run_with(&prepared, bodies, options, &bench.stop)?;
    let mut latencies = Samples::default();
    first_instructions.iter().for_each(|samples| latencies.append(samples));
    let partitioned = system::domain_of(&prepared).iter().any(|domain| *domain > 0);
    Ok(json!({
        "interval_ns": arguments.interval.as_ns(),
        "own_timer": partitioned || bench.processors.len() == 1,
        "ns": values(&latencies),
        "timer_ns": values(&since_due(&outcome, |span| span.begin)),
        "decided_ns": values(&since_due(&outcome, |span| span.chosen)),
        "said_ns": values(&since_due(&outcome, |span| span.done)),
    }))
}

fn scenario(arguments: &LatencyArguments, processors: u16) -> Result<Scenario, String> {
    let LatencyArguments { scheduler, interval, loops, .. } = arguments;
    let horizon = interval.as_ns().checked_mul(*loops).filter(|ns| *ns < LONGEST.as_ns());
    let horizon = horizon.ok_or("--loops times --interval is too long; allowed: less than an hour")?;
    if *interval < Duration::from_us(100) {
        return Err(format!("--interval is {interval}; allowed: 100 us or more"));
    }
    let partitioned = find(scheduler).map_err(|error| error.to_string())?.scope == Scope::Partitioned;
    let task = |index: u16| TaskSpec {
        processor: partitioned.then_some(index),
        ..TaskSpec::new(format!("t{index}"), COST, *interval)
    };
    let tasks = (0..processors).map(task).collect();
    sets::finish(sets::of_tasks(tasks, processors, Duration::from_ns(horizon)), scheduler)
}

/// Makes a task whose jobs read the clock, and which hands over the values.
fn timed(loops: u64, done: Sender<Samples>) -> Body {
    Box::new(move |context| {
        let mut samples = Samples::with_room(loops as usize);
        while context.next_job() {
            let now = context.now();
            samples.add((now - context.arrival()).as_ns());
        }
        // The receiver is there until all tasks have handed theirs over.
        let _ = done.send(samples);
    })
}

/// Returns how much later than due each entry into the engine came this far.
fn since_due(outcome: &Outcome, what: impl Fn(&Span) -> u64) -> Samples {
    let mut late = Samples::default();
    for span in outcome.spans.iter().flatten() {
        if let Trigger::Timer(due) = span.cause {
            late.add(what(span).saturating_sub(due));
        }
    }
    late
}
