//! Chronos-scalability-2011, figure 8: costs of system calls, beside those that begin and end a job's segment.
//!
//! The runtime has one call for both: waiting for the next job ends one and begins the next. It is timed where the next
//! job has arrived already, so that no other thread has to run.

use super::values;
use crate::bench::Bench;
use crate::costs::calls::{clock, on, times};
use crate::machine::alone::PRIORITY;
use crate::runs::real;
use crate::runs::sets;
use crate::values::samples::Samples;
use schedlab_lab::Prepared;
use schedlab_model::{Duration, ResourceId, Step, Work};
use schedlab_runtime::program::workload::Burner;
use schedlab_runtime::{sys, Body, Context};
use schedlab_scenario::{ResourceSpec, TaskSpec};
use serde_json::{json, Value};
use std::sync::mpsc::{channel, Sender};

/// How often.
#[derive(clap::Args)]
pub struct CallsArguments {
    /// Calls of each kind.
    #[arg(long, default_value_t = 1_000)]
    rounds: usize,
}

/// Measures each call.
pub(crate) fn measure(arguments: &CallsArguments, bench: &Bench) -> Result<Value, String> {
    let processor = bench.processors[0];
    let kernel = on(processor, || of_the_kernel(arguments.rounds, &bench.processors, processor));
    let runtime = of_the_runtime(arguments.rounds, bench)?;
    let row = |(call, samples): &(&str, Samples)| json!({ "call": call, "ns": values(samples) });
    Ok(kernel.iter().chain(&runtime).map(row).collect())
}

fn of_the_kernel(rounds: usize, processors: &[usize], here: usize) -> Vec<(&'static str, Samples)> {
    let me = sys::current_thread();
    // They are tried before: what fails costs less.
    let affinity = |round: usize| {
        let _ =
            if round % 2 == 0 { sys::allow_processors(me, processors) } else { sys::set_affinity(me, here) };
    };
    let priority = |round: usize| {
        let _ = sys::set_fifo(me, PRIORITY - (round % 2) as u8);
    };
    vec![
        ("gettid", times(rounds, |_| sys::ask_thread())),
        ("clock_getres", times(rounds, |_| sys::ask_clock())),
        ("sched_setaffinity", times(rounds, affinity)),
        ("sched_setscheduler", times(rounds, priority)),
    ]
}

/// The resource of the runtime's calls.
const SHARED: ResourceId = ResourceId(0);
/// Work of a job between its calls.
const PART: Work = Work::from_ns(2_000);
/// Distance of arrivals, which is also less than what a job executes at its end.
const PERIOD: Duration = Duration::from_us(200);
const LATE: Work = Work::from_ns(250_000);

/// Measures the runtime's calls in one task whose jobs are always late, so that each finds the next one there.
fn of_the_runtime(rounds: usize, bench: &Bench) -> Result<Vec<(&'static str, Samples)>, String> {
    let mut task = TaskSpec::new("late".to_owned(), PART + PART, PERIOD);
    task.program = vec![
        Step::Request(SHARED, 1),
        Step::Execute(PART),
        Step::Release(SHARED, 1),
        Step::NpEnter,
        Step::Execute(PART),
        Step::NpExit,
    ];
    // Time enough: the task ends the run when it has measured.
    let length = Duration::from_ns(rounds as u64 * 4 * PERIOD.as_ns());
    let mut scenario = sets::of_tasks(vec![task], bench.count(), length);
    scenario.resources = vec![ResourceSpec::new("r")];
    // A resource that no partition keeps to itself.
    scenario.protocol = "task-fair".to_owned();
    let scenario = sets::finish(scenario, "G-EDF")?;
    let prepared = Prepared::new(&scenario).map_err(|error| error.to_string())?;
    let (sender, receiver) = channel();
    let bodies = vec![late(rounds, bench.burner, sender)];
    real::run_with(&prepared, bodies, real::options(), &bench.stop)?;
    receiver.recv().map_err(|_| "no job was measured".to_owned())
}

/// Makes each call once a job, and sends the times at the end.
fn late(rounds: usize, burner: Burner, sender: Sender<Vec<(&'static str, Samples)>>) -> Body {
    Box::new(move |context| {
        let [mut next, mut free, mut section] = [(); 3].map(|()| Samples::default());
        let clock = clock();
        let mut ended: Option<u64> = None;
        for _ in 0..rounds {
            if !context.next_job() {
                break;
            }
            let begun = sys::monotonic_ns();
            if let Some(ended) = ended {
                next.add((begun - ended).saturating_sub(clock));
            }
            free.add(pair(context, burner, clock, |job| job.lock(SHARED), |job| job.unlock(SHARED)));
            section.add(pair(
                context,
                burner,
                clock,
                |job| job.enter_non_preemptive(),
                |job| job.exit_non_preemptive(),
            ));
            burner.burn(LATE);
            ended = Some(sys::monotonic_ns());
        }
        context.end_run();
        let _ = sender.send(vec![
            ("wait for the next job", next),
            ("lock and unlock, free", free),
            ("non-preemptive section", section),
        ]);
    })
}

/// Measures two calls that have a part of the job between them.
fn pair(
    context: &mut Context<'_>,
    burner: Burner,
    clock: u64,
    begin: fn(&mut Context<'_>),
    end: fn(&mut Context<'_>),
) -> u64 {
    let first = sys::monotonic_ns();
    begin(context);
    let between = sys::monotonic_ns();
    burner.burn(PART);
    let second = sys::monotonic_ns();
    end(context);
    let both = between - first + (sys::monotonic_ns() - second);
    both.saturating_sub(2 * clock)
}
