//! Aligned Pfair scheduling: the golden schedules, and that nothing is ever missed.

use crate::pfair_support;
use pfair_support::*;
use schedlab_policy::pfair::{PfairOrder, EPDF, PD, PD2, PF};
use serde_json::Value;
use std::cmp::Ordering;
use std::io::{BufRead, BufReader};

fn records() -> impl Iterator<Item = Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/vectors/pfair.jsonl.gz");
    let file = std::fs::File::open(path).expect("the golden vectors are part of the project");
    BufReader::new(flate2::read::GzDecoder::new(file))
        .lines()
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
}

fn shares(record: &Value) -> Vec<Share> {
    let share = |row: &Value| (row[0].as_u64().unwrap(), row[1].as_u64().unwrap());
    record["weights"].as_array().unwrap().iter().map(share).collect()
}

#[test]
fn golden_schedules() {
    let (mut compared, mut full) = (0, 0);
    for record in records() {
        let (weights, m) = (shares(&record), record["m"].as_u64().unwrap() as usize);
        let slots = record["H"].as_u64().unwrap();
        for (name, order, early) in
            [("pd2_slots", PD2, false), ("pf_slots", PF, false), ("erpd2_slots", PD2, true)]
        {
            let expected: Vec<u64> =
                record["results"][name].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
            let outcome = run(order, &weights, early, m, slots);
            assert_eq!(outcome.sets, expected, "{} {name}", record["id"]);
            assert_eq!((outcome.missed, outcome.behind), (0, 0), "{} {name}", record["id"]);
            assert!(early || outcome.ahead == 0);
            compared += 1;
        }
        // PD refines PD2: it may choose others, but misses as little.
        let outcome = run(PD, &weights, false, m, slots);
        assert_eq!((outcome.missed, outcome.behind, outcome.ahead), (0, 0, 0), "{} PD", record["id"]);
        full += usize::from(outcome.sets.iter().all(|set| set.count_ones() as usize == m));
    }
    assert!(compared > 2_000 && full > 300, "{compared} schedules, {full} of full sets");
}

/// Earliest pseudo-deadline, with fewer tie-breaks than PD2.
const NO_GROUP_DEADLINE: PfairOrder = PfairOrder {
    name: "deadline, b-bit",
    key: |stream| u128::from(stream.window().deadline) << 1 | u128::from(!stream.window().overlaps),
    tie: |_, _| Ordering::Equal,
    packs: false,
    breaks_ties: false,
};
const NO_B_BIT: PfairOrder = PfairOrder {
    name: "deadline, group deadline",
    key: |stream| {
        u128::from(stream.window().deadline) << 64 | u128::from(u64::MAX - stream.window().group_deadline)
    },
    tie: |_, _| Ordering::Equal,
    packs: false,
    breaks_ties: false,
};

fn check_necessity(weights: &[Share], weaker: PfairOrder) {
    let slots = weights.iter().fold(1, |all, &(_, p)| lcm(all, p));
    assert_eq!(weights.iter().map(|(e, p)| e * slots / p).sum::<u64>(), 4 * slots, "total weight 4");
    // What is missed at the very end runs after it.
    assert!(run(weaker, weights, false, 4, 2 * slots).missed > 0, "{} misses nothing", weaker.name);
    for order in [PF, PD, PD2] {
        let outcome = run(order, weights, false, 4, slots);
        assert_eq!((outcome.missed, outcome.behind, outcome.ahead), (0, 0, 0), "{}", order.name);
    }
}

#[test]
fn four_processors_need_the_group_deadline() {
    check_necessity(&[(5, 6), (5, 6), (11, 12), (11, 12), (1, 2)], NO_GROUP_DEADLINE);
}

#[test]
fn four_processors_need_the_b_bit() {
    check_necessity(&[(5, 12), (5, 12), (3, 4), (3, 4), (5, 12), (3, 4), (1, 2)], NO_B_BIT);
}

/// The slots that `order/epdf.rs` lists.
#[test]
fn three_processors_need_tie_breaks() {
    let weights = [(1, 2), (1, 2), (1, 2), (3, 4), (3, 4)];
    let letters = |set: u64| -> String {
        (0..5u8).filter(|task| set >> task & 1 == 1).map(|task| char::from(b'A' + task)).collect()
    };
    let drawn =
        |order| -> Vec<String> { run(order, &weights, false, 3, 4).sets.into_iter().map(letters).collect() };
    assert_eq!(drawn(EPDF), ["ABC", "DE", "ADE", "BCD"]);
    assert_eq!(drawn(PD2), ["ADE", "BCD", "ABE", "CDE"]);
    let missed = |order| run(order, &weights, false, 3, 8).missed;
    assert!(missed(EPDF) > 0 && missed(PD2) == 0);
}

#[test]
fn two_processors_need_no_tie_breaks() {
    for processors in [1, 2] {
        let sets = full_sets(processors, 6, 8);
        assert!(sets.len() > 100, "only {} sets", sets.len());
        for weights in &sets {
            // Ties go by task index: in both orders.
            for weights in [weights.clone(), weights.iter().rev().copied().collect::<Vec<_>>()] {
                let slots = weights.iter().fold(1, |all, &(_, p)| lcm(all, p));
                let outcome = run(EPDF, &weights, false, processors as usize, slots);
                assert_eq!((outcome.missed, outcome.behind, outcome.ahead), (0, 0, 0), "{weights:?}");
            }
        }
    }
}

/// Every set of at most seven tasks with periods up to 6 and total weight 3, as multisets of weights in falling order.
fn full_sets(processors: u64, most_tasks: usize, most_slots: u64) -> Vec<Vec<Share>> {
    let mut weights = Vec::new();
    for p in 1..=most_slots {
        weights.extend((1..=p).map(|e| (e, p)));
    }
    let unit = (1..=most_slots).fold(1, lcm);
    let mut sets = Vec::new();
    extend(&weights, unit, processors * unit, most_tasks, &mut Vec::new(), &mut sets);
    sets
}

fn extend(
    left: &[Share],
    unit: u64,
    room: u64,
    most: usize,
    set: &mut Vec<Share>,
    sets: &mut Vec<Vec<Share>>,
) {
    if room == 0 {
        sets.push(set.clone());
    }
    if room == 0 || set.len() == most {
        return;
    }
    for (index, &(e, p)) in left.iter().enumerate() {
        let size = e * (unit / p);
        if size <= room {
            set.push((e, p));
            extend(&left[index..], unit, room - size, most, set, sets);
            set.pop();
        }
    }
}

#[test]
fn all_small_full_sets_on_three_processors() {
    let sets = full_sets(3, 7, 6);
    assert!(sets.len() > 1_000, "only {} sets", sets.len());
    for weights in &sets {
        let slots = weights.iter().fold(1, |all, &(_, p)| lcm(all, p));
        for (order, early) in [(PD2, false), (PD2, true), (PF, false), (PD, false)] {
            let outcome = run(order, weights, early, 3, slots);
            let wrong = outcome.missed + outcome.behind + if early { 0 } else { outcome.ahead };
            assert_eq!(wrong, 0, "{} early {early} {weights:?}", order.name);
        }
    }
}

/// Weights of periods out of `periods` that add up to `processors` exactly.
fn random_full_set(random: &mut Random, processors: u64, periods: &[u64]) -> Vec<Share> {
    let unit = periods.iter().fold(1, |all, &p| lcm(all, p));
    let (mut room, mut set) = (processors * unit, Vec::new());
    while room > 0 {
        let p = periods[random.below(periods.len() as u64) as usize];
        let size = unit / p;
        // Some sets of few heavy tasks, some of many light ones.
        let most = (room / size).min(p).min(1 + random.below(p));
        if most == 0 || set.len() == 60 {
            // What is left is a single task's, or several ones' of the finest period.
            let share = room.min(unit);
            set.push((share, unit));
            room -= share;
        } else {
            let e = 1 + random.below(most);
            set.push((e, p));
            room -= e * size;
        }
    }
    set
}

fn check_random_full_sets(rounds: u64) -> u64 {
    let mut random = Random(2005);
    let choices: [&[u64]; 4] = [&[2, 3, 4, 6, 12], &[3, 5, 15], &[4, 7, 14, 28], &[5, 8, 10, 20, 40]];
    let ways = [(PD2, false), (PD2, true), (PD2, false), (PF, false), (PD, false)];
    let mut subtasks = 0;
    for round in 0..rounds {
        let processors = 1 + round % 16;
        let weights = random_full_set(&mut random, processors, choices[round as usize % 4]);
        if weights.len() > 64 {
            continue;
        }
        let slots = weights.iter().fold(1, |all, &(_, p)| lcm(all, p));
        let (order, early) = ways[round as usize % 5];
        let outcome = run(order, &weights, early, processors as usize, slots);
        let wrong = outcome.missed + outcome.behind + if early { 0 } else { outcome.ahead };
        assert_eq!(wrong, 0, "{} early {early} on {processors}: {weights:?}", order.name);
        assert!(
            outcome.sets.iter().all(|set| u64::from(set.count_ones()) == processors),
            "no processor idles"
        );
        subtasks += slots * processors;
    }
    subtasks
}

#[test]
fn random_full_sets_miss_nothing() {
    let subtasks = check_random_full_sets(20_000);
    assert!(subtasks > 2_500_000, "{subtasks}");
}

#[test]
#[ignore = "6 s in release, 100,000 sets: each change runs 20,000, `make soak` these"]
fn a_hundred_thousand_random_full_sets_miss_nothing() {
    let subtasks = check_random_full_sets(100_000);
    assert!(subtasks > 12_500_000, "{subtasks}");
}
