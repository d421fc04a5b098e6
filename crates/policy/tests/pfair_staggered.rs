//! The distributed algorithm: the same sets as aligned PD2, safe, and with few comparisons.

use crate::pfair_support;
use pfair_support::*;
use schedlab_policy::pfair::{Affinity, Aligned, Staggered, Stream, Weight, PD2, PF};
use serde_json::Value;
use std::io::{BufRead, BufReader};

const AFFINITIES: [Affinity; 3] =
    [Affinity::BackToBack, Affinity::LastScheduled, Affinity::DirectedMigration];

fn staggered(affinity: Affinity, weights: &[Share], early: bool, processors: usize) -> Staggered {
    let mut scheduler = Staggered::new(PD2, affinity, streams(weights, early), processors);
    (0..weights.len() as u32).for_each(|task| scheduler.activate(task));
    scheduler
}

/// Watches that quanta that overlap are of different tasks: slot k of processor q overlaps slot k of all, slot k-1
/// of higher processors and slot k+1 of lower ones.
struct Safety {
    before: Vec<Option<u32>>,
    now: Vec<Option<u32>>,
}

impl Safety {
    fn new(processors: usize) -> Self {
        Safety { before: vec![None; processors], now: vec![None; processors] }
    }

    fn grant(&mut self, processor: usize, task: Option<u32>) {
        if processor == 0 {
            std::mem::swap(&mut self.before, &mut self.now);
            self.now.fill(None);
        }
        if task.is_some() {
            assert!(!self.now.contains(&task), "twice in a slot");
            assert!(!self.before[processor + 1..].contains(&task), "overlaps the slot before");
        }
        self.now[processor] = task;
    }
}

/// One slot: who was granted it.
fn slot(scheduler: &mut Staggered, safety: &mut Safety, processors: usize) -> u64 {
    let mut set = 0;
    for processor in 0..processors {
        let task = scheduler.schedule(processor);
        safety.grant(processor, task);
        set |= task.map_or(0, |task| 1 << task);
    }
    set
}

/// The sets of the slots, which are the same whatever the affinity.
fn sets(weights: &[Share], early: bool, processors: usize, slots: u64) -> Vec<u64> {
    let [found, others @ ..] = AFFINITIES.map(|affinity| {
        let mut scheduler = staggered(affinity, weights, early, processors);
        let mut safety = Safety::new(processors);
        (0..slots).map(|_| slot(&mut scheduler, &mut safety, processors)).collect::<Vec<u64>>()
    });
    others.iter().for_each(|other| assert_eq!(*other, found));
    found
}

/// By slot, who has each processor.
fn grants(affinity: Affinity, weights: &[Share], processors: usize, slots: usize) -> Vec<Vec<Option<u32>>> {
    let mut scheduler = staggered(affinity, weights, false, processors);
    (0..slots).map(|_| (0..processors).map(|processor| scheduler.schedule(processor)).collect()).collect()
}

/// Section III.A and B of the paper, literally; and that random sets tell the rules apart.
#[test]
fn each_affinity_keeps_its_rule() {
    let mut random = Random(9);
    let (mut kept_later, mut moved_up) = (0, 0);
    for round in 0..400 {
        let processors = 2 + round % 7;
        let weights = random_weights(&mut random, processors as u64, round % 3 > 0);
        let [btb, ls, dm] = AFFINITIES.map(|affinity| grants(affinity, &weights, processors, 60));
        let mut last: Vec<Option<u32>> = vec![None; processors];
        for (slot, here) in ls.iter().enumerate() {
            for (processor, task) in last.iter_mut().enumerate() {
                let is_selected = task.is_some() && here.contains(task);
                assert!(!is_selected || here[processor] == *task, "LS: slot {slot}, {weights:?}");
                let ran_before = slot > 0 && ls[slot - 1].contains(task);
                kept_later += u32::from(is_selected && !ran_before);
                *task = here[processor].or(*task);
            }
        }
        for (all, is_btb) in [(&btb, true), (&dm, false)] {
            for pair in all.windows(2) {
                for (processor, task) in pair[0].iter().enumerate().filter(|(_, task)| task.is_some()) {
                    let Some(then) = pair[1].iter().position(|other| other == task) else { continue };
                    assert!(if is_btb { then == processor } else { then >= processor }, "{weights:?}");
                    moved_up += u32::from(then > processor);
                }
            }
        }
    }
    assert!(kept_later > 1_000 && moved_up > 1_000, "{kept_later} {moved_up}");
}

#[test]
fn golden_sets_of_every_slot() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/vectors/pfair.jsonl.gz");
    let file = std::fs::File::open(path).expect("the golden vectors are part of the project");
    let mut compared = 0;
    for line in BufReader::new(flate2::read::GzDecoder::new(file)).lines() {
        let record: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let share = |row: &Value| (row[0].as_u64().unwrap(), row[1].as_u64().unwrap());
        let weights: Vec<Share> = record["weights"].as_array().unwrap().iter().map(share).collect();
        let (m, slots) = (record["m"].as_u64().unwrap() as usize, record["H"].as_u64().unwrap());
        for (name, early) in [("pd2_slots", false), ("erpd2_slots", true)] {
            let expected: Vec<u64> =
                record["results"][name].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
            assert_eq!(sets(&weights, early, m, slots), expected, "{} {name}", record["id"]);
            compared += 1;
        }
    }
    assert!(compared > 1_000);
}

fn random_weights(random: &mut Random, processors: u64, full: bool) -> Vec<Share> {
    let unit = [12, 20, 24, 30, 7][random.below(5) as usize];
    let (mut room, mut set) = (processors * unit, Vec::new());
    while room > 0 && set.len() < 64 {
        let e = (random.below(unit) + 1).min(room);
        set.push((e, unit));
        room -= e;
    }
    if !full {
        set.pop();
    }
    set
}

#[test]
fn random_sets_are_those_of_aligned_scheduling() {
    let mut random = Random(5);
    for round in 0..1_500 {
        let processors = 1 + round % 16;
        let weights = random_weights(&mut random, processors as u64, round % 3 > 0);
        let early = round % 2 == 0;
        let expected = run(PD2, &weights, early, processors, 120).sets;
        assert_eq!(sets(&weights, early, processors, 120), expected, "on {processors}: {weights:?}");
    }
}

/// A task is in, out, or out until its weight is free; both schedulers are told the same.
struct Twins {
    aligned: Aligned,
    staggered: Staggered,
    is_in: Vec<bool>,
    /// Ran, or was charged, in the current slot of the aligned twin and was not added again yet.
    ran: Vec<bool>,
    random: Random,
    processors: usize,
    operations: usize,
    charged: usize,
}

impl Twins {
    fn new(seed: u64, processors: usize, affinity: Affinity) -> Self {
        let mut random = Random(seed);
        let weights = random_weights(&mut random, processors as u64, true);
        let aligned = Aligned::new(PD2, Affinity::None, streams(&weights, false), processors);
        let staggered = Staggered::new(PD2, affinity, streams(&weights, false), processors);
        let (is_in, ran) = (vec![false; weights.len()], vec![false; weights.len()]);
        Twins { aligned, staggered, is_in, ran, random, processors, operations: 0, charged: 0 }
    }

    /// A task suspends itself or goes on; the aligned twin hears of it after its slot is filled, as its driver does.
    fn toggle(&mut self, wasted: &mut u64) {
        let task = self.random.below(self.is_in.len() as u64) as u32;
        let index = task as usize;
        self.operations += 1;
        if self.is_in[index] {
            if self.staggered.deactivate(task) {
                *wasted |= 1 << task;
                self.charged += 1;
            }
            if !self.ran[index] {
                self.aligned.remove(task);
            }
            self.ran[index] = false;
        } else {
            let next = self.staggered.next();
            assert_eq!(next, self.aligned.next());
            self.staggered.stream_mut(task).delay_until(next);
            self.aligned.stream_mut(task).delay_until(next);
            self.staggered.activate(task);
            self.aligned.add(task);
        }
        self.is_in[index] ^= true;
    }

    fn slot(&mut self, safety: &mut Safety) {
        let picked = self.aligned.fill().to_vec();
        picked.iter().for_each(|&task| self.ran[task as usize] = true);
        let expected = picked.iter().fold(0u64, |set, task| set | 1 << task);
        let (mut set, mut wasted) = (0, 0);
        for processor in 0..self.processors {
            let task = self.staggered.schedule(processor);
            safety.grant(processor, task);
            set |= task.map_or(0, |task| 1 << task);
            while self.random.below(3) == 0 {
                self.toggle(&mut wasted);
            }
        }
        assert_eq!(set | wasted, expected, "slot {}", self.staggered.next() - 1);
        assert_eq!(set & wasted, 0);
        for &task in &picked {
            // A task that stayed in, or left and came back meanwhile, competes again.
            if std::mem::take(&mut self.ran[task as usize]) {
                self.aligned.add(task);
            }
        }
    }
}

/// Suspensions and resumptions between any two invocations: I1 and I2 hold after each (the scheduler asserts them),
/// no quanta of a task overlap, and the subtasks charged in each slot are those that an aligned scheduler runs which
/// hears of the same within the same slot.
#[test]
fn tasks_come_and_go_between_invocations() {
    let (mut operations, mut charged) = (0, 0);
    for seed in 0..400 {
        // Nine numbers of processors and three affinities, in all pairs.
        let processors = 1 + seed as usize / 3 % 9;
        let affinity = AFFINITIES[seed as usize % AFFINITIES.len()];
        let mut twins = Twins::new(seed, processors, affinity);
        let mut safety = Safety::new(processors);
        (0..150).for_each(|_| twins.slot(&mut safety));
        operations += twins.operations;
        charged += twins.charged;
    }
    assert!(operations > 50_000 && charged > 1_000, "{operations} operations, {charged} void");
}

/// staggered-pfair-2005, fig. 8(b): a task on a late processor suspends itself after the next slot began; it was
/// selected for that already, and its quantum is wasted.
#[test]
fn a_late_suspension_wastes_a_quantum() {
    let mut scheduler = staggered(Affinity::BackToBack, &[(1, 1), (1, 1), (1, 1)], false, 3);
    let granted: Vec<_> = (0..3).map(|processor| scheduler.schedule(processor).unwrap()).collect();
    assert_eq!(scheduler.schedule(0), Some(granted[0]));
    let late = granted[2];
    assert!(scheduler.deactivate(late), "slot 1 is charged");
    assert_eq!(scheduler.schedule(1), Some(granted[1]));
    assert_eq!(scheduler.schedule(2), None);
    // It goes on in slot 2 at the earliest, on any processor.
    scheduler.activate(late);
    let again: Vec<_> = (0..3).map(|processor| scheduler.schedule(processor)).collect();
    assert_eq!(again, [Some(granted[0]), Some(granted[1]), Some(late)]);
}

/// While it is not too late, another task takes the slot.
#[test]
fn an_early_suspension_wastes_nothing() {
    let mut scheduler = staggered(Affinity::BackToBack, &[(1, 1), (1, 2), (1, 2)], false, 2);
    let first: Vec<_> = (0..2).map(|processor| scheduler.schedule(processor).unwrap()).collect();
    assert!(first.contains(&0));
    assert!(!scheduler.deactivate(0), "slot 1 has not begun");
    let second: Vec<_> = (0..2).filter_map(|processor| scheduler.schedule(processor)).collect();
    assert!(!second.contains(&0) && !second.is_empty());
}

/// The worst invocation of 20 slots in which whole heaps arrive: comparisons are bounded by a multiple of log N.
#[test]
fn comparisons_grow_as_the_logarithm() {
    for exponent in 3..=13 {
        let tasks = 1u64 << exponent;
        let processors = 4;
        for (early, all_at_once) in [(false, true), (true, true), (false, false)] {
            let stream = |task: u64| {
                let weight = Weight::new(1 + task % 3, (tasks + task % 7) * 3 / 4 + 3).unwrap();
                Stream::new(weight, early, if all_at_once { 5 } else { task % 11 })
            };
            let mut scheduler =
                Staggered::new(PD2, Affinity::BackToBack, (0..tasks).map(stream).collect(), processors);
            (0..tasks as u32).for_each(|task| scheduler.activate(task));
            let mut worst = 0;
            for _ in 0..2 * tasks.min(500) {
                for processor in 0..processors {
                    let before = scheduler.comparisons();
                    scheduler.schedule(processor);
                    worst = worst.max(scheduler.comparisons() - before);
                }
            }
            // Two spines of log2(N+1) for each of at most six melds: arrivals, the task moved near, the granted one
            // out and in, the selected one out and in.
            let bound = 6 * 2 * (exponent + 1);
            assert!(worst <= bound, "{worst} comparisons for {tasks} tasks, at most {bound} expected");
        }
    }
}

/// Each procedure for joins and leaves, too.
#[test]
fn joins_and_leaves_compare_little() {
    let tasks = 1u64 << 12;
    let weights: Vec<Share> = (0..tasks).map(|task| (1 + task % 2, tasks + task % 5)).collect();
    let mut scheduler = staggered(Affinity::BackToBack, &weights, false, 4);
    let mut random = Random(9);
    let mut worst = 0;
    for round in 0..20_000 {
        let task = random.below(tasks) as u32;
        let before = scheduler.comparisons();
        scheduler.deactivate(task);
        worst = worst.max(scheduler.comparisons() - before);
        let next = scheduler.next();
        scheduler.stream_mut(task).delay_until(next);
        let before = scheduler.comparisons();
        scheduler.activate(task);
        worst = worst.max(scheduler.comparisons() - before);
        scheduler.schedule(round % 4);
    }
    assert!(worst <= 4 * 2 * 13 + 2, "{worst}");
}

/// The algorithm is the same under another order.
#[test]
fn pf_selects_the_same_sets_staggered() {
    let weights = [(5, 6), (5, 6), (11, 12), (11, 12), (1, 2)];
    let mut scheduler = Staggered::new(PF, Affinity::BackToBack, streams(&weights, false), 4);
    (0..5).for_each(|task| scheduler.activate(task));
    let mut safety = Safety::new(4);
    let sets: Vec<_> = (0..24).map(|_| slot(&mut scheduler, &mut safety, 4)).collect();
    assert_eq!(sets, run(PF, &weights, false, 4, 24).sets);
}
