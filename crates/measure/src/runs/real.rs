//! A run that is measured to its end, without the kernel's context switches, with the times that the runtime itself
//! took.

use schedlab_lab::Prepared;
use schedlab_runtime::program::system;
use schedlab_runtime::program::workload::{self, Burner, Programs};
use schedlab_runtime::{Body, Ending, Options, Outcome};
use schedlab_scenario::Scenario;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

/// Number of spans that a domain keeps.
pub(crate) const SPANS: usize = 1 << 20;

/// Runs `scenario` with the built-in workload.
pub(crate) fn run(
    scenario: &Scenario,
    burner: Burner,
    stop: &Arc<AtomicBool>,
) -> Result<(Prepared, Outcome), String> {
    run_as(scenario, burner, options(), stop)
}

/// Runs `scenario` as [`run`] does, with these options.
pub(crate) fn run_as(
    scenario: &Scenario,
    burner: Burner,
    options: Options,
    stop: &Arc<AtomicBool>,
) -> Result<(Prepared, Outcome), String> {
    let prepared = Prepared::new(scenario).map_err(|error| error.to_string())?;
    let bodies = workload::bodies(&prepared, burner, &Programs::of(&scenario.tasks))?;
    let interrupts = workload::allocates_nothing(&scenario.tasks);
    let outcome = run_with(&prepared, bodies, Options { interrupts, ..options }, stop)?;
    Ok((prepared, outcome))
}

/// Returns the options of a run whose decisions are timed.
pub(crate) fn options() -> Options {
    Options { spans: SPANS, ..Options::default() }
}

/// Runs a prepared scenario, in which tasks execute `bodies`. Fails, with the reason, if it was ended before its time.
pub(crate) fn run_with(
    prepared: &Prepared,
    bodies: Vec<Body>,
    options: Options,
    stop: &Arc<AtomicBool>,
) -> Result<Outcome, String> {
    let options = Options { switches: false, ..options };
    let system = system::system(prepared, bodies, &options).map_err(|error| error.to_string())?;
    let outcome = schedlab_runtime::run(system, &options, stop).map_err(|refusal| refusal.to_string())?;
    match outcome.ending {
        Ending::Horizon | Ending::Stopped => Ok(outcome),
        Ending::Starved => Err("the machine starved: the run was ended by the watchdog".to_owned()),
        Ending::StoodStill => {
            Err("the run stood still: its threads waited for one that it had stopped".to_owned())
        }
        Ending::Ejected => Err("the scheduler in the kernel was taken away".to_owned()),
        Ending::Crashed(task) => Err(format!("task {} crashed", task.index())),
    }
}
