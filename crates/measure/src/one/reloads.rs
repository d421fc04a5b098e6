//! Litmus-rt-2006, figure 4 (a): cost of a working set after a preemption and after a migration, on all processors at
//! once.

use crate::bench::Bench;
use crate::costs::cache::{self, Access, Case};
use schedlab_model::{Alignment, OverheadKind};
use serde_json::{json, Value};

/// What to measure.
#[derive(clap::Args)]
pub struct ReloadsArguments {
    /// The working set, in bytes.
    #[arg(long)]
    bytes: usize,
    /// Processors begin their quanta one after another, not together.
    #[arg(long)]
    staggered: bool,
    /// Every line is read, not written.
    #[arg(long)]
    reads: bool,
    /// How often.
    #[arg(long, default_value_t = 1_000)]
    rounds: usize,
}

/// Lines of a page, all of which are used.
const LINES: usize = 64;

/// Measures the costs, with the largest hundredth dropped: number of values, mean and largest, after a preemption and
/// by path after a migration.
pub(crate) fn measure(arguments: &ReloadsArguments, bench: &Bench) -> Result<Value, String> {
    let ReloadsArguments { bytes, staggered, reads, rounds } = *arguments;
    let access = if reads { Access::Reads(LINES) } else { Access::Writes(LINES) };
    let alignment = if staggered { Alignment::Staggered } else { Alignment::Aligned };
    let case = |kind, shift| Case { kind, bytes, access, alignment, shift };
    let mut cases = vec![case(OverheadKind::CacheRelatedPreemption, 0)];
    cases.extend((1..bench.processors.len()).map(|shift| case(OverheadKind::CacheRelatedMigration, shift)));
    let mut rows = Vec::new();
    for case in cases {
        for (path, samples) in cache::measure(case, &bench.processors, rounds, &bench.stop) {
            let Some(kept) = samples.kept() else { continue };
            rows.push(json!({
                "what": case.kind.name(), "path": path.as_ref(), "count": kept.count, "mean_ns": kept.mean, "max_ns": kept.max,
            }));
        }
    }
    Ok(rows.into())
}
