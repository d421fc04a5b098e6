//! Chronos-scalability-2011, table II: the kernel's cost to migrate a ready task.
//!
//! A processor that pulls a task has to lock the run queue of another one, and waits if that one is in the scheduler
//! itself. In the paper's stop-the-world architecture it usually is, in the concurrent one seldom. Here a thread pulls
//! another one, which is ready but never executes, from a processor that executes a program (`executes`), or that
//! switches between two threads all the time (`schedules`).

use crate::bench::Bench;
use crate::costs::calls::on;
use crate::machine::alone::PRIORITY;
use schedlab_runtime::sys::{self, Tid};
use schedlab_runtime::TimeStamps;
use serde_json::{json, Value};
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicI32};
use std::thread;

/// How often.
#[derive(clap::Args)]
pub struct PullsArguments {
    /// Pulls in each state of the other processor.
    #[arg(long, default_value_t = 4_000)]
    rounds: usize,
}

/// Real-time priority of the thread that is pulled: ready, but below those that execute.
const BELOW: u8 = PRIORITY - 10;
/// Time until threads are where they should be, in ns.
const SETTLE: u64 = 1_000_000;
/// Time between two looks at whether the threads are there, in ns.
const LOOK: u64 = 100_000;

/// Measures the cycles of the time-stamp counter for each pull, by the state of the other processor; empty on a machine
/// with one processor.
pub(crate) fn measure(arguments: &PullsArguments, bench: &Bench) -> Result<Value, String> {
    let [to, from, ..] = bench.processors[..] else { return Ok(json!({})) };
    let stamps = TimeStamps::start();
    let start = sys::monotonic_ns();
    let begin = stamps.now();
    let executes = time_pulls(arguments.rounds, from, to, false, &stamps)?;
    let schedules = time_pulls(arguments.rounds, from, to, true, &stamps)?;
    let per_us = (stamps.now() - begin) as f64 * 1e3 / (sys::monotonic_ns() - start) as f64;
    Ok(json!({ "ticks_per_us": per_us, "executes": executes, "schedules": schedules }))
}

/// State of the threads that occupy a processor until the measurement is over.
struct Stage {
    over: AtomicBool,
    /// Number of threads that are there.
    there: AtomicI32,
    /// Id of the thread that is pulled.
    pulled: AtomicI32,
}

fn time_pulls(
    rounds: usize,
    from: usize,
    to: usize,
    busy: bool,
    stamps: &TimeStamps,
) -> Result<Vec<u64>, String> {
    let stage = Stage { over: AtomicBool::new(false), there: AtomicI32::new(0), pulled: AtomicI32::new(0) };
    thread::scope(|scope| {
        scope.spawn(|| wait_below(&stage, from));
        while stage.pulled.load(SeqCst) == 0 {
            sys::sleep_until(sys::monotonic_ns() + LOOK);
        }
        let occupants = if busy { 2 } else { 1 };
        for _ in 0..occupants {
            scope.spawn(|| occupy(&stage, from, busy));
        }
        while stage.there.load(SeqCst) < occupants {
            sys::sleep_until(sys::monotonic_ns() + LOOK);
        }
        sys::sleep_until(sys::monotonic_ns() + SETTLE);
        let found = on(to, || pull(stage.pulled.load(SeqCst), rounds, from, to, stamps));
        stage.over.store(true, SeqCst);
        found.map_err(|error| error.to_string())
    })
}

/// Runs the thread that is pulled: it is ready until the measurement is over.
fn wait_below(stage: &Stage, processor: usize) {
    let me = sys::current_thread();
    let _ = sys::set_affinity(me, processor);
    let _ = sys::set_fifo(me, BELOW);
    stage.pulled.store(me, SeqCst);
    while !stage.over.load(Relaxed) {
        std::hint::spin_loop();
    }
}

/// Executes, or, if not `busy`, lets the other one of two threads execute all the time.
fn occupy(stage: &Stage, processor: usize, busy: bool) {
    let me = sys::current_thread();
    // An ordinary thread would not execute there any more once the first occupant does.
    let _ = sys::set_fifo(me, PRIORITY);
    let _ = sys::set_affinity(me, processor);
    stage.there.fetch_add(1, SeqCst);
    while !stage.over.load(Relaxed) {
        if busy {
            sys::yield_processor();
        } else {
            std::hint::spin_loop();
        }
    }
}

fn pull(who: Tid, rounds: usize, from: usize, to: usize, stamps: &TimeStamps) -> std::io::Result<Vec<u64>> {
    let mut found = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let begin = stamps.now();
        sys::set_affinity(who, to)?;
        found.push(stamps.now() - begin);
        sys::set_affinity(who, from)?;
    }
    Ok(found)
}
