//! Optimal schedulers: drawn schedules, full systems of random tasks, published numbers of preemptions and migrations.

use crate::support;
use schedlab_model::*;
use schedlab_policy::run::reduction::{idle_rates, reduce};
use schedlab_policy::{find, ClusterSetup, SetupError};
use schedlab_sim::Setup;
use schedlab_trace::{Record, Timeline};
use schedlab_workload::Random;
use std::collections::BTreeSet;
use support::golden::{golden, numbers};
use support::{check, completions, ideal, misses, run_setup, run_with_drawn_costs, task};

/// Schedulers that are optimal for synchronous periodic tasks and plan whole nanoseconds.
const FLUID: [&str; 3] = ["DP-WRAP", "LLREF", "LRE-TL"];

fn random(seed: u64) -> Random {
    Random::new(seed, *b"OPTIMAL.", 0)
}

fn implicit(rows: &[(u64, u64)]) -> Vec<Task> {
    rows.iter().map(|&(cost, period)| task(cost, period, period)).collect()
}

/// Each scheduler's file draws these.
#[test]
fn drawn_schedules() {
    let thirds = [(2, 3, 3); 3];
    check(&thirds, "EDZL", 2, "AAB / BCC");
    check(&thirds, "G-EDF", 2, "AAC / BB.");
    let light = [(1, 4, 4), (2, 6, 6), (5, 7, 7)];
    check(&light, "G-FL-ZL", 2, "ABB.A. / CCCCC.");
    check(&light, "EDZL", 2, "ACCCCC / BB..A.");
    check(&thirds, "G-FL-ZL", 2, "AAB / BCC");
    check(&thirds, "G-FL", 2, "AAC / BB.");
    check(&thirds, "DP-WRAP", 2, "AABBAA / BCCCCB");
    check(&thirds, "RUN", 2, "BAA / CCB");
    check(&thirds, "U-EDF", 2, "AAB / BCC");
    check(&[(2, 4, 4), (6, 8, 8), (6, 8, 8)], "EKG", 2, "AABBBBAA / BCCCCCCB");
    let dhall = [(2, 10, 10), (2, 10, 10), (10, 11, 11)];
    check(&dhall, "EDF-US", 2, "CCCCCCCCCC / AABB......");
    check(&dhall, "EDF-US[2/3]", 2, "CCCCCCCCCC / AABB......");
    check(&dhall, "G-EDF", 2, "AACCCCCCCC / BB........");
    check(&dhall, "EDF-US[1/1]", 2, "AACCCCCCCC / BB........");
    check(&dhall, "PriD", 2, "CCCCCCCCCC / AABB......");
    check(&dhall, "PriD[2]", 2, "CCCCCCCCCC / AABB......");
    check(&dhall, "PriD[1]", 2, "AACCCCCCCC / BB........");
    check(&dhall, "RM-US", 2, "CCCCCCCCCC / AABB......");
    check(&dhall, "RM-US[1/1]", 2, "AACCCCCCCC / BB........");
    check(&dhall, "G-RM", 2, "AACCCCCCCC / BB........");
    let dense = [(2, 10, 5), (2, 10, 5), (4, 10, 6)];
    check(&dense, "DM-US[1/2]", 2, "CCCC...... / AABB......");
    check(&dense, "G-DM", 2, "AACCCC.... / BB........");
    let quarters = [(1, 4, 4), (2, 4, 4), (3, 4, 4), (2, 4, 4)];
    check(&quarters, "LLREF", 2, "CCCA / BBDD");
    check(&quarters, "LRE-TL", 2, "ACCC / BBDD");
}

/// A platform whose quantum is this many nanoseconds.
fn in_quanta(rows: &[(u64, u64)], processors: u16, quantum: u64, horizon: u64) -> Setup {
    let platform = Platform { quantum: Duration::from_ns(quantum), ..Platform::global(processors) };
    ideal(implicit(rows), platform, horizon)
}

#[test]
fn drawn_schedules_in_quanta() {
    let timeline = run_setup(in_quanta(&[(2, 6), (2, 6)], 1, 1, 6), "LLF");
    assert_eq!(support::draw(&timeline, 1, 6), "ABAB..");
    // With a quantum of 2, laxities are compared less often.
    let timeline = run_setup(in_quanta(&[(2, 6), (2, 6)], 1, 2, 6), "LLF");
    assert_eq!(support::draw(&timeline, 1, 6), "AABB..");
    let timeline = run_setup(in_quanta(&[(1, 2), (1, 3), (1, 3), (5, 6)], 2, 1, 6), "BF");
    assert_eq!(support::draw(&timeline, 2, 6), "ABCAAB / DDDDCD");
}

/// Tasks of 2520ths of a processor that fill all processors, with periods in units of so many nanoseconds.
fn full(random: &mut Random, processors: u16, unit: u64) -> Vec<(u64, u64)> {
    const PERIODS: [u64; 15] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 18, 20, 21];
    loop {
        let mut tasks = Vec::new();
        let mut left = 2520 * u64::from(processors);
        while left > 0 {
            let period = PERIODS[random.between(0, 14) as usize];
            let part = 2520 / period;
            let most = (left / part).min(period);
            if most == 0 {
                break;
            }
            let cost = if random.between(0, 2) == 0 { most } else { random.between(1, most) };
            tasks.push((cost * unit, period * unit));
            left -= cost * part;
        }
        if left == 0 && tasks.len() > usize::from(processors) {
            return tasks;
        }
    }
}

/// Groups of tasks with awkward periods: each group shares a period and fills one or two processors.
fn awkward(random: &mut Random, processors: u16) -> Vec<(u64, u64)> {
    let (mut tasks, mut left) = (Vec::new(), u64::from(processors));
    while left > 0 {
        let whole = random.between(1, left.min(2));
        let period = random.between(1_000, 100_000) | 1;
        let mut rest = whole * period;
        while rest > 0 {
            let cost = random.between(1, period.min(rest));
            let cost = if rest - cost < 10 { rest.min(period) } else { cost };
            tasks.push((cost, period));
            rest -= cost;
        }
        left -= whole;
    }
    tasks
}

/// Tasks with whole periods of 1000 ns and utilizations in thousandths that fill all processors.
fn gridded(random: &mut Random, processors: u16) -> Vec<(u64, u64)> {
    gridded_up_to(random, 1_000 * u64::from(processors))
}

/// Tasks with whole periods of 1000 ns and utilizations in thousandths, of so many thousandths in all.
fn gridded_up_to(random: &mut Random, mut left: u64) -> Vec<(u64, u64)> {
    let mut tasks = Vec::new();
    while left > 0 {
        let period = random.between(1, 60);
        let rate = random.between(1, left.min(1_000));
        let rate = if random.between(0, 1) == 0 { rate } else { random.between(1, rate) };
        tasks.push((rate * period, 1_000 * period));
        left -= rate;
    }
    tasks
}

fn run_full(rows: &[(u64, u64)], name: &str, processors: u16, horizon: u64) -> Timeline {
    let timeline = run_setup(in_quanta(rows, processors, 1, horizon), name);
    assert_eq!(misses(&timeline), [], "{name} on {processors} of {rows:?}");
    timeline
}

#[test]
fn no_job_is_late_at_full_utilization() {
    examine_full_systems(60);
}

#[test]
#[ignore = "minutes, 10,000 systems: each change runs 60, `make soak` these"]
fn no_job_of_ten_thousand_systems_is_late_at_full_utilization() {
    examine_full_systems(10_000);
}

fn examine_full_systems(count: u64) {
    for seed in 0..count {
        let random = &mut random(seed);
        let processors = 1 + (seed % 5) as u16;
        let (small, awkward) = (full(random, processors, 1), awkward(random, processors));
        for name in FLUID.into_iter().chain(["BF"]) {
            run_full(&small, name, processors, 5040);
            let longest = awkward.iter().map(|task| task.1).max().unwrap();
            run_full(&awkward, name, processors, 12 * longest);
        }
        let small: Vec<(u64, u64)> =
            small.iter().map(|&(cost, period)| (1_000 * cost, 1_000 * period)).collect();
        FLUID.into_iter().for_each(|name| drop(run_full(&small, name, processors, 2_520_000)));
        let gridded = gridded(random, processors);
        run_full(&gridded, "U-EDF", processors, 2_000_000);
        check_preemptions_of_run(&gridded, processors);
        check_preemptions_of_ekg(&gridded, "EKG", processors, processors.into());
        let k = 1 + seed % u64::from(processors);
        let full = 1_000 * u64::from(processors);
        let bound = if k < u64::from(processors) { full * k / (k + 1) } else { full };
        let tasks = gridded_up_to(random, bound);
        check_preemptions_of_ekg(&tasks, &format!("EKG[{k}]"), processors, k);
        let m = u64::from(processors);
        let half = gridded_up_to(random, 1_000 * m * m / (2 * m - 1));
        run_full(&half, "EDF-US", processors, 500_000);
        if m > 1 {
            let third = gridded_up_to(random, 1_000 * m * m / (3 * m - 2));
            run_full(&third, "RM-US", processors, 500_000);
        }
        check_prid(&gridded_up_to(random, full));
    }
}

/// No job of tasks with utilizations in thousandths is late on as many processors as PriD asks for.
fn check_prid(rows: &[(u64, u64)]) {
    let first = LargestFirst::FewestProcessors.choose(&implicit(rows));
    let rate = |&(cost, period): &(u64, u64)| 1_000 * cost / period;
    let others = rows.iter().zip(&first).filter(|(_, first)| !**first).map(|(row, _)| rate(row));
    let others: Vec<u64> = others.collect();
    let largest = *others.iter().max().expect("not all tasks go first");
    let rest = others.iter().sum::<u64>() - largest;
    let left = rest.div_ceil((1_000 - largest).max(1)).max(1);
    let processors = (rows.len() - others.len()) as u64 + left;
    run_full(rows, "PriD", processors as u16, 500_000);
}

fn count(timeline: &Timeline, of: impl Fn(&Record) -> bool) -> u64 {
    timeline.records.iter().filter(|(_, record)| of(record)).count() as u64
}

fn preemptions(timeline: &Timeline) -> u64 {
    count(timeline, |record| matches!(record, Record::Preempt { .. }))
}

/// Times at which a job moved to another processor than it executed on last.
fn migrations(timeline: &Timeline, tasks: usize) -> u64 {
    let (mut last, mut moves) = (vec![None; tasks], 0);
    for (_, record) in &timeline.records {
        match record {
            Record::Dispatch { cpu, job } => {
                let before = last[job.task.index()].replace(*cpu);
                moves += u64::from(before.is_some_and(|before| before != *cpu));
            }
            Record::Complete { job } => last[job.task.index()] = None,
            _ => {}
        }
    }
    moves
}

/// Deadlines before `horizon`, which begin slices.
fn slices(rows: &[(u64, u64)], horizon: u64) -> BTreeSet<u64> {
    rows.iter().flat_map(|&(_, period)| (0..horizon).step_by(period as usize)).collect()
}

/// Theorem 2 of RUN: preemptions of a job on average, by the number of reductions.
fn check_preemptions_of_run(rows: &[(u64, u64)], processors: u16) {
    let mut rates: Vec<u128> = rows.iter().map(|&(cost, period)| u128::from(1_000 * cost / period)).collect();
    let left = 1_000 * u128::from(processors) - rates.iter().sum::<u128>();
    rates.extend(idle_rates(left, &1_000, &0));
    let depth = reduce(rates, &1_000).len() as u64 - 1;
    let timeline = run_full(rows, "RUN", processors, 2_000_000);
    let jobs = count(&timeline, |record| matches!(record, Record::Arrival { .. }));
    assert!(preemptions(&timeline) <= (3 * depth + 1).div_ceil(2) * jobs, "{rows:?}, {depth} reductions");
}

/// EKG: at most 2k preemptions a job on average; in each slice at most two for each split task, besides one for each
/// job that arrives.
fn check_preemptions_of_ekg(rows: &[(u64, u64)], name: &str, processors: u16, k: u64) {
    let timeline = run_full(rows, name, processors, 2_000_000);
    let jobs = count(&timeline, |record| matches!(record, Record::Arrival { .. }));
    let found = preemptions(&timeline);
    assert!(found <= 2 * k * jobs, "{name}: {found} preemptions of {jobs} jobs of {rows:?}");
    let migrating = migrations(&timeline, rows.len());
    assert!(k > 1 || migrating == 0, "{name} moves jobs of {rows:?}");
    if k == u64::from(processors) {
        let slices = slices(rows, 2_000_000).len() as u64;
        assert!(
            migrating <= (k - 1) * slices,
            "{name}: {migrating} migrations in {slices} slices of {rows:?}"
        );
    }
}

/// DP-WRAP: at most n + m - 1 stretches of execution in each slice, and m - 1 migrations if local executions are whole,
/// so that cuts stay where they are. LLREF and LRE-TL: at most n + 1 events in each slice.
#[test]
fn published_numbers_of_preemptions_and_migrations_hold() {
    let horizon = 2_520_000;
    for seed in 0..40 {
        let random = &mut random(seed);
        let processors = 2 + (seed % 4) as u16;
        // Units of 2520 ns make all local executions whole.
        let rows = full(random, processors, 2520);
        let slices = slices(&rows, horizon);
        let (n, m, count_of) = (rows.len() as u64, u64::from(processors), slices.len() as u64);
        let wrapped = run_full(&rows, "DP-WRAP", processors, horizon);
        assert!(migrations(&wrapped, rows.len()) <= (m - 1) * count_of, "{rows:?}");
        let dispatches = count(&wrapped, |record| matches!(record, Record::Dispatch { .. }));
        assert!(dispatches <= (n + m - 1) * count_of, "{rows:?}");
        for name in ["LLREF", "LRE-TL"] {
            let timeline = run_full(&rows, name, processors, horizon);
            let is_link = |record: &Record| matches!(record, Record::Link { .. });
            let events: BTreeSet<u64> = timeline
                .records
                .iter()
                .filter(|(_, record)| is_link(record))
                .map(|(at, _)| at.as_ns())
                .collect();
            let mut from = 0;
            for &to in slices.iter().skip(1) {
                let within = events.range(from..to).count() as u64;
                assert!(within <= n + 1, "{name} has {within} events in [{from}, {to}) of {rows:?}");
                from = to;
            }
        }
    }
}

/// A job may need less than its WCET; others keep their local executions.
#[test]
fn jobs_that_complete_early_make_no_other_late() {
    for seed in 0..40 {
        let random = &mut random(seed);
        let rows = full(random, 3, 1_000);
        let gridded = gridded(random, 3);
        for (name, rows) in FLUID.map(|name| (name, &rows)).into_iter().chain([("EKG", &gridded)]) {
            let setup = in_quanta(rows, 3, 1, 2_520_000);
            let timeline = run_with_drawn_costs(setup, name, seed);
            assert_eq!(misses(&timeline), [], "{name} of {rows:?}");
        }
    }
}

/// EDZL decides at arrivals and completions, and once for a job whose laxity is zero: at most one preemption each.
#[test]
fn edzl_meets_more_than_edf_with_few_preemptions() {
    let (mut edf, mut edzl) = (0, 0);
    for seed in 0..120 {
        let rows = full(&mut random(seed), 2, 1);
        let late = |name: &str| {
            let timeline = run_setup(in_quanta(&rows, 2, 1, 5_040), name);
            let jobs = count(&timeline, |record| matches!(record, Record::Arrival { .. }));
            assert!(preemptions(&timeline) <= 2 * jobs, "{name} of {rows:?}");
            !misses(&timeline).is_empty()
        };
        let of = (late("G-EDF"), late("EDZL"));
        assert!(of.0 || !of.1, "EDF meets all deadlines of {rows:?}");
        edf += u32::from(of.0);
        edzl += u32::from(of.1);
    }
    assert!(edzl * 2 < edf, "EDF is late on {edf} systems, EDZL on {edzl}");
}

/// The golden completions under LLREF are rational. With all times multiplied by the hyperperiod, they are whole, and
/// so are local executions. Records whose local remaining times tie are left out.
#[test]
fn golden_completions_of_llref_agree() {
    let mut jobs = 0;
    for record in golden("sim") {
        let Some(expected) = record["results"].get("LLREF") else { continue };
        let scale = record["hyperperiod"].as_u64().unwrap();
        let ties = record["annotations"]["LLREF"]["ties"].as_bool().unwrap();
        let rows: Vec<Vec<u64>> = record["tasks"].as_array().unwrap().iter().map(numbers).collect();
        let longest = rows.iter().map(|row| row[1]).max().unwrap();
        if longest.checked_mul(scale).is_none_or(|longest| longest >= 1 << 40) {
            continue;
        }
        let tasks: Vec<(u64, u64)> = rows.iter().map(|row| (row[0] * scale, row[1] * scale)).collect();
        let m = record["m"].as_u64().unwrap() as u16;
        let until = record["observe_releases_before"].as_u64().unwrap();
        let timeline = run_full(&tasks, "LLREF", m, (until + longest) * scale);
        let seen: Vec<(u32, u32, u64)> = completions(&timeline)
            .into_iter()
            .filter(|&(task, job, _)| u64::from(job) * rows[task as usize][1] < until)
            .collect();
        let finish = expected["finish"].as_array().unwrap();
        assert_eq!(seen.len(), finish.len(), "{}", record["id"]);
        for (seen, wanted) in seen.iter().zip(finish).filter(|_| !ties) {
            let at = numbers(&wanted[2]);
            let key = (wanted[0].as_u64().unwrap() as u32, wanted[1].as_u64().unwrap() as u32);
            assert_eq!(((seen.0, seen.1), seen.2 * at[1]), (key, at[0] * scale), "{}", record["id"]);
            jobs += 1;
        }
    }
    assert!(jobs > 2_000, "{jobs} jobs compared");
}

/// Sets that fit, on which SimSo's LLREF is late and its LRE-TL and DP-WRAP end with an exception.
#[test]
fn sets_on_which_a_peer_errs() {
    for rows in
        [[(4_000, 6_000), (4_000, 4_000), (1_000, 3_000)], [(2_000, 3_000), (2_000, 2_000), (2_000, 6_000)]]
    {
        for name in FLUID.into_iter().chain(["BF"]) {
            run_full(&rows, name, 2, 24_000);
        }
    }
}

fn refused(name: &str, tasks: &[Task], quantum: u64) -> SetupError {
    let platform = Platform { quantum: Duration::from_ns(quantum), ..Platform::global(2) };
    let cpus = &platform.clusters[0].cpus;
    let setup = ClusterSetup {
        cluster: ClusterId(0),
        cpus,
        platform: &platform,
        tasks,
        affinity: schedlab_policy::pfair::Affinity::default(),
        supertasks: &[],
        throttling: None,
    };
    find(name).unwrap().policy(&setup).map(|_| ()).unwrap_err()
}

/// What the theorems do not speak of is refused by those who rest on them; all refuse jobs that do more than execute.
#[test]
fn tasks_of_other_kinds_are_refused() {
    let mut late = implicit(&[(1, 4), (1, 4)]);
    late[1].offset = Instant::from_ns(1);
    let mut short = implicit(&[(1, 4), (1, 4)]);
    short[1].relative_deadline = Duration::from_ns(3);
    let mut section = implicit(&[(1, 4), (1, 4)]);
    section[1].program = vec![Step::NpEnter, Step::Execute(Work::from_ns(1)), Step::NpExit];
    for name in FLUID.into_iter().chain(["BF", "RUN", "U-EDF", "EKG"]) {
        for tasks in [&late, &short, &section] {
            let error = refused(name, tasks, 1);
            assert!(matches!(error, SetupError::NotForTask { task: TaskId(1), .. }), "{name}: {error}");
        }
        let over = refused(name, &implicit(&[(2, 3), (2, 3), (2, 3), (1, 30)]), 1);
        assert!(matches!(over, SetupError::OverUtilized { processors: 2, .. }), "{name}: {over}");
    }
    for name in ["EDZL", "G-FL-ZL", "LLF", "MLLF", "EDF-US", "RM-US", "DM-US", "PriD"] {
        assert!(
            matches!(refused(name, &section, 1), SetupError::NotForTask { task: TaskId(1), .. }),
            "{name}"
        );
    }
    assert!(matches!(refused("BF", &implicit(&[(2, 4), (1, 4)]), 2), SetupError::NotForTask { .. }));
    let outside = refused("EKG[1]", &implicit(&[(2, 3), (2, 3), (2, 3)]), 1);
    assert!(matches!(outside, SetupError::NoGroup { task: TaskId(2), k: 1, .. }), "{outside}");
    // Servers of 14/15 have no whole budgets, and rounded up to whole parts of 1 ns the rates do not fit.
    let rough = implicit(&[(3, 5), (3, 5), (1, 3), (1, 3), (2, 15)]);
    for name in ["RUN", "U-EDF", "EKG"] {
        let error = refused(name, &rough, 1);
        assert!(matches!(error, SetupError::OverUtilized { is_rounded: true, .. }), "{name}: {error}");
    }
}
