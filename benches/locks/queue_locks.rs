//! Acquire and release without contention, beside `parking_lot`'s mutex in the same run.
//!
//! `cargo bench -p schedlab-bench-locks --bench queue_locks`. Guards are measured, as a user would call them; the MCS
//! lock has none.

#![allow(missing_docs, reason = "criterion's macro makes a public function")]

use criterion::{criterion_group, criterion_main, Criterion};
use schedlab_objects::{ArrayLock, McsLock, Mutex, TicketLock};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

fn measure(c: &mut Criterion, name: &str, round: impl Fn()) {
    c.benchmark_group("uncontended").bench_function(name, |b| b.iter(&round));
}

fn queue_locks(c: &mut Criterion) {
    let peer = parking_lot::Mutex::new(0_u64);
    measure(c, "parking_lot", || *black_box(&peer).lock() += 1);
    let ticket = Mutex::<TicketLock, _>::new(0_u64);
    measure(c, "ticket", || *black_box(&ticket).lock() += 1);
    let array = Mutex::<ArrayLock<8>, _>::new(0_u64);
    measure(c, "array", || *black_box(&array).lock() += 1);
    let (mcs, counter) = (McsLock::new(), AtomicU64::new(0));
    measure(c, "mcs", || black_box(&mcs).with(|| add_one(&counter)));
}

/// As if no other thread could: the lock is held.
fn add_one(counter: &AtomicU64) {
    counter.store(counter.load(Relaxed) + 1, Relaxed);
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = queue_locks
}
criterion_main!(benches);
