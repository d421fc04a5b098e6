//! Random systems on Linux: no assignment that advice calls schedulable misses a deadline under the model of
//! `SCHED_FIFO`, and wrong advice is found out.

use schedlab_lab::advise::linux::LinuxPlan;
use schedlab_lab::{sensitivity, Catalog, Prepared};
use schedlab_model::{Instant, MutexProtocol};
use schedlab_scenario::Scenario;
use schedlab_trace::Timeline;
use schedlab_workload::Random;
use std::fmt::Write as _;

/// How many systems are tried; `LINUX_SYSTEMS` asks for more.
fn systems() -> u64 {
    std::env::var("LINUX_SYSTEMS").map_or(300, |count| count.parse().expect("a whole number"))
}

/// Draws tasks with sections that do not nest, on one processor or two; some are bound, some state priorities.
fn drawn(random: &mut Random) -> Scenario {
    let (processors, resources) = (random.between(1, 2), random.below(3));
    let mut text = format!(
        "schedlab = 1\nscheduler.name = \"P-FP\"\nscheduler.priorities = \"{}\"\nhorizon = \"600 ns\"\n\
         platform.processors = {processors}\n",
        if random.below(2) == 0 { "RM" } else { "DM" }
    );
    for id in 0..resources {
        let _ = writeln!(text, "[[resource]]\nname = \"R{id}\"");
    }
    let tasks = random.between(2, 5);
    for id in 0..tasks {
        let period = random.between(15, 70);
        let mut steps = Vec::new();
        for _ in 0..random.between(1, 3) {
            let length = random.between(1, 4);
            match random.below(3) {
                0 if resources > 0 => {
                    let resource = random.below(resources);
                    steps.push(format!(
                        "\"request R{resource}\", \"execute {length} ns\", \"release R{resource}\""
                    ));
                }
                _ => steps.push(format!("\"execute {length} ns\"")),
            }
        }
        let deadline = random.between(14, period);
        let _ = writeln!(
            text,
            "[[task]]\nname = \"t{id}\"\nperiod = \"{period} ns\"\ndeadline = \"{deadline} ns\"\nprogram = [{}]",
            steps.join(", ")
        );
        if random.below(4) == 0 {
            let _ = writeln!(text, "processor = {}", random.below(processors));
        }
        if random.below(8) == 0 {
            let _ = writeln!(text, "priority = {}", random.below(4));
        }
    }
    Scenario::parse("a.toml", &text).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// Returns the scenario with other offsets.
fn moved(scenario: &Scenario, random: &mut Random) -> Scenario {
    let mut moved = scenario.clone();
    for task in &mut moved.tasks {
        task.offset = Instant::from_ns(random.below(40));
    }
    moved
}

/// Returns whether a job is late in a run; `None` if no model stands for the class.
fn is_late(scenario: &Scenario) -> Option<bool> {
    let prepared = Prepared::new(scenario).unwrap_or_else(|error| panic!("{error}\n{}", scenario.to_toml()));
    let found = prepared.simulate(&mut Timeline::default(), &mut |_| true);
    found.ok().map(|counted| counted.jobs_missed > 0)
}

fn is_proved(scenario: &Scenario) -> bool {
    Prepared::for_analysis(scenario, &Catalog::shipped())
        .is_ok_and(|prepared| sensitivity::is_proved(&prepared))
}

/// Returns a wrong claim made of a right one: that mutexes need no protocol.
fn without_protocols(scenario: &Scenario) -> Scenario {
    let mut wrong = scenario.clone();
    let stated = wrong.resources.iter_mut().filter(|spec| spec.protocol.is_some());
    stated.for_each(|spec| spec.protocol = Some(MutexProtocol::None));
    wrong
}

/// Returns another wrong claim: that the order of the threads does not matter.
fn upside_down(scenario: &Scenario) -> Scenario {
    let mut wrong = scenario.clone();
    wrong.tasks.iter_mut().for_each(|task| task.priority = task.priority.map(|number| 99 - number));
    wrong
}

#[test]
fn no_assignment_that_is_advised_misses_a_deadline() {
    let mut random = Random::new(52, *b"onlinux ", 0);
    let (mut advised, mut runs, mut unknown) = (0u64, 0u64, 0u64);
    let (mut late_without, mut late_upside_down) = (0u64, 0u64);
    for _ in 0..systems() {
        let plan = LinuxPlan::of(&drawn(&mut random), &Catalog::shipped());
        for index in 0..plan.ways() {
            let Ok(made) = plan.made(index) else { continue };
            if !plan.is_proved(index) {
                unknown += 1;
                continue;
            }
            advised += 1;
            for round in 0..3 {
                let run = if round == 0 { made.clone() } else { moved(made, &mut random) };
                let Some(late) = is_late(&run) else { continue };
                runs += 1;
                assert!(!late, "{}", run.to_toml());
            }
            let run = moved(made, &mut random);
            for (wrong, found) in
                [(without_protocols(&run), &mut late_without), (upside_down(&run), &mut late_upside_down)]
            {
                if wrong != run && !is_proved(&wrong) && is_late(&wrong) == Some(true) {
                    *found += 1;
                }
            }
        }
    }
    println!(
        "{} systems: {advised} ways advised, {runs} runs, {unknown} not proved; wrong advice that was late: \
         {late_without} without protocols, {late_upside_down} upside down",
        systems()
    );
    assert!(advised > 4 * systems() && runs > 4 * systems() && unknown > systems());
    assert!(late_without > 0 && late_upside_down > 20, "{late_without} {late_upside_down}");
}
