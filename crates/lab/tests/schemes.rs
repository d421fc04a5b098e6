//! Objects with schemes of their own: in one scenario resources are locked, lock-free and wait-free, and some follow
//! its protocol.

use schedlab_analysis::Answer;
use schedlab_lab::{analyze, explain, findings, Assumption, Prepared};
use schedlab_model::{Duration, Instant, JobId, ResourceId, TaskId};
use schedlab_report::invariants::Checker;
use schedlab_scenario::Scenario;
use schedlab_trace::{Record, Timeline};
use std::collections::BTreeMap;
use std::fmt::Write;

fn prepare(text: &str) -> Prepared {
    Prepared::new(&Scenario::parse("test", text).unwrap_or_else(|error| panic!("{error}\n{text}"))).unwrap()
}

fn simulate(prepared: &Prepared) -> Timeline {
    let (mut timeline, mut checker) = (Timeline::default(), Checker::new(&prepared.context()));
    prepared.simulate((&mut timeline, &mut checker), &mut |_| true).unwrap();
    let verdict = checker.finish();
    assert!(verdict.holds(), "{:?}", verdict.outcomes);
    timeline
}

/// Two processors, two tasks that do nothing but access `r`: A from 0 to 3, B from 1 on, for 3 each.
fn two(scheme: &str) -> Prepared {
    let object = format!("[[resource]]\nname = \"r\"\nkind = \"buffer\"\nscheme = \"{scheme}\"\n");
    let task = |name: &str, cpu: u8, before: &str| {
        format!(
            "[[task]]\nname = \"{name}\"\nprocessor = {cpu}\nperiod = \"100 us\"\nprogram = [{before}\"request r\", \
             \"execute 3 us\", \"release r\"]\n"
        )
    };
    let head = "schedlab = 1\nscheduler = \"P-EDF\"\nprotocol = \"mpcp\"\nhorizon = \"100 us\"\nplatform = { processors = 2 }\n";
    prepare(&format!("{head}{object}{}{}", task("A", 0, ""), task("B", 1, "\"execute 1 us\", ")))
}

/// Section 2.2 of block-or-not-2008: under a queue lock B spins from 1 to 3 and is done at 6; lock-free its attempt
/// from 1 to 4 is in vain, since A commits at 3, so that it is done at 7; wait-free none is delayed.
#[test]
fn a_scheme_replaces_the_protocol() {
    let ends = |scheme: &str| -> Vec<u64> {
        let records = simulate(&two(scheme)).records;
        let end = |(at, record): &(Instant, Record)| match record {
            Record::Complete { .. } => Some(at.as_ns() / 1_000),
            _ => None,
        };
        records.iter().filter_map(end).collect()
    };
    assert_eq!(ends("locked"), [3, 6]);
    assert_eq!(ends("lock-free"), [3, 7]);
    assert_eq!(ends("wait-free"), [3, 4]);
}

#[test]
fn why_tells_of_attempts_that_failed() {
    let prepared = two("lock-free");
    let timeline = simulate(&prepared);
    let why = schedlab_report::why::why(&prepared.context(), JobId::new(TaskId(1), 0), timeline.records);
    let text = why.unwrap().text(&prepared.context());
    assert!(text.contains("failed attempts on r"), "{text}");
}

/// What it is by the protocol's name and the analysis: one scheme alone is as that protocol; wait-free objects change
/// nothing.
#[test]
fn the_methods_are_those_of_what_is_shared() {
    let methods = |schemes: [&str; 2], protocol: &str| {
        let object = |name: &str, scheme: &str| match scheme {
            "own" => format!("[[resource]]\nname = \"{name}\"\n"),
            _ => format!("[[resource]]\nname = \"{name}\"\nkind = \"heap\"\nscheme = \"{scheme}\"\n"),
        };
        let task = |name: &str, cpu: u8| {
            format!(
                "[[task]]\nname = \"{name}\"\nprocessor = {cpu}\nperiod = \"10 ms\"\nprogram = [\"request r\", \
                 \"execute 30 us\", \"release r\", \"request s\", \"execute 20 us\", \"release s\"]\n"
            )
        };
        let head = format!(
            "schedlab = 1\nscheduler = \"P-RM\"\nprotocol = \"{protocol}\"\nplatform = {{ processors = 2 }}\n"
        );
        let objects = object("r", schemes[0]) + &object("s", schemes[1]);
        let prepared = prepare(&format!("{head}{objects}{}{}", task("a", 0), task("b", 1)));
        let found = analyze(&prepared).unwrap().analysis.unwrap();
        let method = found.blocking.map(|blocking| (blocking.method, blocking.terms[1].total().unwrap()));
        (found.hard, method)
    };
    let schedulable = |method, terms| (Answer::Schedulable, Some((method, terms)));
    // One job of the other task fails an attempt on each.
    assert_eq!(methods(["lock-free", "lock-free"], "mpcp"), schedulable("lock_free_response_time", 50_000));
    assert_eq!(methods(["locked", "locked"], "mpcp"), schedulable("task_fair_response_time", 50_000));
    assert_eq!(methods(["wait-free", "locked"], "mpcp"), schedulable("task_fair_response_time", 20_000));
    assert_eq!(methods(["wait-free", "wait-free"], "mpcp"), (Answer::Schedulable, None));
    // Jobs of the other task within two periods: 2 * 30 for retries, and 20 for the lock.
    assert_eq!(methods(["lock-free", "locked"], "mpcp"), schedulable("task_fair_response_time", 80_000));
    let (hard, mixed) = methods(["lock-free", "own"], "mpcp");
    assert_eq!((hard, mixed.map(|(method, _)| method)), (Answer::Schedulable, Some("mpcp_response_time")));
    // No bound speaks of two protocols that hold jobs up.
    assert_eq!(methods(["locked", "own"], "mpcp"), (Answer::Unknown, None));
}

/// Each answer about a scenario with lock-free objects says once that attempts that fail count, also where a lock's
/// method decides.
#[test]
fn answers_say_that_retries_count() {
    let task = |name: &str, cpu: u8| {
        format!(
            "[[task]]\nname = \"{name}\"\nprocessor = {cpu}\nperiod = \"10 ms\"\nprogram = [\"request r\", \
             \"execute 30 us\", \"release r\", \"request s\", \"execute 20 us\", \"release s\"]\n"
        )
    };
    let said = |scheduler: &str, other: &str, test: &str| {
        let object = |name: &str, scheme: &str| {
            format!("[[resource]]\nname = \"{name}\"\nkind = \"heap\"\nscheme = \"{scheme}\"\n")
        };
        let head = format!("schedlab = 1\nscheduler = \"{scheduler}\"\nplatform = {{ processors = 2 }}\n");
        let objects = object("r", "lock-free") + &object("s", other);
        let prepared = prepare(&format!("{head}{objects}{}{}", task("a", 0), task("b", 1)));
        let found = findings(&prepared, &analyze(&prepared).unwrap());
        let found = found.into_iter().find(|found| found.test == test).unwrap();
        assert_eq!(found.answer, Answer::Schedulable);
        let retries = Assumption::OfTest(schedlab_analysis::Assumption::RetriesAsExecution);
        found.assumptions.iter().filter(|one| **one == retries).count()
    };
    assert_eq!(said("P-EDF", "locked", "task_fair_demand"), 1);
    assert_eq!(said("G-EDF", "locked", "task_fair_oblivious"), 1);
    assert_eq!(said("P-EDF", "lock-free", "lock_free_demand"), 1);
    assert_eq!(said("G-EDF", "wait-free", "lock_free_oblivious"), 1);
}

/// An operation on a queue fails three attempts of another, one on a heap one: so much is added by the one job beside.
#[test]
fn operations_on_queues_fail_several_attempts() {
    let task = |name: &str, cpu: u8| {
        format!(
            "[[task]]\nname = \"{name}\"\nprocessor = {cpu}\nperiod = \"10 ms\"\nprogram = [\"request r\", \
             \"execute 30 us\", \"release r\"]\n"
        )
    };
    let retries = |kind: &str, scheduler: &str, cpus: [u8; 2]| {
        let head = format!(
            "schedlab = 1\nscheduler = \"{scheduler}\"\nplatform = {{ processors = 2 }}\n[[resource]]\nname = \"r\"\n\
             kind = \"{kind}\"\nscheme = \"lock-free\"\n"
        );
        let prepared = prepare(&format!("{head}{}{}", task("a", cpus[0]), task("b", cpus[1])));
        let blocking = analyze(&prepared).unwrap().analysis.unwrap().blocking.unwrap();
        blocking.terms.iter().map(|terms| terms.total().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(retries("heap", "P-RM", [0, 1]), [30_000, 30_000]);
    assert_eq!(retries("queue", "P-RM", [0, 1]), [90_000, 90_000]);
    // The less urgent one may stand within its operation; it is preempted once, within two attempts under way and one
    // more.
    assert_eq!(retries("heap", "P-RM", [0, 0]), [0, 30_000]);
    assert_eq!(retries("queue", "P-RM", [0, 0]), [60_000, 90_000]);
}

#[test]
fn the_breakdown_tells_retries_from_blocking() {
    let task = |name: &str, cpu: u8| {
        format!(
            "[[task]]\nname = \"{name}\"\nprocessor = {cpu}\nperiod = \"10 ms\"\nprogram = [\"request r\", \
             \"execute 30 us\", \"release r\", \"request s\", \"execute 20 us\", \"release s\"]\n"
        )
    };
    let head = "schedlab = 1\nscheduler = \"P-RM\"\nplatform = { processors = 2 }\n[[resource]]\nname = \"r\"\nkind = \"heap\"\n\
                scheme = \"lock-free\"\n[[resource]]\nname = \"s\"\nkind = \"queue\"\nscheme = \"locked\"\n";
    let prepared = prepare(&format!("{head}{}{}", task("a", 0), task("b", 1)));
    let found = analyze(&prepared).unwrap();
    let parts: Vec<String> = explain::explain(&prepared, &found)[0]
        .parts
        .iter()
        .map(|part| format!("{}: {}", part.what.in_words(&prepared.scenario), part.length))
        .collect();
    assert_eq!(parts, ["own work: 50 us", "blocking by b on s: 20 us", "retries of operations on r: 60 us"]);
}

/// Random numbers below a limit each, by xorshift.
pub(crate) fn draws(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move |limit| {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % limit
    }
}

/// A random system: two or three processors, objects of any scheme and mutexes, a few sections in each task.
fn random_text(seed: u64) -> String {
    let mut below = draws(seed);
    let processors = 2 + below(2);
    let (scheduler, protocol) = [
        ("P-RM", "mpcp"),
        ("P-EDF", "msrp"),
        ("P-DM", "fmlp-long"),
        ("G-EDF", "fmlp-short"),
        ("P-RM", "dpcp"),
        ("P-EDF", "fmlp-short"),
        ("G-EDF", "omlp"),
        ("P-RM", "none"),
    ][below(8) as usize];
    let mut text = format!(
        "schedlab = 1\nscheduler = \"{scheduler}\"\nprotocol = \"{protocol}\"\nhorizon = \"4 ms\"\n[platform]\nprocessors = {processors}\n"
    );
    let resources = 1 + below(3);
    for index in 0..resources {
        writeln!(text, "[[resource]]\nname = \"r{index}\"").unwrap();
        let scheme = ["locked", "lock-free", "lock-free", "wait-free", ""][below(5) as usize];
        if !scheme.is_empty() {
            let kind = ["buffer", "queue", "heap"][below(3) as usize];
            writeln!(text, "kind = \"{kind}\"\nscheme = \"{scheme}\"").unwrap();
        }
    }
    for index in 0..2 + below(4) {
        let period = 100 + below(200);
        let mut program = Vec::new();
        for _ in 0..1 + below(2) {
            let (resource, length) = (below(resources), 1 + below(6));
            program.push(format!("\"execute {} us\"", 1 + below(15)));
            program
                .push(format!("\"request r{resource}\", \"execute {length} us\", \"release r{resource}\""));
        }
        let place = if scheduler.starts_with('P') {
            format!("processor = {}\n", index % processors)
        } else {
            String::new()
        };
        let program = program.join(", ");
        writeln!(text, "[[task]]\nname = \"t{index}\"\n{place}period = \"{period} us\"").unwrap();
        writeln!(text, "program = [{program}]").unwrap();
    }
    text
}

/// What was seen of a system that is proved to meet its deadlines.
#[derive(Default)]
struct Seen {
    proved: usize,
    mixed: usize,
    retried: usize,
}

fn hold(seed: u64, seen: &mut Seen) {
    let text = random_text(seed);
    let Ok(prepared) = Prepared::new(&Scenario::parse("test", &text).unwrap()) else { return };
    let analysis = analyze(&prepared).unwrap().analysis.unwrap();
    let timeline = simulate(&prepared);
    if analysis.hard != Answer::Schedulable {
        return;
    }
    seen.proved += 1;
    let tries = |at: &ResourceId| {
        prepared.scenario.resources[at.index()].scheme() == Some(schedlab_model::Scheme::LockFree)
    };
    let locked = prepared.classes.iter().any(|class| *class != schedlab_model::LockingClass::LockFree);
    let mut attempts: BTreeMap<JobId, Instant> = BTreeMap::new();
    let mut in_vain: BTreeMap<JobId, Duration> = BTreeMap::new();
    let mut arrivals: BTreeMap<JobId, Instant> = BTreeMap::new();
    for (at, record) in timeline.records {
        match record {
            Record::Miss { job } => panic!("seed {seed}: {job} is late\n{text}"),
            Record::Arrival { job, .. } => drop(arrivals.insert(job, at)),
            Record::Complete { job } => {
                let bound = analysis.response_times[job.task.index()].unwrap();
                assert!(at - arrivals[&job] <= bound, "seed {seed}: {job}\n{text}");
            }
            Record::Attempt { job, .. } => drop(attempts.insert(job, at)),
            Record::Retry { job, resource } => {
                assert!(tries(&resource), "seed {seed}: {job} retries {resource}");
                let task = &prepared.tasks[job.task.index()];
                *in_vain.entry(job).or_default() += section(task, resource);
            }
            _ => {}
        }
    }
    seen.retried += usize::from(!in_vain.is_empty());
    seen.mixed += usize::from(!in_vain.is_empty() && locked);
    for (job, length) in in_vain {
        let terms = &analysis.blocking.as_ref().unwrap().terms[job.task.index()];
        assert!(length.as_ns() <= terms.remote.unwrap(), "seed {seed}: {job} repeats {length}\n{text}");
    }
}

/// The shortest section of the task on `resource`: a failed attempt takes so long at least.
fn section(task: &schedlab_model::Task, resource: ResourceId) -> Duration {
    use schedlab_model::Step;
    let steps = task.program.windows(2).filter_map(|pair| match pair {
        [Step::Request(asked, _), Step::Execute(work)] if *asked == resource => {
            Some(Duration::from_ns(work.as_ns()))
        }
        _ => None,
    });
    steps.min().unwrap()
}

fn hold_all(seeds: std::ops::Range<u64>) -> Seen {
    let mut seen = Seen::default();
    seeds.for_each(|seed| hold(seed, &mut seen));
    println!("{} proved, {} with retries, {} of these beside locks", seen.proved, seen.retried, seen.mixed);
    seen
}

/// Where a mix is proved to meet its deadlines, no simulated job is late, responds later than its bound, or repeats for
/// longer.
#[test]
fn what_is_proved_of_mixed_schemes_holds_in_simulation() {
    let seen = hold_all(0..500);
    assert!(seen.proved > 400 && seen.retried > 50 && seen.mixed > 20);
}

#[test]
#[ignore = "100,000 systems: each change runs 500, `make soak` these"]
fn soak_what_is_proved_of_mixed_schemes() {
    assert!(hold_all(10_000..110_000).mixed > 1_000);
}
