//! Acquire and release, uncontended and handed from thread to thread, beside `parking_lot`'s mutex in the same run.
//!
//! `cargo bench -p schedlab-objects`. The guards' interface is measured, as a user would call it.

#![expect(clippy::disallowed_types, reason = "a benchmark reads the clock")]
#![allow(missing_docs, reason = "criterion's macro makes a public function")]

use criterion::{criterion_group, criterion_main, Criterion};
use schedlab_objects::{ArrayLock, McsMutex, Mutex, TicketLock};
use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

const THREADS: usize = 2;

/// The time that `count` acquisitions take which threads make in competition, from the first one's start to the last
/// one's end.
fn contended(count: u64, round: impl Fn() + Sync) -> Duration {
    let start = Barrier::new(THREADS);
    let work = || {
        start.wait();
        let begin = Instant::now();
        (0..count.div_ceil(THREADS as u64)).for_each(|_| round());
        (begin, Instant::now())
    };
    let times: Vec<(Instant, Instant)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
    });
    let begin = times.iter().map(|(begin, _)| *begin).min().expect("there are threads");
    let end = times.iter().map(|(_, end)| *end).max().expect("there are threads");
    end - begin
}

fn measure(c: &mut Criterion, name: &str, round: impl Fn() + Sync) {
    c.benchmark_group("uncontended").bench_function(name, |b| b.iter(&round));
    c.benchmark_group("contended").bench_function(name, |b| b.iter_custom(|count| contended(count, &round)));
}

fn queue_locks(c: &mut Criterion) {
    let peer = parking_lot::Mutex::new(0_u64);
    measure(c, "parking_lot", || *black_box(&peer).lock() += 1);
    let ticket = Mutex::<TicketLock, _>::new(0_u64);
    measure(c, "ticket", || *black_box(&ticket).lock() += 1);
    let array = Mutex::<ArrayLock<8>, _>::new(0_u64);
    measure(c, "array", || *black_box(&array).lock() += 1);
    let mcs = McsMutex::new(0_u64);
    measure(c, "mcs", || black_box(&mcs).with(|value| *value += 1));
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = queue_locks
}
criterion_main!(benches);
