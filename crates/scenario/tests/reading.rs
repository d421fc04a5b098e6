//! Scenarios read as meant, written, and read again.

use schedlab_model::{
    Alignment, Architecture, ClusterId, Deciding, Duration, Instant, OwnLock, QueueLock, ReleasePoint,
    ResourceId, Statistic, Step, Suspension, TimeUtility, Utility, Work,
};
use schedlab_policy::pfair::ComponentScheduling;
use schedlab_policy::Throttling;
use schedlab_scenario::{
    Arrival, Clusters, ComponentOrder, CostModel, DeadlineRule, OverheadProfile, RestsOn, Scenario, TaskSpec,
    UrgentPriority, Workload,
};
use schedlab_workload::placement::{Fit, Overflow, PlacementOrder};

const SHORT: &str = r#"
schedlab = 1
scheduler = "G-EDF"
overheads = "paper-2008-4k"

[platform]
processors = 2

[[task]]
name = "control"
wcet = "2.5 ms"
period = "10 ms"
"#;

/// Every field that there is, but for throttling, which only `SCHED_FIFO` has.
const FULL: &str = include_str!("data/full.toml");
const THROTTLED: &str = include_str!("data/throttled.toml");

fn read(text: &str) -> Scenario {
    Scenario::parse("test.toml", text).unwrap_or_else(|errors| panic!("{errors}"))
}

#[test]
fn ten_lines_are_a_scenario() {
    let scenario = read(SHORT);
    assert_eq!(scenario.tasks, [TaskSpec::new("control", Work::from_ns(2_500_000), Duration::from_ms(10))]);
    assert_eq!(scenario.scheduler.name, "G-EDF");
    assert_eq!(scenario.horizon, Instant::from_ns(1_000_000_000));
    assert_eq!(scenario.seed, 0);
    assert_eq!(scenario.overheads.name.as_deref(), Some("paper-2008-4k"));
    assert_eq!(scenario.model_platform(), schedlab_model::Platform::global(2));
    assert_eq!(
        scenario.model_tasks(),
        [schedlab_model::Task::implicit(Work::from_ns(2_500_000), Duration::from_ms(10))]
    );
}

#[test]
fn every_field_is_read() {
    let s = read(FULL);
    assert_eq!(s.notes, "two\nlines with \"quotes\", \\ and \u{b5}");
    assert_eq!(
        (s.seed, s.horizon, s.deadlines),
        (42, Instant::from_ns(3_000_000_000), DeadlineRule::Constrained)
    );
    assert_eq!((s.scheduler.name.as_str(), s.scheduler.urgent_priority), ("C-FP", UrgentPriority::Largest));
    let placement = s.scheduler.placement;
    assert_eq!(
        (placement.fit, placement.order, placement.overflow),
        (Some(Fit::Worst), PlacementOrder::Given, Overflow::LeastLoaded)
    );
    assert_eq!(placement.bound.millionths(), 950_000);
    assert_eq!(s.platform.clusters, Clusters::Listed(vec![vec![0, 2], vec![1, 3]]));
    assert_eq!((s.platform.alignment, s.platform.releases), (Alignment::Staggered, ReleasePoint::Tick));
    let names: Vec<&str> = s.tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, ["a.1", "a.2", "b", "c", "d"]);
    utilities(&s);
    let a = &s.tasks[1];
    assert_eq!((a.suspension, a.working_set), (Suspension::Dynamic(Duration::from_ms(1)), 65_536));
    assert_eq!((a.workload, s.tasks[2].workload), (Workload::Reads, Workload::Compute));
    assert_eq!((a.join, a.leave), (Instant::from_ns(1_000_000), Instant::from_ns(2_000_000_000)));
    assert_eq!(a.arrival, Arrival::Sporadic { delay: Duration::from_ms(3), like: None });
    assert_eq!(a.cost, CostModel::Uniform(Work::from_ns(1_000_000), Work::from_ns(2_000_000)));
    let b = &s.tasks[2];
    assert_eq!((b.wcet, b.suspension), (Work::from_ns(2_500_000), Suspension::Segmented));
    assert_eq!(b.program[1], Step::Request(ResourceId(0), 1));
    assert_eq!(b.program[4], Step::Request(ResourceId(1), 2));
    assert!(s.tasks[3].wcet_may_exceed_deadline);
    let model = s.model_tasks();
    let clusters: Vec<ClusterId> = model.iter().map(|task| task.cluster).collect();
    assert_eq!(clusters, [1, 1, 0, 0, 0].map(ClusterId));
    // The largest given priority is the smallest in the model.
    assert!(
        model[3].fixed_priority < model[2].fixed_priority
            && model[2].fixed_priority < model[0].fixed_priority
    );
    let [pair, least] = &s.supertasks[..] else { panic!("two supertasks") };
    assert_eq!((pair.order, pair.scheduling), (ComponentOrder::Rm, ComponentScheduling::QuantumBased));
    assert_eq!(pair.weight.unwrap().to_string(), "4/6");
    assert_eq!((least.order, least.scheduling), (ComponentOrder::Edf, ComponentScheduling::FullyPreemptive));
    assert_eq!(least.weight, None);
    let inside: Vec<Option<&str>> = s.tasks.iter().map(|task| task.supertask.as_deref()).collect();
    assert_eq!(inside, [Some("pair"), Some("pair"), Some("least"), None, None]);
    let charged = s.charged();
    assert_eq!(charged.borrowed_from.as_deref(), Some("G-EDF"));
    let at = |kind, statistic| charged.overheads.evaluate(kind, statistic, 3, 4_096).as_ns();
    use schedlab_model::OverheadKind::*;
    assert_eq!([at(Release, Statistic::Max), at(Tick, Statistic::Mean)], [2_000, 1_005]);
    assert_eq!(
        [at(CacheRelatedMigration, Statistic::Max), at(CacheRelatedMigration, Statistic::Mean)],
        [10_000, 0]
    );
    assert!(charged.unknown(Statistic::Mean).any(|kind| kind == Release));
    assert!(!charged.unknown(Statistic::Max).any(|kind| kind == Release));
}

/// The time/utility functions of the file that has every field.
fn utilities(s: &Scenario) {
    let units = |tenths: u64| Utility::from_millionths(tenths * 100_000);
    let us = Duration::from_us;
    let a =
        vec![(us(0), units(100)), (us(6_000), units(100)), (us(8_500), Utility::from_millionths(2_250_000))];
    assert_eq!(s.tasks[1].utility, Some(TimeUtility::Piecewise(a)));
    let (height, half_life) = (units(80), us(4_000));
    let b = TimeUtility::Exponential { height, half_life, termination: Some(us(20_000)) };
    assert_eq!(s.tasks[2].utility, Some(b));
    let c = TimeUtility::Linear { height: units(100), last: units(5), termination: Some(us(2_000)) };
    assert_eq!(s.tasks[3].utility, Some(c));
    let d = TimeUtility::Step { height: units(30), termination: Some(us(40_000)) };
    assert_eq!(s.tasks[4].utility, Some(d));
    let model = &s.model_tasks()[2];
    assert_eq!((model.termination(), model.utility_after(us(8_000))), (us(20_000), units(20)));
}

#[test]
fn canonical_text_reads_back_and_is_stable() {
    for text in [SHORT, FULL, THROTTLED] {
        let scenario = read(text);
        let canonical = scenario.to_toml();
        let again = read(&canonical);
        assert_eq!(again, scenario, "{canonical}");
        assert_eq!(again.to_toml(), canonical);
    }
}

/// Only its class heeds it. Under another scheduler it stays, in files, too, and answers say that it is left out.
#[test]
fn throttling() {
    let ms = |runtime, period| {
        Some(Throttling { runtime: Duration::from_ms(runtime), period: Duration::from_ms(period) })
    };
    let throttled = read(THROTTLED);
    assert_eq!(throttled.scheduler.throttling, ms(3, 5));
    let as_in_the_kernel = read(&THROTTLED.replace("{ runtime = \"3 ms\", period = \"5 ms\" }", "{}"));
    assert_eq!(as_in_the_kernel.scheduler.throttling, ms(950, 1_000));
    assert_eq!(read(FULL).scheduler.throttling, None);
    let under = |name| throttled.clone().with_scheduler(name).unwrap();
    assert_eq!(
        (under("SCHED_FIFO").heeded_throttling(), under("P-RM").heeded_throttling()),
        (ms(3, 5), None)
    );
    let own = throttled.clone().with_own_scheduler("mine", schedlab_policy::Scope::Global).unwrap();
    assert_eq!(own.heeded_throttling(), None);
    assert_eq!(under("SCHED_FIFO").all_left_out(), Vec::<String>::new());
    let written = read(&under("P-RM").to_toml());
    assert_eq!(written, under("P-RM"));
    for (unheeding, name) in [(written, "P-RM"), (own, "mine")] {
        let said = format!("the scenario: throttling (3 ms of each 5 ms), which {name} does not heed");
        assert_eq!(unheeding.all_left_out(), [said]);
    }
    // With the whole period no processor stops, so nothing is left out.
    let whole = read(&THROTTLED.replace("\"3 ms\"", "\"5 ms\"")).with_scheduler("P-RM").unwrap();
    assert_eq!(whole.all_left_out(), Vec::<String>::new());
    // What a program says is checked as well.
    let mut zero = throttled.clone();
    zero.scheduler.throttling = ms(0, 5);
    let said = zero.with_seed(1).unwrap_err().to_string();
    assert!(said.contains("scheduler.throttling: 0 ns is zero; allowed: "), "{said}");
}

/// Files of earlier versions of `schedlab observe` state it in their source alone.
#[test]
fn observed_costs_stay_observed() {
    let plain = "schedlab = 1\ntask = [{ name = \"a\", wcet = \"1 ms\", period = \"9 ms\" }]\n";
    let with = |line: &str| read(&plain.replacen('\n', &format!("\n{line}\n"), 1));
    let source = "source = \"schedlab observe, for 1 s: threads of it\"";
    let rests = |scenario: &Scenario| scenario.rests_on();
    for observed in [with("wcets = \"observed\""), with(source)] {
        for again in [read(&observed.to_toml()), observed.clone().with_processors(2).unwrap(), observed] {
            assert_eq!(rests(&again), [RestsOn::ObservedCosts]);
        }
    }
    let bounds = with(&format!("{source}\nwcets = \"bounds\""));
    for known in [read(&bounds.to_toml()), bounds, read(plain)] {
        assert_eq!(rests(&known), []);
    }
}

/// A condition of every answer, unless nothing is charged.
#[test]
fn a_statistic_below_the_largest_is_a_condition() {
    let base = read(SHORT).with_overheads("paper-2008-4k").unwrap();
    assert_eq!(base.rests_on(), []);
    let mean = base.with_statistic_named("mean").unwrap();
    let said: Vec<String> = mean.rests_on().iter().map(ToString::to_string).collect();
    assert_eq!(said, ["overheads are at most the mean (not the largest) of those of paper-2008-4k"]);
    assert_eq!(mean.without_overheads().unwrap().rests_on(), []);
}

/// Nothing charges them, but for the end of a section, which analyses of locks charge.
#[test]
fn unmodelled_overheads_are_left_out() {
    let text =
        |values: &str| format!("schedlab-overheads = 1\n[all]\nrelease = \"1 us\"\n[unmodelled]\n{values}\n");
    let left_out = |values: &str| {
        let given = SHORT.replace("paper-2008-4k", "lat.toml");
        let loader = |_: &str| Ok(text(values).into_bytes());
        let scenario = Scenario::parse_with("a/b/short.toml", given.into_bytes(), &loader).unwrap();
        let again = read(&scenario.to_toml());
        assert_eq!(again.all_left_out(), scenario.all_left_out());
        scenario.all_left_out()
    };
    let said = ["lat.toml: latency, other, for which nothing is charged"];
    assert_eq!(left_out("latency = \"300 us\"\nother = { mean = \"1 us\" }"), said);
    assert_eq!(
        left_out("leaving_np_section = \"1 us\"\nlatency = \"0 us\"\nother = \"not applicable\""),
        [""; 0]
    );
}

#[test]
fn overrides() {
    let base = read(SHORT);
    let s = base.clone().with_copies(3).unwrap().with_processors(4).unwrap();
    let names: Vec<&str> = s.tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, ["control.1", "control.2", "control.3"]);
    assert_eq!(s.platform.processors, 4);
    let s = s.with_scheduler("G-NP-EDF").unwrap().with_overheads("none").unwrap().with_seed(9).unwrap();
    assert_eq!((s.scheduler.name.as_str(), s.seed), ("NG-EDF", 9));
    assert!(s.charged().overheads.are_none());
    assert_eq!(Scenario::parse("x", &s.to_toml()).unwrap(), s);
    for (problem, wanted) in [
        (base.clone().with_processors(0), "platform.processors: 0 is zero or too large; allowed: a whole number from 1 to 4096"),
        (base.clone().with_copies(0), "copies: 0 is no number of copies; allowed: from 1 to 100000"),
        (base.clone().with_overheads("paper-2008"), "overheads: there is no set of overheads \"paper-2008\"; did you mean paper-2008-4k? allowed: none, paper-2008-4k, paper-2008-objects, paper-2020-epos, fitted-2011-amd, or a file ending in .toml"),
        (base.clone().with_scheduler("P-FP"), "test.toml:9:1: task[0].priority: missing; allowed: a whole number from 0 to 4294967295, since the scheduler is P-FP, or a rule such as priorities = \"DM\" in [scheduler]"),
        (base.clone().with_horizon(Instant::ZERO), "horizon: 0 ns is zero; allowed: a positive duration such as \"2.5 ms\" (units: h, min, s, ms, us, ns; at most a year)"),
    ] {
        assert_eq!(problem.unwrap_err().to_string(), wanted);
    }
    for (seed, line) in
        [(i64::MAX as u64, "seed = 9223372036854775807\n"), (u64::MAX, "seed = \"18446744073709551615\"\n")]
    {
        let seeded = base.clone().with_seed(seed).unwrap();
        assert!(seeded.to_toml().contains(line), "{}", seeded.to_toml());
        assert_eq!(Scenario::parse("x", &seeded.to_toml()).unwrap().seed, seed);
    }
    for wrong in ["\"\"", "\"+1\"", "\"18446744073709551616\"", "18446744073709551615"] {
        let text = base.to_toml().replace("seed = 0\n", &format!("seed = {wrong}\n"));
        let said = Scenario::parse("x", &text).unwrap_err().to_string();
        assert!(said.ends_with("allowed: a whole number below 2^64, from 2^63 on as text"), "{said}");
    }
}

/// Each copy of the set has supertasks of its own.
#[test]
fn copies_of_a_set_copy_its_supertasks() {
    let text = SHORT.replace("[[task]]", "[[supertask]]\nname = \"s\"\n[[task]]\nsupertask = \"s\"");
    let s = read(&text).with_copies(2).unwrap();
    let names: Vec<&str> = s.supertasks.iter().map(|supertask| supertask.name.as_str()).collect();
    assert_eq!(names, ["s.1", "s.2"]);
    let inside: Vec<Option<&str>> = s.tasks.iter().map(|task| task.supertask.as_deref()).collect();
    assert_eq!(inside, [Some("s.1"), Some("s.2")]);
    assert_eq!(Scenario::parse("x", &s.to_toml()).unwrap(), s);
}

/// Decisions are charged with the scheduler's other values, are told, and come back from the canonical text.
#[test]
fn decisions_of_processors_that_share_a_queue() {
    let text =
        "schedlab-overheads = 1\n[[scheduler]]\nname = 'G-EDF'\nstands_for = ['G-*']\nscheduling = '2 us'\n\
                [scheduler.decisions]\narchitecture = 'stop-the-world'\nlock = 'mcs'\nhand_over = '3 ns'\n\
                access = '5 ns'\nmigration = '7 ns'\nqueue_lock = 'ticket'\nqueue_hand_over = '2 ns'\n\
                fitted = ['access', 'hand_over']\nsource = 'a test'\n\
                [[scheduler]]\nname = 'G-FIFO'\n[scheduler.decisions]\narchitecture = 'concurrent'\n\
                lock = 'ticket'\nhand_over = '3 ns'\nmigration = '7 ns'\nsource = 'a test'\n";
    let read = |text: &str| {
        OverheadProfile::parse_with("o.toml", text.as_bytes().to_vec(), &|_| Err("no file".into())).unwrap()
    };
    let profile = read(text);
    assert_eq!(read(&profile.to_toml()), profile);
    let ns = Duration::from_ns;
    let (architecture, lock) = (Architecture::StopTheWorld, QueueLock::Mcs);
    let queue = Some(OwnLock { lock: QueueLock::Ticket, hand_over: ns(2) });
    let stopped = Deciding { architecture, lock, hand_over: ns(3), access: ns(5), migration: ns(7), queue };
    let charged = profile.charged("G-RM", "none");
    assert_eq!(charged.overheads.deciding(), Some(stopped));
    assert_eq!(charged.decisions.unwrap().in_words(), "stop-the-world; fitted: access, hand_over");
    let (architecture, lock) = (Architecture::Concurrent, QueueLock::Ticket);
    let concurrent = Deciding { architecture, lock, access: ns(0), queue: None, ..stopped };
    let charged = profile.charged("G-FIFO", "none");
    assert_eq!(charged.overheads.deciding(), Some(concurrent));
    assert_eq!(charged.decisions.unwrap().in_words(), "concurrent");
    assert_eq!(profile.charged("P-EDF", "none").overheads.deciding(), None);
}

#[test]
fn overheads_files_extend_each_other() {
    let files = |name: &str| match name {
        "dir/mine.toml" => Ok(b"schedlab-overheads = 1\nextends = 'base.toml'\nall.tick = '2 us'".to_vec()),
        "dir/base.toml" => {
            Ok(b"schedlab-overheads = 1\nextends = 'paper-2008-4k'\nmachine = 'm'\nall.ipi = '7 us'".to_vec())
        }
        other => Err(format!("no {other}")),
    };
    let text = SHORT.replace("paper-2008-4k", "mine.toml");
    let s = Scenario::parse_with("dir/s.toml", text.into_bytes(), &files).unwrap();
    let charged = s.charged();
    let at = |kind| charged.overheads.evaluate(kind, Statistic::Max, 1, 0).as_ns();
    use schedlab_model::OverheadKind::*;
    assert_eq!([at(Ipi), at(ContextSwitch)], [7_000, 9_030]);
    // The scheduler's own tick goes before one for all.
    assert_eq!(at(Tick), 8_030 + 67);
    assert_eq!(s.overheads.profile.machine, "m");
    assert_eq!(Scenario::parse("x", &s.to_toml()).unwrap(), s);
}

#[test]
fn a_scenario_made_by_a_program_is_checked_too() {
    let mut s = Scenario::new(vec![TaskSpec::new("a", Work::from_ns(5), Duration::from_ns(4))]);
    let message = s.check().unwrap_err().to_string();
    assert!(
        message.starts_with("task[0].wcet: 5 ns is more than the relative deadline of 4 ns"),
        "{message}"
    );
    s.tasks[0].wcet = Work::from_ns(4);
    s.check().unwrap();
    s.tasks[0].program = vec![Step::Execute(Work::from_ns(4)), Step::Release(ResourceId(3), 1)];
    assert!(s.check().is_err());
}
