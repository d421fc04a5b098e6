//! What a crate of the user's own adds to the catalogue has the rights of what is shipped.

use crate::own_order::LSF;
use schedlab_analysis::{Answer, Assumption, Guarantee, Reason, System, Test};
use schedlab_lab::batch::{Measure, Memory, Question, Sets};
use schedlab_lab::{analyze, context_of, findings, Catalog, Prepared};
use schedlab_lock::{find_protocol, Protocol};
use schedlab_model::Instant;
use schedlab_policy::{Clustered, Scheduler, Scope};
use schedlab_report::invariants::{OwnInvariant, Predicate, Violation, Violations};
use schedlab_report::metrics::Metrics;
use schedlab_report::scene::Scene;
use schedlab_scenario::{shipped, OverheadProfile, Scenario};
use schedlab_trace::Record;
use schedlab_workload::generate::{Accesses, Own, Spec, MAX_PERIOD_NS};
use schedlab_workload::Random;

/// Accepts whatever costs next to nothing: sound where one task's costs fit into a thousandth of its deadline.
static TINY: Test = Test {
    name: "tiny",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &[Assumption::Own("any scheduler that keeps a processor busy")],
    source: "for this test",
    cost: "O(n)",
    applies: |_| true,
    run: |system: &System| match system.tasks.iter().all(|task| task.cost < task.relative_deadline / 1_000) {
        true => TINY.meets_deadlines(system, Reason::Own("costs are tiny".into())),
        false => TINY.unknown(Reason::Own("costs are not tiny".into())),
    },
};

/// Least slack first as a policy of the user's own, of which nothing is known.
fn own() -> Scheduler {
    Scheduler::of_policy("G-OWN", Scope::Global, "the least slack goes first", |setup| {
        Ok(Box::new(Clustered::new(LSF, true, setup)))
    })
}

fn catalog() -> Catalog {
    let mutex = Protocol { name: "mine", ..*find_protocol("pip").expect("it is shipped") };
    let catalog = Catalog::shipped().with_scheduler(own()).and_then(|one| one.with_protocol(mutex));
    catalog.and_then(|one| one.with_test(&TINY)).expect("the names are new")
}

/// Tasks that share a resource, with these costs in nanoseconds.
fn scenario(cost: u64) -> Scenario {
    let task = |name: &str| {
        format!(
            "[[task]]\nname = \"{name}\"\nperiod = \"10 ms\"\n\
             program = [\"request R\", \"execute {cost} ns\", \"release R\"]\n"
        )
    };
    let head = "schedlab = 1\nhorizon = \"100 ms\"\nplatform.processors = 2\nresource = [{ name = \"R\" }]\n";
    Scenario::parse("own", &format!("{head}{}{}{}", task("a"), task("b"), task("c"))).expect("well-formed")
}

fn prepared(cost: u64) -> Prepared {
    let catalog = catalog();
    let under = catalog.under(scenario(cost), "g-own").and_then(|one| catalog.sharing(one, "MINE"));
    Prepared::of(&under.expect("both are known"), &catalog).expect("it can be prepared")
}

#[test]
fn all_three_kinds_are_found_in_any_case_and_by_no_other_catalogue() {
    let catalog = catalog();
    assert_eq!(catalog.scheduler("g-own").expect("it was added").name, "G-OWN");
    assert_eq!(catalog.protocol("Mine").expect("it was added").name, "mine");
    assert_eq!(catalog.test("tiny").expect("it was added").name, "tiny");
    assert_eq!(catalog.schedulers().count(), Catalog::shipped().schedulers().count() + 1);
    let under = catalog.under(scenario(1_000), "G-OWN").expect("it is known");
    assert!(Prepared::new(&under).is_err());
    assert!(Catalog::shipped().under(scenario(1_000), "G-OWN").is_err());
}

#[test]
fn a_name_that_is_taken_is_refused_and_an_unknown_one_told_what_was_added() {
    let taken = Scheduler { name: "G-EDF".into(), ..own() };
    let why = Catalog::shipped().with_scheduler(taken).expect_err("it is shipped").to_string();
    assert_eq!(why, "there is a scheduler \"G-EDF\" already");
    assert!(catalog().with_scheduler(own()).is_err());
    assert!(catalog().with_test(&TINY).is_err());
    let unnamed = Scheduler { name: "a\nb".into(), ..own() };
    assert!(Catalog::shipped().with_scheduler(unnamed).is_err());
    let why = catalog().under(scenario(1_000), "G-ONW").expect_err("a typing error").to_string();
    assert!(why.ends_with("; and G-OWN of your own"), "{why}");
}

#[test]
fn the_own_scheduler_is_analysed_by_the_own_test_and_by_none_that_assumes_too_much() {
    let answers = |cost: u64| {
        let prepared = prepared(cost);
        let found = analyze(&prepared).expect("it can be analysed");
        let hard = found.analysis.as_ref().expect("it was").hard;
        (hard, findings(&prepared, &found))
    };
    let (hard, said) = answers(2_000_000);
    assert_eq!(hard, Answer::Unknown);
    let tests: Vec<_> = said.iter().map(|one| one.test).collect();
    assert_eq!(tests, ["overload", "overload_soft", "tiny", "scheduler"]);
    assert_eq!(said[3].reason.to_string(), "no test is known for G-OWN");
    assert!(said.iter().all(|one| one.answer == Answer::Unknown));
    let (_, overloaded) = answers(9_000_000);
    assert_eq!(overloaded[0].answer, Answer::Unschedulable);
}

#[test]
fn its_header_names_it_and_is_readable_without_it() {
    let header = prepared(2_000_000).header();
    assert_eq!((header.get("scheduler"), header.get("protocol")), (Some("G-OWN"), Some("mine")));
    let (read, _) = context_of(&header).expect("any installation reads it");
    assert_eq!((read.scheduler_name(), read.protocol_name()), ("G-EDF", "none"));
}

#[test]
fn advice_has_the_own_scheduler_as_observed_and_not_as_proved() {
    let catalog = Catalog::shipped().with_scheduler(own()).expect("the name is new");
    let text = "schedlab = 1\nhorizon = \"100 ms\"\ntask = [{ name = \"a\", wcet = \"1 ms\", period = \"10 ms\" }]\n";
    let scenario = Scenario::parse("one", text).expect("well-formed");
    let plan = schedlab_lab::advise::Plan::of(&scenario, &catalog);
    let outlines = (0..plan.ways()).filter_map(|index| plan.outline(index)).collect();
    let ways = plan.alike(outlines).iter().flat_map(|alike| plan.judge(alike)).collect();
    let found = plan.conclude(ways, Vec::new(), Vec::new());
    let own = found.ways.iter().find(|way| way.candidate.scheduler == "G-OWN").expect("it was tried");
    assert!(!own.proved);
    assert_eq!(own.reason, "no test is known for G-OWN; observed: 0 of 10 jobs late until 100 ms");
}

/// Task sets whose utilizations and periods are all the same, each on its processor.
fn alike(catalog: &Catalog, questions: &[Question]) -> (Vec<bool>, u32) {
    let spec = Spec {
        utilization: "half".into(),
        periods: "second".into(),
        deadlines: "implicit".into(),
        stop: "trim 2".into(),
    };
    let generator = catalog.generator(&spec).expect("both are known");
    let mut answers = vec![None; questions.len()];
    let sets = Sets { generator: &generator, accesses: &Accesses::NONE, seed: 1, processors: 4, questions };
    let mut memory = Memory::default();
    sets.answer(0, Measure::Proof, &mut memory, &mut answers).expect("it can be drawn");
    (answers.iter().map(Option::is_some).collect(), memory.size().tasks)
}

#[test]
fn batches_ask_own_tests_of_own_schedulers_on_own_distributions() {
    /// Accepts what takes at most half of its deadline.
    static HALF: Test = Test {
        name: "half_each",
        run: |system: &System| match system.tasks.iter().all(|task| task.cost * 2 <= task.relative_deadline) {
            true => HALF.meets_deadlines(system, Reason::Own("costs are at most half of deadlines".into())),
            false => HALF.unknown(Reason::Own("a cost is more than half of its deadline".into())),
        },
        ..TINY
    };
    let half = Own { name: "half", source: "for this test", draw: |_| 0.5 };
    let second = Own { name: "second", source: "for this test", draw: |_| 1_000_000_000 };
    let catalog = catalog().with_test(&HALF).and_then(|one| one.with_utilizations(half));
    let catalog = catalog.and_then(|one| one.with_periods(second)).expect("the names are new");
    let asked =
        ["G-OWN hard", "G-OWN hard tiny", "G-OWN hard half_each", "G-EDF hard half_each", "g-own soft"];
    let asked = asked.map(|text| Question::parse(text, &catalog).expect("all of it is known"));
    assert_eq!(alike(&catalog, &asked), (vec![true, false, true, true, true], 4));
    assert!("G-OWN hard".parse::<Question>().is_err(), "it is not shipped");
    assert!("G-EDF hard half_each".parse::<Question>().is_err(), "it is not shipped");
    let taken = Own { name: "litmus", ..second };
    let why = catalog.clone().with_periods(taken).expect_err("it is shipped").to_string();
    assert_eq!(why, "there is a distribution of periods \"litmus\" already");
    let words = Own { name: "two words", ..half };
    assert!(catalog.with_utilizations(words).is_err());
}

/// The bounds of an own protocol are those of the class that it declares.
#[test]
fn batches_of_locks_ask_own_protocols() {
    let catalog = catalog();
    let asked = ["P-DM mine hard", "P-DM pip hard"];
    let questions = asked.map(|text| Question::parse(text, &catalog).expect("all of it is known"));
    assert!("P-DM mine hard".parse::<Question>().is_err(), "it is not shipped");
    let spec = Spec {
        utilization: "uniform-light".into(),
        periods: "litmus".into(),
        deadlines: "implicit".into(),
        stop: "tasks 17".into(),
    };
    let generator = catalog.generator(&spec).expect("it is shipped");
    let accesses = "independent 3 0.3 short".parse().expect("it is shipped");
    let sets =
        Sets { generator: &generator, accesses: &accesses, seed: 1, processors: 1, questions: &questions };
    let mut proved = 0;
    for set in 0..20 {
        let mut answers = [None; 2];
        sets.answer(set, Measure::Proof, &mut Memory::default(), &mut answers).expect("it can be drawn");
        assert_eq!(answers[0], answers[1], "set {set}");
        proved += usize::from(answers[0].is_some());
    }
    assert!((1..20).contains(&proved), "{proved} of 20");
}

/// An error that lists what is known lists what the catalogue has besides.
#[test]
fn refused_questions_list_own_entries() {
    let catalog = catalog().with_overheads("theirs", shipped("none").expect("it is shipped"));
    let catalog = catalog.expect("the name is new");
    let refused = |text: &str| Question::parse(text, &catalog).expect_err(text).to_string();
    let protocols = refused("P-DM no-such-word hard");
    assert!(protocols.contains("wait-free, mine, pip-published, mine-published"), "{protocols}");
    let others = refused("P-FP hard");
    assert!(others.contains("and PD2, S-PD2, ER-PD2, PF, PD, EPDF, EDZL, G-FL-ZL, "), "{others}");
    assert!(others.ends_with(", RUN, U-EDF, EKG, QPS, NPS-F, EDF-US, RM-US, DM-US, PriD, G-OWN"), "{others}");
    let tests = refused("G-EDF hard no-such-word");
    assert!(tests.contains(", tiny; overheads are none, ") && tests.contains(", theirs; "), "{tests}");
    assert!(refused("P-DM mine hard no-such-word").ends_with(", theirs"));
    assert!(refused("G-ONW hard").ends_with("; and G-OWN of your own"));
}

/// No distribution of the user's own draws what no task can have.
#[test]
fn values_of_own_distributions_are_held_to_what_tasks_can_have() {
    let wild = Own {
        name: "half",
        source: "for this test",
        draw: |random: &mut Random| [f64::NAN, -1.0, 2.0, 0.5][random.below(4) as usize],
    };
    let never = Own {
        name: "second",
        source: "for this test",
        draw: |random: &mut Random| [0, u64::MAX, 1_000][random.below(3) as usize],
    };
    let catalog = Catalog::shipped().with_utilizations(wild).and_then(|one| one.with_periods(never));
    let catalog = catalog.expect("the names are new");
    let spec = Spec {
        utilization: "half".into(),
        periods: "second".into(),
        deadlines: "implicit".into(),
        stop: "tasks 50".into(),
    };
    let tasks = catalog.generator(&spec).expect("both are known").generate(1, 0).expect("it is drawn");
    let of = |ns| tasks.iter().filter(|task| task.period.as_ns() == ns).count();
    assert!(
        of(1) > 0 && of(MAX_PERIOD_NS) > 0 && of(1_000) > 0 && of(1) + of(MAX_PERIOD_NS) + of(1_000) == 50
    );
    assert!(tasks.iter().all(|task| (1..=task.period.as_ns()).contains(&task.wcet.as_ns())));
}

/// Objects to every completion.
struct NothingEnds;

impl Predicate for NothingEnds {
    fn see(&mut self, _: &Scene, at: Instant, record: &Record, found: &mut Violations) {
        if let Record::Complete { job, .. } = *record {
            found.add(Violation::new(at, job, None, "a job completes".to_owned()));
        }
    }
}

#[test]
fn own_invariants_are_asked_of_every_trace_and_own_overheads_charged_by_name() {
    let never =
        OwnInvariant { name: "nothing_ends", description: "for this test", make: |_| Box::new(NothingEnds) };
    let profile = shipped("paper-2008-4k").expect("it is shipped");
    let catalog =
        Catalog::shipped().with_invariant(never).and_then(|one| one.with_overheads("ours", profile));
    let catalog = catalog.expect("the names are new");
    assert!(catalog.clone().with_invariant(never).is_err(), "the name is taken");
    assert!(catalog.clone().with_overheads("none", OverheadProfile::default()).is_err(), "it is shipped");
    let charged = catalog.charging(scenario(1_000), "ours").expect("it is known");
    assert_eq!(charged.overheads.profile, catalog.overheads("ours").expect("it was added"));
    let why = catalog.charging(scenario(1_000), "theirs").expect_err("it is unknown").to_string();
    assert!(why.ends_with("; and ours of your own"), "{why}");
    let prepared = Prepared::of(&scenario(1_000), &catalog).expect("it can be prepared");
    let mut checker = prepared.checker();
    prepared.simulate(&mut checker, &mut |_| true).expect("it can be simulated");
    let broken: Vec<_> = checker.finish().outcomes.into_iter().filter(|outcome| !outcome.holds()).collect();
    let [outcome] = broken.as_slice() else { panic!("{broken:?}") };
    assert_eq!((outcome.invariant.name(), outcome.found.count), ("nothing_ends", 30));
    assert!(!prepared.header().get("promises").expect("there are some").contains("nothing_ends"));
}

#[test]
fn it_compares_with_what_is_shipped() {
    let late = |prepared: &Prepared| {
        let mut metrics = Metrics::new(prepared.tasks.len(), 2);
        prepared.simulate(&mut metrics, &mut |_| true).expect("it can be simulated");
        metrics.all_tasks().missed
    };
    let catalog = catalog();
    let shipped = catalog.under(scenario(4_000_000), "G-EDF").expect("it is known");
    // The three sections take 12 ms of each 10 ms.
    let shipped = Prepared::of(&shipped, &catalog).expect("it can be prepared");
    assert!(late(&shipped) > 0 && late(&prepared(4_000_000)) > 0);
}
