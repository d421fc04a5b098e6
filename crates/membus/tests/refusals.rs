//! Machines that make no sense are refused, each for its reason.

use schedlab_membus::{
    AccessOrder, AccessProgram, Arbitration, Begin, Bus, Kinds, Machine, MachineError, Run, Shape, Slots,
    Stretch,
};

fn good() -> Machine {
    let program = AccessProgram {
        base: 0,
        cells: 8,
        cell_bytes: 4,
        order: AccessOrder::Linear,
        kinds: Kinds::Writes,
        gap: 0,
    };
    Machine {
        cache: Shape { bytes: 64, line_bytes: 16, ways: 1 },
        bus: Bus { read_miss: 1, write_miss: 1, upgrade: 1, write_back: 0, arbitration: Arbitration::Fifo },
        begin: Begin::Dirty,
        programs: vec![program.clone(), AccessProgram { base: 64, ..program }],
        processors: vec![
            vec![Stretch { begin: 0, program: Some(0) }, Stretch { begin: 9, program: Some(1) }],
            vec![Stretch { begin: 9, program: Some(0) }],
        ],
    }
}

fn refused(change: impl FnOnce(&mut Machine)) -> String {
    let mut machine = good();
    change(&mut machine);
    Run::new(&machine).map(|_| ()).expect_err("it is refused").to_string()
}

#[test]
fn the_good_one_runs() {
    assert_eq!(Run::new(&good()).map(|run| run.now()), Ok(0));
}

#[test]
fn bad_machines() {
    let found = [
        refused(|machine| machine.processors.clear()),
        refused(|machine| machine.processors.resize(4097, Vec::new())),
        refused(|machine| machine.cache.line_bytes = 24),
        refused(|machine| machine.cache.line_bytes = 0),
        refused(|machine| machine.cache.bytes = 8),
        refused(|machine| machine.cache.bytes = 1 << 33),
        refused(|machine| machine.cache.bytes = 72),
        refused(|machine| machine.cache.ways = 0),
        refused(|machine| machine.cache.ways = 3),
        refused(|machine| machine.cache = Shape { bytes: 1 << 32, line_bytes: 16, ways: 1 }),
        refused(|machine| machine.bus.write_miss = 0),
        refused(|machine| machine.bus.write_back = 1 << 21),
    ];
    let expected = [
        "0 processors; allowed: 1 to 4096",
        "4097 processors; allowed: 1 to 4096",
        "lines of 24 bytes; allowed: a power of two up to 2^32",
        "lines of 0 bytes; allowed: a power of two up to 2^32",
        "a cache of 8 bytes with lines of 16; allowed: at least one line",
        "a cache of 8589934592 bytes; allowed: up to 2^32",
        "1 ways in a cache of 72 bytes with lines of 16; allowed: a power of two of whole sets",
        "0 ways in a cache of 64 bytes with lines of 16; allowed: a power of two of whole sets",
        "3 ways in a cache of 64 bytes with lines of 16; allowed: a power of two of whole sets",
        "caches of 536870912 lines in all; allowed: up to 2^25",
        "write miss takes 0 cycles; allowed: 1 to 2^20",
        "write-back takes 2097152 cycles; allowed: 0 to 2^20",
    ];
    assert_eq!(found, expected);
}

#[test]
fn bad_programs() {
    let found = [
        refused(|machine| machine.programs[1].cells = 0),
        refused(|machine| machine.programs[1].cell_bytes = 17),
        refused(|machine| machine.programs[1].base = 1 << 48),
        refused(|machine| machine.programs[1].cells = u64::MAX),
        refused(|machine| machine.programs[1].gap = 1 << 33),
        refused(|machine| machine.programs[1].kinds = Kinds::WriteEvery(0)),
    ];
    let expected = [
        "program 1: an array of 0 cells; allowed: at least 1",
        "program 1: cells of 17 bytes, lines of 16; allowed: from 1 byte to a line",
        "program 1: 8 cells of 4 bytes from 281474976710656; allowed: addresses below 2^48",
        "program 1: 18446744073709551615 cells of 4 bytes from 64; allowed: addresses below 2^48",
        "program 1: 8589934592 cycles between accesses; allowed: 0 to 2^32",
        "program 1: a write every 0 accesses; allowed: every 1 or more",
    ];
    assert_eq!(found, expected);
}

#[test]
fn bad_stretches() {
    let found = [
        refused(|machine| machine.processors[0][1].begin = 0),
        refused(|machine| machine.processors[0][1].begin = 1 << 62),
        refused(|machine| machine.processors[0][1].program = Some(2)),
        refused(|machine| machine.processors[1][0].begin = 8),
    ];
    let expected = [
        "processor 0, stretch 1: it begins at cycle 0; allowed: rising cycles",
        "processor 0, stretch 1: it begins at cycle 4611686018427387904; allowed: cycles below 2^62",
        "processor 0, stretch 1: it executes program 2; allowed: a program of the machine",
        "processor 1, stretch 0: another processor executes program 0 at cycle 8; allowed: a program on one processor \
         at a time",
    ];
    assert_eq!(found, expected);
    assert!(matches!(
        Run::new(&Machine { processors: Vec::new(), ..good() }),
        Err(MachineError::Processors(0))
    ));
}

#[test]
fn slots_that_exceed_time_or_memory() {
    let refused = |slots: Slots| slots.machine().expect_err("it is refused").to_string();
    let paper = Slots::OF_2005;
    assert_eq!(refused(Slots { processors: 0, ..paper }), "0 processors; allowed: 1 to 4096");
    assert_eq!(
        refused(Slots { slots: 1 << 24, ..paper }),
        "16777216 slots on each of 8 processors; allowed: up to 2^24 on all together"
    );
    for cycles in [0, 1 << 60, 1 << 63, u64::MAX] {
        let told = format!("3 slots of {cycles} cycles; allowed: from 1 cycle to 2^62 in all");
        let found = Slots { cycles, ..paper }.machine().map(drop).map_err(|error| error.to_string());
        assert_eq!(found, if cycles == 1 << 60 { Ok(()) } else { Err(told) });
    }
    assert_eq!(
        refused(Slots { cells: 1 << 60, ..paper }),
        "1152921504606846976 cells of 32 bytes; allowed: addresses below 2^48"
    );
}

#[test]
fn a_run_stops_when_it_is_told_to() {
    let machine = Slots::OF_2005.machine().unwrap();
    let mut questions = 0;
    let mut twice = || {
        questions += 1;
        questions < 3
    };
    assert_eq!(schedlab_membus::watch(&machine, 0, 1 << 40, 1, &mut twice), Ok(None));
    assert_eq!(questions, 3);
}
