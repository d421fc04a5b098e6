//! Computations for cross-checks of overhead accounting, in ns.

use crate::crosscheck::{model, Triple};
use crate::errors::bad_input;
use pyo3::prelude::*;
use schedlab_analysis::exact::Fraction;
use schedlab_analysis::overheads::fp;
use schedlab_analysis::overheads::jlfp::{inflate_exactly, Accounting};
use schedlab_analysis::overheads::quanta::{self, Densities, Mode, Parameters};
use schedlab_model::{Cost, Duration, OverheadKind, Overheads, Statistic, Task};

/// A cost as numerator and denominator, in decimal, and the other parameters in the order in which the accounting has
/// them.
type ParameterRow = Vec<(String, String)>;

/// The parameters that the accounting called `name` gives to `tasks`, `None` if they do not fit; all in nanoseconds.
/// `overheads` are (kind, base, for each task), `cache` is (base, for each unit of the working set).
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "a record has that many fields")]
pub(crate) fn accounted(
    name: &str,
    tasks: Vec<Triple>,
    working_sets: Vec<u64>,
    processors: u32,
    quantum: u64,
    overheads: Vec<(String, u64, u64)>,
    cache: (u64, u64),
    latency: u64,
    dedicated: bool,
) -> PyResult<Option<Vec<ParameterRow>>> {
    if working_sets.len() != tasks.len() || quantum == 0 {
        return Err(bad_input("each task has a working set, and the quantum is positive"));
    }
    let mut tasks = model(&tasks);
    tasks.iter_mut().zip(&working_sets).for_each(|(task, size)| task.working_set = *size);
    let overheads = measured(&overheads, cache, &working_sets)?;
    let accounting = Accounting {
        overheads: &overheads,
        statistic: Statistic::Max,
        quantum: Duration::from_ns(quantum),
        processors,
        machine_tasks: tasks.len(),
        release_latency: Duration::from_ns(latency),
        polled: Duration::ZERO,
        dedicated_interrupts: dedicated,
        switches_in_progress: false,
    };
    match name {
        "jlfp" => Ok(job_level(&tasks, &accounting)),
        "fp" => Ok(task_level(&tasks, &accounting)),
        other => by_quanta(other, &tasks, &accounting),
    }
}

fn measured(rows: &[(String, u64, u64)], cache: (u64, u64), sizes: &[u64]) -> PyResult<Overheads> {
    let mut overheads = Overheads::default();
    let ns = Duration::from_ns;
    for (name, base, per_task) in rows {
        let kind = match name.as_str() {
            "schedule" => OverheadKind::Scheduling,
            "ctx_switch" => OverheadKind::ContextSwitch,
            "tick" => OverheadKind::Tick,
            "release" => OverheadKind::Release,
            "ipi_latency" => OverheadKind::Ipi,
            other => return Err(bad_input(format!("unknown overhead \"{other}\""))),
        };
        let max = Cost::Linear { base: ns(*base), per_task_ps: per_task.saturating_mul(1000) };
        overheads.set(kind, max.into());
    }
    let largest = sizes.iter().max().copied().unwrap_or(0).saturating_add(1);
    let dearest = cache.1.saturating_mul(largest).saturating_add(cache.0);
    let max = Cost::ByWorkingSet(vec![(0, ns(cache.0)), (largest, ns(dearest))]);
    overheads.set(OverheadKind::CacheRelatedPreemption, max.into());
    Ok(overheads)
}

fn printed(value: &Fraction) -> (String, String) {
    let (numerator, denominator) = value.lowest_terms();
    (numerator.to_string(), denominator.to_string())
}

fn whole(value: u64) -> (String, String) {
    (value.to_string(), "1".to_owned())
}

fn job_level(tasks: &[Task], accounting: &Accounting<'_>) -> Option<Vec<ParameterRow>> {
    let inflated = inflate_exactly(tasks, accounting).ok()?;
    let row = |task: &schedlab_analysis::overheads::jlfp::Inflated| {
        vec![printed(&task.cost), whole(task.period), whole(task.relative_deadline)]
    };
    Some(inflated.iter().map(row).collect())
}

fn task_level(tasks: &[Task], accounting: &Accounting<'_>) -> Option<Vec<ParameterRow>> {
    let charged = fp::charge(tasks, accounting).ok()?;
    let row = |task: &Task| {
        let (period, deadline) = (task.period.as_ns(), task.relative_deadline.as_ns());
        [task.wcet.as_ns(), period, deadline, task.jitter.as_ns()].map(whole).to_vec()
    };
    Some(charged.interrupts.iter().chain(&charged.tasks).map(row).collect())
}

fn by_quanta(name: &str, tasks: &[Task], accounting: &Accounting<'_>) -> PyResult<Option<Vec<ParameterRow>>> {
    let quantum = accounting.quantum.as_ns();
    let strict = Mode { polled: false, staggered_over: None, densities: Densities::BelowOne };
    let given: Vec<Parameters> = tasks.iter().map(Parameters::of).collect();
    let (below, all) = (Densities::BelowOne, Fraction::integer(quantum));
    let account = |mode| quanta::account(tasks, accounting, mode);
    let found = match name {
        "quantize_wcet" => quanta::round_costs(&given, quantum, &all, below),
        "quantize_period" => quanta::round_periods(&given, quantum, below),
        "account_for_delayed_release" => quanta::delay_releases(&given, &all, below),
        "account_for_staggering" => {
            quanta::delay_releases(&given, &quanta::stagger_delay(quantum, accounting.processors), below)
        }
        "pfair_aligned" => account(strict),
        "pfair_aligned_periodic" => account(Mode { polled: true, ..strict }),
        "pfair_staggered" => account(Mode { staggered_over: Some(accounting.processors), ..strict }),
        "pfair_aligned_weight1_allowed" => account(Mode { densities: Densities::UpToOne, ..strict }),
        other => return Err(bad_input(format!("unknown accounting \"{other}\""))),
    };
    let row = |task: &Parameters| {
        vec![printed(&task.cost), printed(&task.period), printed(&task.relative_deadline)]
    };
    Ok(found.map(|tasks| tasks.iter().map(row).collect()))
}
