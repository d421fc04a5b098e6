//! Event by event gives what cycle by cycle gives: pending requests, states of lines, counts.

use crate::coherence::broken;
use crate::cycles::Cycles;
use schedlab_membus::{
    AccessOrder, AccessProgram, Arbitration, Begin, Bus, Kinds, Machine, Run, Shape, Slot, State, Stretch,
};
use schedlab_workload::Random;

const MACHINES: u64 = 4_000;

/// How often situations came up, in cycles; a comparison that never saw them says little.
#[derive(Default, Debug)]
struct Power {
    waits: u64,
    idle_bus: u64,
    shared: u64,
    exclusive: u64,
    upgrades: u64,
    lost_upgrades: u64,
    flushes: u64,
    late_stretches: u64,
    uses_of_one_cycle: u64,
}

fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[random.below(from.len() as u64) as usize]
}

fn program(random: &mut Random, at: u64, line_bytes: u64, lines: u64) -> AccessProgram {
    let cell_bytes = pick(random, &[1, line_bytes / 2, line_bytes]).max(1);
    let most = (2 * lines * line_bytes / cell_bytes).max(2);
    AccessProgram {
        base: at,
        cells: random.between(1, most.min(24)),
        cell_bytes,
        order: if random.below(2) == 0 {
            AccessOrder::Linear
        } else {
            AccessOrder::Random { seed: random.bits() }
        },
        kinds: pick(random, &[Kinds::Writes, Kinds::Reads, Kinds::WriteEvery(3), Kinds::Writes]),
        gap: pick(random, &[0, 0, 1, 3, 9]),
    }
}

/// Programs with arrays of their own, or with arrays near each other; stretches that jump among them.
fn machine(random: &mut Random) -> Machine {
    let line_bytes = pick(random, &[1, 2, 4, 16]);
    let ways = pick(random, &[1, 1, 2, 3, 4]);
    let cache = Shape { bytes: line_bytes * ways * pick(random, &[1, 2, 4, 8]), line_bytes, ways };
    let bus = Bus {
        read_miss: random.between(1, 6),
        write_miss: random.between(1, 6),
        upgrade: random.between(1, 3),
        write_back: random.between(0, 4),
        arbitration: pick(random, &[Arbitration::Fifo, Arbitration::RoundRobin]),
    };
    let number = random.between(1, 5);
    let is_near = random.below(2) == 0;
    let count = random.between(1, 2 * number);
    let programs: Vec<AccessProgram> = (0..count)
        .map(|index| {
            let at = if is_near { random.below(3 * line_bytes) } else { index * 1024 };
            program(random, at, line_bytes, cache.lines())
        })
        .collect();
    let quantum = random.between(1, 60);
    let mut processors = vec![Vec::new(); number as usize];
    let offset = random.below(2) * quantum / number;
    for slot in 0..random.between(1, 4) {
        let mut free: Vec<usize> = (0..programs.len()).collect();
        // Staggered quanta overlap those of the slot before, so a program may not be elsewhere in both.
        for (index, stretches) in processors.iter_mut().enumerate() {
            let own = (offset > 0).then_some(index);
            let place = own.map_or(random.below(free.len() as u64 + 1) as usize, |own| own);
            let program = if own.is_some() { free.get(place).copied() } else { take(&mut free, place) };
            stretches.push(Stretch { begin: slot * quantum + offset * index as u64, program });
        }
    }
    let begin = pick(random, &[Begin::Dirty, Begin::Empty]);
    Machine { cache, bus, begin, programs, processors }
}

fn take(free: &mut Vec<usize>, index: usize) -> Option<usize> {
    (index < free.len()).then(|| free.swap_remove(index))
}

/// Lines of the beginning have numbers of their own in both.
fn comparable(slots: &[Slot]) -> Vec<(Option<u64>, State)> {
    let named = |slot: &Slot| {
        let is_given = slot.state != State::Invalid && slot.line < 1 << 40;
        (is_given.then_some(slot.line), slot.state)
    };
    slots.iter().map(named).collect()
}

/// Advances both to the same cycles; `step` says by how many cycles at once.
fn compare(machine: &Machine, seed: u64, mut step: impl FnMut() -> u64, power: &mut Power) {
    let told = || format!("machine {seed}: {machine:?}");
    let mut fast = Run::new(machine).unwrap_or_else(|error| panic!("{error}: {}", told()));
    let mut brute = Cycles::new(machine);
    let end = machine.processors.iter().flatten().map(|stretch| stretch.begin).max().unwrap_or(0) + 80;
    while brute.now < end {
        let from = brute.now;
        let until = from + step();
        let mut expected = Vec::new();
        for _ in from..until {
            expected.push(brute.cycle());
            brute.data_is_whole();
        }
        let mut found = Vec::new();
        fast.advance(until, |span| {
            assert_eq!(span.from, from + found.len() as u64, "cycles are told in order: {}", told());
            found.extend((span.from..span.to).map(|_| span.requests));
        });
        assert_eq!(found, expected, "pending requests from cycle {from} on: {}", told());
        power.waits += expected.iter().filter(|pending| **pending > 1).count() as u64;
        power.idle_bus += expected.iter().filter(|pending| **pending == 0).count() as u64;
        let all = 0..machine.processors.len();
        let ours: Vec<Vec<Slot>> = all.clone().map(|processor| fast.slots(processor).to_vec()).collect();
        let theirs: Vec<Vec<Slot>> = all.clone().map(|processor| brute.slots(processor)).collect();
        for processor in all {
            let (own, other) = (comparable(&ours[processor]), comparable(&theirs[processor]));
            assert_eq!(own, other, "lines of P{processor} before cycle {until}: {}", told());
            let (own, other) = (fast.counts(processor), brute.counts(processor));
            assert_eq!(own, other, "counts of P{processor} before cycle {until}: {}", told());
        }
        assert_eq!(broken(&ours, &machine.cache), None, "before cycle {until}: {}", told());
        assert_eq!(broken(&theirs, &machine.cache), None, "before cycle {until}: {}", told());
        let is_any = |state| u64::from(ours.iter().flatten().any(|slot| slot.state == state));
        power.shared += is_any(State::Shared);
        power.exclusive += is_any(State::Exclusive);
    }
    power.upgrades += brute.seen.upgrades;
    power.lost_upgrades += brute.seen.lost_upgrades;
    power.flushes += brute.seen.flushes;
    power.late_stretches += brute.seen.late_stretches;
    power.uses_of_one_cycle += brute.seen.uses_of_one_cycle;
}

/// Each cycle by itself, and in jumps: only these skip accesses that hit.
#[test]
fn events_give_what_cycles_give() {
    let mut power = Power::default();
    for seed in 0..MACHINES {
        let mut random = Random::new(seed, *b"Machines", 0);
        let machine = machine(&mut random);
        compare(&machine, seed, || 1, &mut power);
        compare(&machine, seed, || random.between(1, 200), &mut power);
    }
    println!("{MACHINES} machines: {power:?}");
    let Power { waits, idle_bus, shared, exclusive, .. } = power;
    let Power { upgrades, lost_upgrades, flushes, late_stretches, uses_of_one_cycle, .. } = power;
    for seen in [waits, idle_bus, shared, exclusive] {
        assert!(seen >= MACHINES / 40, "a situation is missing");
    }
    for seen in [upgrades, lost_upgrades, flushes, late_stretches, uses_of_one_cycle] {
        assert!(seen >= MACHINES / 40, "a situation is missing");
    }
}

/// The same machine gives the same events, however often it is stopped on the way.
#[test]
fn stops_change_nothing() {
    for seed in 0..200 {
        let mut random = Random::new(seed, *b"Stopping", 0);
        let machine = machine(&mut random);
        let (mut whole, mut parts) = (Run::new(&machine).unwrap(), Run::new(&machine).unwrap());
        whole.advance(400, |_| {});
        while parts.now() < 400 {
            let until = (parts.now() + random.between(1, 50)).min(400);
            parts.advance(until, |_| {});
        }
        for processor in 0..machine.processors.len() {
            assert_eq!(whole.slots(processor), parts.slots(processor), "machine {seed}: {machine:?}");
            assert_eq!(whole.counts(processor), parts.counts(processor), "machine {seed}: {machine:?}");
        }
    }
}
