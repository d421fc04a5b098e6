//! The cost of a slot to one processor (staggered-pfair-2005, section V-C).
//!
//! Warm: slots one after another. Cold: there are many copies of each scheduler, each at another slot; all caches
//! are filled with something else, then every copy is asked once.

use super::systems::{streams, Master, Shared, Slots};
use super::timed;
use crate::machine::caches::Evictor;
use crate::values::median::median;
use schedlab_policy::pfair::Stream;
use schedlab_workload::Random;
use serde_json::{json, Value};

/// Which sets, and how.
#[derive(clap::Args)]
pub struct SlotArguments {
    /// Number of processors.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_024))]
    processors: u64,
    /// Number of tasks.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    tasks: u64,
    /// How many sets.
    #[arg(long, default_value_t = 3)]
    sets: u64,
    /// The number of the first set.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// The seed of all sets.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Fill all caches with something else before schedulers are asked.
    #[arg(long)]
    cold: bool,
}

/// Decisions of a batch, some hundred microseconds long, so that most are not interrupted by other programs.
const DECISIONS: usize = 3_200;
const BATCHES: usize = 31;

/// Number of copies of a scheduler that are called after one eviction, and of times that caches are filled.
const COPIES: usize = 64;
const EVICTIONS: usize = 5;

/// Measures the costs of each set, in ns.
pub(crate) fn measure(arguments: &SlotArguments) -> Result<Value, String> {
    let (processors, tasks) = (arguments.processors as usize, arguments.tasks as usize);
    let mut evictor = arguments.cold.then(Evictor::new);
    let end = arguments.first.checked_add(arguments.sets).ok_or("--first and --sets: too large")?;
    let mut costs = Vec::new();
    for set in arguments.first..end {
        let mut random = Random::new(arguments.seed, *b"PfairSet", set);
        let set = streams(processors, tasks, &mut random);
        let (master, staggered) = match &mut evictor {
            None => warm(&set, processors),
            Some(evictor) => cold(&set, processors, evictor),
        };
        costs.push(json!({ "master_ns": master, "staggered_ns": staggered }));
    }
    let evicted = evictor.map_or(0, |evictor| evictor.bytes());
    Ok(json!({ "evicted_bytes": evicted, "sets": costs }))
}

fn warm(set: &[Stream], processors: usize) -> (f64, f64) {
    let (mut master, mut shared) = (Master::new(set, processors), Shared::new(set, processors));
    let slots = (DECISIONS / processors).max(1);
    let (mut by_master, mut by_all) = (Vec::new(), Vec::new());
    for _ in 0..BATCHES {
        // The first slots of each batch warm the caches, which the other scheduler has just used.
        each((0..slots / 8).map(|_| master.slot()));
        by_master.push(each((0..slots).map(|_| master.slot())));
        each((0..DECISIONS / 8).map(|_| shared.invocation()));
        by_all.push(each((0..DECISIONS).map(|_| shared.invocation())));
    }
    (median(&mut by_master), median(&mut by_all))
}

fn cold(set: &[Stream], processors: usize, evictor: &mut Evictor) -> (f64, f64) {
    let mut masters: Vec<Master> = (0..COPIES).map(|_| Master::new(set, processors)).collect();
    let mut all: Vec<Shared> = (0..COPIES).map(|_| Shared::new(set, processors)).collect();
    for (copy, (master, shared)) in masters.iter_mut().zip(&mut all).enumerate() {
        each((0..50 + copy).map(|_| master.slot()));
        each((0..50 * processors + copy).map(|_| shared.invocation()));
    }
    let (mut by_master, mut by_all) = (Vec::new(), Vec::new());
    for _ in 0..EVICTIONS {
        evictor.evict();
        by_master.push(each(masters.iter_mut().map(Slots::slot)));
        by_all.push(each(all.iter_mut().map(Shared::invocation)));
    }
    (median(&mut by_master), median(&mut by_all))
}

/// Returns the ns of each of `calls`.
fn each(calls: impl ExactSizeIterator<Item = usize>) -> f64 {
    let count = calls.len() as f64;
    timed(|| calls.sum::<usize>()).0 / count
}
