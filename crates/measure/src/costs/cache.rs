//! Cost of a job's working set after a preemption or a migration.
//!
//! Litmus-rt-2006, section 4.1: the time to write a working set from a cold cache, less the time to write it warm; for
//! a migration the data is in the cache of another processor, and has to be invalidated there. Every processor does it
//! within the same quantum, at its beginning: all at once if quanta are aligned, one after another if they are
//! staggered. Chronos-scalability-2011, section 3.5.2: some writes, evenly spaced, to each page, by what the processors
//! share.

use super::calls::stay_on;
use crate::machine::topology::Path;
use crate::values::samples::Samples;
use schedlab_model::{Alignment, OverheadKind};
use schedlab_runtime::sys;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::Barrier;
use std::thread;

/// Bytes of a page.
pub(crate) const PAGE: usize = 4096;
/// Bytes of a word of a buffer.
pub(crate) const WORD: usize = 8;
/// Length of the quantum in which the measurements happen, in ns.
const QUANTUM: u64 = 1_000_000;
/// Time from the agreement on a boundary to the boundary, in ns.
const HEAD_START: u64 = 100_000;

/// Way in which a working set is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// This many evenly spaced words of each page are written.
    Writes(usize),
    /// This many evenly spaced words of each page are read.
    Reads(usize),
}

impl Access {
    fn per_page(self) -> usize {
        match self {
            Access::Writes(many) | Access::Reads(many) => many,
        }
    }

    /// Name of the access in the file of measurements.
    pub(crate) fn text(self) -> String {
        match self {
            Access::Writes(many) => format!("{many} writes per page"),
            Access::Reads(many) => format!("{many} reads per page"),
        }
    }
}

/// One case to measure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    /// Kind of the cost: a preemption or a migration.
    pub(crate) kind: OverheadKind,
    /// Size of the working set, in bytes.
    pub(crate) bytes: usize,
    /// Way in which the working set is used.
    pub(crate) access: Access,
    /// Alignment of the processors' quanta.
    pub(crate) alignment: Alignment,
    /// For a migration: the distance in places to the processor from which the data comes.
    pub(crate) shift: usize,
}

/// State that several threads share.
struct Shared<'a> {
    case: Case,
    processors: &'a [usize],
    buffers: Vec<Vec<AtomicU64>>,
    barrier: Barrier,
    boundary: AtomicU64,
    stop: &'a AtomicBool,
    /// Whether the next round is the last one; all threads read the same value.
    last: AtomicBool,
}

/// Measures `case` on all `processors` at once, `rounds` times, or until `stop`. Returns the samples by path.
pub(crate) fn measure(
    case: Case,
    processors: &[usize],
    rounds: usize,
    stop: &AtomicBool,
) -> Vec<(Path, Samples)> {
    let buffer = || (0..case.bytes.div_ceil(WORD)).map(|_| AtomicU64::new(1)).collect();
    let shared = Shared {
        case,
        processors,
        buffers: processors.iter().map(|_| buffer()).collect(),
        barrier: Barrier::new(processors.len()),
        boundary: AtomicU64::new(0),
        stop,
        last: AtomicBool::new(false),
    };
    let mut found: Vec<(Path, Samples)> = Vec::new();
    thread::scope(|scope| {
        let threads: Vec<_> = (0..processors.len())
            .map(|index| {
                scope.spawn({
                    let shared = &shared;
                    move || on_one(shared, index, rounds)
                })
            })
            .collect();
        for thread in threads {
            let (path, samples) = thread.join().expect("a measuring thread does not panic");
            match found.iter_mut().find(|(known, _)| *known == path) {
                Some((_, all)) => all.append(samples),
                None => found.push((path, samples)),
            }
        }
    });
    found.sort_by_key(|(path, _)| *path);
    found
}

fn on_one(shared: &Shared<'_>, index: usize, rounds: usize) -> (Path, Samples) {
    stay_on(shared.processors[index]);
    let count = shared.processors.len();
    let from = if shared.case.kind == OverheadKind::CacheRelatedMigration {
        (index + shared.case.shift) % count
    } else {
        index
    };
    let mut samples = Samples::default();
    for round in 0..rounds {
        let stays = from == index;
        let ns = if stays { after_preemption(shared, index) } else { after_migration(shared, index, from) };
        // The first round brings code and pages in.
        if round > 0 {
            samples.add(ns);
        }
        if index == 0 {
            shared.last.store(shared.stop.load(Relaxed), SeqCst);
        }
        shared.barrier.wait();
        if shared.last.load(SeqCst) {
            break;
        }
    }
    (Path::between(shared.processors[from], shared.processors[index]), samples)
}

fn after_preemption(shared: &Shared<'_>, index: usize) -> u64 {
    let (buffer, access) = (&shared.buffers[index], shared.case.access);
    touch(buffer, access);
    let warm = timed(buffer, access);
    sys::flush(buffer);
    meet_boundary(shared, index);
    timed(buffer, access).saturating_sub(warm)
}

fn after_migration(shared: &Shared<'_>, index: usize, from: usize) -> u64 {
    // This processor has seen the data before, that one had it last.
    touch(&shared.buffers[from], shared.case.access);
    shared.barrier.wait();
    touch(&shared.buffers[index], Access::Writes(PAGE / 64));
    meet_boundary(shared, index);
    let cold = timed(&shared.buffers[from], shared.case.access);
    cold.saturating_sub(timed(&shared.buffers[from], shared.case.access))
}

/// Waits until the next quantum of the processor begins: at the same time for all processors, or at one after another.
fn meet_boundary(shared: &Shared<'_>, index: usize) {
    if index == 0 {
        shared.boundary.store(sys::monotonic_ns() + HEAD_START, SeqCst);
    }
    shared.barrier.wait();
    let offset = match shared.case.alignment {
        Alignment::Aligned => 0,
        Alignment::Staggered => QUANTUM * index as u64 / shared.processors.len() as u64,
    };
    let boundary = shared.boundary.load(SeqCst) + offset;
    while sys::monotonic_ns() < boundary {
        std::hint::spin_loop();
    }
}

/// Returns how long it takes to use `buffer`, in ns.
pub(crate) fn timed(buffer: &[AtomicU64], access: Access) -> u64 {
    let start = sys::monotonic_ns();
    touch(buffer, access);
    sys::monotonic_ns() - start
}

/// Uses evenly spaced words of each page.
pub(crate) fn touch(buffer: &[AtomicU64], access: Access) {
    let step = (PAGE / WORD / access.per_page()).max(1);
    match access {
        Access::Writes(_) => {
            for word in buffer.iter().step_by(step) {
                word.store(word.load(Relaxed).wrapping_add(1), Relaxed);
            }
        }
        Access::Reads(_) => {
            std::hint::black_box(
                buffer.iter().step_by(step).fold(0u64, |sum, word| sum.wrapping_add(word.load(Relaxed))),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four writes to each of two pages: words 0, 128, 256, 384 of each.
    #[test]
    fn the_words_that_are_used() {
        let buffer: Vec<AtomicU64> = (0..1024).map(|_| AtomicU64::new(0)).collect();
        touch(&buffer, Access::Writes(4));
        let used: Vec<usize> = (0..1024).filter(|index| buffer[*index].load(Relaxed) == 1).collect();
        assert_eq!(used, [0, 128, 256, 384, 512, 640, 768, 896]);
    }

    /// A flushed working set costs more than a warm one, on any machine.
    #[test]
    fn a_cold_working_set_costs_time() {
        let case = Case {
            kind: OverheadKind::CacheRelatedPreemption,
            bytes: 1 << 18,
            access: Access::Writes(64),
            alignment: Alignment::Aligned,
            shift: 0,
        };
        let processors = sys::allowed_processors().unwrap();
        let found = measure(case, &processors[..1], 30, &AtomicBool::new(false));
        let [(Path::SameCore, samples)] = &found[..] else { panic!("{found:?}") };
        assert!(samples.clone().kept().unwrap().mean > 1000.0, "{found:?}");
    }

    /// A stop ends it within a round, on all processors.
    #[test]
    fn a_stop_is_heard() {
        let case = Case {
            kind: OverheadKind::CacheRelatedMigration,
            bytes: 4096,
            access: Access::Reads(4),
            alignment: Alignment::Staggered,
            shift: 1,
        };
        let processors = sys::allowed_processors().unwrap();
        let found = measure(case, &processors, usize::MAX, &AtomicBool::new(true));
        assert!(found.iter().all(|(_, samples)| samples.clone().kept().is_none()));
    }
}
