//! What no answer depends on: the unit of time, and a processor on which nothing executes.
//!
//! Random scenarios of all kinds are analysed, once more with all of their times multiplied, and once more with a
//! processor that stays idle. Times are whole microseconds. A nanosecond is the model's least time: where times are
//! a few of them, answers may depend on their number. A processor without tasks is not idle where a distributed
//! protocol lets it serve a resource: resources belong to all processors in turn, so one more may move their sections.

use super::scenarios::{aims, Drawn};
use crate::draw::pick;
use crate::features::{draw, near_breakdown, Wish};
use schedlab_analysis::{Analysis, Answer};
use schedlab_lab::sensitivity::breakdown;
use schedlab_lab::{analyze, Catalog, Prepared};
use schedlab_lock::{LockSetup, PriorityOrder};
use schedlab_model::{ClusterId, Duration, LockingClass};
use schedlab_scenario::{Clusters, Scenario};
use schedlab_workload::Random;
use std::fmt;

/// What was compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnitPower {
    /// Scenarios that were analysed in two units.
    pub compared: u64,
    /// Of these, those whose deadlines are proved to be met.
    pub proved: u64,
    /// Of these, those with bounds on blocking.
    pub blocked: u64,
    /// Verdicts of single tests that are alike.
    pub verdicts: u64,
    /// Scenarios that were analysed with an idle processor, too.
    pub idle: u64,
}

impl UnitPower {
    /// Takes over what another thread found.
    pub fn merge(&mut self, other: &UnitPower) {
        self.compared += other.compared;
        self.proved += other.proved;
        self.blocked += other.blocked;
        self.verdicts += other.verdicts;
        self.idle += other.idle;
    }
}

impl fmt::Display for UnitPower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnitPower { compared, proved, blocked, verdicts, idle } = self;
        writeln!(
            f,
            "{compared} scenarios in two units of time, {proved} proved, {blocked} with blocking, \
             {verdicts} verdicts alike; {idle} with an idle processor"
        )
    }
}

/// Nanoseconds of the unit in which times are whole numbers, and by how many of which a bound may be rounded.
const UNIT: u64 = 1_000;

/// Examines case `index` of `seed`: adds to `power`, or says what is wrong.
pub fn examine_units(seed: u64, index: u64, power: &mut UnitPower) -> Result<(), String> {
    let mut random = Random::new(seed, *b"TimeUnit", index);
    let is_plain = index % 2 == 0;
    let drawn = match is_plain {
        true => drawn_text(index / 2, &mut random),
        false => {
            let mut scene = draw(&Wish::default(), &mut random);
            if random.below(2) == 0 {
                scene = near_breakdown(&scene, &mut random);
            }
            Some(scene.text())
        }
    };
    let Some(text) = drawn.map(|text| times(&text, UNIT)) else { return Ok(()) };
    let factor = *pick(&mut random, &[7, 1_000, 3]);
    let multiple = times(&text, factor);
    let wrong = |what: String| format!("times {factor}: {what}\n{text}");
    let (one, other) = (analysis_of(&text)?, analysis_of(&multiple)?);
    let (one, other) = match (one, other) {
        (Some(one), Some(other)) => (one, other),
        (None, None) => return Ok(()),
        (one, _) => {
            return Err(wrong(format!("only {} analysed", if one.is_some() { "it is" } else { "that is" })))
        }
    };
    power.verdicts += alike(&one, &other, factor).map_err(wrong)?;
    power.compared += 1;
    power.proved += u64::from(one.hard == Answer::Schedulable);
    power.blocked += u64::from(one.blocking.is_some());
    if let Some([placed, with_idle]) = with_idle_processor(&text).filter(|_| is_plain) {
        let wrong = |what: String| format!("with an idle processor: {what}\n{placed}");
        let Some(one) = analysis_of(&placed)? else { return Ok(()) };
        let other = analysis_of(&with_idle)?.ok_or_else(|| wrong("it is not analysed".to_owned()))?;
        if one.hard != other.hard || one.soft != other.soft {
            return Err(wrong(format!("{:?} and {:?}", one.hard, other.hard)));
        }
        bounds_are_alike(&one, &other, 1).map_err(wrong)?;
        power.idle += 1;
    }
    Ok(())
}

/// The text of a random scenario, with costs just below those at which its deadlines are proved, or with random ones.
/// `None` if the protocol is not for it.
fn drawn_text(index: u64, random: &mut Random) -> Option<String> {
    let aim = aims()[(index % aims().len() as u64) as usize];
    let drawn = Drawn::new(&aim, index / aims().len() as u64 % 2 == 1, random);
    let prepared = drawn.prepared().ok()?;
    let factor = match random.below(3) {
        0 => 0,
        _ => u64::from(breakdown(&prepared).0) * random.between(90, 100) / 100,
    };
    Some(if factor == 0 { drawn.text() } else { drawn.scaled(factor).text() })
}

/// The text with all lengths of time, which are in nanoseconds, multiplied.
fn times(text: &str, factor: u64) -> String {
    let mut multiple = String::with_capacity(text.len() + 64);
    let mut digits = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if next.is_ascii_digit() {
            digits.push(next);
        } else {
            let is_length = rest.starts_with("ns\"");
            match digits.parse::<u64>() {
                Ok(number) if is_length => multiple.push_str(&(number * factor).to_string()),
                _ => multiple.push_str(&digits),
            }
            digits.clear();
            multiple.push(next);
        }
        rest = &rest[next.len_utf8()..];
    }
    multiple + &digits
}

/// The scenario with each task on the processor where it is placed, and that with one processor more; `None` unless
/// each cluster is a processor, all tasks fit whole, and sections execute where they did.
fn with_idle_processor(text: &str) -> Option<[String; 2]> {
    let is_partitioned = text.contains("scheduler = \"P-") || text.contains("scheduler = \"NP-");
    // What a migration costs is told by the caches of these processors.
    if !is_partitioned || text.contains("[overheads]") {
        return None;
    }
    let scenario = Scenario::parse("drawn", text).ok()?;
    // One processor is a cluster of all: there global protocols are for partitioned schedulers, too.
    if scenario.platform.processors == 1 && text.contains("protocol = ") {
        return None;
    }
    let prepared = Prepared::for_analysis(&scenario, &Catalog::shipped()).ok()?;
    let mut placed = prepared.scenario.clone();
    if placed.tasks.len() != scenario.tasks.len() || !prepared.overflowed.is_empty() {
        return None;
    }
    for (spec, task) in placed.tasks.iter_mut().zip(&prepared.tasks) {
        (spec.processor, spec.cluster, spec.affinity) = (Some(task.cluster.0), None, Vec::new());
    }
    placed.platform.clusters = Clusters::OfSize(1);
    let mut with_idle = placed.clone();
    with_idle.platform.processors += 1;
    let is_elsewhere = |more: Prepared| sites(&more) != sites(&prepared);
    if Prepared::for_analysis(&with_idle, &Catalog::shipped()).is_ok_and(is_elsewhere) {
        return None;
    }
    Some([placed.to_toml(), with_idle.to_toml()])
}

/// By resource that has users: the processor that serves its requests, under protocols that let them execute away from
/// home; nothing under others.
fn sites(prepared: &Prepared) -> Vec<ClusterId> {
    if !matches!(prepared.protocol.class, LockingClass::Dpcp | LockingClass::Dflp) {
        return Vec::new();
    }
    let Prepared { tasks, resources, platform, .. } = prepared;
    // Which processor serves a resource does not depend on the order of jobs.
    let setup = LockSetup { tasks, resources, platform, order: PriorityOrder::Other, lengths: &[] };
    let usage = setup.usage().expect("analysis takes these programs");
    let all = setup.sites(&usage).into_iter().zip(&usage.users);
    all.filter(|(_, users)| !users.needs.is_empty()).map(|(site, _)| site).collect()
}

/// What analysis says; `None` where the scenario is refused, or no test speaks of it.
fn analysis_of(text: &str) -> Result<Option<Analysis>, String> {
    let Ok(scenario) = Scenario::parse("drawn", text) else { return Ok(None) };
    let Ok(prepared) = Prepared::for_analysis(&scenario, &Catalog::shipped()) else { return Ok(None) };
    let found = analyze(&prepared).map_err(|error| format!("{error}\n{text}"))?;
    Ok(found.analysis)
}

/// How many verdicts are alike, or what is not.
fn alike(one: &Analysis, other: &Analysis, factor: u64) -> Result<u64, String> {
    let mut count = 0;
    for (cluster, (here, there)) in one.clusters.iter().zip(&other.clusters).enumerate() {
        for (verdict, multiple) in here.verdicts.iter().zip(&there.verdicts) {
            if (verdict.test, verdict.answer) != (multiple.test, multiple.answer) {
                let words = |verdict: &schedlab_analysis::Verdict| {
                    format!("{} {:?}: {}", verdict.test, verdict.answer, verdict.reason)
                };
                return Err(format!("cluster {cluster}: {}; {}", words(verdict), words(multiple)));
            }
            count += 1;
        }
        if here.verdicts.len() != there.verdicts.len() {
            return Err(format!("cluster {cluster}: other tests apply"));
        }
    }
    if (one.hard, one.soft) != (other.hard, other.soft) {
        return Err(format!("{:?} {:?}, {:?} {:?}", one.hard, one.soft, other.hard, other.soft));
    }
    if one.blocking.is_some() != other.blocking.is_some()
        || one.more_blocking.len() != other.more_blocking.len()
    {
        return Err("blocking is bounded in one unit alone".to_owned());
    }
    bounds_are_alike(one, other, factor).map(|()| count)
}

/// Each bound is a multiple, up to the unit of the times.
fn bounds_are_alike(one: &Analysis, other: &Analysis, factor: u64) -> Result<(), String> {
    let pairs = [(&one.response_times, &other.response_times), (&one.tardiness, &other.tardiness)];
    for (task, (bound, multiple)) in
        pairs.iter().flat_map(|(here, there)| here.iter().zip(*there).enumerate())
    {
        let is_near = match (bound.map(Duration::as_ns), multiple.map(Duration::as_ns)) {
            (Some(bound), Some(multiple)) => multiple.abs_diff(factor * bound) <= factor * UNIT,
            (bound, multiple) => bound == multiple,
        };
        if !is_near {
            return Err(format!("bounds of t{task}: {bound:?}, {multiple:?}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_multiplied_and_nothing_else() {
        let text = "seed = 12\nperiod = \"30ns\"\nprogram = [\"request R1 2\", \"execute 5ns\"]\n";
        let multiple = "seed = 12\nperiod = \"210ns\"\nprogram = [\"request R1 2\", \"execute 35ns\"]\n";
        assert_eq!(times(text, 7), multiple);
    }

    #[test]
    fn an_idle_processor_moves_no_task() {
        let text = "schedlab = 1\nscheduler = \"P-EDF\"\nplatform = { processors = 2 }\n\
                    task = [{ name = \"a\", wcet = \"5ms\", period = \"10ms\" }, \
                    { name = \"b\", wcet = \"6ms\", period = \"10ms\" }]\n";
        let [placed, with_idle] = with_idle_processor(text).expect("both tasks fit");
        let read = |text: &str| Scenario::parse("read", text).unwrap();
        let (placed, with_idle) = (read(&placed), read(&with_idle));
        assert_eq!((placed.platform.processors, with_idle.platform.processors), (2, 3));
        assert_eq!(placed.tasks, with_idle.tasks);
        assert!(placed.tasks.iter().all(|task| task.processor.is_some_and(|processor| processor < 2)));
        assert_eq!(with_idle_processor(&text.replace("P-", "G-")), None);
    }

    /// Tasks of two processors that share the last of so many resources. With two, it belongs to processor 1, with a
    /// third processor or without. With three, it belongs to processor 0, but to a third processor if there is one.
    #[test]
    fn a_processor_that_serves_a_resource_is_not_idle() {
        let text = |protocol: &str, resources: usize| {
            let names: Vec<String> =
                (0..resources).map(|index| format!("{{ name = \"R{index}\" }}")).collect();
            let last = format!("R{}", resources - 1);
            let program = format!("\"request {last}\", \"execute 1ms\", \"release {last}\"");
            let task = |name: &str, processor: u16| {
                format!(
                    "{{ name = \"{name}\", period = \"10ms\", processor = {processor}, program = [{program}] }}"
                )
            };
            format!(
                "schedlab = 1\nprotocol = \"{protocol}\"\nscheduler = \"P-RM\"\nplatform = {{ processors = 2 }}\n\
                 resource = [{}]\ntask = [{}, {}]\n",
                names.join(", "),
                task("a", 0),
                task("b", 1)
            )
        };
        for protocol in ["dpcp", "dflp"] {
            assert!(with_idle_processor(&text(protocol, 2)).is_some(), "{protocol}");
            assert_eq!(with_idle_processor(&text(protocol, 3)), None, "{protocol}");
        }
        assert!(with_idle_processor(&text("mpcp", 3)).is_some());
    }
}
