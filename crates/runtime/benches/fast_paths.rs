//! What a real run's hot paths cost when no other thread is in the way, beside a mutex of the standard library: medians
//! of many batches, in nanoseconds. Needs real-time priorities.

#[path = "../tests/support/mod.rs"]
mod support;

use schedlab_model::*;
use schedlab_runtime::{each_job, sys, Body, Context};
use std::sync::{Arc, Mutex};
use support::*;

const BATCH: u64 = 1_000;
const BATCHES: usize = 101;

/// The median cost of `work`, in picoseconds.
fn median(work: impl FnMut()) -> u64 {
    median_after(|| (), BATCH, work)
}

/// The median cost of `work`, in picoseconds, of so many times after `first`.
fn median_after(mut first: impl FnMut(), times: u64, mut work: impl FnMut()) -> u64 {
    let mut all: Vec<u64> = (0..BATCHES)
        .map(|_| {
            first();
            let before = sys::monotonic_ns();
            (0..times).for_each(|_| work());
            sys::monotonic_ns() - before
        })
        .collect();
    all.sort_unstable();
    all[BATCHES / 2] * 1_000 / times
}

type Make = fn(&[Task], &Platform) -> Box<dyn schedlab_lock::LockProtocol>;

/// A row of the table: its name, a scheduler on how many processors, a protocol, and the code that is measured.
type Row = (&'static str, &'static str, u16, Make, fn(&mut Context<'_>) -> u64);

/// The cost that is `measured` within a job, alone on its processor.
fn within((_, scheduler, processors, locks, measured): Row) -> Option<u64> {
    let cost = Arc::new(Mutex::new(0));
    let result = Arc::clone(&cost);
    let r = ResourceId(0);
    let alone = Task { program: holding(r, 500), ..task(500, 1_000, 1_000) };
    let cluster = ClusterId(if scheduler.starts_with('P') { processors - 1 } else { 0 });
    let other = Task { program: holding(r, 1), cluster, ..task(1, 1_000, 1_000) };
    let bodies: Vec<Body> =
        vec![each_job(move |context| *result.lock().unwrap() = measured(context)), each_job(|_| ())];
    let run = Run { locks, ..Run::of(vec![alone, other], scheduler, processors, 900, bodies) };
    run.go()?;
    let cost = *cost.lock().unwrap();
    Some(cost)
}

fn say(what: &str, cost: u64, peer: u64) {
    let ratio = cost * 100 / peer.max(1);
    println!(
        "{what:<48} {:>4}.{:01} ns, {}.{:02} of the peer",
        cost / 1_000,
        cost % 1_000 / 100,
        ratio / 100,
        ratio % 100
    );
}

fn section(context: &mut Context<'_>) {
    context.lock(ResourceId(0));
    context.unlock(ResourceId(0));
}

fn non_preemptive(context: &mut Context<'_>) {
    context.enter_non_preemptive();
    context.exit_non_preemptive();
}

/// Number of sections, so small that each begins with an exchange.
const FEW: u64 = 250;

/// The first non-preemptive sections after a decision. Many before it, so that the decision meets a thread that pays no
/// more.
fn first_sections(context: &mut Context<'_>) -> u64 {
    let context = std::cell::RefCell::new(context);
    let decide = || {
        let mut context = context.borrow_mut();
        (0..BATCH).for_each(|_| non_preemptive(&mut context));
        section(&mut context);
    };
    median_after(decide, FEW, || non_preemptive(&mut context.borrow_mut()))
}

fn main() {
    let mutex = Mutex::new(0u64);
    let peer = median(|| *std::hint::black_box(&mutex).lock().unwrap() += 1);
    say("std::sync::Mutex, uncontended (the peer)", peer, peer);
    let msrp: Make = |tasks, platform| make("msrp", tasks, platform);
    let fmlp: Make = |tasks, platform| make("fmlp-short", tasks, platform);
    let omlp: Make = |tasks, platform| make("omlp", tasks, platform);
    let sections = |context: &mut Context<'_>| median(|| non_preemptive(context));
    let critical = |context: &mut Context<'_>| median(|| section(context));
    let rows: [Row; 6] = [
        ("non-preemptive section, one processor", "P-EDF", 1, msrp, sections),
        ("non-preemptive section, two that share", "P-EDF", 2, msrp, sections),
        ("the first ones after a decision, two that share", "G-EDF", 2, omlp, first_sections),
        ("MSRP, acquire and release", "P-EDF", 2, msrp, critical),
        ("FMLP-short, acquire and release", "G-EDF", 2, fmlp, critical),
        ("OMLP, acquire and release (asks the engine)", "G-EDF", 2, omlp, critical),
    ];
    for row in rows {
        match within(row) {
            Some(cost) => say(row.0, cost, peer),
            None => println!("{}: not measured", row.0),
        }
    }
}
