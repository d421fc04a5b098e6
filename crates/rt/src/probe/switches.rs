//! Chronos-scalability-2011, figure 7: the time of a context switch. Here: from a decision until the thread that it chose for its own
//! processor executes there, what moves the thread in the kernel included; it executed there before, or elsewhere.

use super::{length, values, Bench};
use crate::measure::samples::Samples;
use crate::measure::topology::Path;
use crate::measure::{findings, real, sets};
use crate::workload::Burner;
use schedlab_app::system;
use schedlab_model::Duration;
use schedlab_policy::find;
use serde_json::{json, Value};
use std::collections::BTreeMap;

/// The run.
#[derive(clap::Args)]
pub struct Arguments {
    /// The scheduler.
    #[arg(long)]
    scheduler: String,
    /// How many tasks.
    #[arg(long)]
    tasks: usize,
    /// Which set of that size.
    #[arg(long, default_value_t = 0)]
    set: u64,
    /// How long it runs.
    #[arg(long, default_value = "1s", value_parser = length)]
    length: Duration,
}

/// Runs a set of tasks and says what its switches took.
pub fn probe(arguments: &Arguments, bench: &Bench) -> Result<Value, String> {
    let Arguments { scheduler, tasks, set, length } = arguments;
    let quanta = find(scheduler).map_err(|error| error.to_string())?.quanta.is_some();
    let scenario = sets::set(scheduler, quanta, *tasks, bench.count(), *set, *length)?;
    let (prepared, outcome) = real::run(&scenario, Burner::calibrate(), &bench.stop)?;
    let mut by_path: BTreeMap<Path, Samples> = BTreeMap::new();
    for ((from, to), samples) in findings::of_switches(&outcome, &system::domain_of_processor(&prepared)) {
        by_path.entry(Path::between(from, to)).or_default().append(samples);
    }
    let row = |(path, samples): (&Path, _)| json!({ "path": path.name(), "ns": values(samples) });
    Ok(by_path.iter().map(row).collect())
}
