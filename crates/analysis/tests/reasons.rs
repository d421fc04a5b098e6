//! What tests say why: the numbers of textbooks, and those that take no more than a pencil.

use schedlab_analysis::multiprocessor::{
    baker, baruah, bcl, bcl_iterative, bertogna_cirinei_edf, bertogna_cirinei_fp, ff_dbf, gfb, guan, load,
    one_each,
};
use schedlab_analysis::tardiness::devi_anderson;
use schedlab_analysis::uniprocessor::{
    edf_utilization, hyperbolic, liu_layland, nonpreemptive_edf, qpa, response_time, suspension_aware,
};
use schedlab_analysis::{overload, AnalysedOrder, AnalysedScheduler, Answer, Arrivals, System, Test};
use schedlab_model::{Duration, Suspension, Task, Work};

/// Tasks of these costs, periods and relative deadlines in milliseconds.
fn tasks(rows: &[(u64, u64, u64)]) -> Vec<Task> {
    let task = |&(cost, period, due): &(u64, u64, u64)| {
        Task::constrained(Work::from_ns(cost * 1_000_000), Duration::from_ms(period), Duration::from_ms(due))
    };
    rows.iter().map(task).collect()
}

fn system(tasks: &[Task], processors: u32, order: AnalysedOrder, preemptive: bool) -> System {
    let ranks: Vec<u32> = (0..tasks.len() as u32).collect();
    let arrivals = Arrivals::Sporadic;
    let scheduler = AnalysedScheduler { order, preemptive, ranks: &ranks, points: &[], arrivals };
    System::global(tasks, processors, &scheduler).unwrap()
}

fn by(test: &Test, system: &System) -> (Answer, String) {
    let verdict = (test.run)(system);
    (verdict.answer, verdict.reason.to_string())
}

/// What `test` says of tasks with implicit deadlines.
fn say(test: &Test, rows: &[(u64, u64)], processors: u32, order: AnalysedOrder) -> (Answer, String) {
    let rows: Vec<_> = rows.iter().map(|&(cost, period)| (cost, period, period)).collect();
    by(test, &system(&tasks(&rows), processors, order, true))
}

fn proved(said: &str) -> (Answer, String) {
    (Answer::Schedulable, said.to_owned())
}

fn open(said: &str) -> (Answer, String) {
    (Answer::Unknown, said.to_owned())
}

fn refuted(said: &str) -> (Answer, String) {
    (Answer::Unschedulable, said.to_owned())
}

/// Liu and Layland's bound for three tasks is 0.7798, and 1/4 + 1/3 + 1/5 = 0.7833, of which the hyperbolic product is
/// 5/4 4/3 6/5 = 2.
#[test]
fn rate_monotonic_bounds_say_both_sides() {
    let fp = AnalysedOrder::FixedPriority;
    let harmonic = [(1, 4), (1, 4), (1, 4)];
    let more = [(1, 4), (2, 6), (2, 10)];
    assert_eq!(
        say(&liu_layland::TEST, &harmonic, 1, fp),
        proved("the utilization is 75%, at most 77.98%, n(2^(1/n) - 1) for n = 3")
    );
    assert_eq!(
        say(&liu_layland::TEST, &more, 1, fp),
        open("the utilization is 78.33%, above 77.98%, n(2^(1/n) - 1) for n = 3")
    );
    assert_eq!(say(&hyperbolic::TEST, &more, 1, fp), proved("the product of (U_i + 1) is 2, at most 2"));
    assert_eq!(
        say(&hyperbolic::TEST, &[(1, 2), (2, 5)], 1, fp),
        open("the product of (U_i + 1) is 2.1, above 2")
    );
    assert_eq!(
        say(&response_time::TEST, &more, 1, fp),
        proved("no response time is above its relative deadline; closest: T0, 1 ms of 4 ms")
    );
    assert_eq!(
        say(&response_time::TEST, &[(1, 2), (3, 5)], 1, fp),
        refuted("T1 and what goes before it need 110%, above 100%")
    );
    assert_eq!(
        say(&response_time::TEST, &[(2, 4), (3, 6)], 1, fp),
        refuted("T1 may take 7 ms, but has 6 ms")
    );
}

/// 5 units are due within 4; the density of (2, 10, 4) and (1, 4, 4) is 3/4.
#[test]
fn demand_says_the_interval_and_what_is_due() {
    let edf = AnalysedOrder::Edf;
    let of = |rows: &[_], preemptive| system(&tasks(rows), 1, edf, preemptive);
    assert_eq!(
        by(&qpa::TEST, &of(&[(3, 10, 4), (2, 10, 4)], true)),
        refuted("within 4 ms, 5 ms of work may be due")
    );
    assert_eq!(
        by(&qpa::TEST, &of(&[(2, 10, 4), (1, 4, 4)], true)),
        proved("the densities add up to 75%, at most 100%")
    );
    // Both jobs take 4 together: no busy period is longer.
    assert_eq!(
        by(&qpa::TEST, &of(&[(3, 10, 4), (1, 12, 3)], true)),
        proved("no demand exceeds its time below 4 ms")
    );
    assert_eq!(
        by(&qpa::TEST, &of(&[(5, 10, 4)], true)),
        refuted("a job of T0 alone may need 5 ms, but has 4 ms")
    );
    for test in [&qpa::TEST, &edf_utilization::TEST, &overload::HARD] {
        assert_eq!(
            say(test, &[(2, 3), (2, 5)], 1, edf),
            refuted("the utilization is 106.67%, above 100%"),
            "{}",
            test.name
        );
    }
    assert_eq!(
        say(&edf_utilization::TEST, &[(1, 3), (1, 6)], 1, edf),
        proved("the utilization is 50%, at most 100%")
    );
    assert_eq!(
        say(&overload::SOFT, &[(1, 3), (1, 6)], 1, edf),
        open("no necessary condition is violated: the utilization is 50%, at most 100%")
    );
    // The longer job has begun a nanosecond before.
    assert_eq!(
        by(&nonpreemptive_edf::DEMAND, &of(&[(1, 10, 2), (4, 10, 10)], false)),
        refuted("4999.999 us of work may delay what is due within 2 ms")
    );
}

/// Three tasks that need two of three units each, on two processors: all tests refuse them, each in its own numbers.
#[test]
fn tests_of_global_edf_say_what_they_compare() {
    let of = |test| say(test, &[(2, 3); 3], 2, AnalysedOrder::Edf);
    assert_eq!(
        of(&gfb::TEST),
        open("the densities add up to 200%, above 133.33%, m - (m - 1) times the largest")
    );
    assert_eq!(
        of(&baker::TEST),
        open("the loads before a deadline of T0 add up to 200%, above 133.33%, m (1 - C/D) + C/D")
    );
    // min(2, 1) of each of the two others.
    assert_eq!(
        of(&bcl::TEST),
        open("within 3 ms up to a deadline of T0, 2 ms of work may go before it, but it has to be less than 2 ms")
    );
    // min(2, 1 ms and 1 ns) of each of two, by two.
    assert_eq!(
        of(&bcl_iterative::TEST),
        open("a job of T0 may be delayed by 1000.001 us, but has 1 ms to spare")
    );
    // 2 ms of each of two, by two, as no job of theirs is done before.
    assert_eq!(
        of(&bertogna_cirinei_edf::TEST),
        open("the bound on a response of T0 is 4 ms or more, but it has 3 ms")
    );
    assert_eq!(of(&load::TEST), open("the load is not below the utilization, 200%, above 100%"));
    assert_eq!(
        of(&ff_dbf::TEST),
        open("the utilization is 200%, above 133.33%, m - (m - 1) times the least speed that is left")
    );
    assert_eq!(of(&one_each::TEST), open("there are more tasks (3) than processors (2)"));
    let three = |processors| say(&devi_anderson::TEST, &[(2, 3); 3], processors, AnalysedOrder::Edf);
    assert_eq!(three(1), open("the utilization is 200%, above 100%"));
}

/// A job of T0 that is due 11 ms after both processors became busy waits for 1 ms at most: T1 counts with a nanosecond
/// more, and T2 with its 1 ms.
#[test]
fn intervals_say_demand_and_room() {
    let of = |test: &Test, rows: &[_]| by(test, &system(&tasks(rows), 2, AnalysedOrder::Edf, true));
    let rows = [(10, 20, 10), (10, 20, 10), (1, 20, 10)];
    assert_eq!(
        of(&baruah::TEST, &rows),
        open("within 11 ms up to a deadline of T0, 2000.001 us of work may go before it, but there is room for 2 ms")
    );
    // At the speed 1 there is room for as much as the time, and 21 ms are due within any time from 10 ms on.
    assert_eq!(
        of(&ff_dbf::TEST, &[(10, 40, 10), (10, 40, 10), (1, 40, 10)]),
        open("within 20999.999 us, 21 ms of work may be due, but there is room for 20999.999 us")
    );
    assert_eq!(of(&load::TEST, &rows), open("the load is not below the utilization, 105%, above 100%"));
    assert_eq!(
        of(&load::TEST, &[(3, 20, 4), (3, 20, 4), (3, 20, 4)]),
        open("within 8999.999 us, 9 ms of work may be due: a load of 100.00001%, above 100%")
    );
    assert_eq!(of(&load::TEST, &[(1, 4, 4), (1, 4, 4), (1, 4, 4)]), proved("the load is at most 150%"));
}

#[test]
fn fixed_priorities_say_how_long_a_response_is() {
    let fp = AnalysedOrder::FixedPriority;
    for test in [&guan::TEST, &bertogna_cirinei_fp::TEST] {
        assert_eq!(
            say(test, &[(2, 4), (2, 4), (3, 4)], 2, fp),
            open("the bound on a response of T2 is 5 ms or more, but it has 4 ms"),
            "{}",
            test.name
        );
        assert_eq!(
            say(test, &[(2, 4), (2, 4), (1, 4)], 2, fp),
            proved("no response time is above its relative deadline; closest: T2, 3 ms of 4 ms"),
            "{}",
            test.name
        );
    }
    let mut suspending = tasks(&[(2, 4, 4), (2, 5, 5)]);
    suspending[1].suspension = Suspension::Dynamic(Duration::from_ms(2));
    assert_eq!(
        by(&suspension_aware::TEST, &system(&suspending, 1, fp, true)),
        open("T1 is not known to respond within its period of 5 ms")
    );
}
