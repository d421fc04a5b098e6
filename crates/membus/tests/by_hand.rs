//! Small machines, computed by hand.

use schedlab_membus::{
    AccessOrder, AccessProgram, Arbitration, Begin, Bus, Counts, Kinds, Machine, Run, Shape, State, Stretch,
};

fn bus() -> Bus {
    Bus { read_miss: 4, write_miss: 5, upgrade: 2, write_back: 3, arbitration: Arbitration::Fifo }
}

fn writes(base: u64, lines: u64) -> AccessProgram {
    AccessProgram {
        base,
        cells: lines,
        cell_bytes: 16,
        order: AccessOrder::Linear,
        kinds: Kinds::Writes,
        gap: 1,
    }
}

fn from_zero(program: usize) -> Vec<Stretch> {
    vec![Stretch { begin: 0, program: Some(program) }]
}

/// The cycles' pending requests as digits.
fn drawn(machine: &Machine, until: u64) -> (String, Run<'_>) {
    let mut run = Run::new(machine).unwrap();
    let mut drawn = String::new();
    run.advance(until, |span| {
        (span.from..span.to).for_each(|_| drawn += &span.requests.to_string());
    });
    (drawn, run)
}

/// Two caches of two dirty lines, and two programs that write two lines: 8 cycles each with the write-back.
///
/// ```text
/// P0  ssssssss.wwwwwwwssssssss.   s: served, w: waits for the bus
/// P1  wwwwwwwwssssssss.wwwwwwwssssssss
/// ```
#[test]
fn two_processors_load_their_arrays() {
    let cache = Shape { bytes: 32, line_bytes: 16, ways: 1 };
    let programs = vec![writes(0, 2), writes(1024, 2)];
    let processors = vec![from_zero(0), from_zero(1)];
    let machine = Machine { cache, bus: bus(), begin: Begin::Dirty, programs, processors };
    let (drawn, run) = drawn(&machine, 36);
    assert_eq!(drawn, "222222221222222212222222111111110000");
    let of = |processor| run.counts(processor)[0];
    // Hits follow in cycles 25, 27, ..., 35 and 33, 35.
    assert_eq!(of(0), Counts { accesses: 8, requests: 2, served: 16, lost: 7 });
    assert_eq!(of(1), Counts { accesses: 4, requests: 2, served: 16, lost: 15 });
    assert!(run.slots(0).iter().all(|slot| slot.state == State::Modified && slot.line < 2));
}

/// One line that P0 writes and P1 reads: loads, flushes, upgrades.
#[test]
fn a_line_goes_to_and_fro() {
    let cache = Shape { bytes: 16, line_bytes: 16, ways: 1 };
    let reads = AccessProgram { kinds: Kinds::Reads, gap: 20, ..writes(0, 1) };
    let programs = vec![AccessProgram { gap: 20, ..writes(0, 1) }, reads];
    let processors = vec![from_zero(0), vec![Stretch { begin: 10, program: Some(1) }]];
    let machine = Machine { cache, bus: bus(), begin: Begin::Empty, programs, processors };
    let mut run = Run::new(&machine).unwrap();
    let mut states = |until| {
        run.advance(until, |_| {});
        [0, 1].map(|processor| run.slots(processor)[0].state)
    };
    use State::{Invalid, Modified, Shared};
    assert_eq!(states(6), [Modified, Invalid], "a write miss of 5 cycles");
    assert_eq!(states(11), [Shared, Invalid], "the bus took P1's read miss in cycle 10, and P0's line");
    assert_eq!(states(18), [Shared, Shared], "a write-back of 3 cycles and a read miss of 4");
    assert_eq!(states(26), [Shared, Invalid], "P0 asks for an upgrade in cycle 25");
    assert_eq!(states(28), [Modified, Invalid], "of 2 cycles");
    assert_eq!(run.counts(0)[0], Counts { accesses: 2, requests: 2, served: 7, lost: 0 });
}

/// A read line is exclusive, and a write to it asks no bus.
#[test]
fn an_exclusive_line_is_written_silently() {
    let cache = Shape { bytes: 64, line_bytes: 16, ways: 2 };
    let programs = vec![AccessProgram { kinds: Kinds::WriteEvery(3), ..writes(0, 2) }];
    let machine =
        Machine { cache, bus: bus(), begin: Begin::Empty, programs, processors: vec![from_zero(0)] };
    let (drawn, run) = drawn(&machine, 20);
    // Write line 0 (5), read line 1 (4), read line 0, write line 1 in cycle 13, read, ...
    assert_eq!(drawn, "11111011110000000000");
    assert_eq!(run.counts(0)[0].requests, 2);
    assert!(run.slots(0).iter().all(|slot| slot.line > 1 || slot.state == State::Modified));
}

/// Three processors that always wait: round-robin serves them in turn, FIFO by age. P2 asks first.
#[test]
fn arbitration() {
    let order = |arbitration| {
        let cache = Shape { bytes: 16, line_bytes: 16, ways: 1 };
        let programs = (0..3).map(|index| AccessProgram { gap: 0, ..writes(1024 * index, 2) }).collect();
        let begin = |cycle, program| vec![Stretch { begin: cycle, program: Some(program) }];
        let processors = vec![begin(4, 0), begin(3, 1), begin(0, 2)];
        let bus = Bus { arbitration, ..bus() };
        let machine = Machine { cache, bus, begin: Begin::Empty, programs, processors };
        let mut run = Run::new(&machine).unwrap();
        run.advance(10, |_| {});
        [0, 1, 2].map(|processor| run.counts(processor)[0].served)
    };
    // The first service ends in cycle 5. P1 has waited for longer than P0; round-robin goes from P2 to P0.
    assert_eq!(order(Arbitration::Fifo), [0, 5, 5]);
    assert_eq!(order(Arbitration::RoundRobin), [5, 0, 5]);
}

/// A blocking cache finishes its request before the next stretch begins, and what it waits counts to the old one.
#[test]
fn a_request_outlasts_its_stretch() {
    let cache = Shape { bytes: 32, line_bytes: 16, ways: 1 };
    let programs = vec![writes(0, 2), writes(1024, 2), writes(2048, 2)];
    let mut processors = vec![from_zero(0), from_zero(1)];
    processors[1].push(Stretch { begin: 6, program: Some(2) });
    let machine = Machine { cache, bus: bus(), begin: Begin::Dirty, programs, processors };
    let (_, run) = drawn(&machine, 17);
    let [old, new] = run.counts(1)[..] else { panic!("two stretches") };
    assert_eq!(old, Counts { accesses: 1, requests: 1, served: 8, lost: 8 });
    assert_eq!(new, Counts { accesses: 1, requests: 1, served: 0, lost: 1 });
}

/// Two ways: line 1 is installed in cycle 10, and line 0 is hit in it. Then line 64 needs a place, and line 1 gives
/// way, since the access of the line that is installed came before the hit.
#[test]
fn an_installed_line_is_older_than_a_hit_of_its_cycle() {
    let cache = Shape { bytes: 32, line_bytes: 16, ways: 2 };
    let programs = vec![AccessProgram { gap: 0, ..writes(0, 2) }, writes(1024, 1)];
    let processors =
        vec![vec![Stretch { begin: 0, program: Some(0) }, Stretch { begin: 11, program: Some(1) }]];
    let machine = Machine { cache, bus: bus(), begin: Begin::Empty, programs, processors };
    let (_, run) = drawn(&machine, 20);
    // Write misses in cycles 0 and 5, the hit in cycle 10; the third miss in cycle 11 takes 3 + 5 cycles.
    assert_eq!(run.counts(0)[0], Counts { accesses: 3, requests: 2, served: 10, lost: 0 });
    assert_eq!(run.slots(0).iter().map(|slot| slot.line).collect::<Vec<_>>(), [0, 64]);
}
