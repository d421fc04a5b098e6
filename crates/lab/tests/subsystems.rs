//! Subsystems in budget servers: schedules by hand, what is proved of them against what is simulated, and isolation.

use crate::servers::simulated;
use schedlab_analysis::supply::{BoundedDelay, ExplicitDeadline, PeriodicResource, Supply};
use schedlab_analysis::Answer;
use schedlab_lab::{analyze, findings, Finding, Prepared};
use schedlab_model::{Duration, Instant, JobId};
use schedlab_policy::servers::ServerKind;
use schedlab_scenario::{Scenario, ServerSpec};
use schedlab_trace::{Record, Timeline};
use schedlab_workload::Random;
use std::collections::BTreeMap;

/// A task in milliseconds: its name, WCET and period, and further fields.
struct Row<'a>(&'a str, u64, u64, &'a str);

/// A scenario under `scheduler` with servers (name, kind, budget, period, further fields).
fn text(
    scheduler: &str,
    horizon: u64,
    servers: &[(&str, &str, u64, u64, &str)],
    tasks: &[Row<'_>],
) -> String {
    let mut text = format!("schedlab = 1\nhorizon = \"{horizon} ms\"\nscheduler = \"{scheduler}\"\n");
    for (name, kind, budget, period, more) in servers {
        text += &format!(
            "[[server]]\nname = \"{name}\"\nkind = \"{kind}\"\nbudget = \"{budget} ms\"\nperiod = \"{period} ms\"\n{more}\n"
        );
    }
    for Row(name, wcet, period, more) in tasks {
        text +=
            &format!("[[task]]\nname = \"{name}\"\nwcet = \"{wcet} ms\"\nperiod = \"{period} ms\"\n{more}\n");
    }
    text
}

fn prepared(text: &str) -> Prepared {
    let scenario = Scenario::parse("case", text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    Prepared::new(&scenario).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The finding of theory.
fn proved(prepared: &Prepared) -> Finding {
    findings(prepared, &analyze(prepared).expect("it can be analysed")).swap_remove(0)
}

/// Letters of the names of the tasks that execute, one for each millisecond.
fn drawn(prepared: &Prepared, length: usize) -> String {
    let mut row = vec!['.'; length];
    for (at, record) in &simulated(prepared).records {
        let letter = match record {
            Record::Dispatch { job, .. } => prepared.scenario.task_name(job.task).chars().next().unwrap(),
            Record::Preempt { .. } | Record::Complete { .. } => '.',
            _ => continue,
        };
        row[(at.as_ns() / 1_000_000).min(length as u64) as usize..].fill(letter);
    }
    row.into_iter().collect()
}

/// By task: the longest response time in the run, and whether a job was late.
fn observed(prepared: &Prepared, timeline: &Timeline) -> Vec<(Duration, bool)> {
    let mut arrivals: BTreeMap<JobId, Instant> = BTreeMap::new();
    let mut found = vec![(Duration::ZERO, false); prepared.tasks.len()];
    for (at, record) in &timeline.records {
        match record {
            Record::Arrival { job, .. } => drop(arrivals.insert(*job, *at)),
            Record::Complete { job } => {
                let longest = &mut found[job.task.index()].0;
                *longest = (*longest).max(*at - arrivals[job]);
            }
            Record::Miss { job } => found[job.task.index()].1 = true,
            _ => {}
        }
    }
    found
}

fn index_of(prepared: &Prepared, name: &str) -> usize {
    prepared.scenario.tasks.iter().position(|task| task.name == name).expect("the task is there")
}

fn longest(prepared: &Prepared, name: &str) -> u64 {
    observed(prepared, &simulated(prepared))[index_of(prepared, name)].0.as_ns() / 1_000_000
}

/// The example in the header of the periodic server: its budget passes where no client's job is pending.
#[test]
fn a_periodic_server_lets_its_budget_pass() {
    let job = |name, cost, at| {
        Row(name, cost, 1_000, {
            let more = format!("server = \"s\"\narrival = {{ at = [\"{at} ms\"] }}");
            Box::leak(more.into_boxed_str())
        })
    };
    let tasks = [Row("a", 1, 4, ""), job("s0", 2, 2), job("s1", 1, 8), job("s2", 2, 12)];
    for (scheduler, expected) in [("P-RM", "a.s.as..a.s.a..sas.."), ("P-EDF", "a.s.as..a.s.a..sas..")] {
        let prepared = prepared(&text(scheduler, 20, &[("s", "periodic", 2, 5, "")], &tasks));
        assert_eq!(drawn(&prepared, 20), expected, "{scheduler}");
    }
}

/// In one server (3, 6) and alone: x (2, 6) and y (4, 24). By EDF, y goes first at 12 with the deadline 17 before 18,
/// and by RM x does.
#[test]
fn clients_are_ordered_by_the_scheduler_of_their_server() {
    let tasks = [Row("x", 2, 6, "server = \"s\""), Row("y", 4, 24, "server = \"s\"\ndeadline = \"17 ms\"")];
    let of = |order: &str| {
        let more = format!("order = \"{order}\"");
        drawn(&prepared(&text("P-RM", 24, &[("s", "periodic", 3, 6, &more)], &tasks)), 24)
    };
    assert_eq!(of("EDF"), "xxy...xxy...yyx...xxx...");
    assert_eq!(of("RM"), "xxy...xxy...xxy...xxy...");
    // First come, first served: y arrives with the first x and before all others.
    assert_eq!(of("arrival"), "xxy...yyy...xxx...xxx...");
}

/// A client of cost 1 in a server (2, 10): its budget passes at 0, the next one comes at the end of its period. The
/// bound is the longest wait of twice 8, and 1. A polling server makes the client wait for longer than that.
#[test]
fn the_least_supply_is_reached() {
    let tasks = [
        Row("high", 8, 10, "arrival = { at = [\"10 ms\"] }"),
        Row("x", 1, 40, "server = \"s\"\narrival = { at = [\"2 ms\"] }"),
    ];
    let periodic = prepared(&text("P-RM", 40, &[("s", "periodic", 2, 10, "order = \"RM\"")], &tasks));
    let finding = proved(&periodic);
    assert_eq!(finding.answer, Answer::Schedulable, "{}", finding.reason);
    assert_eq!(finding.response_times.unwrap()[1], Some(Duration::from_ms(17)));
    assert_eq!(longest(&periodic, "x"), 17);
    // With the budget by 5 of the period's begin, nothing above the server may take longer than 3.
    let tight = [
        Row("high", 3, 10, "deadline = \"3 ms\"\narrival = { at = [\"10 ms\"] }"),
        Row("x", 1, 40, "server = \"s\"\narrival = { at = [\"2 ms\"] }"),
    ];
    let more = "order = \"EDF\"\ndeadline = \"5 ms\"";
    let explicit = prepared(&text("P-EDF", 40, &[("s", "periodic", 2, 10, more)], &tight));
    assert_eq!(proved(&explicit).answer, Answer::Schedulable);
    assert_eq!(longest(&explicit, "x"), 12, "P + D - 2 Q, and 1");
    let late = [
        Row("high", 8, 10, "arrival = { at = [\"10 ms\"] }"),
        Row("x", 1, 40, "server = \"s\"\noffset = \"0 ms\"\narrival = { at = [\"1 ms\"] }"),
    ];
    let polling = prepared(&text("P-RM", 40, &[("s", "polling", 2, 10, "order = \"RM\"")], &late));
    assert_eq!(longest(&polling, "x"), 18);
    let finding = proved(&polling);
    assert_eq!(finding.answer, Answer::Schedulable);
    // The delay of 18, and 1 at a rate of 1/5.
    assert_eq!(finding.response_times.unwrap()[1], Some(Duration::from_ms(23)));
}

/// Two servers (2, 10) that have used 20 by the time of 20: the soft one's deadline is then 110, behind that of a task
/// that executes for 64.
#[test]
fn a_soft_server_does_not_supply_as_a_periodic_resource() {
    let tasks = [
        Row("long", 64, 80, "offset = \"20 ms\""),
        Row("x", 1, 40, "server = \"s\"\npriority = 0\narrival = { at = [\"20 ms\"] }"),
        Row("hog", 20, 200, "server = \"s\"\npriority = 1\ndeadline = \"200 ms\""),
    ];
    let of = |kind| prepared(&text("P-EDF", 200, &[("s", kind, 2, 10, "order = \"FP\"")], &tasks));
    let soft = of("soft-cbs");
    assert_eq!(longest(&soft, "x"), 65);
    let finding = proved(&soft);
    assert_eq!(finding.answer, Answer::Unknown);
    assert!(finding.reason.to_string().contains("soft-cbs is none of"), "{}", finding.reason);
    let hard = of("hard-cbs");
    assert!(longest(&hard, "x") <= 17, "twice 8, and 1");
    assert_eq!(proved(&hard).answer, Answer::Schedulable);
}

#[test]
fn reasons_say_what_does_not_fit() {
    let servers = |budget, order| [("s", "periodic", budget, 10, order)];
    let x = |high, wcet, deadline| {
        let more: &str = Box::leak(format!("server = \"s\"\ndeadline = \"{deadline} ms\"").into_boxed_str());
        [Row("high", 5, high, ""), Row("x", wcet, 20, more)]
    };
    for (scheduler, high, budget, order, wcet, deadline, words) in [
        ("P-EDF", 10, 5, "order = \"EDF\"", 11, 20, "need more than its bandwidth"),
        (
            "P-EDF",
            10,
            5,
            "order = \"EDF\"",
            8,
            15,
            "in 15 ms, the clients of server \"s\" may need 8 ms, and it may supply only 5 ms",
        ),
        ("P-RM", 10, 5, "order = \"DM\"", 8, 15, "a job of \"x\" may be late in server \"s\""),
        ("P-RM", 9, 6, "order = \"DM\"", 1, 20, "may not have had its budget by its deadline"),
        ("P-EDF", 10, 6, "order = \"DM\"", 1, 20, "on processor 0, tasks and periodic servers may need more"),
        ("P-EDF", 10, 5, "", 1, 20, "serves first come, first served"),
    ] {
        let prepared = prepared(&text(scheduler, 40, &servers(budget, order), &x(high, wcet, deadline)));
        let finding = proved(&prepared);
        assert_eq!(finding.answer, Answer::Unknown);
        let said = finding.reason.in_words(&prepared.scenario);
        assert!(said.contains(words), "{said}");
    }
}

/// Two servers with subsystems and up to two other tasks, at random. `many` times the WCETs of the first subsystem.
fn random_system(random: &mut Random, many: u64) -> String {
    let is_edf = random.below(2) == 0;
    let scheduler = if is_edf { "P-EDF" } else { ["P-RM", "P-DM"][random.below(2) as usize] };
    let (mut rows, mut servers) = (String::new(), String::new());
    let plain = random.below(3);
    for index in 0..plain {
        let period = random.between(6, 40);
        let wcet = random.between(1, 1 + period / 6);
        rows += &format!("[[task]]\nname = \"p{index}\"\nwcet = \"{wcet} ms\"\nperiod = \"{period} ms\"\n");
        rows += &format!("offset = \"{} ms\"\n", random.below(period));
    }
    for server in ["s", "t"] {
        let period = random.between(4, 12);
        let budget = random.between(1, period / 2);
        let other = if is_edf { "hard-cbs" } else { "polling" };
        let kind = ["periodic", "periodic", other][random.below(3) as usize];
        let order = ["EDF", "RM", "DM", "FP"][random.below(4) as usize];
        servers += &format!("[[server]]\nname = \"{server}\"\nkind = \"{kind}\"\norder = \"{order}\"\n");
        servers += &format!("budget = \"{budget} ms\"\nperiod = \"{period} ms\"\n");
        if kind == "periodic" && random.below(2) == 0 {
            servers += &format!("deadline = \"{} ms\"\n", random.between(budget, period));
        }
        let clients = random.between(1, 3);
        for client in 0..clients {
            let spaced = random.between(3 * period, 12 * period);
            let most = (spaced * budget / period / clients).max(1);
            let wcet = random.between(1, most);
            let due = random.between((spaced / 2).max(wcet), spaced * 3 / 2);
            let cost = if server == "s" { wcet * many } else { wcet };
            rows += &format!("[[task]]\nname = \"{server}{client}\"\nserver = \"{server}\"\n");
            rows += &format!("wcet = \"{cost} ms\"\nperiod = \"{spaced} ms\"\ndeadline = \"{due} ms\"\n");
            rows += &format!("wcet_may_exceed_deadline = {}\n", many > 1);
            if order == "FP" {
                rows += &format!("priority = {}\n", random.below(3));
            }
            let (mut at, mut arrivals, late) = (random.below(40), Vec::new(), random.below(2) * 20);
            while at < 600 {
                arrivals.push(format!("\"{at} ms\""));
                at += spaced + random.below(late + 1);
            }
            rows += &format!("arrival = {{ at = [{}] }}\n", arrivals.join(", "));
        }
    }
    format!("schedlab = 1\nseed = 7\nhorizon = \"600 ms\"\nscheduler = \"{scheduler}\"\n{servers}{rows}")
}

/// By millisecond: whether a client of the server called `name` executes.
fn executed(prepared: &Prepared, timeline: &Timeline, name: &str, length: usize) -> Vec<bool> {
    let mut row = vec![false; length];
    for (at, record) in &timeline.records {
        let is_client = match record {
            Record::Dispatch { job, .. } => {
                prepared.scenario.tasks[job.task.index()].server.as_deref() == Some(name)
            }
            Record::Preempt { .. } | Record::Complete { .. } => false,
            _ => continue,
        };
        row[(at.as_ns() / 1_000_000).min(length as u64) as usize..].fill(is_client);
    }
    row
}

/// By millisecond: whether a job of a client of the server called `name` is pending.
fn pending(prepared: &Prepared, timeline: &Timeline, name: &str, length: usize) -> Vec<bool> {
    let mut row = vec![0; length + 1];
    let is_client = |job: &JobId| prepared.scenario.tasks[job.task.index()].server.as_deref() == Some(name);
    for (at, record) in &timeline.records {
        let at = (at.as_ns() / 1_000_000).min(length as u64) as usize;
        match record {
            Record::Arrival { job, .. } if is_client(job) => {
                row[at..].iter_mut().for_each(|count| *count += 1)
            }
            Record::Complete { job } if is_client(job) => row[at..].iter_mut().for_each(|count| *count -= 1),
            _ => {}
        }
    }
    row[..length].iter().map(|count| *count > 0).collect()
}

/// The least supply of a server in milliseconds, as its kind promises.
fn supply_of(server: &ServerSpec) -> Box<dyn Supply> {
    let ms = |length: Duration| length.as_ns() / 1_000_000;
    let [budget, period, deadline] =
        [server.budget.at_unit_speed(), server.period, server.relative_deadline].map(ms);
    match server.kind {
        // A hard server supplies as a periodic resource, too: more than the bounded delay that is relied on.
        ServerKind::HardConstantBandwidth => Box::new(PeriodicResource::new(budget, period)),
        ServerKind::Polling => Box::new(BoundedDelay::new((budget, period), (2 * period - budget).into())),
        _ => Box::new(ExplicitDeadline::new(budget, period, deadline)),
    }
}

/// Checks in every interval in which clients are pending that they executed for no less than the least supply, and in
/// every period of a periodic server that they executed for no more than its budget. Returns the number of intervals in
/// which they executed for just that.
fn check_supply(prepared: &Prepared, timeline: &Timeline, length: usize, what: &str) -> u64 {
    let mut reached = 0;
    for server in &prepared.scenario.servers {
        let supply = supply_of(server);
        let is_executed = executed(prepared, timeline, &server.name, length);
        let is_pending = pending(prepared, timeline, &server.name, length);
        let mut sums = vec![0u128; length + 1];
        for (at, is_executed) in is_executed.iter().enumerate() {
            sums[at + 1] = sums[at] + u128::from(*is_executed);
        }
        for from in 0..length {
            for to in (from..length).take_while(|to| is_pending[*to]) {
                let (seen, least) = (sums[to + 1] - sums[from], supply.within((to + 1 - from) as u128));
                assert!(
                    seen >= least,
                    "{} supplied {seen} of {least} in [{from}, {to}]: {what}",
                    server.name
                );
                reached += u64::from(least > 0 && seen == least);
            }
        }
        if server.kind == ServerKind::Periodic {
            let budget = u128::from(server.budget.as_ns() / 1_000_000);
            for begin in (0..length).step_by((server.period.as_ns() / 1_000_000) as usize) {
                let end = (begin + (server.period.as_ns() / 1_000_000) as usize).min(length);
                assert!(sums[end] - sums[begin] <= budget, "{} has too much: {what}", server.name);
            }
        }
    }
    reached
}

/// What is proved holds in simulation, and each server supplies what it promises. Then the first subsystem overruns:
/// the others are in time all the same, and have their supplies.
#[test]
fn what_is_proved_holds_and_overruns_delay_no_others() {
    let (mut schedulable, mut late_inside, mut reached) = (0, 0, 0);
    for system in 0..1_500 {
        let of = |many| random_system(&mut Random::new(11, *b"Subsyste", system), many);
        let stated = of(1);
        let prepared_as_stated = prepared(&stated);
        let finding = proved(&prepared_as_stated);
        if finding.answer != Answer::Schedulable {
            continue;
        }
        schedulable += 1;
        let timeline = simulated(&prepared_as_stated);
        let seen = observed(&prepared_as_stated, &timeline);
        reached += check_supply(&prepared_as_stated, &timeline, 600, &stated);
        let bounds = finding.response_times.unwrap_or_else(|| vec![None; seen.len()]);
        for (index, ((longest, is_late), bound)) in seen.iter().zip(&bounds).enumerate() {
            assert!(!is_late, "task {index} is late in system {system}:\n{stated}");
            let is_within = bound.is_none_or(|bound| *longest <= bound);
            assert!(is_within, "task {index}: {longest} is beyond {bound:?} in system {system}:\n{stated}");
        }
        let overrun = of(5);
        let prepared_over = prepared(&overrun);
        let timeline = simulated(&prepared_over);
        let seen = observed(&prepared_over, &timeline);
        reached += check_supply(&prepared_over, &timeline, 600, &overrun);
        for (task, (_, is_late)) in prepared_over.scenario.tasks.iter().zip(seen) {
            let is_first = task.server.as_deref() == Some("s");
            late_inside += u32::from(is_late && is_first);
            assert!(is_first || !is_late, "{} is late in system {system}:\n{overrun}", task.name);
        }
    }
    assert!(schedulable > 100, "only {schedulable} systems are proved");
    assert!(reached > 1_000, "the least supply is reached in only {reached} intervals");
    assert!(late_inside > 100, "only {late_inside} tasks overran so much that they are late");
}

/// The test is no weaker than it has to be: with a nanosecond less than the least budget, some system misses a deadline
/// of a hand-made worst case. The client needs 3 in 25; the server (3, 10) supplies 3 in 17 at least.
#[test]
fn a_budget_below_the_least_makes_a_client_late() {
    let of = |budget: &str, high: &str| {
        let mut text = text(
            "P-RM",
            60,
            &[("s", "periodic", 3, 10, "order = \"EDF\"")],
            &[
                Row("high", 7, 10, "arrival = { at = [\"10 ms\"] }"),
                Row("x", 3, 40, "server = \"s\"\ndeadline = \"17 ms\"\narrival = { at = [\"3 ms\"] }"),
            ],
        );
        text = text.replace("budget = \"3 ms\"", &format!("budget = \"{budget}\""));
        prepared(&text.replace("wcet = \"7 ms\"", &format!("wcet = \"{high}\"")))
    };
    let enough = of("3 ms", "7 ms");
    assert_eq!(proved(&enough).answer, Answer::Schedulable);
    assert!(!observed(&enough, &simulated(&enough))[1].1);
    let less = of("2.999999 ms", "7.000001 ms");
    let finding = proved(&less);
    assert_eq!(finding.answer, Answer::Unknown, "{}", finding.reason);
    assert!(observed(&less, &simulated(&less))[1].1, "it is late");
}
