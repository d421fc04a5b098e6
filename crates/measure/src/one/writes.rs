//! Staggered-pfair-2005, section V-B, figures 13 and 14: cycles per write in aligned and in staggered quanta.
//!
//! On each processor a thread writes to an array during each quantum. When a quantum ends it goes on with another
//! array, which is in no cache: what a preemption does to a task, as in the simulations of section V-A; the caches are
//! full of what the quanta before have written. With aligned quanta all processors fill their caches at once, with
//! staggered ones in turn. One thread alone is measured, too: no way to avoid contention gains more than what lies
//! between.

use super::length;
use crate::bench::Bench;
use crate::costs::cache::WORD;
use crate::machine::alone::PRIORITY;
use clap::ValueEnum;
use schedlab_model::Duration;
use schedlab_runtime::{sys, TimeStamps};
use serde_json::{json, Value};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::Barrier;
use std::thread;

/// What to measure.
#[derive(clap::Args)]
pub struct WritesArguments {
    /// The array, in bytes.
    #[arg(long, value_parser = clap::value_parser!(u64).range(64..=1 << 26))]
    bytes: u64,
    /// Which words are written.
    #[arg(long)]
    pattern: Pattern,
    /// The length of a quantum.
    #[arg(long, default_value = "1ms", value_parser = length)]
    quantum: Duration,
    /// Quanta of a round: each has an array of its own.
    #[arg(long, default_value_t = 20)]
    quanta: usize,
    /// How often each way is measured, in turn.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

/// Which words of the array are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Pattern {
    /// One of each cache line, line after line, over and over.
    Linear,
    /// Any, as chance has it.
    Random,
}

/// Begin of the processors' quanta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The first processor runs alone.
    Alone,
    /// All processors begin at once.
    Aligned,
    /// Each processor begins a part of a quantum after the one before.
    Staggered,
}

const WAYS: [(&str, Way); 3] =
    [("alone", Way::Alone), ("aligned", Way::Aligned), ("staggered", Way::Staggered)];

/// Words of a cache line.
const LINE: usize = 64 / WORD;
/// Number of writes between two looks at the clock.
const BATCH: usize = 256;
/// Time from the agreement on the first quantum until it begins, in ns.
const HEAD_START: u64 = 200_000;
/// Pause between rounds in ns, so that the kernel lets other threads run then and not in a round.
const PAUSE: u64 = 5_000_000;

/// State that the threads share.
struct Shared<'a> {
    arguments: &'a WritesArguments,
    processors: &'a [usize],
    stamps: TimeStamps,
    barrier: Barrier,
    /// Begin of the first quantum.
    zero: AtomicU64,
}

/// Measures, by way, round and processor, the cycles per write of each quantum.
pub(crate) fn measure(arguments: &WritesArguments, bench: &Bench) -> Result<Value, String> {
    let shared = Shared {
        arguments,
        processors: &bench.processors,
        stamps: TimeStamps::start(),
        barrier: Barrier::new(bench.processors.len()),
        zero: AtomicU64::new(0),
    };
    let found: Vec<Vec<Vec<f64>>> = thread::scope(|scope| {
        let on = |index| {
            scope.spawn({
                let shared = &shared;
                move || on_one(shared, index)
            })
        };
        let threads: Vec<_> = (0..bench.processors.len()).map(on).collect();
        threads.into_iter().map(|thread| thread.join().expect("a measuring thread does not panic")).collect()
    });
    let of_way = |(number, (name, _)): (usize, &(&str, Way))| {
        let rounds: Vec<Vec<&Vec<f64>>> = (0..arguments.rounds)
            .map(|round| found.iter().map(move |one| &one[round * WAYS.len() + number]))
            .map(|all| all.filter(|quanta| !quanta.is_empty()).collect())
            .collect();
        ((*name).to_owned(), json!(rounds))
    };
    Ok(Value::Object(WAYS.iter().enumerate().map(of_way).collect()))
}

/// Runs all rounds on one processor. Returns, by round and way, the cycles per write of each quantum.
fn on_one(shared: &Shared<'_>, index: usize) -> Vec<Vec<f64>> {
    let me = sys::current_thread();
    // Without them the numbers are worse, and say so.
    let _ = sys::set_affinity(me, shared.processors[index]);
    let words = shared.arguments.bytes as usize / WORD;
    let array = || (0..words).map(|_| AtomicU64::new(1)).collect();
    let arrays: Vec<Vec<AtomicU64>> = (0..shared.arguments.quanta).map(|_| array()).collect();
    let _ = sys::set_fifo(me, PRIORITY);
    let mut found = Vec::new();
    for _ in 0..shared.arguments.rounds {
        for (_, way) in WAYS {
            arrays.iter().for_each(|array| sys::flush(array));
            shared.barrier.wait();
            sys::sleep_until(sys::monotonic_ns() + PAUSE);
            if index == 0 {
                shared.zero.store(sys::monotonic_ns() + HEAD_START, SeqCst);
            }
            shared.barrier.wait();
            let takes_part = way != Way::Alone || index == 0;
            found.push(if takes_part { round(shared, index, way, &arrays) } else { Vec::new() });
            shared.barrier.wait();
        }
    }
    found
}

/// Runs one round: a quantum with each array. Returns the cycles per write of each.
fn round(shared: &Shared<'_>, index: usize, way: Way, arrays: &[Vec<AtomicU64>]) -> Vec<f64> {
    let quantum = shared.arguments.quantum.as_ns();
    let offset = match way {
        Way::Staggered => quantum * index as u64 / shared.processors.len() as u64,
        Way::Alone | Way::Aligned => 0,
    };
    let mut boundary = shared.zero.load(SeqCst) + offset;
    while sys::monotonic_ns() < boundary {
        std::hint::spin_loop();
    }
    let mut chance = 1 + index as u64;
    arrays
        .iter()
        .map(|array| {
            boundary += quantum;
            let begin = shared.stamps.now();
            let writes = match shared.arguments.pattern {
                Pattern::Linear => write_lines(array, boundary),
                Pattern::Random => write_anywhere(array, boundary, &mut chance),
            };
            (shared.stamps.now() - begin) as f64 / writes as f64
        })
        .collect()
}

fn add_one(word: &AtomicU64) {
    word.store(word.load(Relaxed).wrapping_add(1), Relaxed);
}

/// Writes line after line until `end`, some lines at least. Returns how often.
fn write_lines(array: &[AtomicU64], end: u64) -> usize {
    let mut writes = 0;
    loop {
        for lines in array.chunks(LINE * BATCH) {
            lines.iter().step_by(LINE).for_each(add_one);
            writes += lines.len().div_ceil(LINE);
            if sys::monotonic_ns() >= end {
                return writes;
            }
        }
    }
}

/// Writes to random words until `end`, to some at least. Returns how often.
fn write_anywhere(array: &[AtomicU64], end: u64, chance: &mut u64) -> usize {
    let mut writes = 0;
    loop {
        for _ in 0..BATCH {
            // Marsaglia's xorshift: a few cycles.
            *chance ^= *chance << 13;
            *chance ^= *chance >> 7;
            *chance ^= *chance << 17;
            let place = (u128::from(*chance) * array.len() as u128) >> 64;
            add_one(&array[place as usize]);
        }
        writes += BATCH;
        if sys::monotonic_ns() >= end {
            return writes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(array: &[AtomicU64]) -> Vec<u64> {
        array.iter().map(|word| word.load(Relaxed)).collect()
    }

    /// One word of each line is written, and as often as the function returns.
    #[test]
    fn lines_are_written_in_turn() {
        let array: Vec<AtomicU64> = (0..4 * LINE).map(|_| AtomicU64::new(0)).collect();
        let writes = write_lines(&array, sys::monotonic_ns() + 100_000) as u64;
        let found = written(&array);
        assert_eq!(found.iter().sum::<u64>(), writes);
        assert!((0..).zip(&found).all(|(index, times)| (index % LINE == 0) == (*times > 0)), "{found:?}");
    }

    /// A thread that comes too late has written something all the same, so that no quantum lacks a number.
    #[test]
    fn a_quantum_that_is_over_has_some_writes() {
        let array: Vec<AtomicU64> = (0..16).map(|_| AtomicU64::new(0)).collect();
        assert!(write_lines(&array, 0) > 0 && write_anywhere(&array, 0, &mut 1) > 0);
    }

    /// Each word is written about as often as any other.
    #[test]
    fn words_are_written_by_chance() {
        let array: Vec<AtomicU64> = (0..16).map(|_| AtomicU64::new(0)).collect();
        let writes = write_anywhere(&array, sys::monotonic_ns() + 2_000_000, &mut 1) as u64;
        let found = written(&array);
        assert_eq!(found.iter().sum::<u64>(), writes);
        assert!(found.iter().all(|times| *times > writes / 64 && *times < writes / 4), "{found:?}");
    }
}
