//! What a contended lock costs when it goes from thread to thread, on two processors, beside `parking_lot`'s mutex.
//!
//! `cargo bench -p schedlab-bench-locks --bench hand_over`. Two threads have a processor each, and a real-time priority
//! if the system permits that. They acquire in bursts far shorter than a time slice, the locks by turns. Bursts that
//! the two did not begin together do not count. A queue lock changes hands at each acquisition. The mutex of
//! parking_lot goes to the same thread many times in a row, so its figure is what that saves.

#![expect(clippy::disallowed_types, reason = "a benchmark reads the clock")]

use schedlab_objects::{ArrayLock, McsLock, Mutex, TicketLock};
use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const THREADS: usize = 2;
/// Acquisitions of each thread in a burst.
const BURST: u32 = 1_000;
const BURSTS: usize = 301;

type Round = Box<dyn Fn() + Sync>;

fn locks() -> [(&'static str, Round); 4] {
    let peer = parking_lot::Mutex::new(0_u64);
    let (ticket, array) = (Mutex::<TicketLock, _>::new(0_u64), Mutex::<ArrayLock<8>, _>::new(0_u64));
    let (mcs, counter) = (McsLock::new(), AtomicU64::new(0));
    [
        ("parking_lot", Box::new(move || *black_box(&peer).lock() += 1)),
        ("ticket", Box::new(move || *black_box(&ticket).lock() += 1)),
        ("array of 8 places", Box::new(move || *black_box(&array).lock() += 1)),
        ("MCS", Box::new(move || black_box(&mcs).with(|| add_one(&counter)))),
    ]
}

/// As if no other thread could: the lock is held.
fn add_one(counter: &AtomicU64) {
    counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

/// The calling thread runs on this processor alone, before ordinary threads; true if the system permits both.
fn settle(cpu: usize) -> bool {
    // SAFETY: a set of processors is plain bits, and all zero is the empty one.
    let mut cpus: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    let first = libc::sched_param { sched_priority: 10 };
    // SAFETY: both calls are about the calling thread, and read what they are given the size of.
    unsafe {
        libc::CPU_SET(cpu, &mut cpus);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const cpus) == 0
            && libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const first) == 0
    }
}

/// By lock and burst: when this thread began, and when it was done.
fn work(cpu: usize, rounds: &[(&str, Round)], arrivals: &AtomicU64) -> (bool, Vec<Vec<(Instant, Instant)>>) {
    let is_settled = settle(cpu);
    let mut times = vec![Vec::with_capacity(BURSTS); rounds.len()];
    let mut expected = 0;
    for _ in 0..BURSTS {
        for ((_, round), times) in rounds.iter().zip(&mut times) {
            expected += THREADS as u64;
            arrivals.fetch_add(1, Ordering::AcqRel);
            while arrivals.load(Ordering::Acquire) < expected {
                spin_loop();
            }
            let begin = Instant::now();
            (0..BURST).for_each(|_| round());
            times.push((begin, Instant::now()));
        }
    }
    (is_settled, times)
}

/// The nanoseconds of an acquisition in a burst; `None` if the two threads did not begin together.
fn cost(one: (Instant, Instant), other: (Instant, Instant)) -> Option<f64> {
    let whole = one.1.max(other.1) - one.0.min(other.0);
    let apart = one.0.max(other.0) - one.0.min(other.0);
    (apart < Duration::from_micros(5)).then(|| whole.as_nanos() as f64 / f64::from(BURST * THREADS as u32))
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(f64::NAN)
}

fn main() {
    if thread::available_parallelism().map_or(1, usize::from) < THREADS {
        return println!("the contended hand-over needs {THREADS} processors");
    }
    let (rounds, arrivals) = (locks(), AtomicU64::new(0));
    let [one, other] = thread::scope(|scope| {
        [0, 1]
            .map(|cpu| {
                scope.spawn({
                    let (rounds, arrivals) = (&rounds, &arrivals);
                    move || work(cpu, rounds, arrivals)
                })
            })
            .map(|thread| thread.join().expect("it does not panic"))
    });
    if !(one.0 && other.0) {
        println!("without real-time priorities: other programs' time counts as the locks'");
    }
    let costs: Vec<Vec<Option<f64>>> = one
        .1
        .iter()
        .zip(&other.1)
        .map(|(one, other)| one.iter().zip(other).map(|(one, other)| cost(*one, *other)).collect())
        .collect();
    for ((name, _), own) in rounds.iter().zip(&costs) {
        let ratios = own.iter().zip(&costs[0]).filter_map(|(own, peer)| Some((*own)? / (*peer)?));
        let counted: Vec<f64> = own.iter().flatten().copied().collect();
        let (of, ratio) = (counted.len(), median(ratios.collect()));
        println!(
            "{name:<20} {:>7.1} ns, {ratio:.2} of parking_lot, {of} of {BURSTS} bursts",
            median(counted)
        );
    }
}
