//! Litmus-rt-2006, figure 4 (b) and (c), and appendix A of block-or-not-2008: the runtime's own overheads in a set of
//! tasks, after the largest hundredth of the values was dropped as in its section 4.1.
//!
//! With `--sections` each job also has a section under the FMLP, in which waiting jobs suspend themselves, and a
//! non-preemptive one.

use super::Sample;
use crate::bench::Bench;
use crate::runs::{findings, locking, real, sets};
use schedlab_policy::find;
use schedlab_runtime::program::system;
use serde_json::{json, Map, Value};

/// The run.
#[derive(clap::Args)]
pub struct SetsArguments {
    #[command(flatten)]
    sample: Sample,
    /// Jobs have sections.
    #[arg(long)]
    sections: bool,
}

/// Measures each overhead: number of values, mean and largest of those kept.
pub(crate) fn measure(arguments: &SetsArguments, bench: &Bench) -> Result<Value, String> {
    let SetsArguments { sample: Sample { scheduler, tasks, set, length }, sections } = arguments;
    let quanta = find(scheduler).map_err(|error| error.to_string())?.quanta.is_some();
    let scenario = if *sections {
        sets::with_sections(scheduler, *tasks, bench.count(), *set, *length)?
    } else {
        sets::set(scheduler, quanta, *tasks, bench.count(), *set, *length)?
    };
    let (prepared, outcome) = real::run(&scenario, bench.burner, &bench.stop)?;
    let mut found = findings::of_dispatching(&outcome, &system::domain_of_processor(&prepared), quanta);
    found.append(&mut locking::of_calls(&outcome));
    found.insert("deciding", findings::of_deciding(&outcome, quanta));
    let row = |(what, samples): (&str, crate::values::samples::Samples)| {
        samples.kept().map(|kept| {
            (what.to_owned(), json!({ "count": kept.count, "mean_ns": kept.mean, "max_ns": kept.max }))
        })
    };
    Ok(found.into_iter().filter_map(row).collect::<Map<_, _>>().into())
}
