//! What Pfair decisions cost: nanoseconds by number of tasks and processors, aligned and staggered, warm and cold.
//!
//! `pfair_cost rate [--runs K]`: quantum decisions per second of one core at M = 4, and the cost of one for
//! N = 10 to 10,000 with a fit a + b log2 N.
//!
//! `pfair_cost ratio M N --sets K --seed S [--cold]`: one line per random task set, the average cost of a slot to one
//! processor: `master` (aligned PD2, one processor decides for all) and `staggered` (one invocation of
//! `Schedule`), in nanoseconds. Weights are random and add up to M at most. Medians over batches of slots, which keeps out
//! whatever else the machine does. With `--cold`, a buffer larger than the caches is read before each invocation, and
//! every invocation is timed alone, less what reading the clock costs.

#![expect(clippy::disallowed_types, reason = "a benchmark reads the clock")]

use schedlab_policy::pfair::{Affinity, Aligned, Staggered, Stream, Weight, PD2};
use schedlab_workload::Random;
use std::hint::black_box;
use std::time::Instant;

/// Larger than the last-level caches that one core fills in reasonable time.
const EVICTED: usize = 64 << 20;

/// Random weights that add up to at most `processors`: shares of equal expectation, denominators up to 1,000 slots.
fn streams(processors: usize, count: usize, random: &mut Random) -> Vec<Stream> {
    let parts: Vec<u64> = (0..count).map(|_| random.between(1, 1_000)).collect();
    let whole: u64 = parts.iter().sum();
    let weight = |part: &u64| {
        let slots = random.between(100, 1_000) * (1 + count as u64 / 1_000);
        let quanta = (slots * part * processors as u64 / whole).clamp(1, slots);
        Stream::new(Weight::new(quanta, slots).expect("a weight"), false, 0)
    };
    parts.iter().map(weight).collect()
}

fn aligned(streams: &[Stream], processors: usize) -> Aligned {
    let mut scheduler = Aligned::new(PD2, Affinity::BackToBack, streams.to_vec(), processors);
    (0..streams.len() as u32).for_each(|task| scheduler.add(task));
    scheduler
}

fn staggered(streams: &[Stream], processors: usize) -> Staggered {
    let mut scheduler = Staggered::new(PD2, streams.to_vec(), processors);
    (0..streams.len() as u32).for_each(|task| scheduler.activate(task));
    scheduler
}

/// One slot of aligned PD2: who ran competes again.
fn slot(scheduler: &mut Aligned, ran: &mut Vec<u32>) {
    ran.drain(..).for_each(|task| scheduler.add(task));
    ran.extend_from_slice(scheduler.fill());
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Nanoseconds of one call, called in batches.
fn warm(batches: usize, calls: usize, mut call: impl FnMut()) -> f64 {
    (0..calls).for_each(|_| call());
    let batch = |_| {
        let begin = Instant::now();
        (0..calls).for_each(|_| call());
        begin.elapsed().as_nanos() as f64 / calls as f64
    };
    median((0..batches).map(batch).collect())
}

/// Nanoseconds of one call that finds the caches full of something else.
fn cold(calls: usize, buffer: &mut [u64], mut call: impl FnMut()) -> f64 {
    let mut timed = |call: &mut dyn FnMut()| {
        for line in buffer.iter_mut().step_by(8) {
            *line = line.wrapping_add(1);
        }
        black_box(&buffer[0]);
        let begin = Instant::now();
        call();
        begin.elapsed().as_nanos() as f64
    };
    let clock = median((0..calls).map(|_| timed(&mut || {})).collect());
    median((0..calls).map(|_| timed(&mut call)).collect()) - clock
}

/// What a slot costs one processor: master/slave, staggered.
fn costs(streams: &[Stream], processors: usize, buffer: Option<&mut [u64]>) -> (f64, f64) {
    let (mut master, mut shared) = (aligned(streams, processors), staggered(streams, processors));
    let (mut ran, mut at) = (Vec::with_capacity(processors), 0);
    let mut by_master = || slot(&mut master, &mut ran);
    let mut by_all = || {
        black_box(shared.schedule(at));
        at = (at + 1) % processors;
    };
    match buffer {
        None => {
            let calls = 1_000;
            (warm(7, calls, &mut by_master), warm(7, calls * processors, &mut by_all))
        }
        Some(buffer) => {
            (0..200).for_each(|_| by_master());
            (0..200 * processors).for_each(|_| by_all());
            (cold(9, buffer, &mut by_master), cold(9, buffer, &mut by_all))
        }
    }
}

fn rate(runs: usize) {
    let mut points = Vec::new();
    println!(
        "{:>6} {:>14} {:>16} {:>14} {:>16}",
        "N", "aligned, ns", "M decisions/s", "staggered, ns", "M decisions/s"
    );
    for count in [10, 30, 100, 300, 1_000, 3_000, 10_000] {
        let mut random = Random::new(1, *b"PfairFit", count as u64);
        let set = streams(4, count, &mut random);
        let (mut master, mut shared) = (aligned(&set, 4), staggered(&set, 4));
        let (mut ran, mut at) = (Vec::with_capacity(4), 0);
        // Batches of less than a millisecond: most are not interrupted by other programs.
        let one = warm(runs, 1_000, || slot(&mut master, &mut ran)) / 4.0;
        let other = warm(runs, 4_000, || {
            black_box(shared.schedule(at));
            at = (at + 1) % 4;
        });
        println!("{count:>6} {one:>14.1} {:>16.2} {other:>14.1} {:>16.2}", 1e3 / one, 1e3 / other);
        points.push(((count as f64).log2(), one, other));
    }
    for (name, of) in [("aligned", 0), ("staggered", 1)] {
        let fitted: Vec<_> = points.iter().map(|&(x, a, b)| (x, if of == 0 { a } else { b })).collect();
        let (base, slope, explained) = fit(&fitted);
        println!("{name}: {base:.1} ns + {slope:.1} ns * log2 N, R^2 = {explained:.3}");
    }
}

/// Least squares: intercept, slope, and the share of the variance that they explain.
fn fit(points: &[(f64, f64)]) -> (f64, f64, f64) {
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let slope = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>()
        / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>();
    let base = y - slope * x;
    let left: f64 = points.iter().map(|p| (p.1 - base - slope * p.0).powi(2)).sum();
    let all: f64 = points.iter().map(|p| (p.1 - y).powi(2)).sum();
    (base, slope, 1.0 - left / all)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str, otherwise: u64| {
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1))
            .map_or(otherwise, |text| text.parse().expect("a whole number"))
    };
    match arguments.first().map(String::as_str) {
        Some("rate") => rate(option("--runs", 201) as usize),
        Some("ratio") => {
            let number = |at: usize| arguments.get(at).and_then(|text| text.parse::<usize>().ok());
            let (Some(processors), Some(count)) = (number(1), number(2)) else {
                return eprintln!("pfair_cost ratio M N: whole numbers are needed");
            };
            let is_cold = arguments.iter().any(|argument| argument == "--cold");
            let mut buffer = vec![1u64; if is_cold { EVICTED / 8 } else { 0 }];
            let first = option("--first", 0);
            for set in first..first + option("--sets", 3) {
                let mut random = Random::new(option("--seed", 1), *b"PfairSet", set << 20 | count as u64);
                let set = streams(processors, count, &mut random);
                let (master, shared) = costs(&set, processors, is_cold.then_some(buffer.as_mut_slice()));
                println!("{master:.2} {shared:.2}");
            }
        }
        _ => eprintln!("pfair_cost rate [--runs K] | ratio M N [--sets K] [--first I] [--seed S] [--cold]"),
    }
}
