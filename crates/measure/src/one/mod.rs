//! Measures one thing, and returns every value of it as JSON. Studies that run for real are made of these measurements.
//!
//! An overheads file has the same measurements of a whole machine and keeps maxima and means; a study of one figure
//! wants one thing under its own conditions, and all values.

mod architectures;
mod calls;
mod decisions;
mod latency;
mod locks;
mod objects;
mod paths;
mod pfair;
mod pulls;
mod quanta;
mod reloads;
mod sets;
mod switches;
mod writes;

use crate::bench::Bench;
use crate::failure::NotMeasured;
use crate::values::samples::Samples;
use clap::{Args, Subcommand};
use schedlab_model::Duration;
use serde_json::Value;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

/// What to measure.
#[derive(Subcommand)]
pub enum One {
    /// What decisions cost by the number of ready jobs.
    Decisions(decisions::DecisionsArguments),
    /// What switching to another thread costs by where that thread executed before.
    Switches(Sample),
    /// What a working set costs after a migration, by path.
    Paths(paths::PathsArguments),
    /// What system calls cost, and the runtime's own calls.
    Calls(calls::CallsArguments),
    /// What it costs the kernel to pull a ready thread from another processor.
    Pulls(pulls::PullsArguments),
    /// What migrations and decisions cost while other processors execute, or stand still.
    Architectures(architectures::ArchitecturesArguments),
    /// What taking and giving back a lock cost by how many wait for it.
    Locks(locks::LocksArguments),
    /// What operations on shared objects cost: buffer, queue and heap, locked, lock-free and wait-free.
    Objects(objects::ObjectsArguments),
    /// The runtime's own overheads in a set of tasks.
    Sets(sets::SetsArguments),
    /// What a working set costs after a preemption and after a migration.
    Reloads(reloads::ReloadsArguments),
    /// How well quanta are aligned.
    Quanta(quanta::QuantaArguments),
    /// Cycles per write in aligned and in staggered quanta.
    Writes(writes::WritesArguments),
    /// From a job's arrival to its first instruction.
    Latency(latency::LatencyArguments),
    /// What a Pfair slot costs a processor, master/slave beside staggered, by random task set.
    PfairSlots(pfair::slot::SlotArguments),
}

/// A set of tasks that is run.
#[derive(Args)]
pub struct Sample {
    /// The scheduler.
    #[arg(long)]
    scheduler: String,
    /// How many tasks.
    #[arg(long)]
    tasks: usize,
    /// Which set of that size.
    #[arg(long, default_value_t = 0)]
    set: u64,
    /// How long it runs.
    #[arg(long, default_value = "1s", value_parser = length)]
    length: Duration,
}

/// Measures one thing, and returns the answer's lines.
pub fn one(asked: &One) -> Result<String, NotMeasured> {
    // Nothing sets what would stop runs: an interrupt ends the process, and leaves nothing behind.
    let bench = || Bench::take(&Arc::new(AtomicBool::new(false)));
    let found = match asked {
        One::Architectures(asked) => architectures::measure(asked, &bench()?),
        One::Decisions(asked) => decisions::measure(asked, &bench()?),
        One::Switches(asked) => switches::measure(asked, &bench()?),
        One::Paths(asked) => paths::measure(asked, &bench()?),
        One::Calls(asked) => calls::measure(asked, &bench()?),
        One::Pulls(asked) => pulls::measure(asked, &bench()?),
        One::Locks(asked) => locks::measure(asked, &bench()?),
        One::Objects(asked) => objects::measure(asked, &bench()?),
        One::Sets(asked) => sets::measure(asked, &bench()?),
        One::Reloads(asked) => reloads::measure(asked, &bench()?),
        One::Quanta(asked) => quanta::measure(asked, &bench()?),
        One::Writes(asked) => writes::measure(asked, &bench()?),
        One::Latency(asked) => latency::measure(asked, &bench()?),
        // It has no threads, and needs nothing of the machine.
        One::PfairSlots(asked) => pfair::slot::measure(asked),
    }?;
    Ok(format!("{found}\n"))
}

/// Reads a length of time as a user writes it.
fn length(text: &str) -> Result<Duration, &'static str> {
    schedlab_scenario::duration(text)
}

fn values(samples: &Samples) -> Value {
    samples.values().into()
}
