//! Explanations add up, margins are what the tests accept, advice names what helps.

use schedlab_lab::advise::{Advice, Plan};
use schedlab_lab::explain::{demands, explain, BoundPart, Breakdown, Term};
use schedlab_lab::sensitivity::{breakdown, critical_scaling, is_proved, margins, Factor, SCAN};
use schedlab_lab::{analyze, Catalog, Prepared};
use schedlab_model::{Duration, OverheadKind, ResourceId, TaskId};
use schedlab_scenario::{OverheadProfile, OverheadsChoice, Scenario};
use schedlab_workload::Random;

/// What a program gets of `schedlab_batch::advise`, one way after the other.
pub(crate) fn advise(scenario: &Scenario) -> Advice {
    let plan = Plan::of(scenario, &Catalog::shipped());
    let outlines = (0..plan.ways()).filter_map(|index| plan.outline(index)).collect();
    let ways: Vec<_> = plan.alike(outlines).iter().flat_map(|alike| plan.judge(alike)).collect();
    let mixed = (0..).zip(&plan.searches(&ways)).map(|(index, search)| plan.mix(index, search)).collect();
    let changes = plan.probes().into_iter().filter_map(|probe| plan.probe(probe)).collect();
    plan.conclude(ways, mixed, changes)
}

fn scenario(scheduler: &str, processors: u16, tasks: &[(u64, u64)]) -> Scenario {
    let rows: Vec<String> = tasks
        .iter()
        .enumerate()
        .map(|(index, (wcet, period))| {
            format!("{{ name = \"t{index}\", wcet = \"{wcet} ms\", period = \"{period} ms\" }}")
        })
        .collect();
    let platform = format!("platform = {{ processors = {processors} }}");
    let text =
        format!("schedlab = 1\nscheduler = \"{scheduler}\"\n{platform}\ntask = [{}]\n", rows.join(", "));
    Scenario::parse("test", &text).expect("the scenario is well-formed")
}

/// R = 3 + 2 x 2 for the third task of (1, 4), (1, 5), (3, 20): two jobs of each other task.
#[test]
fn a_fixed_point_is_split_by_task() {
    let prepared = Prepared::new(&scenario("P-RM", 1, &[(1, 4), (1, 5), (3, 20)])).unwrap();
    let found = analyze(&prepared).unwrap();
    let all = explain(&prepared, &found);
    for one in &all {
        let sum: u64 = one.parts.iter().map(|part| part.length.as_ns()).sum();
        assert_eq!(sum, one.bound.as_ns());
    }
    let words = |part: &BoundPart| (part.what.in_words(&prepared.scenario), part.length);
    let parts: Vec<(String, Duration)> = all[2].parts.iter().map(words).collect();
    let ms = Duration::from_ms;
    let expected = [("own work", ms(3)), ("interference by t0", ms(2)), ("interference by t1", ms(2))];
    assert_eq!(parts, expected.map(|(what, length)| (what.to_owned(), length)));
}

/// EDF on one processor accepts exactly U <= 1: the margin is 1 / U, slack is what is left of the period.
#[test]
fn margins_of_edf_are_known() {
    let prepared = Prepared::new(&scenario("P-EDF", 1, &[(1, 3), (1, 3)])).unwrap();
    assert!(is_proved(&prepared));
    assert_eq!(critical_scaling(&prepared), Factor(15_000));
    let slack = Some(Duration::from_ms(1));
    assert_eq!(margins(&prepared), [slack, slack]);
}

/// The Dhall effect: global EDF is not proved (it misses), partitioned EDF is; that is the change to make.
#[test]
fn the_dhall_effect_is_advised_against() {
    let dhall = scenario("G-EDF", 2, &[(2, 10), (2, 10), (10, 11)]);
    let advice = advise(&dhall);
    assert!(!advice.as_it_is);
    let way = |name: &str| advice.ways.iter().find(|way| way.candidate.scheduler == name).unwrap();
    assert!(way("P-EDF").proved && way("P-EDF").margin == Factor(11_000), "{:?}", way("P-EDF"));
    assert!(way("PD2").proved, "{:?}", way("PD2"));
    assert!(!way("G-EDF").proved && !way("G-EDF").reason.is_empty());
    assert!(advice.single_changes.iter().any(|change| change.what.starts_with("scheduler P-EDF")));
    assert!(advice.single_changes.iter().any(|change| change.what.starts_with("3 processors instead of 2")));
    let margins: Vec<(bool, Factor)> = advice.ways.iter().map(|way| (way.proved, way.margin)).collect();
    assert!(margins.windows(2).all(|pair| pair[0] >= pair[1]), "{margins:?}");
}

/// Each kind of overhead and each resource is to blame for what it adds; with all of them the parts still add up to the
/// bound.
#[test]
fn overheads_are_told_by_kind_and_blocking_by_section() {
    let text = "schedlab = 1\nprotocol = \"pcp\"\n[scheduler]\nname = \"P-RM\"\n\
        [overheads]\nall = { release = \"1 us\", context_switch = \"2 us\", scheduling = \"3 us\", lock_acquire = \"1 us\", lock_release = \"1 us\" }\n\
        [[resource]]\nname = \"r\"\n[[resource]]\nname = \"s\"\n\
        [[task]]\nname = \"a\"\nperiod = \"10 ms\"\nprogram = [\"request r\", \"execute 1 ms\", \"release r\", \"request s\", \"execute 1 ms\", \"release s\"]\n\
        [[task]]\nname = \"b\"\nperiod = \"40 ms\"\nprogram = [\"request r\", \"execute 2 ms\", \"release r\", \"request s\", \"execute 5 ms\", \"release s\"]\n";
    let of = |text: &str| {
        let prepared = Prepared::new(&Scenario::parse("test", text).unwrap()).unwrap();
        explain(&prepared, &analyze(&prepared).unwrap())
    };
    let bare = text
        .lines()
        .filter(|line| !line.starts_with("all =") && *line != "[overheads]")
        .collect::<Vec<_>>()
        .join("\n");
    let parts = |one: &Breakdown| one.parts.iter().map(|part| (part.what, part.length)).collect::<Vec<_>>();
    // One section of b blocks, the longest.
    let ms = Duration::from_ms;
    let [r, s] = [ResourceId(0), ResourceId(1)];
    let longest = Term::Blocking { task: TaskId(1), resource: s, count: 1 };
    let expected = [(Term::OwnWork, ms(2)), (longest, ms(5))];
    assert_eq!(parts(&of(&bare)[0]), expected);
    // A lock-free operation is not blocked: it is tried again.
    let retried = of(&bare.replace("\"pcp\"", "\"lock-free\""));
    let has = |term| retried.iter().flat_map(|one| &one.parts).any(|part| part.what == term);
    let blocks = [longest, Term::BlockingHere, Term::BlockingByOthers];
    assert!(has(Term::RetriesOn(r)) && !blocks.into_iter().any(has), "{retried:?}");
    for one in of(text) {
        assert_eq!(one.parts.iter().map(|part| part.length.as_ns()).sum::<u64>(), one.bound.as_ns());
        for kind in [OverheadKind::Release, OverheadKind::Scheduling, OverheadKind::ContextSwitch] {
            assert!(one.parts.iter().any(|part| part.what == Term::Overhead(kind)), "{kind:?}: {one:?}");
        }
    }
}

/// Global EDF and EDF on one processor tell by task, too; what is told adds up to the bound.
#[test]
fn interference_is_told_by_task_under_edf() {
    for (scheduler, processors) in [("G-EDF", 2), ("P-EDF", 1), ("G-RM", 2)] {
        let prepared =
            Prepared::new(&scenario(scheduler, processors, &[(2, 10), (2, 10), (3, 12), (2, 16)])).unwrap();
        let all = explain(&prepared, &analyze(&prepared).unwrap());
        assert_eq!(all.len(), 4);
        for one in &all {
            let sum: u64 = one.parts.iter().map(|part| part.length.as_ns()).sum();
            assert_eq!(sum, one.bound.as_ns());
            assert!(one.parts.iter().all(|part| part.what != Term::AllOthers), "{scheduler}: {one:?}");
        }
        let told = |one: &Breakdown| one.parts.iter().any(|part| matches!(part.what, Term::Interference(_)));
        assert!(told(&all[3]), "{scheduler}: {:?}", all[3]);
    }
}

/// (3, 6) and (4, 8) leave no room within 24; with 1 of 8, 7 of 12 is the fullest of the first intervals.
#[test]
fn the_interval_with_the_least_room_is_named() {
    let of = |wcet: u64| {
        let prepared =
            Prepared::for_analysis(&scenario("P-EDF", 1, &[(3, 6), (wcet, 8)]), &Catalog::shipped()).unwrap();
        let [(_, found)] = <[_; 1]>::try_from(demands(&prepared)).unwrap();
        (found.within / 1_000_000, (found.demand / 1_000_000) as u64)
    };
    assert_eq!(of(4), (24, 24));
    assert_eq!(of(1), (12, 7));
}

/// Two tasks that share nothing but a lock.
fn locked(protocol: &str, length: &str) -> Scenario {
    let section = format!("program = [\"request r\", \"execute {length}\", \"release r\"]");
    let task = |index: u32| {
        format!(
            "[[task]]\nname = \"t{index}\"\nperiod = \"10 ms\"\npriority = {index}\ncluster = {index}\n{section}\n"
        )
    };
    let head = format!(
        "schedlab = 1\nprotocol = \"{protocol}\"\nscheduler = \"P-FP\"\nplatform = {{ processors = 2 }}\n"
    );
    let text = format!("{head}[[resource]]\nname = \"r\"\n{}{}", task(0), task(1));
    Scenario::parse("test", &text).expect("the scenario is well-formed")
}

/// Where a linear program alone bounds blocking, it is heard for the margin as for the verdict. By priority: above a
/// third of the period, the second task waits for two sections of the first, R = 3 L.
#[test]
fn margins_hear_what_verdicts_hear() {
    for protocol in ["spin-priority", "spin-unordered", "spin-fifo-preemptable", "mpcp", "fmlp+", "msrp"] {
        let prepared = Prepared::new(&locked(protocol, "1 ms")).unwrap();
        let found = analyze(&prepared).unwrap().analysis.unwrap();
        assert_eq!(found.hard, schedlab_analysis::Answer::Schedulable, "{protocol}");
        assert!(is_proved(&prepared), "{protocol}");
        let margin = critical_scaling(&prepared);
        assert!(margin > Factor::ONE, "{protocol}: {margin}");
        assert!(protocol != "spin-priority" || margin == Factor(33_333), "{margin}");
    }
}

/// No task states a priority point, so no scheduler that reads them is tried; with points they are.
#[test]
fn schedulers_by_points_need_points() {
    let names = |advice: Advice| -> Vec<String> {
        advice
            .ways
            .into_iter()
            .map(|way| way.candidate.scheduler)
            .filter(|name| name.ends_with("GEL"))
            .collect()
    };
    let plain = scenario("G-EDF", 2, &[(2, 10), (2, 10), (10, 11)]);
    assert_eq!(names(advise(&plain)), Vec::<String>::new());
    let mut with_points = plain;
    with_points.tasks.iter_mut().for_each(|task| task.priority_point = Some(task.period));
    assert!(!names(advise(&with_points)).is_empty());
}

#[test]
fn schedulers_by_utility_need_utilities() {
    let tried = |utility: &str| {
        let text = format!(
            "schedlab = 1\nplatform = {{ processors = 2 }}\n\
             task = [{{ name = \"a\", wcet = \"1 ms\", period = \"10 ms\"{utility} }}]\n"
        );
        let advice = advise(&Scenario::parse("utility", &text).unwrap());
        advice.ways.iter().filter(|way| way.candidate.scheduler.ends_with("LBESA")).count()
    };
    assert_eq!(tried(""), 0);
    assert!(tried(", utility = 10") > 0);
}

/// Two tasks whose jobs are late by a part of a quantum, but where a cost is just above whole quanta.
fn islands(first: u64, second: u64) -> Prepared {
    let text = format!(
        "schedlab = 1\nscheduler = \"PD2\"\nplatform = {{ processors = 2, quantum = \"100 ns\" }}\ntask = [\n\
         {{ name = \"a\", wcet = \"{first} ns\", period = \"2100 ns\", deadline = \"1357 ns\", arrival = \"sporadic\" }},\n\
         {{ name = \"b\", wcet = \"{second} ns\", period = \"800 ns\", arrival = \"sporadic\" }},\n]\n"
    );
    Prepared::new(&Scenario::parse("islands", &text).unwrap()).unwrap()
}

/// Pfair with plain weights proves larger costs and not smaller ones: a margin counts only as far as all costs below
/// are proved.
#[test]
fn no_margin_is_an_island() {
    let at =
        |factor: u64| is_proved(&islands((83 * factor).div_ceil(10_000), (401 * factor).div_ceil(10_000)));
    assert!(at(5_012) && !at(4_900), "an island");
    let Factor(found) = critical_scaling(&islands(83, 401));
    assert!((1..=u64::from(found)).all(at), "{found}");
    assert!(found > 0 && !at(u64::from(found) + 1), "{found}");
    // The cost of one task alone.
    let prepared = islands(30, 301);
    let slack = margins(&prepared)[1].unwrap().as_ns();
    assert!((301..=301 + slack).all(|cost| is_proved(&islands(30, cost))), "{slack}");
    let more = margins(&prepared)[0].unwrap().as_ns();
    assert!(more > 0 && (30..=30 + more).all(|cost| is_proved(&islands(cost, 301))), "{more}");
}

/// Under schedulers whose tests prove some costs and not all smaller ones: what is told has no gap that a look at equal
/// steps shows.
#[test]
fn margins_have_no_gaps() {
    let mut islands = 0;
    for index in 0..120 {
        let mut random = Random::new(3, *b"Margins0", index);
        let scheduler = ["G-EDF", "PD2", "S-PD2", "NG-EDF", "G-FL", "ER-PD2"][index as usize % 6];
        let mut task = || {
            let period = random.between(300, 3_000);
            [random.between(1, period), period, random.between(period / 2, period)]
        };
        let tasks = vec![task(), task(), task()];
        let scaled = |factor: u32| {
            let row = |(index, [cost, period, due]): (usize, &[u64; 3])| {
                let cost = (cost * u64::from(factor)).div_ceil(10_000);
                format!(
                    "[[task]]\nname = \"t{index}\"\nwcet = \"{cost} ns\"\nperiod = \"{period} ns\"\n\
                     deadline = \"{due} ns\"\nwcet_may_exceed_deadline = true\narrival = \"sporadic\"\n"
                )
            };
            let rows: String = tasks.iter().enumerate().map(row).collect();
            let platform = "platform = { processors = 2, quantum = \"100 ns\" }";
            let text = format!("schedlab = 1\nscheduler = \"{scheduler}\"\n{platform}\n{rows}");
            Prepared::for_analysis(&Scenario::parse("drawn", &text).unwrap(), &Catalog::shipped()).unwrap()
        };
        let prepared = scaled(10_000);
        let found = critical_scaling(&prepared);
        assert_eq!(found >= Factor::ONE, is_proved(&prepared), "{scheduler} {tasks:?}");
        let from = if found >= Factor::ONE { Factor::ONE.0 } else { 0 };
        for number in 1..=SCAN {
            let factor = from + (found.0 - from) * number / SCAN;
            assert!(factor == 0 || is_proved(&scaled(factor)), "{scheduler} {tasks:?}: {factor} of {found}");
        }
        islands += u32::from(breakdown(&prepared) != found);
    }
    assert!(islands > 3, "{islands}");
}

/// P-RM and P-DM give the same priorities. One was measured, the other borrows what was measured of P-EDF, and chance
/// is between.
#[test]
fn what_is_the_same_code_is_advised_alike() {
    let mut measured = scenario("P-RM", 1, &[(2, 5), (2, 9)]);
    let file = "schedlab-overheads = 1\n\
        [[scheduler]]\nname = \"P-EDF\"\nstands_for = [\"P-*\", \"NP-*\"]\nscheduling = { max = \"200 us\", samples = 900 }\n\
        [[scheduler]]\nname = \"P-RM\"\nscheduling = { max = \"50 us\", samples = 900 }\n\
        [[scheduler]]\nname = \"G-EDF\"\nstands_for = [\"G-*\"]\nscheduling = { max = \"200 us\", samples = 900 }\n";
    let none = |_: &str| Err("there are no other files".to_owned());
    let parse = |text: &str| OverheadProfile::parse_with("m.toml", text.as_bytes().to_vec(), &none).unwrap();
    measured.overheads = OverheadsChoice { name: None, profile: parse(file), ..OverheadsChoice::default() };
    let advice = advise(&measured);
    let way = |name: &str| advice.ways.iter().find(|way| way.candidate.scheduler == name).unwrap();
    let (rm, dm, global) = (way("P-RM"), way("P-DM"), way("G-EDF"));
    assert_eq!((rm.margin, rm.margin_at_best, rm.rank), (dm.margin, dm.margin_at_best, dm.rank));
    assert!(rm.margin < rm.margin_at_best && rm.proved, "{rm:?}");
    assert_eq!(global.margin, global.margin_at_best, "no other scheduler is its code");
    // Without a number of samples values are published ones, and each is its own.
    measured.overheads.profile = parse(&file.replace(", samples = 900", ""));
    let advice = advise(&measured);
    let way = |name: &str| advice.ways.iter().find(|way| way.candidate.scheduler == name).unwrap();
    assert!(way("P-RM").margin > way("P-DM").margin && way("P-RM").rank < way("P-DM").rank);
    assert!(advice.ways.iter().all(|way| way.margin == way.margin_at_best));
}
