//! Caches on a bus: the experiment of staggered-pfair-2005 with any of its numbers changed, and schedules of scenarios.

use crate::batch::watched;
use crate::errors::bad_input;
use crate::plain::{plain, Plain};
use crate::scenario::PyScenario;
use crate::trace::PyTrace;
use pyo3::prelude::*;
use pythonize::depythonize;
use schedlab_lab::results::{memory_use_of, BusMachine, BusSeen};
use schedlab_lab::{memory, modelled};
use schedlab_membus::watch;

/// More parts than can be drawn.
const MOST_PARTS: usize = 1 << 24;

/// Returns the observations of `slots` slots of such a machine after `warm_up` others, in `parts` parts of each slot.
#[pyfunction]
pub(crate) fn bus_slots(
    py: Python<'_>,
    machine: &Bound<'_, PyAny>,
    slots: usize,
    warm_up: usize,
    parts: usize,
) -> PyResult<Plain> {
    let asked: BusMachine = depythonize(machine).map_err(bad_input)?;
    let cycles = asked.quantum_cycles;
    let all_parts = slots.checked_mul(parts).filter(|all| (1..=MOST_PARTS).contains(all));
    let (Some(all_parts), true) = (all_parts, parts > 0 && cycles > 0 && cycles % parts as u64 == 0) else {
        let asked = format!("{slots} slots of {cycles} cycles in {parts} parts each");
        return Err(bad_input(format!(
            "{asked}; allowed: 1 or more of whole cycles, up to 2^24 parts in all"
        )));
    };
    // In the last slot before `to`, staggered processors still execute what they began before it.
    let of = asked.slots(warm_up.saturating_add(slots));
    let machine = of.machine().map_err(bad_input)?;
    let (from, to) = (warm_up as u64 * cycles, (warm_up + slots) as u64 * cycles);
    let found =
        watched(py, None, |control| watch(&machine, from, to, all_parts, &mut || !control.is_stopped()))?;
    let found = found.map_err(bad_input)?.expect("who stops it gets an exception");
    let of_each = |value: fn(&schedlab_membus::Counts) -> u64| -> Vec<u64> {
        found.processors.iter().map(value).collect()
    };
    let seen = BusSeen {
        machine: asked,
        lost_cycles: of_each(|counts| counts.lost),
        served_cycles: of_each(|counts| counts.served),
        requests: of_each(|counts| counts.requests),
        accesses: of_each(|counts| counts.accesses),
        part_cycles: cycles / parts as u64,
        pending_sum: found.parts.iter().map(|part| part.sum).collect(),
        pending_max: found.parts.iter().map(|part| part.max).collect(),
    };
    Ok(plain(&seen))
}

/// Returns the time that the schedules in `traces`, each a simulation of `scenario`, wait for memory, and the overheads
/// file.
#[pyfunction]
pub(crate) fn memory_use(
    py: Python<'_>,
    scenario: &PyScenario,
    traces: Vec<PyRef<'_, PyTrace>>,
) -> PyResult<(Plain, String)> {
    let scenario = &scenario.scenario;
    let mut found = Vec::with_capacity(traces.len());
    for trace in &traces {
        let segments = trace.all_segments()?;
        let used = watched(py, None, |control| {
            memory::memory_use(scenario, &segments, &mut || !control.is_stopped())
        })?;
        let used = used.map_err(bad_input)?.expect("who stops it gets an exception");
        found.push((trace.scheduler().to_owned(), used));
    }
    let rows: Vec<_> = found.iter().map(|(name, used)| memory_use_of(scenario, name, used)).collect();
    Ok((plain(&rows), modelled::profile(scenario, &found).to_toml()))
}
