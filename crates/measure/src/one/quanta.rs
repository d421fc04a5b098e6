//! Litmus-rt-2006, figure 5: alignment of quanta.
//!
//! There: between the first and the last invocation of a timer interrupt on all processors. Here the quanta of one
//! boundary are decided together, and a processor's begins when the thread that was chosen for it executes its first
//! instruction there: how much later than the ideal boundary that is. Two tasks of weight 1/2 for each processor let
//! every processor begin with another thread at every boundary.

use crate::bench::Bench;
use crate::runs::{real, sets};
use schedlab_model::{CpuId, Duration, Platform, Work};
use schedlab_runtime::{Outcome, Passage};
use schedlab_scenario::TaskSpec;
use serde_json::{json, Value};
use std::collections::BTreeMap;

/// The run.
#[derive(clap::Args)]
pub struct QuantaArguments {
    /// Processors begin their quanta one after another, not together.
    #[arg(long)]
    staggered: bool,
    /// How many quanta.
    #[arg(long, default_value_t = 100)]
    quanta: u64,
}

/// Length of a quantum.
const QUANTUM: Duration = Duration::from_ms(1);
/// Work of a job in its quantum.
const COST: Work = Work::from_ns(600_000);
/// Number of first quanta that are dropped, because they load code and stacks.
const WARM_UP: u64 = 20;

/// Measures, by quantum and processor, how much later than its ideal boundary the quantum began, in ns; only quanta
/// that began on all processors count.
pub(crate) fn measure(arguments: &QuantaArguments, bench: &Bench) -> Result<Value, String> {
    let task = |index| TaskSpec::new(format!("t{index}"), COST, QUANTUM + QUANTUM);
    let tasks = (0..2 * bench.processors.len()).map(task).collect();
    let all = arguments.quanta.checked_add(WARM_UP).filter(|all| *all < 1_000_000);
    let all = all.ok_or("--quanta is too large; allowed: less than a million")?;
    let length = Duration::from_ns(QUANTUM.as_ns() * (all + 1));
    let mut scenario = sets::of_tasks(tasks, bench.count(), length);
    scenario.platform.quantum = QUANTUM;
    let scenario = sets::finish(scenario, if arguments.staggered { "S-PD2" } else { "PD2" })?;
    let (prepared, outcome) = real::run(&scenario, bench.burner, &bench.stop)?;
    let late = lateness(&outcome, &prepared.platform);
    let wanted = late
        .into_iter()
        .filter(|(quantum, late)| (WARM_UP..all).contains(quantum) && late.len() == bench.processors.len());
    let rows: Vec<Vec<u64>> = wanted.map(|(_, late)| late.into_values().collect()).collect();
    Ok(json!({ "quanta": arguments.quanta, "late_ns": rows }))
}

/// By quantum and processor: how much later than the boundary the first thread began.
fn lateness(outcome: &Outcome, platform: &Platform) -> BTreeMap<u64, BTreeMap<CpuId, u64>> {
    let mut found: BTreeMap<u64, BTreeMap<CpuId, u64>> = BTreeMap::new();
    for (at, _, passage) in &outcome.passages {
        let Passage::Passed(cpu) = passage else { continue };
        let Some(since) = at.as_ns().checked_sub(platform.quantum_offset(*cpu).as_ns()) else { continue };
        let (quantum, late) = (since / QUANTUM.as_ns(), since % QUANTUM.as_ns());
        found.entry(quantum).or_default().entry(*cpu).or_insert(late);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{Alignment, Instant, JobId, TaskId};

    /// Staggered quanta of two processors: the second begins half a quantum later; only the first thread of a quantum
    /// counts.
    #[test]
    fn lateness_is_counted_from_each_processors_own_boundary() {
        let platform = Platform { alignment: Alignment::Staggered, ..Platform::global(2) };
        let job = JobId::new(TaskId(0), 0);
        let passed = |ns, cpu| (Instant::from_ns(ns), job, Passage::Passed(CpuId(cpu)));
        let outcome = Outcome {
            passages: vec![
                passed(7_000, 0),
                passed(510_000, 1),
                passed(1_003_000, 0),
                passed(1_200_000, 0),
                (Instant::from_ns(1_400_000), job, Passage::Stopped),
                passed(1_504_000, 1),
            ],
            ..Outcome::default()
        };
        let late = lateness(&outcome, &platform);
        let by_quantum: Vec<Vec<u64>> = late.values().map(|late| late.values().copied().collect()).collect();
        assert_eq!(by_quantum, [[7_000, 10_000], [3_000, 4_000]]);
    }
}
