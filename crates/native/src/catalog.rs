//! Things that can be named: names, schemas, quantities, generated task sets.

use crate::errors::{bad_input, place_of_set};
use crate::length::Length;
use crate::plain::{plain, Plain};
use pyo3::prelude::*;
use schedlab_lab::results::task_rows;
use schedlab_lab::Catalog;
use schedlab_lock::NONE;
use schedlab_policy::{find, kernel_classes, Scheduler, Scope};
use schedlab_scenario::{
    placement_words, priority_rules, schema as schema_of, shipped_names, SchedulerSpec, Schema, TaskSpec,
    NO_OVERHEADS,
};
use schedlab_workload::generate::{
    accesses, periods, stop, utilities, utilization, Deadlines, FormMeaning, Named, Spec,
};
use std::collections::BTreeMap;

/// The JSON Schema of a `scenario` or `overheads` file.
#[pyfunction]
pub(crate) fn schema(format: &str) -> PyResult<String> {
    match format {
        "scenario" => Ok(schema_of(Schema::Scenario)),
        "overheads" => Ok(schema_of(Schema::Overheads)),
        other => Err(bad_input(format!("there is no schema of \"{other}\"; allowed: scenario, overheads"))),
    }
}

/// By field: the default of a scenario or a generator that does not state it.
#[pyfunction]
pub(crate) fn defaults() -> BTreeMap<&'static str, String> {
    BTreeMap::from([
        ("scheduler", SchedulerSpec::default().name),
        ("protocol", NONE.to_owned()),
        ("overheads", NO_OVERHEADS.to_owned()),
        ("accesses", accesses::NONE.to_owned()),
        ("utility", utilities::NONE.to_owned()),
    ])
}

/// Known names by kind.
#[pyfunction]
pub(crate) fn names() -> BTreeMap<&'static str, Vec<String>> {
    let catalog = Catalog::shipped();
    let owned = |name: &str| name.to_owned();
    let named = |names: &[Named], forms: Vec<FormMeaning>| {
        let names = names.iter().map(|(name, ..)| owned(name));
        names.chain(forms.iter().map(|(form, _)| owned(form))).collect::<Vec<_>>()
    };
    BTreeMap::from([
        (
            "schedulers",
            catalog.schedulers().chain(kernel_classes()).map(|scheduler| scheduler.name).collect(),
        ),
        ("protocols", catalog.protocols().map(|protocol| owned(protocol.name)).collect()),
        ("tests", catalog.tests().map(|test| owned(test.name)).collect()),
        ("overheads", shipped_names().map(owned).collect()),
        ("utilizations", named(utilization::NAMES, utilization::written().collect())),
        ("utility", utilities::FORMS.iter().map(|(form, _)| owned(form)).collect()),
        ("deadlines", Deadlines::names().map(owned).collect()),
        ("stop", stop::FORMS.iter().map(|(form, _)| owned(form)).collect()),
        ("placements", placement_words()),
        ("priorities", priority_rules().into_iter().map(owned).collect()),
        ("accesses", accesses::written().map(|(form, _)| owned(form)).collect()),
        ("periods", named(periods::NAMES, periods::written().collect())),
        ("invariants", catalog.invariants().map(|invariant| owned(invariant.name())).collect()),
    ])
}

/// Returns whether there is a scheduler of this name or alias.
#[pyfunction]
pub(crate) fn is_scheduler(name: &str) -> bool {
    find(name).is_ok()
}

/// Returns a length of time such as "2.5 ms" in ns, or raises an error about `field`.
#[pyfunction]
pub(crate) fn nanoseconds(field: &str, length: Length) -> PyResult<u64> {
    Ok(length.duration(field)?.as_ns())
}

/// Task set number `index` of `seed`, one row per task.
#[pyfunction]
pub(crate) fn generate(
    py: Python<'_>,
    utilizations: String,
    periods: String,
    deadlines: String,
    stop: String,
    seed: i128,
    index: i128,
) -> PyResult<Plain> {
    let (seed, index) = place_of_set(seed, index)?;
    let spec = Spec { utilization: utilizations, periods, deadlines, stop };
    let generator = Catalog::shipped().generator(&spec).map_err(bad_input)?;
    let tasks = py.detach(|| generator.generate(seed, index)).map_err(bad_input)?;
    let named = |(number, task): (usize, &schedlab_model::Task)| TaskSpec {
        relative_deadline: task.relative_deadline,
        ..TaskSpec::new(format!("T{number}"), task.wcet, task.period)
    };
    let specs: Vec<TaskSpec> = tasks.iter().enumerate().map(named).collect();
    Ok(plain(&task_rows(&specs)))
}

/// Describes a scheduler in one sentence.
pub(crate) fn sentence(scheduler: &Scheduler) -> String {
    let place = match scheduler.scope {
        Scope::Partitioned => "each processor has its own ready queue",
        Scope::Clustered => "the processors of each cluster share a ready queue",
        Scope::Global => "all processors share one ready queue",
    };
    format!("{place}; {}", scheduler.description)
}
