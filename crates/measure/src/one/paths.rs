//! Chronos-scalability-2011, section 3.5.2 and figure 5: cost of a working set after a migration.
//!
//! A thread on the first processor initializes a buffer, then writes some evenly spaced words of each page, and times
//! that: warm. It initializes the buffer again, migrates, and times the same writes there. The difference of both is
//! the cost.

use crate::bench::Bench;
use crate::costs::cache::{timed, touch, Access, PAGE, WORD};
use crate::costs::calls::on;
use crate::machine::topology::{pairs, Path};
use schedlab_runtime::sys;
use serde_json::{json, Value};
use std::sync::atomic::AtomicU64;

/// What to measure.
#[derive(clap::Args)]
pub struct PathsArguments {
    /// Pages of the working set.
    #[arg(long)]
    pages: usize,
    /// Writes to each page.
    #[arg(long, default_value_t = 4)]
    writes: usize,
    /// How often.
    #[arg(long, default_value_t = 1_000)]
    rounds: usize,
}

/// Measures each path that this machine has: warm and migrated times, in ns.
pub(crate) fn measure(arguments: &PathsArguments, bench: &Bench) -> Result<Value, String> {
    let paths = pairs(&bench.processors).into_iter().filter(|(path, ..)| *path != Path::SameCore);
    let measure = |(path, from, to): (Path, usize, usize)| {
        let (warm, migrated) = on(from, || rounds(arguments, from, to)).map_err(|error| error.to_string())?;
        Ok(json!({ "path": path.as_ref(), "from": from, "to": to, "warm_ns": warm, "migrated_ns": migrated }))
    };
    paths.map(measure).collect()
}

fn rounds(arguments: &PathsArguments, from: usize, to: usize) -> std::io::Result<(Vec<u64>, Vec<u64>)> {
    let me = sys::current_thread();
    let buffer: Vec<AtomicU64> = (0..arguments.pages * PAGE / WORD).map(|_| AtomicU64::new(1)).collect();
    let access = Access::Writes(arguments.writes);
    let initialize = || touch(&buffer, Access::Writes(PAGE / 64));
    initialize();
    let warm = (0..arguments.rounds).map(|_| timed(&buffer, access)).collect();
    let mut migrated = Vec::with_capacity(arguments.rounds);
    for _ in 0..arguments.rounds {
        initialize();
        sys::set_affinity(me, to)?;
        migrated.push(timed(&buffer, access));
        sys::set_affinity(me, from)?;
    }
    Ok((warm, migrated))
}
