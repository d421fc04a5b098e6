//! `schedlab-rt probe`: one thing measured, every value of it, as JSON. What the studies that run for real are made of.
//!
//! `schedlab-rt measure` asks the same questions of a whole machine and keeps maxima and means; a study of one figure wants one
//! thing under its own conditions, and all values.

mod architectures;
mod calls;
mod decisions;
mod engine;
mod latency;
mod locks;
mod objects;
mod paths;
mod pulls;
mod quanta;
mod reloads;
mod sets;
mod switches;
mod writes;

use crate::failure::Failure;
use crate::measure::alone_on;
use crate::measure::samples::Samples;
use crate::output;
use clap::{Args, Subcommand};
use schedlab_model::Duration;
use schedlab_runtime::sys;
use serde_json::Value;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

/// What to measure.
#[derive(Args)]
pub struct ProbeArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// What decisions cost by the number of ready jobs.
    Decisions(decisions::DecisionsProbe),
    /// What switching to another thread costs by where that thread executed before.
    Switches(Sample),
    /// What a working set costs after a migration, by path.
    Paths(paths::PathsProbe),
    /// What system calls cost, and the runtime's own calls.
    Calls(calls::CallsProbe),
    /// What it costs the kernel to pull a ready thread from another processor.
    Pulls(pulls::PullsProbe),
    /// What migrations and decisions cost while other processors execute, or stand still.
    Architectures(architectures::ArchitecturesProbe),
    /// What taking and giving back a lock cost by how many wait for it.
    Locks(locks::LocksProbe),
    /// What operations on shared objects cost: buffer, queue and heap, locked, lock-free and wait-free.
    Objects(objects::ObjectsProbe),
    /// The runtime's own overheads in a set of tasks.
    Sets(sets::SetsProbe),
    /// What a working set costs after a preemption and after a migration.
    Reloads(reloads::ReloadsProbe),
    /// How well quanta are aligned.
    Quanta(quanta::QuantaProbe),
    /// Cycles per write in aligned and in staggered quanta.
    Writes(writes::WritesProbe),
    /// What a decision costs the engine by the number of tasks, with no other thread there.
    Engine(engine::EngineProbe),
    /// From a job's arrival to its first instruction.
    Latency(latency::LatencyProbe),
}

/// A set of tasks that is run.
#[derive(Args)]
struct Sample {
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

/// What a probe may use.
struct Bench {
    processors: Vec<usize>,
    /// Of runs: nothing sets it. An interrupt ends the process, and leaves nothing behind.
    stop: Arc<AtomicBool>,
}

impl Bench {
    fn count(&self) -> u16 {
        u16::try_from(self.processors.len()).expect("a machine has at most 65,535 processors")
    }
}

/// Measures and prints.
pub fn probe(arguments: &ProbeArguments) -> Result<ExitCode, Failure> {
    let processors = sys::allowed_processors().map_err(|error| error.to_string())?;
    let _lease = match alone_on(&processors) {
        Ok(lease) => lease,
        Err(code) => return Ok(code),
    };
    let bench = Bench { processors, stop: Arc::new(AtomicBool::new(false)) };
    let found = match &arguments.what {
        What::Architectures(arguments) => architectures::probe(arguments, &bench),
        What::Decisions(arguments) => decisions::probe(arguments, &bench),
        What::Switches(arguments) => switches::probe(arguments, &bench),
        What::Paths(arguments) => paths::probe(arguments, &bench),
        What::Calls(arguments) => calls::probe(arguments, &bench),
        What::Pulls(arguments) => pulls::probe(arguments, &bench),
        What::Locks(arguments) => locks::probe(arguments, &bench),
        What::Objects(arguments) => objects::probe(arguments, &bench),
        What::Sets(arguments) => sets::probe(arguments, &bench),
        What::Reloads(arguments) => reloads::probe(arguments, &bench),
        What::Quanta(arguments) => quanta::probe(arguments, &bench),
        What::Writes(arguments) => writes::probe(arguments, &bench),
        What::Engine(arguments) => engine::probe(arguments, &bench),
        What::Latency(arguments) => latency::probe(arguments, &bench),
    }?;
    output::say(&format!("{found}\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// A length of time as a user writes it.
fn length(text: &str) -> Result<Duration, &'static str> {
    schedlab_scenario::duration(text)
}

fn values(samples: &Samples) -> Value {
    samples.values().into()
}
