//! Decisions that are late, and in which order they are made.

use crate::support::{alone, become_fifo, become_ordinary, bind_to, clock_ns, processors, sleep_ms, until};
use schedlab_scx::{
    KernelEvent, KernelRecord, QuantumLateness, QuantumScheduler, QuantumSettings, QuantumShare,
};
use std::sync::atomic::AtomicI32;
use std::sync::atomic::Ordering::SeqCst;

const MS: u64 = 1_000_000;
const QUANTUM: u64 = 10 * MS;

/// The monotonic clock, in ns.
fn now() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC)
}

/// The time of a record, by the run's clock.
fn time(record: &KernelRecord, zero: u64) -> u64 {
    record.at - zero
}

/// Has one thread do jobs of these arrivals, with a time zero that lies this far back. Returns time zero, the records,
/// and how late the processors were.
fn late_by(
    settings: &QuantumSettings,
    back: u64,
    arrivals: &[u64],
) -> (u64, Vec<KernelRecord>, QuantumLateness) {
    let (scheduler, mut read) = QuantumScheduler::load(settings).expect("this kernel takes the scheduler");
    let (thread, zero) = (AtomicI32::new(0), now() - back);
    let go = AtomicI32::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            become_ordinary();
            bind_to((1 << processors()) - 1);
            // SAFETY: it takes no memory.
            thread.store(unsafe { libc::gettid() }, SeqCst);
            while go.load(SeqCst) == 0 {
                sleep_ms(1);
            }
            for (number, arrival) in (1..).zip(arrivals) {
                let after = arrivals.get(number as usize).map(|after| (*after, *after));
                scheduler.publish(1, number, (*arrival, *arrival), after);
                while !scheduler.has_begun(1) {
                    sleep_ms(scheduler.due(1).saturating_sub(now()).div_ceil(MS).clamp(1, 20));
                }
            }
            scheduler.leave(1, arrivals.len() as u32);
        });
        assert!(until(10_000, || thread.load(SeqCst) != 0), "the thread begins");
        let share = QuantumShare { quanta: 1, slots: 2, early: false, budget: None };
        scheduler.adopt(thread.load(SeqCst), 1, &share).expect("a thread of ours");
        scheduler.start_at(zero);
        // The decisions that are due are made before the thread has published anything.
        sleep_ms(100);
        go.store(1, SeqCst);
    });
    let all = settings.processors.iter().map(|processor| scheduler.lateness(*processor));
    let late = all.fold(QuantumLateness::default(), |sum, one| QuantumLateness {
        missed: sum.missed + one.missed,
        moved_on: sum.moved_on + one.moved_on,
        longest_move: sum.longest_move.max(one.longest_move),
        ..sum
    });
    assert_eq!(scheduler.lost_records(), 0);
    let ending = scheduler.unload().expect("the kernel reports the end");
    assert!(ending.is_regular(), "{ending:?}");
    let mut records = Vec::new();
    read.read(&mut records);
    (zero, records, late)
}

/// Checks that a task's jobs begin in order, at their arrivals or later, and have their quanta at boundaries.
fn check_order(zero: u64, records: &[KernelRecord], arrivals: &[u64]) {
    let (mut begun, mut last, mut given) = (0, 0, None);
    for record in records {
        let at = time(record, zero);
        if let KernelEvent::Arrived { arrival } = record.what {
            begun += 1;
            assert_eq!((record.job, arrival), (begun, arrivals[begun as usize - 1]), "{record:?}");
            assert!(at >= arrival && at >= last, "releases keep their order: {record:?}");
            last = at;
        } else if let KernelEvent::Given { .. } = record.what {
            assert!(given < Some(at) && record.job == begun, "decisions are made in order: {record:?}");
            given = Some(at);
        }
    }
    assert_eq!(begun as usize, arrivals.len(), "{records:?}");
}

fn settings(staggered: bool) -> QuantumSettings {
    let all: Vec<u32> = (0..processors()).collect();
    QuantumSettings { staggered, ..QuantumSettings::of(&all, QUANTUM, 1) }
}

/// Time zero lies further back than decisions are made in a row. All of them are made; the thread's first job comes
/// late, and its next ones were released before that.
#[test]
fn late_decisions_are_made_in_order() {
    let _alone = alone();
    become_fifo(60);
    let arrivals: Vec<u64> = [0, 100, 200, 900, 1_500, 1_600].map(|ms| ms * MS).to_vec();
    for staggered in [false, true] {
        let (zero, records, late) = late_by(&settings(staggered), 1_200 * MS, &arrivals);
        check_order(zero, &records, &arrivals);
        assert!(late.moved_on >= 1 && late.longest_move > 1_000 * MS, "{late:?}");
    }
}
