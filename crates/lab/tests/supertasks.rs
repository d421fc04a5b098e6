//! Scenarios with supertasks: their weights, what is said of them, and what then happens.

use schedlab_analysis::Answer;
use schedlab_lab::{analyze, findings, Catalog, Finding, PrepareError, Prepared};
use schedlab_policy::SetupError;
use schedlab_report::invariants::Checker;
use schedlab_report::metrics::Metrics;
use schedlab_report::schedule::{Lanes, ScheduleRecorder, Window};
use schedlab_scenario::Scenario;

const EXAMPLE: &str = include_str!("../../../examples/supertasks.toml");

fn scenario(text: &str) -> Scenario {
    Scenario::parse("test", text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn prepared(text: &str) -> Prepared {
    Prepared::new(&scenario(text)).unwrap_or_else(|error| panic!("{error}"))
}

fn weight(text: &str) -> String {
    prepared(text).supertasks[0].supertask.weight.to_string()
}

fn finding(text: &str) -> Finding {
    let prepared = prepared(text);
    let mut found = findings(&prepared, &analyze(&prepared).unwrap());
    let refuted = found.iter().filter(|one| one.test == "simulation").count();
    assert_eq!(found.len(), 1 + refuted);
    // What is proved misses nothing when it is simulated.
    assert!(found[0].answer != Answer::Schedulable || refuted == 0);
    found.remove(0)
}

/// Why the answer is as it is, with names.
fn reason(text: &str) -> String {
    finding(text).reason.in_words(&scenario(text))
}

/// Deadlines missed, and the drawn processors, after every invariant was checked.
fn simulate(text: &str) -> (u64, Vec<String>) {
    let prepared = prepared(text);
    let context = prepared.context();
    let mut checker = Checker::new(&context);
    let mut metrics = Metrics::new(prepared.tasks.len(), prepared.platform.processors().into());
    let mut recorder = ScheduleRecorder::new(&context, Window::ALL);
    prepared.simulate((&mut checker, (&mut metrics, &mut recorder)), &mut |_| true).unwrap();
    let verdict = checker.finish();
    assert!(verdict.holds(), "{:?}", verdict.outcomes.iter().find(|outcome| !outcome.holds()));
    let unit = schedlab_model::Duration::from_us(100);
    (metrics.all_tasks().missed, recorder.finish().rows(Lanes::Processors, unit))
}

#[test]
fn the_example_is_guaranteed_and_meets_its_deadlines() {
    let found = finding(EXAMPLE);
    assert_eq!(found.answer, Answer::Schedulable, "{}", found.reason);
    let bounds: Vec<u64> = found.response_times.unwrap().iter().map(|bound| bound.unwrap().as_ns()).collect();
    assert_eq!(bounds, [4, 4, 4, 4, 4, 3, 5].map(|ms| ms * 1_000_000));
    let (misses, rows) = simulate(EXAMPLE);
    assert_eq!(misses, 0);
    // The sensors share quanta, and stay within them.
    let drawn = |row: &String| row.chars().take(40).collect::<String>();
    let expected = ["FFFFFFFFFFFFFFFFFFFFGGGGGGGGGGFFFFFFFFFF", "GGGGGGGGGGAAABBBCCCDDDEEE..............."];
    assert_eq!(rows.iter().map(drawn).collect::<Vec<_>>(), expected);
    // Each alone takes whole quanta.
    let alone = EXAMPLE.replace("supertask = \"sensors\"", "").replace("[[supertask]]", "#");
    let alone: String = alone.lines().filter(|line| !line.starts_with("name = \"sensors\"")).fold(
        String::new(),
        |text, line| match line.split_once(' ') {
            Some(("order" | "scheduling" | "weight", _)) => text,
            _ => text + line + "\n",
        },
    );
    let refused = Prepared::new(&scenario(&alone)).unwrap_err();
    assert!(matches!(refused, PrepareError::Setup { error: SetupError::Overload { .. }, .. }), "{refused}");
}

/// 2 ms in 4 ms: by any three slots and the last one as a whole. With quanta up to 2/3 ms late that one is lost.
#[test]
fn the_weight_depends_on_how_components_are_scheduled_and_on_the_quanta() {
    let more = EXAMPLE.replace("300 us", "400 us").replace("processors = 2", "processors = 3");
    assert_eq!(weight(&more), "2/3");
    assert_eq!(weight(&more.replace("\"PD2\"", "\"S-PD2\"")), "1/1");
    // 1.5 ms need half of that slot only, and nothing is lost.
    assert_eq!(weight(EXAMPLE), "2/3");
    assert_eq!(weight(&EXAMPLE.replace("\"PD2\"", "\"S-PD2\"")), "2/3");
    let fewer = EXAMPLE.replace("copies = 5", "copies = 2");
    assert_eq!(weight(&fewer.replace("fully-preemptive", "quantum-based")), "2/3");
}

#[test]
fn a_weight_that_is_too_small_is_said_to_be_and_misses() {
    let small = EXAMPLE.replace("\"auto\"", "\"1/3\"");
    let found = finding(&small);
    assert_eq!(found.answer, Answer::Unknown);
    assert_eq!(reason(&small), "supertask \"sensors\": a weight of 1/3 is too small");
    assert!(simulate(&small).0 > 0);
    let prepared = prepared(&small);
    let said = findings(&prepared, &analyze(&prepared).unwrap());
    assert_eq!((said[1].test, said[1].answer), ("simulation", Answer::Unschedulable));
    let large = EXAMPLE.replace("\"auto\"", "\"11/15\"");
    assert_eq!(finding(&large).answer, Answer::Schedulable);
    let refused = Prepared::new(&scenario(&EXAMPLE.replace("\"auto\"", "\"3/4\""))).unwrap_err().to_string();
    assert_eq!(
        refused,
        "sensors, supertask 0: with its weight of 3/4, tasks and supertasks need more than 2 processors"
    );
}

/// What weights do not account for is said; the weight is 1 if none is enough.
#[test]
fn doubts_are_named() {
    let suspending = EXAMPLE.replace("copies = 5", "suspension = \"100 us\"");
    assert_eq!(reason(&suspending), "supertask \"sensors\": component \"sensor\" suspends itself");
    let overheads = EXAMPLE.replace("[scheduler]", "[overheads]\nall.tick = \"1 us\"\n[scheduler]");
    assert_eq!(reason(&overheads), "overheads are not accounted for in the weights of supertasks");
    let tight = EXAMPLE.replace("copies = 5", "deadline = \"300 us\"").replace("\"3 ms\"", "\"1 ms\"");
    let tight = tight.replace("wcet = \"2 ms\"\nperiod = \"1 ms\"", "wcet = \"2 ms\"\nperiod = \"3 ms\"");
    let tight = tight.replace("\"PD2\"", "\"S-PD2\"");
    assert_eq!(weight(&tight), "1/1");
    assert!(
        reason(&tight).starts_with("supertask \"sensors\": not even a weight of 1"),
        "{}",
        reason(&tight)
    );
}

/// Other schedulers take components as tasks like any.
#[test]
fn schedulers_without_quanta_do_not_know_of_supertasks() {
    let global = EXAMPLE.replace("\"PD2\"", "\"G-EDF\"");
    assert!(prepared(&global).supertasks.is_empty());
    assert!(simulate(&global).0 == 0);
    for name in ["ER-PD2", "PF", "PD", "S-PD2"] {
        let text = EXAMPLE.replace("\"PD2\"", &format!("\"{name}\""));
        let (misses, _) = simulate(&text);
        assert!(misses == 0 || name == "S-PD2", "{name}: {misses}");
    }
}

/// The largest response time of each task that the simulator sees.
fn observed(text: &str) -> Vec<Option<u64>> {
    let prepared = prepared(text);
    let mut metrics = Metrics::new(prepared.tasks.len(), prepared.platform.processors().into());
    prepared.simulate(&mut metrics, &mut |_| true).unwrap();
    let seen = |task: &schedlab_report::metrics::TaskMetrics| task.response_time.max();
    metrics.tasks().iter().map(seen).collect()
}

fn bounds_ns(found: &Finding) -> Vec<Option<u64>> {
    let bounds = found.response_times.clone().unwrap_or_default();
    bounds.into_iter().map(|bound| bound.map(|bound| bound.as_ns())).collect()
}

/// Of cost, period, relative deadline, each with the name of its supertask, if it is in one.
fn with_tasks(head: &str, supertasks: &[&str], tasks: &[(u64, u64, u64, &str)]) -> String {
    let mut text = format!("schedlab = 1\n{head}\n");
    for supertask in supertasks {
        text += &format!("[[supertask]]\n{supertask}\n");
    }
    for (index, (cost, period, relative_deadline, of)) in tasks.iter().enumerate() {
        text += &format!("[[task]]\nname = \"t{index}\"\nwcet = \"{cost} ns\"\nperiod = \"{period} ns\"\n");
        text += &format!("deadline = \"{relative_deadline} ns\"\n{of}\n");
    }
    text
}

const IN_S: &str = "supertask = \"s\"";
const IN_R: &str = "supertask = \"r\"";

/// Components are ordered by their own deadlines, so bounds are of those, also where they are beyond the period.
#[test]
fn deadlines_beyond_periods_are_bounded_as_they_are_run() {
    let head =
        "horizon = \"2400 ns\"\nscheduler = \"PD2\"\nplatform = { processors = 1, quantum = \"1 ns\" }";
    let s = "name = \"s\"\norder = \"EDF\"\nweight = \"auto\"";
    let r = "name = \"r\"\norder = \"EDF\"\nweight = \"auto\"";
    let sets = [
        with_tasks(head, &[s], &[(2, 5, 3, IN_S), (1, 2, 3, IN_S)]),
        with_tasks(head, &[s, r], &[(3, 12, 12, IN_S), (2, 12, 12, IN_R), (2, 10, 16, IN_R)]),
        // The weight of s is too small: what is said of r holds all the same.
        with_tasks(
            head,
            &[&s.replace("auto", "1/100"), r],
            &[(3, 12, 12, IN_S), (2, 12, 12, IN_R), (2, 10, 16, IN_R)],
        ),
    ];
    for (text, answer) in sets.iter().zip([Answer::Schedulable, Answer::Schedulable, Answer::Unknown]) {
        let found = finding(text);
        assert_eq!(found.answer, answer, "{}\n{text}", found.reason);
        let bounds = bounds_ns(&found);
        assert!(bounds.iter().flatten().count() > 1, "{text}");
        for (bound, seen) in bounds.iter().zip(observed(text)) {
            let Some(bound) = bound else { continue };
            assert!(seen.unwrap() <= *bound, "{seen:?} against {bound}\n{text}");
        }
    }
    // A list by rate does not depend on deadlines: the earlier end of period and deadline holds there.
    let by_rate = sets[1].replace("\"EDF\"", "\"RM\"");
    assert_eq!(bounds_ns(&finding(&by_rate)), [Some(12), Some(12), Some(10)]);
    assert!(observed(&by_rate)[2].unwrap() <= 10);
}

/// Nothing is promised of supertasks among tasks that do not keep to their windows, or that the scheduler refuses.
#[test]
fn supertasks_are_bounded_only_where_all_weights_fit() {
    let head =
        "horizon = \"2400 ns\"\nscheduler = \"PD2\"\nplatform = { processors = 1, quantum = \"4 ns\" }";
    let [s, r] = ["s", "r"].map(|name| format!("name = \"{name}\"\nweight = \"1/1\""));
    let said = |text: &str| {
        let prepared = Prepared::for_analysis(&scenario(text), &Catalog::shipped()).unwrap();
        findings(&prepared, &analyze(&prepared).unwrap()).remove(0)
    };
    let too_many = with_tasks(head, &[&s, &r], &[(3, 12, 12, IN_S), (2, 12, 12, IN_R)]);
    assert!(Prepared::new(&scenario(&too_many)).is_err());
    let found = said(&too_many);
    assert_eq!(found.answer, Answer::Unknown, "{}", found.reason);
    assert!(
        found.reason.to_string().contains("tasks and supertasks need more than 1 processor"),
        "{}",
        found.reason
    );
    assert_eq!(found.response_times, None);
    // A section that goes on beyond the quantum.
    let half = s.replace("1/1", "1/2");
    let section = "program = [\"np_enter\", \"execute 20 ns\", \"np_exit\"]";
    let meanwhile = format!("{IN_S}\noffset = \"5 ns\"");
    let blocked = with_tasks(head, &[&half], &[(2, 40, 20, &meanwhile), (20, 50, 50, section)]);
    let blocked = blocked.replace("wcet = \"20 ns\"\n", "");
    assert!(observed(&blocked)[0].unwrap() > 20);
    let found = said(&blocked);
    assert_eq!((found.answer, found.response_times), (Answer::Unknown, None), "{}", found.reason);
}

/// Zones keep sections within quanta; components that preempt each other within one would preempt holders.
#[test]
fn components_that_preempt_each_other_share_no_zones() {
    let refused = |scheduling: &str, protocol: &str| {
        let text = format!(
            "schedlab = 1\nscheduler = \"S-PD2\"\nprotocol = \"{protocol}\"\nplatform.processors = 2\n\
             platform.alignment = \"staggered\"\n\
             resource = [{{ name = \"R\" }}]\nsupertask = [{{ name = \"s\", scheduling = \"{scheduling}\" }}]\n\
             [[task]]\nname = \"a\"\nsupertask = \"s\"\nperiod = \"10 ms\"\n\
             program = [\"request R\", \"execute 1 us\", \"release R\"]\n\
             [[task]]\nname = \"b\"\nsupertask = \"s\"\nwcet = \"1 ms\"\nperiod = \"15 ms\"\n"
        );
        let scenario = Scenario::parse("zones.toml", &text).unwrap_or_else(|errors| panic!("{errors}"));
        Prepared::new(&scenario).err().map(|error| error.to_string())
    };
    for protocol in ["zone-skip", "zone-rollback"] {
        let why = refused("fully-preemptive", protocol).expect("holders would be preempted");
        assert!(why.contains("in supertask \"s\": its components preempt each other"), "{why}");
        assert_eq!(refused("quantum-based", protocol), None);
    }
    assert_eq!(refused("fully-preemptive", "lock-free"), None);
}
