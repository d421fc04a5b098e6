//! The experiment of staggered-pfair-2005, small enough to be walked cycle by cycle.

use crate::cycles::Cycles;
use schedlab_membus::{watch, Shape, Slots};

/// A fiftieth of the paper's caches and quanta.
fn small(processors: usize, is_staggered: bool, random: Option<u64>) -> Slots {
    Slots {
        processors,
        is_staggered,
        cache: Shape { bytes: 4096, ..Shape::OF_2005 },
        cycles: 40_000,
        cells: if random.is_some() { 800 } else { 128 },
        cell_bytes: if random.is_some() { 4 } else { 32 },
        random,
        ..Slots::OF_2005
    }
}

#[test]
fn a_window_sums_what_its_cycles_say() {
    for processors in [1, 3, 8] {
        for (is_staggered, random) in [(false, None), (true, None), (false, Some(7)), (true, Some(7))] {
            let slots = small(processors, is_staggered, random);
            let machine = slots.machine().unwrap();
            let (from, to, parts) = (slots.cycles / 2, 3 * slots.cycles, 100);
            let seen = watch(&machine, from, to, parts, &mut || true).unwrap().unwrap();
            let mut brute = Cycles::new(&machine);
            let pending: Vec<u64> = (0..to).map(|_| u64::from(brute.cycle())).collect();
            let length = (to - from) as usize / parts;
            for (part, cycles) in seen.parts.iter().zip(pending[from as usize..].chunks(length)) {
                assert_eq!(part.sum, cycles.iter().sum::<u64>(), "{slots:?}");
                assert_eq!(u64::from(part.max), *cycles.iter().max().unwrap(), "{slots:?}");
            }
            // The paper's count: of i pending requests i - 1 wait.
            let lost: u64 = seen.processors.iter().map(|counts| counts.lost).sum();
            let waiting: u64 = pending[from as usize..].iter().map(|pending| pending.saturating_sub(1)).sum();
            assert_eq!(lost, waiting, "{slots:?}");
        }
    }
}

/// Aligned, each processor waits for all others at each of its lines: 24 cycles for each of the other seven.
#[test]
fn the_papers_machine_aligned() {
    let slots = Slots { slots: 1, ..Slots::OF_2005 };
    let seen = watch(&slots.machine().unwrap(), 0, slots.cycles, 1, &mut || true).unwrap().unwrap();
    // Between two requests, four cycles of computing are not lost.
    let each = 8192 * (7 * 24 - 4);
    for (processor, counts) in seen.processors.iter().enumerate() {
        assert_eq!((counts.requests, counts.served), (8192, 8192 * 24));
        assert!(counts.lost.abs_diff(each) <= 7 * 24, "P{processor}: {} of {each}", counts.lost);
    }
    let slots = Slots { is_staggered: true, ..slots };
    let seen = watch(&slots.machine().unwrap(), 0, 2 * slots.cycles, 1, &mut || true).unwrap().unwrap();
    let lost: Vec<u64> = seen.processors.iter().map(|counts| counts.lost).collect();
    // An eighth of a quantum, 250,000 cycles, is longer than 8192 loads of 28 cycles: each is alone.
    assert_eq!(lost, [0; 8]);
}
