//! NPS-F: drawn schedules, sporadic tasks that fit and are never late, and preemptions that slots and arrivals explain.

use crate::support::{check, ideal, misses, policies, task};
use schedlab_model::*;
use schedlab_policy::nps_f::assignment::{assign, Assignment};
use schedlab_sim::{simulate, NoLocks};
use schedlab_trace::{Record, Timeline};
use schedlab_workload::arrivals::{job_source, Arrivals, Costs, SourceSpec};
use schedlab_workload::Random;

/// The scheduler's file draws these.
#[test]
fn drawn_schedules() {
    check(&[(2, 4, 4); 3], "NPS-F[1]", 2, "AABB / CC..");
    check(&[(6, 10, 10); 3], "NPS-F[1]", 3, "AAAAAA.... / BBBBBBCC.. / CCCC......");
    // With two slots in the period, each reserve has 4 of 5.
    check(&[(6, 10, 10); 2], "NPS-F[2]", 2, "AAAABAA... / BBB..BB...");
}

/// Tasks of random utilizations that fill what an assignment takes: the last one needs a little less than would be
/// refused.
fn that_just_fit(random: &mut Random, processors: u16, slots: u16) -> (Vec<(u64, u64)>, Assignment) {
    let mut rows = Vec::new();
    let (mut fitting, mut refusals) = (assign(&rows, processors.into(), slots).unwrap(), 0);
    while refusals < 12 {
        let period = random.between(1_000, 40_000);
        let cost = random.between(1, (period >> refusals.min(8)).max(1));
        rows.push((cost, period));
        match assign(&rows, processors.into(), slots) {
            Ok(found) => fitting = found,
            Err(_) => {
                rows.pop();
                refusals += 1;
            }
        }
    }
    (rows, fitting)
}

/// Arrivals that are hard on reserves: on a boundary of one at first, then as often as may be or a little later.
fn spec(random: &mut Random, assignment: &Assignment) -> (u64, SourceSpec) {
    let mut boundary = 0;
    for its in &assignment.notional[..random.between(0, assignment.notional.len() as u64) as usize] {
        boundary += its.reserve;
    }
    let offset = boundary % assignment.slot + random.between(0, 2);
    let late = SourceSpec {
        arrivals: Arrivals::SporadicUniform { max: Duration::from_ns(assignment.slot), like: None },
        costs: Costs::Wcet,
    };
    let often = SourceSpec { arrivals: Arrivals::Periodic, ..late.clone() };
    (offset, if random.between(0, 1) == 0 { late } else { often })
}

#[test]
fn no_job_that_fits_is_late_and_preemptions_are_explained() {
    examine(120);
}

#[test]
#[ignore = "minutes, 10,000 systems: each change runs 120, `make soak` these"]
fn no_job_of_ten_thousand_systems_is_late() {
    examine(10_000);
}

fn examine(count: u64) {
    const HORIZON: u64 = 400_000;
    for seed in 0..count {
        let random = &mut Random::new(seed, *b"NPS-F...", 0);
        let (processors, slots) = (1 + (seed % 5) as u16, 1 + (seed / 5 % 6) as u16);
        let (rows, assignment) = that_just_fit(random, processors, slots);
        let mut specs = Vec::new();
        let mut tasks: Vec<Task> = rows.iter().map(|&(cost, period)| task(cost, period, period)).collect();
        for task in &mut tasks {
            let (offset, its) = spec(random, &assignment);
            task.offset = Instant::from_ns(offset);
            specs.push(its);
        }
        let setup = ideal(tasks, Platform::global(processors), HORIZON);
        let source = job_source(&setup.tasks, &specs, seed).unwrap();
        let made = policies(&format!("NPS-F[{slots}]"), &setup.platform, &setup.tasks);
        let mut timeline = Timeline::default();
        simulate(setup, made, NoLocks, source, &mut timeline);
        assert_eq!(misses(&timeline), [], "{slots} slots, {processors} processors: {rows:?}");
        let count =
            |of: fn(&Record) -> bool| timeline.records.iter().filter(|(_, its)| of(its)).count() as u64;
        let preemptions = count(|record| matches!(record, Record::Preempt { .. }));
        let arrivals = count(|record| matches!(record, Record::Arrival { .. }));
        let ends =
            (assignment.notional.len() as u64 + u64::from(processors) - 1) * (HORIZON / assignment.slot + 1);
        assert!(preemptions <= arrivals + ends, "{preemptions} preemptions, {arrivals} arrivals: {rows:?}");
    }
}
