//! Random sets, and the two schedulers on them.

use schedlab_policy::pfair::{Affinity, Aligned, Staggered, Stream, Weight, PD2};
use schedlab_workload::Random;
use std::hint::black_box;

/// Random weights that add up to at most `processors`: each task has a part of them, the largest parts ten times the
/// smallest. Denominators are at least 100 slots, and as large as it takes for a quantum.
pub(crate) fn streams(processors: usize, tasks: usize, random: &mut Random) -> Vec<Stream> {
    let parts: Vec<u64> = (0..tasks).map(|_| random.between(100, 1_000)).collect();
    let whole: u64 = parts.iter().sum();
    let weight = |part: &u64| {
        let given = part * processors as u64;
        let slots = random.between(100, 1_000) * whole.div_ceil(given * 100).max(1);
        let quanta = (slots * given / whole).clamp(1, slots);
        Stream::new(Weight::new(quanta, slots).expect("a weight"), false, 0)
    };
    parts.iter().map(weight).collect()
}

/// A scheduler that is driven slot by slot.
pub(crate) trait Slots {
    /// Schedules one slot of all processors. Returns how many tasks are given a quantum.
    fn slot(&mut self) -> usize;

    /// Number of comparisons of two tasks so far.
    #[allow(dead_code, reason = "a benchmark asks (`benches/pfair_decisions.rs`)")]
    fn comparisons(&self) -> u64;
}

/// Aligned PD2: one processor decides for all.
pub(crate) struct Master {
    scheduler: Aligned,
    ran: Vec<u32>,
}

impl Master {
    pub(crate) fn new(streams: &[Stream], processors: usize) -> Master {
        let mut scheduler = Aligned::new(PD2, Affinity::BackToBack, streams.to_vec(), processors);
        (0..streams.len() as u32).for_each(|task| scheduler.add(task));
        Master { scheduler, ran: Vec::with_capacity(processors) }
    }
}

impl Slots for Master {
    /// Schedules a slot, after the tasks that ran in the last one compete again.
    fn slot(&mut self) -> usize {
        self.ran.drain(..).for_each(|task| self.scheduler.add(task));
        self.ran.extend_from_slice(black_box(self.scheduler.fill()));
        self.ran.len()
    }

    fn comparisons(&self) -> u64 {
        self.scheduler.comparisons()
    }
}

/// Staggered PD2: each processor decides for itself.
pub(crate) struct Shared {
    scheduler: Staggered,
    processors: usize,
    next: usize,
}

impl Shared {
    pub(crate) fn new(streams: &[Stream], processors: usize) -> Shared {
        let mut scheduler = Staggered::new(PD2, Affinity::BackToBack, streams.to_vec(), processors);
        (0..streams.len() as u32).for_each(|task| scheduler.activate(task));
        Shared { scheduler, processors, next: 0 }
    }

    /// Calls `Schedule` once. Returns how many tasks are given a quantum: one or none.
    pub(crate) fn invocation(&mut self) -> usize {
        let granted = black_box(self.scheduler.schedule(self.next));
        self.next = (self.next + 1) % self.processors;
        usize::from(granted.is_some())
    }
}

impl Slots for Shared {
    fn slot(&mut self) -> usize {
        (0..self.processors).map(|_| self.invocation()).sum()
    }

    fn comparisons(&self) -> u64 {
        self.scheduler.comparisons()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_never_exceed_the_processors_and_leave_little() {
        for (processors, tasks) in [(2, 10), (4, 100), (16, 17), (16, 500), (4, 10_000)] {
            let mut random = Random::new(1, *b"PfairSet", tasks as u64);
            let set = streams(processors, tasks, &mut random);
            let share = |stream: &Stream| stream.weight().quanta() as f64 / stream.weight().slots() as f64;
            let total: f64 = set.iter().map(share).sum();
            assert!(total <= processors as f64 + 1e-9, "{total} of {processors}");
            assert!(tasks == 17 || total > 0.7 * processors as f64, "{total} of {processors}, {tasks} tasks");
        }
    }

    #[test]
    fn both_give_as_many_quanta() {
        let mut random = Random::new(1, *b"PfairSet", 7);
        let set = streams(4, 40, &mut random);
        let (mut master, mut shared) = (Master::new(&set, 4), Shared::new(&set, 4));
        let aligned: usize = (0..1_000).map(|_| master.slot()).sum();
        let staggered: usize = (0..4_000).map(|_| shared.invocation()).sum();
        assert_eq!(aligned, staggered);
        assert!(master.comparisons() > 0 && shared.comparisons() > 0);
    }
}
