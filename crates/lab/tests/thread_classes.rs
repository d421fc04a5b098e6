//! Threads of `SCHED_DEADLINE`, `SCHED_FIFO` and ordinary ones in one scenario: simulated, analysed, refused.

use crate::mutexes_random::Plan;
use schedlab_analysis::Answer;
use schedlab_lab::{analyze, findings, KernelParameters, Prepared};
use schedlab_model::{Duration, ThreadClass, Work};
use schedlab_policy::KernelClass;
use schedlab_scenario::Scenario;
use schedlab_trace::{Record, Timeline};
use schedlab_workload::Random;
use std::fmt::Write as _;

/// Returns a scenario of one processor of tasks with a name of one letter and these fields.
fn scenario(tasks: &[(&str, &str)]) -> String {
    let mut text = String::from("schedlab = 1\nscheduler = \"P-SCHED_FIFO\"\nhorizon = \"1 ms\"\n");
    for (name, fields) in tasks {
        let _ = writeln!(text, "[[task]]\nname = \"{name}\"\n{}", fields.replace(", ", "\n"));
    }
    text
}

fn prepared(text: &str) -> Prepared {
    let scenario = Scenario::parse("a.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    Prepared::new(&scenario).unwrap_or_else(|error| panic!("{error}"))
}

/// Draws the task that executes in each of the first microseconds.
fn drawn(text: &str, until: usize) -> String {
    let prepared = prepared(text);
    let mut timeline = Timeline::default();
    prepared.simulate(&mut timeline, &mut |_| true).unwrap();
    let (mut drawn, mut letter) = (String::new(), ".");
    for (at, record) in &timeline.records {
        while drawn.len() < until.min((at.as_ns() / 1_000) as usize) {
            drawn += letter;
        }
        match record {
            Record::Dispatch { job, .. } => letter = &prepared.scenario.tasks[job.task.index()].name,
            Record::Preempt { .. } | Record::Suspend { .. } | Record::Complete { .. } => letter = ".",
            _ => {}
        }
    }
    drawn
}

#[test]
fn classes_go_before_each_other() {
    let text = scenario(&[
        ("O", "class = \"ordinary\", wcet = \"3 us\", period = \"12 us\", priority = 1"),
        ("F", "class = \"fifo\", wcet = \"3 us\", period = \"12 us\", priority = 2"),
        ("D", "class = \"deadline\", wcet = \"2 us\", period = \"6 us\", offset = \"1 us\", priority = 3"),
    ]);
    assert_eq!(drawn(&text, 12), "FDDFFOODDO..");
    assert_eq!(drawn(&text.replace("\"deadline\"", "\"ordinary\""), 12), "FFFOOODDDD..");
}

/// Throttling stops threads of `SCHED_FIFO` alone, and counts what those with reservations execute.
#[test]
fn throttling_stops_fixed_priorities_alone() {
    let of = |tasks: &[(&str, &str)]| {
        let throttled = "{ name = \"P-SCHED_FIFO\", throttling = { runtime = \"4 us\", period = \"8 us\" } }";
        drawn(&scenario(tasks).replace("\"P-SCHED_FIFO\"", throttled), 16)
    };
    let fifo = ("F", "class = \"fifo\", wcet = \"6 us\", period = \"100 us\", priority = 1");
    let ordinary = ("O", "class = \"ordinary\", wcet = \"3 us\", period = \"100 us\", priority = 2");
    // Without classes beside it, F stands still from 4 to 8.
    assert_eq!(of(&[fifo, ordinary]), "FFFFOOO.FF......");
    // What D executes is used, but D does not stop.
    let reserved = |offset: u32| {
        format!("class = \"deadline\", wcet = \"3 us\", period = \"20 us\", offset = \"{offset} us\", priority = 3")
    };
    assert_eq!(of(&[fifo, ordinary, ("D", &reserved(0))]), "DDDFOOO.FFFF....");
    assert_eq!(of(&[fifo, ordinary, ("D", &reserved(5))]), "FFFFODDDFOO.....");
    // Ordinary threads use nothing up.
    let late =
        ("F", "class = \"fifo\", wcet = \"4 us\", period = \"100 us\", offset = \"4 us\", priority = 1");
    let long = ("O", "class = \"ordinary\", wcet = \"6 us\", period = \"100 us\", priority = 2");
    assert_eq!(of(&[late, long]), "OOOOFFFFOO......");
}

/// A job that is released late leaves the next one no budget until the period of its server is over.
#[test]
fn a_used_budget_stops_the_thread() {
    let waits = |class: &str| {
        let fields = format!("class = \"{class}\", wcet = \"2 us\", period = \"6 us\", jitter = \"3 us\"");
        let prepared = prepared(&scenario(&[("D", &fields)]));
        let mut timeline = Timeline::default();
        prepared.simulate(&mut timeline, &mut |_| true).unwrap();
        let (mut ready, mut longest) = (schedlab_model::Instant::ZERO, 0);
        for (at, record) in &timeline.records {
            match record {
                Record::Ready { .. } => ready = *at,
                Record::Dispatch { .. } => longest = (*at - ready).as_ns().max(longest),
                _ => {}
            }
        }
        longest
    };
    assert_eq!(waits("fifo"), 0, "it is alone");
    // Up to the jitter: its server's period begins as much later.
    assert!((1_000..=3_000).contains(&waits("deadline")), "{}", waits("deadline"));
}

/// The earliest deadline goes first, whatever the priorities.
#[test]
fn reservations_go_by_deadline() {
    let text = scenario(&[
        ("A", "class = \"deadline\", wcet = \"3 us\", period = \"20 us\", priority = 1"),
        ("B", "class = \"deadline\", wcet = \"3 us\", period = \"10 us\", offset = \"1 us\", priority = 2"),
    ]);
    assert_eq!(drawn(&text, 8), "ABBBAA..");
}

/// Returns the bounds of the test of open ties, if it proves all deadlines.
fn bounds(prepared: &Prepared) -> Option<Vec<u64>> {
    let all = findings(prepared, &analyze(prepared).unwrap());
    let found = all.into_iter().find(|finding| finding.test == "response_time_any_tie")?;
    (found.answer == Answer::Schedulable).then_some(())?;
    Some(found.response_times?.into_iter().map(|bound| bound.map_or(u64::MAX, Duration::as_ns)).collect())
}

#[test]
fn reservations_delay_fixed_priorities() {
    let tasks = [
        ("F", "wcet = \"3 ms\", period = \"20 ms\", priority = 1"),
        ("G", "wcet = \"4 ms\", period = \"30 ms\", priority = 2"),
        ("D", "class = \"deadline\", wcet = \"2 ms\", period = \"10 ms\", priority = 3"),
    ];
    let text = scenario(&tasks);
    assert_eq!(bounds(&prepared(&text)), Some(vec![5_000_000, 9_000_000, 2_000_000]));
    // With an ordinary thread, the fair server may take time of the others; a thread with jitter may be stopped.
    let more = "name = \"O\"\nwcet = \"1 ms\"\nperiod = \"50 ms\"\nclass = \"ordinary\"\npriority = 4\n";
    let ordinary = format!("{text}[[task]]\n{more}");
    let late = text.replace("priority = 3", "priority = 3\njitter = \"1 ms\"");
    for text in [ordinary, late] {
        let prepared = prepared(&text);
        let all = findings(&prepared, &analyze(&prepared).unwrap());
        assert!(all.iter().all(|finding| finding.answer == Answer::Unknown), "{text}");
    }
}

#[test]
fn each_thread_gets_what_its_class_needs() {
    let text = scenario(&[
        ("F", "wcet = \"3 ms\", period = \"20 ms\", priority = 1"),
        ("D", "class = \"deadline\", wcet = \"2 ms\", period = \"10 ms\", deadline = \"5 ms\", priority = 3"),
        ("O", "class = \"ordinary\", wcet = \"2 ms\", period = \"100 ms\", priority = 2"),
    ])
    .replace("P-SCHED_FIFO", "SCHED_FIFO");
    let found = prepared(&text).kernel_parameters(KernelClass::Fifo).unwrap();
    let (relative_deadline, period) = (Duration::from_ms(5), Duration::from_ms(10));
    let reserved = KernelParameters::Deadline { budget: Work::from_ns(2_000_000), relative_deadline, period };
    assert_eq!(found, [KernelParameters::Fifo(80), reserved, KernelParameters::Ordinary]);
    assert!(prepared(&text).suits_real_run().is_ok());
    let bound =
        prepared(&text.replace("SCHED_FIFO", "P-SCHED_FIFO")).suits_real_run().unwrap_err().to_string();
    assert!(bound.contains("binds no thread of class \"deadline\""), "{bound}");
}

#[test]
fn a_class_is_refused_elsewhere() {
    let text = scenario(&[("D", "class = \"deadline\", wcet = \"2 ms\", period = \"10 ms\"")]);
    let refused = |text: &str| Scenario::parse("a.toml", text).unwrap_err().to_string();
    let said = refused(&text.replace("P-SCHED_FIFO", "G-EDF"));
    assert!(said.contains("a.toml:6:") && said.contains("the kernel's fixed priorities"), "{said}");
    let shares =
        text.replace("wcet = \"2 ms\"", "program = [\"request r\", \"execute 2 ms\", \"release r\"]");
    let said = refused(&shares.replacen("[[task]]", "[[resource]]\nname = \"r\"\n[[task]]", 1));
    assert!(said.contains("between classes are not modelled"), "{said}");
    let said = refused(&text.replace("\"deadline\"", "\"idle\""));
    assert!(said.contains("ordinary"), "{said}");
}

/// How many systems are tried; `CLASS_SYSTEMS` asks for more.
fn systems() -> u64 {
    std::env::var("CLASS_SYSTEMS").map_or(300, |count| count.parse().expect("a whole number"))
}

/// Draws threads with reservations and fixed priorities on one processor.
fn drawn_system(random: &mut Random) -> String {
    let mut text = String::from("schedlab = 1\nscheduler = \"P-SCHED_FIFO\"\nhorizon = \"400 us\"\n");
    for id in 0..random.between(2, 5) {
        let period = 10 + 12 * id + random.below(30);
        let (wcet, class) = (2 + random.below(period / 3), ["fifo", "deadline"][random.below(2) as usize]);
        let deadline = random.between(wcet, period);
        let _ = writeln!(
            text,
            "[[task]]\nname = \"t{id}\"\nclass = \"{class}\"\nwcet = \"{wcet} us\"\nperiod = \"{period} us\"\n\
             deadline = \"{deadline} us\"\npriority = {id}"
        );
    }
    text
}

/// Climbs towards bounds of systems, which are of `claimed` systems. Returns how many are bounded, reached, exceeded.
fn climbed(systems: u64, claimed: impl Fn(Scenario) -> Scenario) -> [u64; 3] {
    let [mut bounded, mut reached, mut exceeded] = [0; 3];
    for index in 0..systems {
        let mut random = Random::new(1, *b"Classes_", index);
        let text = drawn_system(&mut random);
        let scenario = Scenario::parse("drawn", &text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        let has_both =
            ThreadClass::ALL[..2].iter().all(|class| scenario.tasks.iter().any(|task| task.class == *class));
        let of = claimed(scenario.clone());
        let Some(bounds) =
            Some(Prepared::new(&of).unwrap()).filter(|_| has_both).and_then(|one| bounds(&one))
        else {
            continue;
        };
        bounded += 1;
        let (mut exceeds, mut reaches) = (false, false);
        let together =
            Plan { offsets: vec![0; bounds.len()], sporadic: false, cheaper: false, seed: 0, unit: 1_000 };
        for run in 0..20 {
            let plan = match run {
                0 => together.clone(),
                _ => Plan { unit: 1_000, ..Plan::draw(bounds.len(), &mut random) },
            };
            let seen = plan.run(&scenario);
            exceeds |= seen.iter().zip(&bounds).any(|(seen, bound)| seen > bound);
            reaches |= seen.iter().zip(&bounds).any(|(seen, bound)| seen == bound);
        }
        exceeded += u64::from(exceeds);
        reached += u64::from(reaches);
    }
    [bounded, reached, exceeded]
}

#[test]
fn bounds_beside_reservations_hold() {
    let [bounded, reached, exceeded] = climbed(systems(), |scenario| scenario);
    println!("{} systems: {bounded} bounded, {reached} reached, {exceeded} exceeded", systems());
    assert_eq!(exceeded, 0);
    assert!(bounded * 10 > systems() && reached * 2 > bounded, "{bounded} {reached}");
}

/// Bounds of the same tasks with reservations as the least urgent ones of fixed priorities are exceeded.
#[test]
fn wrong_bounds_beside_reservations_are_exceeded() {
    let all_last = |mut scenario: Scenario| {
        for task in scenario.tasks.iter_mut().filter(|task| task.class == ThreadClass::Deadline) {
            // One priority for all, so that the same test bounds them.
            (task.class, task.priority) = (ThreadClass::Fifo, Some(1_000));
        }
        let first = scenario.tasks[0].priority;
        let last = scenario.tasks.last_mut().unwrap();
        if last.priority != Some(1_000) {
            last.priority = first;
        }
        scenario
    };
    let [bounded, _, exceeded] = climbed(300, all_last);
    assert!(exceeded > 0, "{bounded}");
}

/// Linux binds no thread with a reservation to one of several processors, and overheads use reservations up: of both,
/// nothing is proved.
#[test]
fn reservations_are_analysed_on_one_processor_without_overheads() {
    let text = scenario(&[
        ("D", "class = \"deadline\", wcet = \"2 us\", period = \"10 us\", priority = 1, processor = 0"),
        ("F", "class = \"fifo\", wcet = \"3 us\", period = \"12 us\", priority = 2, processor = 0"),
    ]);
    let answer = |text: &str| {
        let found = findings(&prepared(text), &analyze(&prepared(text)).unwrap());
        found.iter().any(|finding| finding.answer == Answer::Schedulable)
    };
    assert!(answer(&text));
    let more = |line: &str| text.replacen("[[task]]", &format!("{line}\n[[task]]"), 1);
    assert!(!answer(&more("[platform]\nprocessors = 2")));
    assert!(!answer(&more("[overheads.all]\ncontext_switch = \"10 ns\"")));
}
