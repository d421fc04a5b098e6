//! An order of one's own: nothing is promised of what no test knows. Before, every unknown order was analysed as EDF.

use schedlab_analysis::Answer;
use schedlab_lab::{analyze, Catalog, Prepared};
use schedlab_model::OrderClass;
use schedlab_policy::{Clustered, Declared, Needs, Order, Rule, Scheduler, Scope, EDF};
use schedlab_report::metrics::Metrics;
use schedlab_scenario::Scenario;

/// By absolute deadline less the WCET; ties by job id.
pub(super) const LSF: Order = Order {
    name: "LSF",
    aliases: &[],
    description: "the job with the least slack at its arrival goes first",
    rule: Rule::Unanalysed(|job, _, _| job.absolute_deadline.as_ns().saturating_sub(job.wcet.as_ns())),
    needs: Needs::Nothing,
};

/// Two tasks that EDF schedules, on `processors` processors, under `scheduler`.
fn prepared(scheduler: Scheduler, processors: u16) -> Prepared {
    let text = format!(
        "schedlab = 1\nhorizon = \"300 ms\"\nplatform.processors = {processors}\n\
         task = [{{ name = \"a\", wcet = \"6 ms\", period = \"10 ms\" }}, {{ name = \"b\", wcet = \"2 ms\", period = \"6 ms\" }}, \
         {{ name = \"c\", wcet = \"10 us\", period = \"300 ms\" }}]\n"
    );
    let scenario = Scenario::parse("own", &text).expect("it is well-formed");
    let (name, catalog) = (scheduler.name.clone(), Catalog::shipped());
    let catalog = match catalog.scheduler(&name) {
        Some(_) => catalog,
        None => catalog.with_scheduler(scheduler).expect("the name is new"),
    };
    let scenario = catalog.under(scenario, &name).expect("the scenario is for it");
    Prepared::of(&scenario, &catalog).expect("it can be prepared")
}

#[test]
fn nothing_is_promised_of_an_order_that_no_test_knows() {
    for scope in [Scope::Partitioned, Scope::Clustered, Scope::Global] {
        for preemptive in [true, false] {
            let scheduler = Scheduler::of_order(LSF, preemptive, scope);
            let name = scheduler.name.clone();
            let found = analyze(&prepared(scheduler, 1)).expect("it can be analysed");
            let analysis = found.analysis.expect("what no scheduler can do is looked at");
            assert_eq!(analysis.hard, Answer::Unknown, "{name}");
            assert!(analysis.response_times.iter().all(Option::is_none), "{name}");
        }
    }
}

#[test]
fn its_jobs_are_late_where_edf_promises_that_none_is() {
    let late = |scheduler: Scheduler| {
        let prepared = prepared(scheduler, 1);
        let mut metrics = Metrics::new(prepared.tasks.len(), 1);
        prepared.simulate(&mut metrics, &mut |_| true).expect("it can be simulated");
        metrics.tasks().iter().map(|task| task.missed).sum::<u64>()
    };
    let edf = schedlab_policy::find("P-EDF").expect("it is in the list");
    assert_eq!(late(edf), 0);
    assert!(late(Scheduler::of_order(LSF, true, Scope::Partitioned)) >= 10);
}

/// EDF as a policy of one's own, which lets a job that has started complete or not, and says so or says nothing.
fn own_edf(preemptive: bool, declared: Option<Declared>) -> Scheduler {
    let own = Scheduler::of_policy("P-OWN", Scope::Partitioned, "by deadline", move |setup| {
        Ok(Box::new(Clustered::new(EDF, preemptive, setup)))
    });
    match declared {
        Some(declared) => own.declaring(declared),
        None => own,
    }
}

/// The hard verdict, and how many tests speak of the scheduler besides those of overload.
fn judged(scheduler: Scheduler) -> (Answer, Vec<&'static str>) {
    let found = analyze(&prepared(scheduler, 1)).expect("it can be analysed");
    let analysis = found.analysis.expect("overload is looked at");
    let tests =
        analysis.clusters.iter().flat_map(|cluster| &cluster.verdicts).map(|verdict| verdict.test).collect();
    (analysis.hard, tests)
}

/// The tasks are schedulable by EDF, and not if a job of 6 ms delays one that has to end within 6 ms.
#[test]
fn tests_of_preemptive_orders_accept_only_a_policy_that_declares_to_be_preemptive() {
    let edf = |preemptive| Declared { class: OrderClass::Deadline, preemptive };
    let shipped = |name| judged(schedlab_policy::find(name).expect("it is shipped"));
    let (promised, kept) = (judged(own_edf(true, Some(edf(true)))), judged(own_edf(false, Some(edf(false)))));
    assert_eq!(promised, shipped("P-EDF"));
    assert_eq!(promised.0, Answer::Schedulable);
    assert_eq!(kept, shipped("NP-EDF"));
    assert_eq!(kept.0, Answer::Unschedulable);
    assert!(promised.1.contains(&"qpa") && !kept.1.contains(&"qpa"), "{promised:?} {kept:?}");
    let silent = judged(own_edf(true, None));
    assert_eq!(silent.0, Answer::Unknown);
    assert!(silent.1.iter().all(|test| test.starts_with("overload")), "{silent:?}");
}

/// What is declared changes no name: a policy of one's own has no prefix that says what it is.
#[test]
fn a_declaration_changes_no_name() {
    for preemptive in [true, false] {
        let own = own_edf(preemptive, Some(Declared { class: OrderClass::Deadline, preemptive }));
        assert_eq!((own.name.as_str(), own.prefix()), ("P-OWN", None));
        assert_eq!(own.is_preemptive(), preemptive);
    }
    assert!(!own_edf(true, None).is_preemptive(), "it is not known");
}

#[test]
fn the_guide_gives_the_same_order() {
    let guide = include_str!("../../../CONTRIBUTING.md");
    let (_, rest) =
        guide.split_once("use super::{Needs, Order, Rule};\n").expect("the guide has the example");
    let (example, _) = rest.split_once("   ```").expect("the example ends");
    let example: String =
        example.lines().map(|line| line.trim_start_matches("   ").to_owned() + "\n").collect();
    // Four more blanks stand before what is within the braces.
    let here = include_str!("own_order.rs").replace("\n    ", "\n ");
    assert!(here.contains(example.trim()), "{example}");
}
