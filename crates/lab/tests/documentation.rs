//! docs/tests.md lists the tests as they are. `make renew` writes the list anew.

use schedlab_analysis::blocking::methods::METHODS;
use schedlab_analysis::registry::{COMBINATIONS, TESTS, YARDSTICKS};
use schedlab_analysis::{
    AnalysedOrder, AnalysedScheduler, Arrivals, Assumption, Guarantee, Quanta, System, Test,
};
use schedlab_lock::ALL_PROTOCOLS;
use schedlab_lp_blocking::PROGRAMS;
use schedlab_model::{
    Alignment, Duration, HeavyFirst, LargestFirst, LightOrder, LockingClass, OrderClass, Point, Task,
    Theorem, Threshold, Work,
};
use schedlab_policy::{all_schedulers, Scheduler, ALL_ORDERS};
use std::path::PathBuf;

const BEGIN: &str = "<!-- The list of tests: generated from the registry. -->\n";
/// What has no protocol of its name.
const MUTEXES: &str = "POSIX mutexes of SCHED_FIFO: none, inherit, protect; also none, pip and ipcp there";
const END: &str = "<!-- End of the list. -->\n";

/// The orders of a class, as the list of orders has them.
fn orders_that(is_it: impl Fn(OrderClass) -> bool) -> String {
    let found = ALL_ORDERS.iter().filter(|order| is_it(order.rule.class()));
    found.map(|order| order.name).collect::<Vec<_>>().join(", ")
}

/// The Pfair schedulers whose quanta lie so.
fn pfair_schedulers(quanta: Alignment) -> String {
    let all = all_schedulers();
    let is_it = |known: &&Scheduler| {
        matches!(known.class(), OrderClass::Pfair { .. }) && known.quanta == Some(quanta)
    };
    all.iter().filter(is_it).map(|known| known.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// The schedulers of which a theorem speaks.
fn with_theorem(theorem: Theorem) -> String {
    let all = all_schedulers();
    let is_it = |known: &&Scheduler| matches!(known.class(), OrderClass::Theorem(its) if its == theorem);
    all.iter().filter(is_it).map(|known| known.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Which kinds of schedulers a test speaks of, found by asking it.
fn coverage(test: &Test) -> String {
    let length = Duration::from_ms(1);
    let quanta = Quanta { length, staggered: false, guaranteed: false, breaks_ties: true };
    let staggered = Quanta { staggered: true, ..quanta };
    let heavy = HeavyFirst { threshold: Threshold::OfProcessors { times: 2 }, others: LightOrder::Deadline };
    let heavy_first = Theorem::HeavyTasksFirst(heavy);
    let largest_first = Theorem::LargestTasksFirst(LargestFirst::FewestProcessors);
    let orders = [
        (orders_that(|class| matches!(class, OrderClass::Deadline)), AnalysedOrder::Edf),
        ("fixed priorities".to_owned(), AnalysedOrder::FixedPriority),
        ("fixed priorities with ties of SCHED_FIFO".to_owned(), AnalysedOrder::FixedPriorityOpenTies),
        (orders_that(|class| matches!(class, OrderClass::AfterArrival(_))), AnalysedOrder::AfterArrival),
        (with_theorem(Theorem::OptimalForPeriodic), AnalysedOrder::Theorem(Theorem::OptimalForPeriodic)),
        (with_theorem(Theorem::MeetsWhatEdfMeets), AnalysedOrder::Theorem(Theorem::MeetsWhatEdfMeets)),
        (
            with_theorem(Theorem::OptimalOnOneProcessor),
            AnalysedOrder::Theorem(Theorem::OptimalOnOneProcessor),
        ),
        ("EKG[k]".to_owned(), AnalysedOrder::Theorem(Theorem::SplitsWithinGroups(2))),
        ("NPS-F[d]".to_owned(), AnalysedOrder::Theorem(Theorem::ReservesInSlots(4))),
        (with_theorem(Theorem::QuasiPartitions), AnalysedOrder::Theorem(Theorem::QuasiPartitions)),
        (with_theorem(heavy_first), AnalysedOrder::Theorem(heavy_first)),
        (with_theorem(largest_first), AnalysedOrder::Theorem(largest_first)),
        (with_theorem(Theorem::KeepsPieces), AnalysedOrder::Theorem(Theorem::KeepsPieces)),
        (pfair_schedulers(Alignment::Aligned), AnalysedOrder::Pfair(quanta)),
        (pfair_schedulers(Alignment::Staggered), AnalysedOrder::Pfair(staggered)),
    ];
    let tasks = [Task::implicit(Work::from_ns(1_000_000), Duration::from_ms(10))];
    let mut found = Vec::new();
    for (preemptive, how) in [(true, "preemptive"), (false, "non-preemptive")] {
        for (processors, number) in [(1, "one processor"), (2, "several")] {
            let speaks = |order: &AnalysedOrder| {
                let scheduler = AnalysedScheduler {
                    order: *order,
                    preemptive,
                    ranks: &[0],
                    points: &[Point::whole(0)],
                    arrivals: Arrivals::Periodic,
                };
                (test.applies)(&System::global(&tasks, processors, &scheduler).expect("a plain task"))
            };
            let pfair = |order: &AnalysedOrder| {
                matches!(order, AnalysedOrder::Pfair(_) | AnalysedOrder::Theorem(_)) && !preemptive
            };
            let named = orders.iter().filter(|(_, order)| !pfair(order) && speaks(order));
            let names: Vec<&str> = named.map(|(name, _)| name.as_str()).collect();
            if !names.is_empty() {
                found.push(format!("{how}, {number}: {}", names.join(", ")));
            }
        }
    }
    found.join("; ")
}

/// An item of a list, `depth` levels down, in lines of at most 120 characters.
fn item(depth: usize, text: &str) -> String {
    let indent = "  ".repeat(depth);
    let mut all = String::new();
    let mut line = format!("{indent}*");
    for word in text.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > 120 {
            all += &(line + "\n");
            line = format!("{indent} ");
        }
        line += &format!(" {word}");
    }
    all + &line + "\n"
}

/// What stands below a test's name.
fn details(test: &Test) -> String {
    let assumptions: Vec<String> = test.assumptions.iter().map(Assumption::to_string).collect();
    item(1, &format!("assumes {}", assumptions.join("; ")))
        + &item(1, &format!("cost: {}", test.cost))
        + &item(1, &format!("source: {}", test.source))
}

fn list() -> String {
    let mut text = format!("{BEGIN}\n");
    for test in TESTS.iter().chain(YARDSTICKS).chain(COMBINATIONS) {
        let proves = match test.guarantee {
            Guarantee::Hard => "deadlines",
            Guarantee::Soft => "bounded tardiness",
        };
        let refutes = if test.exact { ", also refutes" } else { "" };
        text += &item(0, &format!("`{}`: {proves}{refutes}", test.name));
        let coverage = coverage(test);
        if !coverage.is_empty() {
            text += &item(1, &format!("for {coverage}"));
        }
        text += &details(test);
    }
    text += "\n## Tests of tasks that share resources\n\n";
    text += "Each test names its locking protocols. All are sufficient for deadlines.\n\n";
    for method in METHODS.iter().chain(PROGRAMS) {
        let named = ALL_PROTOCOLS.iter().filter(|protocol| method.classes.contains(&protocol.class));
        let protocols = named.map(|protocol| protocol.name).collect::<Vec<_>>().join(", ");
        let of_mutexes = method.classes.contains(&LockingClass::Posix);
        let protocols = if of_mutexes { MUTEXES.to_owned() } else { protocols };
        text += &item(0, &format!("`{}`: {protocols}", method.test.name));
        text += &details(&method.test);
    }
    text + "\n" + END
}

#[test]
fn the_page_lists_the_registry() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/tests.md");
    let page = std::fs::read_to_string(&path).expect("docs/tests.md is there");
    let (before, rest) = page.split_once(BEGIN).expect("the page has a place for the list");
    let (_, after) = rest.split_once(END).expect("the list ends");
    let renewed = format!("{before}{}{after}", list());
    if std::env::var_os("RENEW").is_some() {
        std::fs::write(&path, renewed).expect("the page can be written");
        return;
    }
    assert!(page == renewed, "docs/tests.md is not current: `make renew` writes it anew");
}
