//! Chronos-scalability-2011, figure 7: the time of a context switch. Here: from a decision until the thread that it
//! chose for its own processor executes there, what moves the thread in the kernel included; it executed there before,
//! or elsewhere.

use super::{values, Sample};
use crate::bench::Bench;
use crate::machine::topology::Path;
use crate::runs::{findings, real, sets};
use crate::values::samples::Samples;
use schedlab_policy::find;
use schedlab_runtime::program::system;
use serde_json::{json, Value};
use std::collections::BTreeMap;

/// Runs a set of tasks and returns the times of its switches.
pub(crate) fn measure(sample: &Sample, bench: &Bench) -> Result<Value, String> {
    let Sample { scheduler, tasks, set, length } = sample;
    let quanta = find(scheduler).map_err(|error| error.to_string())?.quanta.is_some();
    let scenario = sets::set(scheduler, quanta, *tasks, bench.count(), *set, *length)?;
    let (prepared, outcome) = real::run(&scenario, bench.burner, &bench.stop)?;
    let mut by_path: BTreeMap<Path, Samples> = BTreeMap::new();
    for ((from, to), samples) in findings::of_switches(&outcome, &system::domain_of_processor(&prepared)) {
        by_path.entry(Path::between(from, to)).or_default().append(samples);
    }
    let row = |(path, samples): (&Path, _)| json!({ "path": path.as_ref(), "ns": values(samples) });
    Ok(by_path.iter().map(row).collect())
}
