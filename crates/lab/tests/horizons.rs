//! A trace may end anywhere: every scheduler and every locking protocol keeps its promises up to random horizons.
//!
//! Each random scenario is simulated whole, then again up to some of the instants at which something happens, and up to
//! others: where a horizon cuts a job, a quantum or a section, what was promised holds until then, and what happened
//! before is the same.

use schedlab_lab::Prepared;
use schedlab_lock::ALL_PROTOCOLS;
use schedlab_model::{Instant, OrderClass};
use schedlab_policy::{all_schedulers, Scheduler};
use schedlab_report::invariants::Checker;
use schedlab_scenario::Scenario;
use schedlab_trace::{Record, Timeline};
use schedlab_workload::Random;
use std::fmt::Write as _;

/// So many horizons for each scenario, by turns at an instant of the whole run and anywhere.
const CUTS: u64 = 8;

/// Times are a few nanoseconds, so that much coincides.
const WHOLE: u64 = 150;

fn one_of<'a>(random: &mut Random, choices: &[&'a str]) -> &'a str {
    choices[random.below(choices.len() as u64) as usize]
}

/// Execution in pieces, with self-suspension, critical and non-preemptive sections between them.
fn program(random: &mut Random, shares: bool, suspends: bool) -> String {
    let mut steps = vec![format!("execute {} ns", random.between(1, 6))];
    for _ in 0..random.below(3) {
        let inner = format!("execute {} ns", random.between(1, 4));
        match random.below(3) {
            0 if shares => {
                let resource = one_of(random, &["A", "B"]);
                steps.extend([format!("request {resource}"), inner, format!("release {resource}")]);
            }
            1 if suspends => steps.extend([format!("suspend {} ns", random.between(1, 8)), inner]),
            2 if suspends => steps.extend(["np_enter".to_owned(), inner, "np_exit".to_owned()]),
            _ => steps.push(inner),
        }
    }
    steps.iter().map(|step| format!("\"{step}\"")).collect::<Vec<_>>().join(", ")
}

/// The task number `index`.
fn task(random: &mut Random, name: &str, index: u64, clusters: u64, shares: bool) -> String {
    let is_pfair = !name.contains('-') || name.ends_with("-PD2");
    let period = random.between(8, if is_pfair { 60 } else { 30 });
    let mut text = format!("[[task]]\nname = \"t{index}\"\nperiod = \"{period} ns\"\n");
    let (offset, deadline) = (random.below(2) * random.below(period), random.between(6, 2 * period));
    let _ = writeln!(
        text,
        "offset = \"{offset} ns\"\ndeadline = \"{deadline} ns\"\nwcet_may_exceed_deadline = true"
    );
    let _ = match random.below(3) {
        0 => writeln!(text, "wcet = \"{} ns\"", random.between(1, 6)),
        _ => writeln!(text, "program = [{}]", program(random, shares, !shares)),
    };
    if random.below(3) == 0 {
        let _ = writeln!(text, "jitter = \"{} ns\"", random.below(period / 2));
    }
    if random.below(3) == 0 {
        text += "arrival = \"sporadic\"\n";
    }
    if random.below(6) == 0 {
        let _ = writeln!(text, "leave = \"{} ns\"", random.between(offset + 1, WHOLE));
    }
    if name.contains("FP") {
        let _ = writeln!(text, "priority = {index}");
    }
    if name.contains("GEL") {
        let _ = writeln!(text, "priority_point = \"{} ns\"", random.below(2 * period));
    }
    if clusters > 1 {
        let place = if name.contains("P-") { "processor" } else { "cluster" };
        let _ = writeln!(text, "{place} = {}", random.below(clusters));
    }
    text
}

/// A time/utility function that ends after every release.
fn utility(random: &mut Random) -> String {
    let (height, end) = (random.between(1, 20), random.between(31, 70));
    match random.below(4) {
        0 => format!("utility = {{ step = {height}, termination = \"{end} ns\" }}\n"),
        1 => format!("utility = {{ linear = {height}, termination = \"{end} ns\" }}\n"),
        2 => format!(
            "utility = {{ exponential = {height}, half_life = \"5 ns\", termination = \"{end} ns\" }}\n"
        ),
        _ => String::new(),
    }
}

fn scenario(random: &mut Random, scheduler: &Scheduler, protocol: &str) -> String {
    let (name, processors) = (scheduler.name.as_str(), random.between(1, 3));
    let is_clustered = name.trim_start_matches('N').starts_with("C-");
    let processors = if is_clustered { 4 } else { processors };
    let is_partitioned = name.trim_start_matches('N').starts_with("P-");
    let clusters = if is_partitioned { processors } else { 1 + u64::from(is_clustered) };
    let size = if is_clustered { ", cluster_size = 2" } else { "" };
    let quantum = random.between(1, 10);
    let mut text = format!("schedlab = 1\nseed = {}\nhorizon = \"{WHOLE} ns\"\n", random.below(1 << 30));
    let _ = writeln!(text, "scheduler = \"{name}\"\nprotocol = \"{protocol}\"");
    let releases = one_of(random, &["timer", "timer", "tick"]);
    let _ = writeln!(
        text,
        "platform = {{ processors = {processors}, quantum = \"{quantum} ns\", releases = \"{releases}\"{size} }}"
    );
    let shares = protocol != "none";
    if shares {
        text += "resource = [{ name = \"A\" }, { name = \"B\", length = \"long\" }]\n";
    }
    if !shares && quantum > 4 && random.below(3) == 0 {
        text += "[overheads]\nall = { tick = \"1 ns\", context_switch = \"1 ns\", ipi = \"1 ns\" }\n";
    }
    let has_supertask = scheduler.quanta.is_some() && !shares && random.below(3) == 0;
    if has_supertask {
        let scheduling = one_of(random, &["quantum-based", "fully-preemptive"]);
        let _ = writeln!(text, "[[supertask]]\nname = \"s\"\nscheduling = \"{scheduling}\"");
    }
    for index in 0..random.between(1, 1 + 2 * processors) {
        text += &task(random, name, index, clusters, shares);
        if has_supertask && index < 2 {
            text += "supertask = \"s\"\n";
        }
        if scheduler.accrues_utility() {
            text += &utility(random);
            // Jobs are given up within sections, too.
            text += &format!("abort_handler = {{ cost = \"{} ns\" }}\n", random.below(4));
        }
    }
    text
}

/// What happens up to `horizon`, after every invariant was checked.
fn run(prepared: &Prepared, horizon: Instant, text: &str) -> Timeline {
    let mut prepared = prepared.clone();
    prepared.scenario.horizon = horizon;
    let (mut checker, mut timeline) = (Checker::new(&prepared.context()), Timeline::default());
    prepared.simulate((&mut checker, &mut timeline), &mut |_| true).unwrap();
    let verdict = checker.finish();
    let broken = verdict.outcomes.iter().find(|outcome| !outcome.holds());
    assert!(broken.is_none() && verdict.ended, "until {horizon}: {broken:?}\n{text}");
    timeline
}

/// Runs a random scenario, if the scheduler and the protocol take it.
fn hold(scheduler: &Scheduler, protocol: &str, index: u64) -> bool {
    let mut random = Random::new(11, *b"Horizons", index);
    let text = scenario(&mut random, scheduler, protocol);
    let scenario = match Scenario::parse("drawn", &text) {
        Ok(scenario) => scenario,
        // Some protocols are for resources of one processor.
        Err(_) if protocol != "none" => return false,
        Err(errors) => panic!("{errors}\n{text}"),
    };
    let Ok(prepared) = Prepared::new(&scenario) else { return false };
    let whole = run(&prepared, Instant::from_ns(WHOLE), &text);
    for cut in 0..CUTS {
        let horizon = match cut % 2 {
            0 => whole.records[random.below(whole.records.len() as u64) as usize].0,
            _ => Instant::from_ns(random.between(1, WHOLE)),
        };
        if horizon == Instant::ZERO {
            continue;
        }
        let part = run(&prepared, horizon, &text);
        let before = |timeline: &Timeline| -> Vec<(Instant, Record)> {
            timeline.records.iter().filter(|(at, _)| *at < horizon).copied().collect()
        };
        assert_eq!(before(&part), before(&whole), "until {horizon}\n{text}");
    }
    true
}

#[test]
fn every_scheduler_keeps_its_promises_up_to_any_horizon() {
    for scheduler in all_schedulers() {
        let run = (0..30).filter(|index| hold(&scheduler, "none", *index)).count();
        // Optimal schedulers and those with reserves refuse most of what is drawn, splits all programs, and schedulers
        // by laxity all jobs that do more than execute.
        let refuses = scheduler.keeps_pieces()
            || matches!(scheduler.class(), OrderClass::Theorem(theorem) if theorem.is_for_implicit_deadlines());
        assert!(run >= 5 || refuses, "{}: {run} scenarios", scheduler.name);
    }
}

#[test]
fn every_protocol_keeps_its_promises_up_to_any_horizon() {
    let wanted = ["P-FP", "P-EDF", "C-EDF", "G-EDF", "G-FP", "PD2", "S-PD2"];
    for protocol in ALL_PROTOCOLS.iter().filter(|protocol| protocol.name != "none") {
        let schedulers = all_schedulers().into_iter().filter(|known| wanted.contains(&known.name.as_str()));
        let run: usize = schedulers
            .map(|scheduler| (0..10).filter(|index| hold(&scheduler, protocol.name, *index)).count())
            .sum();
        // Servers need programs that serve, which are not drawn here.
        assert!(run >= 10 || protocol.name == "pfair-server", "{}: {run} scenarios", protocol.name);
    }
}
