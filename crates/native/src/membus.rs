//! Caches on a bus: the experiment of staggered-pfair-2005 with any of its numbers changed, and schedules of scenarios.

use crate::batch::watched;
use crate::errors::bad_input;
use crate::scenario::PyScenario;
use crate::trace::PyTrace;
use pyo3::prelude::*;
use pythonize::{depythonize, pythonize};
use schedlab_lab::memory::{self, MemoryUse};
use schedlab_lab::modelled;
use schedlab_membus::{watch_while, Arbitration, Bus, Shape, Slots};
use schedlab_model::{Cost, OverheadKind, Statistic};
use schedlab_scenario::Scenario;
use serde::{Deserialize, Serialize};
use serde_json::{json, Value};
use std::collections::BTreeSet;

/// As many parts as can be drawn, and more.
const MOST_PARTS: usize = 1 << 24;

/// [`Slots`] as Python writes it. What is not given is as in [`Slots::OF_2005`].
#[derive(Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Asked {
    processors: usize,
    staggered: bool,
    quantum_cycles: u64,
    cache_bytes: u64,
    line_bytes: u64,
    ways: u64,
    read_miss: u64,
    write_miss: u64,
    upgrade: u64,
    write_back: u64,
    round_robin: bool,
    cells: u64,
    cell_bytes: u64,
    random_seed: Option<u64>,
    gap: u64,
}

impl Default for Asked {
    fn default() -> Self {
        let Slots { processors, slots: _, cycles, is_staggered, cache, bus, cells, cell_bytes, random, gap } =
            Slots::OF_2005;
        Asked {
            processors,
            staggered: is_staggered,
            quantum_cycles: cycles,
            cache_bytes: cache.bytes,
            line_bytes: cache.line_bytes,
            ways: cache.ways,
            read_miss: bus.read_miss,
            write_miss: bus.write_miss,
            upgrade: bus.upgrade,
            write_back: bus.write_back,
            round_robin: bus.arbitration == Arbitration::RoundRobin,
            cells,
            cell_bytes,
            random_seed: random,
            gap,
        }
    }
}

impl Asked {
    fn slots(&self, slots: usize) -> Slots {
        let arbitration = if self.round_robin { Arbitration::RoundRobin } else { Arbitration::Fifo };
        Slots {
            processors: self.processors,
            slots,
            cycles: self.quantum_cycles,
            is_staggered: self.staggered,
            cache: Shape { bytes: self.cache_bytes, line_bytes: self.line_bytes, ways: self.ways },
            bus: Bus {
                read_miss: self.read_miss,
                write_miss: self.write_miss,
                upgrade: self.upgrade,
                write_back: self.write_back,
                arbitration,
            },
            cells: self.cells,
            cell_bytes: self.cell_bytes,
            random: self.random_seed,
            gap: self.gap,
        }
    }
}

/// What `slots` slots of such a machine show after `warm_up` others, in `parts` parts of each slot.
#[pyfunction]
pub(crate) fn bus_slots<'py>(
    py: Python<'py>,
    machine: &Bound<'py, PyAny>,
    slots: usize,
    warm_up: usize,
    parts: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let asked: Asked = depythonize(machine).map_err(bad_input)?;
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
    let found = watched(py, None, |control| {
        watch_while(&machine, from, to, all_parts, &mut || !control.is_stopped())
    })?;
    let found = found.map_err(bad_input)?.expect("who stops it gets an exception");
    let of_each = |value: fn(&schedlab_membus::Counts) -> u64| -> Vec<u64> {
        found.processors.iter().map(value).collect()
    };
    let seen = json!({
        "machine": asked,
        "lost_cycles": of_each(|counts| counts.lost),
        "served_cycles": of_each(|counts| counts.served),
        "requests": of_each(|counts| counts.requests),
        "accesses": of_each(|counts| counts.accesses),
        "part_cycles": cycles / parts as u64,
        "pending_sum": found.parts.iter().map(|part| part.sum).collect::<Vec<_>>(),
        "pending_max": found.parts.iter().map(|part| part.max).collect::<Vec<_>>(),
    });
    Ok(pythonize(py, &seen)?)
}

/// What the schedules in `traces` wait for memory, each a simulation of `scenario`, and the overheads file.
#[pyfunction]
pub(crate) fn memory_use<'py>(
    py: Python<'py>,
    scenario: &PyScenario,
    traces: Vec<PyRef<'py, PyTrace>>,
) -> PyResult<(Bound<'py, PyAny>, String)> {
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
    let rows: Vec<Value> = found.iter().map(|(name, used)| row(scenario, name, used)).collect();
    Ok((pythonize(py, &rows)?, modelled::profile(scenario, &found).to_toml()))
}

/// What a schedule's jobs waited.
fn row(scenario: &Scenario, scheduler: &str, used: &MemoryUse) -> Value {
    let mhz = scenario.platform.memory.clock_mhz;
    let jobs = used.jobs.iter().map(|(job, counts)| {
        json!({
            "task": job.task.index(),
            "name": scenario.task_name(job.task),
            "job": job.number,
            "accesses": counts.accesses,
            "requests": counts.requests,
            "served_ns": modelled::nanoseconds(counts.served, mhz).as_ns(),
            "lost_ns": modelled::nanoseconds(counts.lost, mhz).as_ns(),
        })
    });
    let delays = modelled::delays(used, mhz).into_iter().map(|one| {
        json!({
            "kind": one.kind.name(),
            "working_set_bytes": one.working_set,
            "co_runners": one.co_runners,
            "samples": one.samples,
            "max_ns": one.max.as_ns(),
            "mean_ns": one.mean.as_ns(),
        })
    });
    json!({
        "scheduler": scheduler,
        "jobs": jobs.collect::<Vec<_>>(),
        "delays": delays.collect::<Vec<_>>(),
        "resumptions": used.resumptions.len(),
        "beyond_the_cache": used.resumptions.iter().filter(|one| one.delay.is_none()).count(),
    })
}

#[pymethods]
impl PyScenario {
    /// What the scenario's overheads say of loading each working set of its tasks again; none where that is unknown. With
    /// `as_stated`, a size between those of the file is unknown, too.
    fn cache_delays<'py>(&self, py: Python<'py>, as_stated: bool) -> PyResult<Bound<'py, PyAny>> {
        let scenario = &self.scenario;
        let charged = scenario.overheads.profile.charged(scenario.scheduler_name(), scenario.protocol_name());
        let sizes: BTreeSet<u64> = scenario.tasks.iter().map(|task| task.working_set).collect();
        let mut rows = Vec::new();
        for kind in [OverheadKind::CacheRelatedPreemption, OverheadKind::CacheRelatedMigration] {
            for size in sizes.iter().filter(|size| **size > 0) {
                let of = |statistic: Statistic| {
                    let is_known = charged.unknown(statistic).all(|unknown| unknown != kind);
                    let value =
                        || charged.overheads.evaluate(kind, statistic, scenario.tasks.len(), *size).as_ns();
                    let is_stated = || match charged.overheads.get(kind).get(statistic) {
                        Cost::ByWorkingSet(rows) => rows.iter().any(|(stated, _)| stated == size),
                        Cost::Constant(_) | Cost::Linear { .. } | Cost::ByTaskCount(_) => true,
                    };
                    (is_known && (!as_stated || is_stated())).then(value)
                };
                let (max, mean) = (of(Statistic::Max), of(Statistic::Mean));
                rows.push(json!({
                    "kind": kind.name(), "working_set_bytes": size, "max_ns": max, "mean_ns": mean,
                }));
            }
        }
        Ok(pythonize(py, &rows)?)
    }
}
