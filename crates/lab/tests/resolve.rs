//! What a scenario leaves to rules is decided as the rules say, and what comes out is analysed and simulated like any
//! other.

use schedlab_analysis::Answer;
use schedlab_lab::resolve::Unresolved;
use schedlab_lab::{analyze, Catalog, PrepareError, Prepared};
use schedlab_model::{Duration, Instant, TaskId, Work};
use schedlab_report::metrics::Metrics;
use schedlab_scenario::{Arrival, CostModel, Priorities, Scenario, Split};

/// A scenario under `scheduler` with these lines besides the name in its table, and tasks that need (wcet, period,
/// deadline) ms.
fn scenario(scheduler: &str, lines: &str, processors: u16, tasks: &[(u64, u64, u64)]) -> Scenario {
    let row = |(index, (wcet, period, deadline)): (usize, &(u64, u64, u64))| {
        format!("[[task]]\nname = \"t{index}\"\nwcet = \"{wcet} ms\"\nperiod = \"{period} ms\"\ndeadline = \"{deadline} ms\"\n")
    };
    let rows: String = tasks.iter().enumerate().map(row).collect();
    let text = format!(
        "schedlab = 1\nhorizon = \"2 s\"\nplatform.processors = {processors}\n[scheduler]\nname = \"{scheduler}\"\n{lines}\n{rows}"
    );
    Scenario::parse("test", &text).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

fn places(prepared: &Prepared) -> Vec<u16> {
    prepared.tasks.iter().map(|task| task.cluster.0).collect()
}

fn hard(prepared: &Prepared) -> Answer {
    analyze(prepared).unwrap().analysis.unwrap().hard
}

fn unresolved(scenario: &Scenario) -> Unresolved {
    match Prepared::for_analysis(scenario, &Catalog::shipped()) {
        Err(PrepareError::Unresolved(why)) => why,
        other => panic!("{other:?}"),
    }
}

/// By task: the longest simulated response.
fn observed(prepared: &Prepared) -> Vec<Option<Duration>> {
    let mut metrics = Metrics::new(prepared.tasks.len(), prepared.platform.processors().into());
    prepared.simulate(&mut metrics, &mut |_| true).unwrap();
    metrics.tasks().iter().map(|task| task.response_time.max().map(Duration::from_ns)).collect()
}

/// 0.6, 0.6, 0.6 on two processors: no partition holds them, pieces of one task do. What is simulated keeps every
/// bound.
#[test]
fn split_tasks_meet_their_deadlines_in_theory_and_simulation() {
    let three = [(6, 10, 10); 3];
    let refused = scenario("P-EDF", "placement.overflow = \"refuse\"", 2, &three);
    assert!(Prepared::new(&refused).unwrap_err().is_lack_of_room());
    let placed = Prepared::new(&scenario("P-EDF", "", 2, &three)).unwrap();
    assert_eq!((places(&placed), &placed.overflowed[..]), (vec![0, 1, 0], &[TaskId(2)][..]));
    assert_eq!(hard(&placed), Answer::Unschedulable);
    for split in ["C=D", "EDF-WM"] {
        let prepared =
            Prepared::new(&scenario("P-EDF", &format!("placement.split = \"{split}\""), 2, &three)).unwrap();
        assert_eq!(hard(&prepared), Answer::Schedulable, "{split}");
        let cut: Vec<_> = prepared.pieces.iter().filter(|piece| piece.count > 1).collect();
        assert_eq!(cut.len(), 2, "{split}: {:?}", prepared.pieces);
        let names: Vec<&str> = prepared.scenario.tasks.iter().map(|task| task.name.as_str()).collect();
        assert_eq!(names, ["t0", "t1", "t2/1", "t2/2"]);
        let bounds = analyze(&prepared).unwrap().analysis.unwrap().response_times;
        for ((piece, bound), seen) in prepared.pieces.iter().zip(&bounds).zip(observed(&prepared)) {
            assert!(seen.unwrap() <= bound.unwrap(), "{split}: {piece:?}");
            assert!(piece.offset + bound.unwrap() <= Duration::from_ms(10), "{split}: {piece:?}");
        }
        // It says itself what it is: read back, it needs no split.
        let again = Scenario::parse("again", &prepared.scenario.to_toml()).unwrap();
        assert_eq!((again.scheduler.placement.split, &again), (Split::None, &prepared.scenario));
    }
    let too_much = scenario("P-EDF", "placement.split = \"C=D\"", 2, &[(7, 10, 10); 3]);
    assert!(Prepared::new(&too_much).unwrap_err().is_lack_of_room());
}

/// By task: when its jobs arrive, as the scenario's source says.
fn arrivals(prepared: &Prepared) -> Vec<Vec<Instant>> {
    let mut source = prepared.source().unwrap();
    let of_task = |task: usize| {
        let next = || source.next_job(TaskId(task as u32), &mut Vec::new()).map(|job| job.arrival);
        std::iter::from_fn(next).take(40).collect()
    };
    (0..prepared.tasks.len()).map(of_task).collect()
}

#[test]
fn pieces_of_late_jobs_are_late_with_them() {
    let listed = [0, 17, 40].map(|at| Instant::ZERO + Duration::from_ms(at)).to_vec();
    let sporadic = Arrival::Sporadic { delay: Duration::from_ms(3), like: None };
    for (split, arrival) in [("C=D", &sporadic), ("EDF-WM", &sporadic), ("C=D", &Arrival::Listed(listed))] {
        let mut given = scenario("P-EDF", &format!("placement.split = \"{split}\""), 2, &[(6, 10, 10); 3]);
        given.tasks.iter_mut().for_each(|task| task.arrival = arrival.clone());
        given.tasks[0].arrival = Arrival::Sporadic { delay: Duration::from_ms(3), like: None };
        let prepared = Prepared::new(&given).unwrap();
        assert_eq!(hard(&prepared), Answer::Schedulable);
        let [first, second] = [2, 3].map(|index| arrivals(&prepared)[index].clone());
        assert!(first.len() > 2 && first[1] > first[0] + Duration::from_ms(10), "{first:?}");
        let offset = prepared.pieces[3].offset;
        let shifted: Vec<Instant> = first.iter().map(|at| *at + offset).collect();
        assert_eq!(shifted, second, "{split}");
        assert_ne!(arrivals(&prepared)[0], first, "other tasks are late on their own");
        // The scenario of pieces is a file: read back, it says the same.
        let again = Scenario::parse("again", &prepared.scenario.to_toml()).unwrap();
        assert_eq!(again, prepared.scenario);
        assert_eq!(arrivals(&Prepared::new(&again).unwrap()), arrivals(&prepared));
    }
}

/// A task that is as late as a split one follows its first piece.
#[test]
fn delays_of_a_split_task_are_those_of_its_first_piece() {
    let mut given = scenario("P-EDF", "placement.split = \"C=D\"", 3, &[(6, 10, 10); 4]);
    let late =
        |like: Option<&str>| Arrival::Sporadic { delay: Duration::from_ms(3), like: like.map(str::to_owned) };
    given.tasks[3].arrival = late(None);
    given.tasks[0].arrival = late(Some("t3"));
    let prepared = Prepared::new(&given).unwrap();
    let found = arrivals(&prepared);
    let place = |name: &str| prepared.scenario.tasks.iter().position(|task| task.name == name).unwrap();
    assert_eq!(found[place("t0")], found[place("t3/1")]);
}

#[test]
fn pieces_are_not_simulated_where_a_job_would_fall_apart() {
    let mut given = scenario("P-EDF", "placement.split = \"C=D\"", 2, &[(6, 10, 10); 3]);
    given.tasks[2].cost = CostModel::Uniform(Work::from_ns(1), given.tasks[2].wcet);
    assert!(matches!(Prepared::new(&given), Err(PrepareError::OnlyAnalysis(_))));
    assert_eq!(hard(&Prepared::for_analysis(&given, &Catalog::shipped()).unwrap()), Answer::Schedulable);
    given.scheduler.name = "P-RM".into();
    assert_eq!(unresolved(&given), Unresolved::SplitUnder("P-RM".into()));
    given.scheduler.name = "P-EDF".into();
    given.tasks[0].processor = Some(1);
    assert_eq!(unresolved(&given), Unresolved::SplitAndGiven("t0".into()));
    given.tasks[0].processor = None;
    given.tasks[1].jitter = Duration::from_ms(1);
    assert_eq!(unresolved(&given), Unresolved::SplitDisturbed);
    // A global scheduler splits nothing and places nothing.
    given.scheduler.name = "G-EDF".into();
    assert!(Prepared::new(&given).unwrap().pieces.is_empty());
}

/// Two tasks of density 1 fit one processor by utilization, not by their deadlines.
#[test]
fn a_test_at_each_step_looks_further_than_utilization() {
    let urgent = [(5, 100, 5), (5, 100, 5), (80, 100, 100)];
    let plain = "placement = { order = \"given\", fit = \"first\" }";
    let plain = Prepared::new(&scenario("P-EDF", plain, 2, &urgent)).unwrap();
    assert_eq!((places(&plain), hard(&plain)), (vec![0, 0, 0], Answer::Unschedulable));
    let lines = "placement = { order = \"given\", test = \"qpa\" }";
    let tested = Prepared::new(&scenario("P-EDF", lines, 2, &urgent)).unwrap();
    assert_eq!((places(&tested), hard(&tested)), (vec![0, 1, 0], Answer::Schedulable));
    let by_density = "placement = { order = \"given\", weight = \"density\", fit = \"worst\" }";
    assert_eq!(places(&Prepared::new(&scenario("P-EDF", by_density, 3, &urgent)).unwrap()), [0, 1, 2]);
    // Priorities by a rule count at each step; those of Audsley's algorithm come later.
    let lines = "priorities = \"DM\"\nplacement = { order = \"given\", test = \"response_time\" }";
    assert_eq!(places(&Prepared::new(&scenario("P-FP", lines, 2, &urgent)).unwrap()), [0, 1, 0]);
    let lines = lines.replace("DM", "Audsley");
    assert!(matches!(unresolved(&scenario("P-FP", &lines, 2, &urgent)), Unresolved::Audsley(_)));
    let wrong = scenario("P-RM", "placement.test = \"qpa\"", 2, &urgent);
    assert_eq!(unresolved(&wrong), Unresolved::TestUnder("qpa", "P-RM".into()));
    assert_eq!(
        unresolved(&scenario("C-EDF", "placement.test = \"qpa\"", 2, &urgent)),
        Unresolved::TestOnClusters("qpa")
    );
    let none = scenario(
        "P-EDF",
        lines.split('\n').nth(1).unwrap().replace("response_time", "qpa").as_str(),
        1,
        &urgent,
    );
    let placed = Prepared::new(&none).unwrap();
    assert_eq!((places(&placed), &placed.overflowed[..]), (vec![0; 3], &[TaskId(1), TaskId(2)][..]));
    let refused = none.with_placement("first_fit qpa refuse").unwrap();
    assert!(Prepared::new(&refused).unwrap_err().is_lack_of_room());
}

/// Where no fit is named, it is worst fit; where that leaves a task over, or a processor that its test refuses, it is
/// first fit with that test. A fit that is named holds.
#[test]
fn a_default_placement_is_what_proves() {
    let found = |scheduler: &str, lines: &str, processors: u16, tasks: &[(u64, u64)]| {
        let rows: Vec<_> = tasks.iter().map(|&(cost, period)| (cost, period, period)).collect();
        let prepared = Prepared::new(&scenario(scheduler, lines, processors, &rows)).unwrap();
        let proved = hard(&prepared) == Answer::Schedulable;
        (places(&prepared), prepared.overflowed.len(), proved)
    };
    let even = [(5, 10), (3, 10), (2, 10)];
    assert_eq!(found("P-EDF", "", 2, &even), (vec![0, 1, 1], 0, true));
    let full = [(6, 10), (7, 10), (2, 10), (3, 10), (2, 10)];
    assert_eq!(found("P-EDF", "placement.fit = \"worst\"", 2, &full).1, 1);
    assert_eq!(found("P-EDF", "", 2, &full), (vec![1, 0, 1, 0, 1], 0, true));
    let odd = [(5, 10), (1, 4), (2, 4), (4, 8)];
    for fit in ["worst", "first"] {
        assert!(!found("P-RM", &format!("placement.fit = \"{fit}\""), 2, &odd).2, "{fit}");
    }
    assert_eq!(found("P-RM", "", 2, &odd), (vec![0, 0, 1, 1], 0, true));
    assert_eq!(found("P-FP", "priorities = \"RM\"", 2, &odd), (vec![0, 0, 1, 1], 0, true));
    // Nothing helps: worst fit stays, and is refuted.
    assert_eq!(found("P-RM", "", 2, &[(7, 10); 3]), (vec![0, 1, 0], 1, false));
}

/// Two clusters of two processors: where processors leave a task over, a cluster takes what they have together. First
/// fit fills the first one.
#[test]
fn clusters_take_tasks_as_a_whole() {
    let found = |lines: &str, tasks: &[(u64, u64, u64)]| {
        let prepared = Prepared::new(&scenario("C-EDF", lines, 4, tasks)).unwrap();
        (places(&prepared), prepared.overflowed.len(), hard(&prepared))
    };
    let halves = [(5, 10, 10); 4];
    assert_eq!(found("", &halves), (vec![0, 0, 1, 1], 0, Answer::Schedulable));
    assert_eq!(found("placement.fit = \"first\"", &halves).0, [0; 4]);
    let larger = [(6, 10, 10); 5];
    assert_eq!(found("placement.fit = \"worst\"", &larger).1, 0);
    assert_eq!((found("", &larger).0, found("", &larger).1), (vec![0, 1, 0, 1, 0], 0));
    assert_eq!(found("placement.by_processor = true", &larger).1, 1, "no processor takes two");
    // What worst fit leaves over, first fit may place.
    let uneven = [(9, 10, 10), (9, 10, 10), (5, 10, 10), (5, 10, 10), (6, 10, 10), (6, 10, 10)];
    assert_eq!(found("", &uneven).1, 0);
}

#[test]
fn affinities_and_common_resources_bind_tasks_to_processors() {
    let mut given = scenario("P-EDF", "placement.fit = \"first\"", 3, &[(2, 10, 10); 3]);
    given.tasks[0].affinity = vec![2, 1];
    given.tasks[1].affinity = vec![2];
    assert_eq!(places(&Prepared::new(&given).unwrap()), [1, 2, 0]);
    let shared = "[[resource]]\nname = \"r\"\n[[task]]\nname = \"a\"\nperiod = \"10 ms\"\nprogram = [\"request r\", \"execute 4 ms\", \"release r\"]\n\
         [[task]]\nname = \"b\"\nperiod = \"10 ms\"\nprogram = [\"execute 4 ms\"]\n\
         [[task]]\nname = \"c\"\nperiod = \"10 ms\"\nprogram = [\"request r\", \"execute 3 ms\", \"release r\"]\n";
    let of = |lines: &str| {
        let text = format!("schedlab = 1\nprotocol = \"srp\"\nplatform.processors = 2\nscheduler = {{ name = \"P-EDF\", placement = {{ {lines} }} }}\n{shared}");
        Scenario::parse("test", &text).map(|scenario| places(&Prepared::new(&scenario).unwrap())).ok()
    };
    assert_eq!(of("fit = \"worst\", together = true"), Some(vec![0, 1, 0]));
}

/// The rules' own tests say which order is right; here, that it is the one that tasks have.
#[test]
fn fixed_priorities_by_rule() {
    let priorities = |scheduler: &str, rule: &str, processors: u16, tasks: &[(u64, u64, u64)]| {
        let scenario = scenario(scheduler, &format!("priorities = \"{rule}\""), processors, tasks);
        let prepared = Prepared::new(&scenario).unwrap();
        assert_eq!(prepared.scenario.scheduler.priorities, Priorities::Given);
        prepared.tasks.iter().map(|task| task.fixed_priority).collect::<Vec<_>>()
    };
    let rows = [(4, 13, 13), (10, 20, 20)];
    assert_eq!(priorities("G-FP", "TkC", 2, &rows), [0, 1]);
    assert_eq!(priorities("G-FP", "TkC", 3, &rows), [1, 0]);
    assert_eq!(priorities("P-FP", "TkC", 3, &rows), [0, 1]);
    assert_eq!(priorities("G-FP", "RM-US", 2, &[(1, 4, 4), (5, 10, 10), (51, 100, 100)]), [1, 2, 0]);
    assert_eq!(priorities("P-FP", "DM", 2, &[(1, 9, 8), (1, 9, 7)]), [1, 0]);
}

/// D > T: deadline-monotonic order fails, another one is found, and simulated without a miss.
#[test]
fn audsleys_order_where_deadline_monotonic_fails() {
    let mut beyond = 0;
    for (c0, c1, d1) in
        (1..8).flat_map(|a| (1..12).flat_map(move |b| (12..40).step_by(3).map(move |d| (a, b, d))))
    {
        let rows = [(c0, 8, 20), (c1, 20, d1)];
        let accepts = |rule: &str| match Prepared::new(&scenario(
            "P-FP",
            &format!("priorities = \"{rule}\""),
            1,
            &rows,
        )) {
            Ok(prepared) => Some((hard(&prepared) == Answer::Schedulable, prepared)),
            Err(error) => {
                assert!(error.is_lack_of_room(), "{error}");
                None
            }
        };
        // More than a processor's worth fits nowhere, whatever the order.
        let Some((dm, _)) = accepts("DM") else { continue };
        let best = accepts("Audsley");
        assert!(!dm || best.is_some(), "{rows:?}");
        if let Some((proved, prepared)) = best {
            assert!(proved, "{rows:?}");
            if !dm {
                beyond += 1;
                for (seen, spec) in observed(&prepared).into_iter().zip(&prepared.scenario.tasks) {
                    assert!(seen.unwrap() <= spec.relative_deadline, "{rows:?}");
                }
            }
        }
    }
    assert!(beyond > 2, "{beyond}");
    let global = scenario("G-FP", "priorities = \"Audsley\"", 2, &[(1, 4, 4)]);
    assert!(unresolved(&global).to_string().ends_with("allowed: P-FP, NP-FP"));
}

#[test]
fn placements_from_a_command_line() {
    let given = || scenario("P-EDF", "", 2, &[(6, 10, 10); 3]);
    let words = |text: &str| given().with_placement(text);
    let placement = words("density:almost_worst_fit_by_deadline qpa").unwrap().scheduler.placement;
    let same = "placement = { fit = \"almost_worst\", weight = \"density\", order = \"rising_deadline\", test = \"qpa\" }";
    assert_eq!(placement, scenario("P-EDF", same, 2, &[(6, 10, 10); 3]).scheduler.placement);
    let best_effort = words("bound=0.95 least_loaded").unwrap().scheduler.placement;
    let same = "placement = { bound = 0.95, overflow = \"least_loaded\" }";
    assert_eq!(best_effort, scenario("P-EDF", same, 2, &[(6, 10, 10); 3]).scheduler.placement);
    assert!(words("bound=1.5")
        .unwrap_err()
        .to_string()
        .contains("\"bound=1.5\" says nothing of a placement"));
    assert_eq!(words("c=d").unwrap().scheduler.placement.split, Split::CEqualsD);
    let refused = words("first_fit nonsense").unwrap_err().to_string();
    assert!(
        refused.starts_with("placement: \"nonsense\" says nothing of a placement; allowed: [density:]first_fit[_decreasing|_by_deadline], "),
        "{refused}"
    );
    let refused = given().with_priorities("RMS").unwrap_err().to_string();
    assert!(refused.contains("rule for priorities") && refused.contains("DkC"), "{refused}");
}
