//! What a crate of the user's own adds to the catalogue has the rights of what is shipped.

use crate::own_order::LSF;
use schedlab_analysis::{Answer, Guarantee, System, Test};
use schedlab_lab::{analyze, context_of, findings, Catalog, Prepared};
use schedlab_lock::{find_protocol, Protocol};
use schedlab_policy::{Clustered, Scheduler, Scope};
use schedlab_report::metrics::Metrics;
use schedlab_scenario::Scenario;

/// Accepts whatever costs next to nothing: sound where one task's costs fit into a thousandth of its deadline.
static TINY: Test = Test {
    name: "tiny",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &["any scheduler that keeps a processor busy"],
    source: "for this test",
    cost: "O(n)",
    applies: |_| true,
    run: |system: &System| match system.tasks.iter().all(|task| task.cost < task.relative_deadline / 1_000) {
        true => TINY.meets_deadlines(system, "costs are tiny"),
        false => TINY.unknown("costs are not tiny"),
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
    assert_eq!(said[3].reason, "no test is known for G-OWN");
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
    let outlines = (0..plan.ways()).filter_map(|at| plan.outline(at)).collect();
    let ways = plan.alike(outlines).iter().flat_map(|alike| plan.judge(alike)).collect();
    let found = plan.conclude(ways, Vec::new());
    let own = found.ways.iter().find(|way| way.candidate.scheduler == "G-OWN").expect("it was tried");
    assert!(!own.proved);
    assert_eq!(own.reason, "no test is known for G-OWN; observed: 0 of 10 jobs late until 100ms");
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
