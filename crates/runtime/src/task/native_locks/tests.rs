//! Threads that take the locks exclude each other and keep their order.

use super::*;
use crate::machine::sys;
use crate::record::lock_records::LockSections;
use crate::record::log::log;
use schedlab_model::Instant;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Threads take two locks in turns, one of them for two resources, and nested.
#[test]
fn threads_exclude_each_other_and_keep_their_order() {
    const THREADS: u32 = 4;
    const ROUNDS: u32 = 400;
    const A: ResourceId = ResourceId(0);
    const B: ResourceId = ResourceId(1);
    const C: ResourceId = ResourceId(2);
    let locks = SpinLocks::new(vec![Some(0), Some(1), Some(0)]);
    let clock = Clock::stopped();
    clock.start_at(sys::monotonic_ns());
    let (values, mut readers) = ([AtomicU64::new(0), AtomicU64::new(0)], Vec::new());
    // What no thread does at once: lost if two are in there.
    let add = |mutex: usize| {
        let value = values[mutex].load(Relaxed);
        (0..50).for_each(|_| std::hint::spin_loop());
        values[mutex].store(value + 1, Relaxed);
    };
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            let (writer, reader) = log(1 << 14).unwrap();
            readers.push(reader);
            let mut own = OwnLocks::new(&locks, &clock, writer, 4);
            scope.spawn(move || {
                for job in 0..ROUNDS {
                    // There may be more threads than processors here, so each lets others go on.
                    own.lock(A, job, || true);
                    add(0);
                    own.lock(C, job, || true);
                    own.unlock(A, job, false);
                    add(0);
                    own.unlock(C, job, true);
                    own.lock(B, job, || true);
                    add(1);
                    own.unlock(B, job, true);
                }
            });
        }
    });
    let total = u64::from(THREADS * ROUNDS);
    assert_eq!(values.map(AtomicU64::into_inner), [2 * total, total]);
    let records: Vec<_> = readers.iter().map(|reader| reader.items().0).collect();
    let found = LockSections::of(&records, locks.mutexes(), Instant::NEVER);
    assert_eq!((found.overlaps, found.overtaken), (0, 0));
    assert_eq!(found.sections.len() as u64, 3 * total);
}

/// The locks of a thread that ends in a section are free again.
#[test]
fn a_thread_that_ends_leaves_no_lock_behind() {
    let locks = SpinLocks::new(vec![Some(0)]);
    let clock = Clock::stopped();
    clock.start_at(sys::monotonic_ns());
    let own = || OwnLocks::new(&locks, &clock, log(8).unwrap().0, 1);
    let mut first = own();
    first.lock(ResourceId(0), 0, || false);
    drop(first);
    own().lock(ResourceId(0), 0, || panic!("it waits"));
}
