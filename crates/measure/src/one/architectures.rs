//! Chronos-scalability-2011, table II and section 2: costs of migrations and decisions under either architecture.
//!
//! A set of tasks runs under a scheduler of several processors. A migration is the kernel's work when a decision moves
//! a task's thread; a decision lasts from when a thread asks for the engine until gates say what was decided, stopping
//! the world included.

use super::Sample;
use crate::bench::Bench;
use crate::dispatch::Dispatch;
use crate::runs::{real, sets};
use schedlab_lab::Prepared;
use schedlab_runtime::program::workload::{self, Programs};
use schedlab_runtime::Span;
use serde_json::{json, Value};

/// The run.
#[derive(clap::Args)]
pub struct ArchitecturesArguments {
    #[command(flatten)]
    sample: Sample,
    #[command(flatten)]
    dispatch: Dispatch,
}

/// Measures each migration, each decision, and its part before the engine could be asked, in ns.
pub(crate) fn measure(arguments: &ArchitecturesArguments, bench: &Bench) -> Result<Value, String> {
    let Sample { scheduler, tasks, set, length } = &arguments.sample;
    let scenario = sets::set(scheduler, false, *tasks, bench.count(), *set, *length)?;
    let prepared = Prepared::new(&scenario).map_err(|error| error.to_string())?;
    let bodies = workload::bodies(&prepared, bench.burner, &Programs::of(&scenario.tasks))?;
    let outcome = real::run_with(&prepared, bodies, arguments.dispatch.with(real::options()), &bench.stop)?;
    let each = |length: fn(&Span) -> u64| outcome.spans.iter().flatten().map(length).collect::<Vec<u64>>();
    Ok(json!({
        "migrations_ns": outcome.moves,
        "decisions_ns": each(|span| span.done - span.begin),
        "waits_ns": each(|span| span.locked - span.begin),
    }))
}
