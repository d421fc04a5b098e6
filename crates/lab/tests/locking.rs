//! A scenario's locking protocol is made by its name, for its scheduler, and refused if it does not fit.

use schedlab_lab::{analyze, findings, Assumption, Catalog, Prepared};
use schedlab_lock::ALL_PROTOCOLS;
use schedlab_model::{Duration, Instant, Invariant, JobId, Step, TaskId, Work};
use schedlab_report::deadlock::Deadlocks;
use schedlab_report::invariants::Checker;
use schedlab_report::why::Cause;
use schedlab_scenario::{Scenario, TaskSpec};
use schedlab_trace::{Record, Timeline};
use schedlab_workload::generate::Accesses;

const PATHFINDER: &str = include_str!("../../../examples/pathfinder.toml");
const AVIONICS: &str = include_str!("../../../examples/avionics-locks.toml");

fn pathfinder(protocol: &str) -> Timeline {
    let scenario = Scenario::parse("pathfinder.toml", PATHFINDER).unwrap().with_protocol(protocol).unwrap();
    let prepared = Prepared::new(&scenario).unwrap();
    assert_eq!(prepared.header().get("protocol"), Some(protocol));
    let mut timeline = Timeline::default();
    prepared.simulate(&mut timeline, &mut |_| true).unwrap();
    timeline
}

/// The bus task `DISTRIB_DONNEES` misses deadlines without a protocol only: METEO holds what it needs, and
/// tasks of middling urgency keep METEO from running (what reset the Mars Pathfinder in 1997).
#[test]
fn the_pathfinder_is_cured_by_every_protocol() {
    let missed = |protocol| {
        let misses = |(_, record): &&(_, Record)| {
            matches!(record, Record::Miss { job: JobId { task: TaskId(1), .. } })
        };
        pathfinder(protocol).records.iter().filter(misses).count()
    };
    assert!(missed("none") > 0);
    for cure in ["npcs", "pip", "pcp", "ipcp", "srp"] {
        assert_eq!(missed(cure), 0, "{cure}");
    }
}

const DEADLOCK: &str = include_str!("../../../examples/deadlock.toml");

/// Sha, Rajkumar and Lehoczky's deadlock, which the golden worked example `pcp-deadlock` has at 5 ms under the PIP:
/// there is a result, which says who holds what and waits for what, and `why` names the circle. Ceilings prevent it.
#[test]
fn crossed_requests_deadlock_as_the_textbook_says() {
    let run = |protocol: &str| {
        let scenario = Scenario::parse("deadlock.toml", DEADLOCK).unwrap().with_protocol(protocol).unwrap();
        let prepared = Prepared::new(&scenario).unwrap();
        let (mut timeline, mut deadlocks) = (Timeline::default(), Deadlocks::new(&prepared.context()));
        prepared.simulate((&mut timeline, &mut deadlocks), &mut |_| true).unwrap();
        let completions: Vec<u64> = timeline
            .records
            .iter()
            .filter(|(_, record)| matches!(record, Record::Complete { .. }))
            .map(|(at, _)| at.as_ns() / 1_000_000)
            .collect();
        let said: Vec<String> = deadlocks.found.iter().map(|found| found.text(&prepared.context())).collect();
        (prepared, timeline, completions, said)
    };
    let report = "deadlock at 5 ms: T1J0 (LOW) holds B and waits for A, T0J0 (HIGH) holds A and waits for B";
    for protocol in ["none", "pip"] {
        let (prepared, timeline, completions, said) = run(protocol);
        assert_eq!((completions, said), (vec![], vec![report.to_string()]), "{protocol}");
        for (task, [other, wants, holds]) in [(0, ["T1J0 (LOW)", "B", "A"]), (1, ["T0J0 (HIGH)", "A", "B"])] {
            let records = timeline.records.iter().copied();
            let why =
                schedlab_report::why::why(&prepared.context(), JobId::new(TaskId(task), 0), records).unwrap();
            let text = why.text(&prepared.context());
            let circle = format!(
                "deadlock: it waits for {wants}, held by {other}, which waits for {holds}, which it holds itself"
            );
            assert!(text.contains(&circle), "{text}");
            let (cause, length) =
                why.parts().into_iter().find(|(cause, _)| cause.as_ref() == "deadlock").unwrap();
            assert_eq!((length, cause.jobs().len()), (Duration::from_ns(5_000_000), 1));
        }
    }
    for (protocol, expected) in [("pcp", [8, 9]), ("ipcp", [8, 9])] {
        let (.., completions, said) = run(protocol);
        assert_eq!((completions, said), (expected.to_vec(), vec![]), "{protocol}");
    }
}

/// The parts of a response time that are blocking, as `schedlab why` puts them.
fn blocking(prepared: &Prepared, job: JobId) -> Vec<String> {
    let mut timeline = Timeline::default();
    prepared.simulate(&mut timeline, &mut |_| true).unwrap();
    let why = schedlab_report::why::why(&prepared.context(), job, timeline.records).unwrap();
    let sum = why.parts().iter().fold(Duration::ZERO, |sum, (_, length)| sum + *length);
    assert_eq!(sum, why.response_time());
    let blocks = |name: &str| name.contains("blocking") || name == "gate";
    let row = |(cause, length): &(Cause, Duration)| {
        let list = |jobs: &[JobId]| jobs.iter().map(|job| job.to_string()).collect::<Vec<_>>().join(",");
        format!("{} {} < {}: {length}", cause.as_ref(), list(cause.jobs()), list(cause.behind()))
    };
    why.parts().iter().filter(|(cause, _)| blocks(cause.as_ref())).map(row).collect()
}

/// Without a protocol METEO blocks DISTRIB_DONNEES also while RADIO, CAMERA and others run before METEO; under
/// inheritance and ceilings only for its own section.
#[test]
fn why_the_pathfinder_was_reset() {
    let by = |protocol: &str| {
        let scenario =
            Scenario::parse("pathfinder.toml", PATHFINDER).unwrap().with_protocol(protocol).unwrap();
        let prepared = Prepared::new(&scenario).unwrap();
        blocking(&prepared, JobId { task: TaskId(1), number: 2 })
    };
    let reset = ["blocking T6J0 < : 35 ms", "blocking T6J0 < T3J1: 25 ms", "blocking T6J0 < T4J1: 25 ms"];
    assert_eq!(by("none"), reset);
    assert_eq!(by("pip"), ["blocking T6J0 < : 35 ms"]);
    assert_eq!(by("pcp"), ["blocking T6J0 < : 35 ms"]);
    assert_eq!(by("ipcp"), ["section_blocking T6J0 < : 35 ms"]);
    // Jobs are held back while the most urgent task executes, too.
    assert_eq!(by("srp"), ["gate T6J0 < : 35 ms", "gate T6J0 < T0J2: 25 ms"]);
}

#[test]
fn a_protocol_that_does_not_fit_the_scheduler_is_refused() {
    let scenario = Scenario::parse("pathfinder.toml", PATHFINDER).unwrap();
    let refused = |scheduler, protocol| {
        let scenario = scenario.clone().with_protocol(protocol).unwrap().with_scheduler(scheduler).unwrap();
        Prepared::new(&scenario).unwrap_err().to_string()
    };
    assert_eq!(
        refused("P-EDF", "pcp"),
        "protocol: PCP needs a scheduler with fixed priorities, not P-EDF; allowed: a scheduler such as P-RM, or a \
         protocol such as npcs, pip, srp"
    );
    assert_eq!(
        scenario.with_protocol("ppp").unwrap_err().to_string().split(';').next(),
        Some("protocol: there is no locking protocol \"ppp\"")
    );
}

/// The line is that of the file also where the protocol, the copies or what else replaced its own; what is no longer as
/// in the file has none.
#[test]
fn what_another_protocol_forbids_is_shown_where_it_stands() {
    let refused = |scenario: &Scenario| Prepared::new(scenario).unwrap_err().to_string();
    let scenario = Scenario::parse("deadlock.toml", DEADLOCK).unwrap().with_protocol("npcs").unwrap();
    let mut scenario = scenario.with_protocol("task-fair").unwrap();
    let line =
        1 + DEADLOCK.lines().position(|line| line.contains("\"execute 1 ms\", \"request A\"")).unwrap();
    let column = 1 + DEADLOCK.lines().nth(line - 1).unwrap().find("\"request B\"").unwrap();
    let start = format!("deadlock.toml:{line}:{column}: task[0].program[3]: ");
    assert!(refused(&scenario).starts_with(&start), "{}", refused(&scenario));
    let copies = scenario.clone().with_copies(2).unwrap();
    assert!(refused(&copies).starts_with(&start), "{}", refused(&copies));
    scenario.tasks[0].program.push(Step::Execute(Work::from_ns(1)));
    assert!(refused(&scenario).starts_with("task[0].program[3]: "), "{}", refused(&scenario));
}

/// The place of one of the library's invariants in their list.
fn place(invariant: Invariant) -> usize {
    Invariant::ALL.iter().position(|known| *known == invariant).expect("it is in the list")
}

/// Every protocol under schedulers that it fits, on random systems: all that it promises holds.
#[test]
fn protocols_keep_their_promises() {
    let accesses: [Accesses; 2] =
        ["independent 3 0.6 long".parse().unwrap(), "shared 3 2 2 2ms".parse().unwrap()];
    let mut judged = [0; Invariant::ALL.len()];
    let mut silent: Vec<&str> = Vec::new();
    for protocol in ALL_PROTOCOLS {
        let mut runs = 0;
        for seed in 0..8 {
            for scheduler in ["P-RM", "P-EDF", "G-EDF", "G-RM", "PD2", "NP-RM", "NP-EDF", "NG-EDF", "NG-RM"] {
                let scenario = random_scenario(&accesses[seed as usize % 2], seed, scheduler, protocol.name);
                let Ok(prepared) = Prepared::new(&scenario) else { continue };
                let mut checker = Checker::new(&prepared.context());
                let ended = prepared.simulate(&mut checker, &mut |_| true).unwrap();
                assert!(ended.jobs_arrived > 10);
                let verdict = checker.finish();
                let broken = verdict.outcomes.iter().find(|outcome| !outcome.holds());
                assert!(broken.is_none(), "{} {scheduler} {seed}: {broken:?}", protocol.name);
                verdict.outcomes.iter().for_each(|outcome| judged[place(outcome.invariant)] += 1);
                runs += 1;
            }
        }
        if runs == 0 {
            silent.push(protocol.name);
        }
    }
    // Its programs say `serve`, which no generator draws.
    assert_eq!(silent, ["pfair-server"]);
    // No scheduler with protocols has split tasks or budget servers.
    let alone = [Invariant::PiecesAreKept, Invariant::ServersKeepTheirBudgets];
    let unjudged: Vec<&Invariant> =
        Invariant::ALL.iter().filter(|invariant| judged[place(**invariant)] == 0).collect();
    assert!(unjudged.iter().all(|invariant| alone.contains(invariant)), "{unjudged:?}");
}

/// A system that its protocol refuses to run is not analysed, and has no bound.
#[test]
fn bounds_are_of_systems_that_their_protocols_run() {
    let accesses: [Accesses; 2] =
        ["independent 3 0.6 long".parse().unwrap(), "shared 3 2 2 10us".parse().unwrap()];
    let (mut bounded, mut refused) = (0, 0);
    for protocol in ALL_PROTOCOLS {
        for seed in 0..8 {
            for scheduler in ["P-RM", "P-EDF", "G-EDF", "G-RM", "C-EDF", "NP-EDF"] {
                let scenario = random_scenario(&accesses[seed as usize % 2], seed, scheduler, protocol.name);
                let runs = Prepared::new(&scenario);
                let Ok(prepared) = Prepared::for_analysis(&scenario, &Catalog::shipped()) else {
                    assert!(runs.is_err(), "{} {scheduler} {seed}: runs, and is not analysed", protocol.name);
                    refused += 1;
                    continue;
                };
                let Some(analysis) = analyze(&prepared).unwrap().analysis else { continue };
                let found = analysis.blocking.filter(|found| found.not_a_bound.is_none());
                if let (Some(found), Err(error)) = (&found, &runs) {
                    panic!("{} {scheduler} {seed}: {} against {error}", protocol.name, found.method);
                }
                bounded += usize::from(found.is_some());
                refused += usize::from(runs.is_err());
            }
        }
    }
    assert!(bounded > 100 && refused > 100, "{bounded} bounded, {refused} refused");
}

/// A resource of several processors is refused under the protocols of one, by analysis as by a run.
#[test]
fn protocols_of_one_processor_refuse_resources_of_several() {
    let scenario = Scenario::parse("avionics-locks.toml", AVIONICS).unwrap();
    for (scheduler, protocols) in [("P-RM", &["pcp", "ipcp", "srp", "npcs"][..]), ("P-EDF", &["srp", "npcs"])]
    {
        for protocol in protocols {
            let scenario =
                scenario.clone().with_scheduler(scheduler).unwrap().with_protocol(protocol).unwrap();
            let refused = Prepared::for_analysis(&scenario, &Catalog::shipped()).expect_err(protocol);
            assert!(refused.is_of_protocol() && refused.is_of_scheduler(), "{refused}");
            assert!(refused.to_string().contains("use \"R0\" on different processors"), "{refused}");
            assert_eq!(Prepared::new(&scenario).unwrap_err(), refused);
        }
    }
}

/// Priority inheritance between processors runs and has no bound, and the reason says so.
#[test]
fn inheritance_says_nothing_of_resources_of_several_processors() {
    let scenario = Scenario::parse("avionics-locks.toml", AVIONICS).unwrap();
    let scenario = scenario.with_scheduler("P-RM").unwrap().with_protocol("pip").unwrap();
    let prepared = Prepared::for_analysis(&scenario, &Catalog::shipped()).unwrap();
    let analysis = analyze(&prepared).unwrap().analysis.unwrap();
    assert!(analysis.blocking.is_none());
    assert_eq!(analysis.hard, schedlab_analysis::Answer::Unknown);
    assert_eq!(
        analysis.not_bounded.unwrap().to_string(),
        "R0 is used on several processors, but bounds of \"pip\" are for one"
    );
}

/// Few tasks with long sections, on one processor or on two.
fn random_scenario(accesses: &Accesses, seed: u64, scheduler: &str, protocol: &str) -> Scenario {
    let processors = 1 + (seed / 2 % 2) as u16;
    let cost = |at: u64| Work::from_ns(1_000_000 * (1 + (seed * 7 + at * 3) % 5));
    let task = |at: u64| TaskSpec {
        offset: Instant::from_ns((seed * 13 + at * 5) % 17 * 500_000),
        ..TaskSpec::new(format!("T{at}"), cost(at), Duration::from_ms(11 + (seed + at * 4) % 13 * 3))
    };
    let mut scenario = Scenario::new((0..5).map(task).collect());
    scenario.horizon = Instant::from_ns(300_000_000);
    scenario.platform.processors = processors;
    scenario.scheduler.placement.overflow = schedlab_workload::placement::Overflow::LeastLoaded;
    let scenario = scenario.with_accesses(accesses, seed, 0).unwrap();
    scenario.with_scheduler(scheduler).unwrap().with_protocol(protocol).unwrap()
}

/// Under P-RM the linear programs are heard besides, with their own name, and blocking of every task; elsewhere they
/// are not.
#[test]
fn linear_programs_are_heard() {
    let accesses: Accesses = "shared 3 2 1 10us".parse().unwrap();
    let programs = |scheduler: &str, protocol: &str| {
        let scenario = random_scenario(&accesses, 2, scheduler, protocol);
        let prepared = Prepared::new(&scenario).unwrap();
        let analysis = analyze(&prepared).unwrap();
        let heard =
            findings(&prepared, &analysis).into_iter().filter(|found| found.test.ends_with("_program"));
        let names: Vec<&str> = heard.map(|found| found.test).collect();
        let more = analysis.analysis.unwrap().more_blocking;
        assert!(more.iter().all(|blocking| blocking.terms.len() == prepared.tasks.len()));
        assert!(more.iter().map(|blocking| blocking.method).eq(names.iter().copied()));
        names
    };
    assert_eq!(programs("P-RM", "msrp"), ["msrp_program"]);
    assert_eq!(programs("P-RM", "fmlp+"), ["fmlp_plus_program"]);
    assert_eq!(programs("P-RM", "dflp"), ["dflp_program"]);
    assert_eq!(programs("P-RM", "mpcp"), ["mpcp_program"]);
    assert!(programs("P-RM", "pip").is_empty() && programs("P-EDF", "msrp").is_empty());
}

/// Overheads lengthen costs and sections, and verdicts are of what results; what helping costs is not known.
#[test]
fn locks_and_overheads_are_judged_together() {
    let under = |scheduler: &str, overheads: &str, protocol: &str| {
        let text = AVIONICS.replace("use = \"none\"", &format!("use = \"{overheads}\""));
        let scenario = Scenario::parse("avionics-locks.toml", &text).unwrap();
        let scenario = scenario.with_scheduler(scheduler).unwrap().with_protocol(protocol).unwrap();
        let prepared = Prepared::for_analysis(&scenario, &Catalog::shipped()).unwrap();
        let analysis = analyze(&prepared).unwrap();
        (findings(&prepared, &analysis), analysis)
    };
    let with = |overheads: &str, protocol: &str| under("P-EDF", overheads, protocol);
    let (_, without) = with("none", "msrp");
    let (found, analysis) = with("paper-2008-4k", "msrp");
    let verdict = found.iter().find(|found| found.test == "msrp_demand").unwrap();
    assert_eq!(verdict.answer, schedlab_analysis::Answer::Schedulable);
    let inflated = Assumption::OverheadsAtMost { overheads: "paper-2008-4k".to_owned(), statistic: None };
    assert!(verdict.assumptions.contains(&inflated), "{verdict:?}");
    let none = Assumption::OfTest(schedlab_analysis::Assumption::NoOverheads);
    assert!(!verdict.assumptions.contains(&none), "{verdict:?}");
    // That of 2008 says what leaving a section takes; this one does not.
    let says_no_value = |found: &[schedlab_lab::Finding]| {
        let is_it = |one: &Assumption| matches!(one, Assumption::NoValueOfLeaving { .. });
        found.iter().any(|finding| finding.assumptions.iter().any(is_it))
    };
    assert!(!says_no_value(&found), "{found:?}");
    let (found, _) = with("paper-2020-epos", "msrp");
    assert!(says_no_value(&found), "{found:?}");
    assert!(found.iter().all(|found| found.test != "blocking"), "{found:?}");
    let terms = |analysis: &schedlab_lab::ScenarioAnalysis| {
        let blocking = analysis.analysis.as_ref().unwrap().blocking.clone().unwrap();
        assert_eq!(blocking.not_a_bound, None);
        blocking.terms.iter().map(|terms| terms.total().unwrap()).collect::<Vec<_>>()
    };
    let pairs = terms(&without).into_iter().zip(terms(&analysis));
    assert!(pairs.clone().all(|(bare, whole)| if bare > 0 { bare < whole } else { whole == 0 }));
    assert!(pairs.filter(|(bare, _)| *bare > 0).count() > 10);

    let (found, analysis) = under("P-RM", "paper-2008-4k", "mrsp");
    assert!(analysis.analysis.is_none());
    assert_eq!(
        found[0].reason.to_string(),
        "what requests cost under \"mrsp\" besides their sections is not known"
    );
}

/// By task: how long `method` says that its jobs are blocked on one processor.
fn blocking_on_one_processor(scheduler: &str, protocol: &str, method: &str) -> Vec<Option<u64>> {
    let text = format!(
        "schedlab = 1\nprotocol = \"{protocol}\"\nscheduler = \"{scheduler}\"\n\
         resource = [{{ name = \"R\", length = \"long\" }}, {{ name = \"own\" }}]\n\
         [[task]]\nname = \"high\"\nperiod = \"50ns\"\npriority = 0\n\
         program = [\"request R\", \"execute 1ns\", \"release R\"]\n\
         [[task]]\nname = \"middle\"\nperiod = \"100ns\"\npriority = 1\nwcet = \"10ns\"\n\
         [[task]]\nname = \"low\"\nperiod = \"200ns\"\npriority = 2\n\
         program = [\"request R\", \"execute 5ns\", \"release R\", \"request own\", \"execute 7ns\", \"release own\"]\n"
    );
    let prepared = Prepared::new(&Scenario::parse("one.toml", &text).unwrap()).unwrap();
    let found = analyze(&prepared).unwrap().analysis.unwrap();
    let blocking = found.blocking.expect("blocking is bounded");
    assert_eq!((blocking.method, blocking.not_a_bound), (method, None));
    blocking.terms.iter().map(|terms| terms.total()).collect()
}

/// A task that does not share is blocked too: by the ceilings of long resources, and by sections that no job preempts.
#[test]
fn a_task_that_shares_nothing_is_blocked_on_one_processor() {
    for scheduler in ["P-FP", "G-FP"] {
        let blocked = blocking_on_one_processor(scheduler, "fmlp-long", "fmlp_long_oblivious");
        assert_eq!(blocked, [Some(5), Some(5), Some(0)], "{scheduler}");
        let blocked = blocking_on_one_processor(scheduler, "fmlp", "fmlp_oblivious");
        assert_eq!(blocked, [Some(7), Some(7), Some(0)], "{scheduler}");
    }
    let blocked = blocking_on_one_processor("P-EDF", "task-fair", "task_fair_demand");
    assert_eq!(blocked, [Some(7), Some(7), Some(0)]);
}

/// Utility-accrual schedulers take protocols whose holders are not preempted, where an abort handler leaves the
/// sections. Every invariant holds, though jobs are given up within them.
#[test]
fn utility_accrual_takes_protocols_that_need_no_priorities() {
    let text = |handler| {
        format!(
            "schedlab = 1\nhorizon = \"1 s\"\nscheduler = \"P-HVDF\"\nresource = [{{ name = \"R\" }}]\n[platform]\nprocessors = 2\n\
             [[task]]\nname = \"a\"\nperiod = \"10 ms\"\nprocessor = 0\nutility = {{ step = 9, termination = \"4 ms\" }}\n{handler}\
             program = [\"execute 2 ms\", \"request R\", \"execute 3 ms\", \"release R\"]\n\
             [[task]]\nname = \"b\"\nperiod = \"7 ms\"\nprocessor = 1\n{handler}\
             program = [\"execute 1 ms\", \"request R\", \"execute 2 ms\", \"release R\"]\n"
        )
    };
    let prepare = |handler, protocol: &str| {
        let scenario = match Scenario::parse("utility.toml", &text(handler)) {
            Ok(scenario) => scenario.with_protocol(protocol),
            Err(errors) => return Some(Err(errors.to_string())),
        };
        scenario.ok().map(|scenario| Prepared::new(&scenario).map_err(|error| error.to_string()))
    };
    let mut taken = Vec::new();
    for protocol in ALL_PROTOCOLS.iter().map(|protocol| protocol.name) {
        let handler = "abort_handler = { cost = \"1 ms\", utility = 1 }\n";
        let Some(Ok(prepared)) = prepare(handler, protocol) else { continue };
        let mut checker = Checker::new(&prepared.context());
        let mut timeline = Timeline::default();
        prepared.simulate((&mut timeline, &mut checker), &mut |_| true).unwrap();
        let verdict = checker.finish();
        let broken = verdict.outcomes.iter().find(|outcome| !outcome.holds());
        assert!(broken.is_none(), "{protocol}: {broken:?}");
        let aborted = timeline.records.iter().filter(|(_, record)| matches!(record, Record::Abort { .. }));
        assert!(aborted.count() >= 90, "{protocol}");
        taken.push(protocol);
    }
    assert_eq!(taken, ["task-fair", "fmlp-short", "by-schedule", "rw-task-fair", "rw-phase-fair"]);
    let refused = |handler, protocol| prepare(handler, protocol).unwrap().unwrap_err();
    let why = refused("", "task-fair");
    assert!(why.contains("or an abort_handler such as"), "{why}");
    let why = refused("abort_handler = {}\n", "pip");
    assert!(why.contains("protocol \"pip\" under P-HVDF, which heeds no priorities"), "{why}");
}

/// `examples/dasa.toml`: once in each period "left" and "right" wait for each other, and "right" is given up, long
/// before its termination time. "track" is complete each time, behind who holds its map.
#[test]
fn dasa_follows_holders_and_ends_deadlocks() {
    let text = include_str!("../../../examples/dasa.toml");
    let prepared = Prepared::new(&Scenario::parse("dasa.toml", text).unwrap()).unwrap();
    let mut checker = Checker::new(&prepared.context());
    let mut timeline = Timeline::default();
    prepared.simulate((&mut timeline, &mut checker), &mut |_| true).unwrap();
    let verdict = checker.finish();
    let broken = verdict.outcomes.iter().find(|outcome| !outcome.holds());
    assert!(broken.is_none(), "{broken:?}");
    let of = |wanted: u32, is_it: fn(&Record) -> bool| {
        let records = timeline.records.iter().filter(|(_, record)| is_it(record));
        records.filter(|(_, record)| record.job().is_some_and(|job| job.task.0 == wanted)).count()
    };
    let completions =
        [0, 1, 2, 3, 4].map(|task| of(task, |record| matches!(record, Record::Complete { .. })));
    assert_eq!(completions, [3, 0, 3, 3, 0]);
    assert_eq!(of(4, |record| matches!(record, Record::GiveUp { .. })), 3);
    let refused = |text: &str| Scenario::parse("dasa.toml", text).unwrap_err().to_string();
    let why = refused(&text.replace("by-schedule", "pip"));
    assert!(why.contains("or a protocol such as by-schedule"), "{why}");
    // Both tasks use the map: "archive" on another processor than "track".
    let apart = text.replacen("utility = 2\nprocessor = 0", "utility = 2\nprocessor = 1", 1);
    let why = refused(&apart);
    assert!(why.contains("a scheduler that follows from jobs to holders does not support"), "{why}");
    for global in ["G-GUA", "NG-GUA"] {
        let scenario = Scenario::parse("dasa.toml", &apart.replace("P-DASA", global)).unwrap();
        Prepared::new(&scenario).unwrap();
    }
}
