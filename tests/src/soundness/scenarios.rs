//! Scenarios against what analysis says of them: locking protocols under every scheduler that carries a bound on
//! their blocking, given priority points, and jobs that are never preempted; without and with overheads.
//!
//! Each goes the way of a user's file: read, prepared, analysed, simulated. Costs are scaled to the largest at which
//! all deadlines are proved, then down at random. No set that is called schedulable misses, no bound is exceeded.

use super::observe::Observed;
use super::paths;
use crate::draw::pick;
use schedlab_analysis::{Analysis, Answer};
use schedlab_lab::sensitivity::breakdown;
use schedlab_lab::{analyze, Prepared};
use schedlab_lock::{Reach, ALL_PROTOCOLS};
use schedlab_model::{Duration, Instant};
use schedlab_scenario::Scenario;
use schedlab_workload::Random;
use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write as _;
use std::sync::OnceLock;

/// A scheduler and a protocol that analysis speaks of together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aim {
    scheduler: &'static str,
    protocol: &'static str,
    /// All users of a resource are on one processor.
    is_local: bool,
}

/// Schedulers under which blocking is bounded, if anywhere.
const SCHEDULERS: &[&str] =
    &["P-FP", "P-RM", "P-DM", "P-EDF", "C-EDF", "C-FP", "G-EDF", "G-FP", "G-RM", "G-DM"];

/// What shares nothing: priority points, and jobs that need no reloads.
const ALONE: &[&str] = &[
    "P-GEL", "C-GEL", "G-GEL", "NP-GEL", "NG-GEL", "NC-GEL", "NP-EDF", "NP-FP", "NP-DM", "NG-EDF", "NC-EDF",
];

/// Every pair with a bound.
pub(super) fn aims() -> &'static [Aim] {
    static ALL: OnceLock<Vec<Aim>> = OnceLock::new();
    ALL.get_or_init(|| {
        let pair = |&scheduler: &&'static str| {
            let shared = ALL_PROTOCOLS.iter().map(move |protocol| Aim {
                scheduler,
                protocol: protocol.name,
                is_local: protocol.reach == Reach::Local,
            });
            shared.filter(has_bound)
        };
        let alone = ALONE.iter().map(|scheduler| Aim { scheduler, protocol: "none", is_local: false });
        SCHEDULERS.iter().flat_map(pair).chain(alone).collect()
    })
}

/// Every scheduler and protocol with a bound on blocking.
pub fn locked_pairs() -> Vec<(&'static str, &'static str)> {
    let pairs = aims().iter().filter(|aim| aim.protocol != "none");
    pairs.map(|aim| (aim.scheduler, aim.protocol)).collect()
}

fn has_bound(aim: &Aim) -> bool {
    (0..20).any(|index| {
        let drawn = Drawn::new(aim, false, &mut Random::new(0, *b"HasBound", index));
        let prepared = drawn.prepared().ok();
        let found = prepared.and_then(|prepared| analyze(&prepared).ok()?.analysis);
        found.is_some_and(|analysis| analysis.blocking.is_some())
    })
}

/// What happened to one method of blocking, or to a scheduler without locks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScenarioRow {
    /// Scenarios that it proves.
    pub accepted: u64,
    /// Of these, those with costs of at least 90% of the breakdown.
    pub near: u64,
    /// The largest quotient of what was observed and the least bound.
    pub largest: f64,
}

/// One row by protocol and method, or scheduler; without and with overheads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScenarioPower {
    /// See above.
    pub rows: BTreeMap<String, ScenarioRow>,
    /// Scenarios simulated.
    pub runs: u64,
    /// Of these, those called schedulable, or of bounded tardiness where that is asked.
    pub accepted: u64,
    /// Of these, those with costs of at least 90% of the breakdown.
    pub near: u64,
    /// Bounds held against the largest response time or tardiness of a task.
    pub compared: u64,
}

impl ScenarioPower {
    /// Takes over what another thread found.
    pub fn merge(&mut self, other: &ScenarioPower) {
        self.runs += other.runs;
        self.accepted += other.accepted;
        self.near += other.near;
        self.compared += other.compared;
        for (name, more) in &other.rows {
            let row = self.rows.entry(name.clone()).or_default();
            row.accepted += more.accepted;
            row.near += more.near;
            row.largest = row.largest.max(more.largest);
        }
    }

    /// Counts an accepted scenario under all that bounds it.
    fn add(&mut self, aim: &Aim, found: &Analysis, with_overheads: bool, near: bool, largest: f64) {
        self.accepted += 1;
        self.near += u64::from(near);
        let suffix = if with_overheads { " with overheads" } else { "" };
        let bounds = found.blocking.iter().chain(&found.more_blocking);
        let mut proving: Vec<String> = bounds
            .filter(|blocking| blocking.not_a_bound.is_none())
            .map(|blocking| format!("{}, {}{suffix}", blocking.method, blocking.protocol))
            .collect();
        if aim.protocol == "none" {
            proving.push(format!("{}{suffix}", aim.scheduler));
        }
        for name in proving {
            let row = self.rows.entry(name).or_default();
            row.accepted += 1;
            row.near += u64::from(near);
            row.largest = row.largest.max(largest);
        }
    }
}

/// One task; times in nanoseconds.
#[derive(Clone, Debug)]
struct DrawnTask {
    period: u64,
    relative_deadline: u64,
    offset: u64,
    jitter: u64,
    point: u64,
    cluster: u64,
    priority: u64,
    sporadic: bool,
    /// Plain execution and sections in turn: the former's length, or the latter's with resource and units.
    steps: Vec<(u64, Option<(u64, u64)>)>,
}

/// A scenario before it is text.
#[derive(Clone, Debug)]
pub(super) struct Drawn {
    aim: Aim,
    processors: u64,
    units: u64,
    long: Vec<bool>,
    overheads: Vec<(&'static str, u64)>,
    tasks: Vec<DrawnTask>,
    horizon: u64,
    seed: u64,
}

/// Periods in parts of a unit; their least common multiple is 120.
const PERIODS: [u64; 10] = [4, 5, 6, 8, 10, 12, 15, 20, 24, 30];

const OVERHEADS: [&str; 8] = [
    "release",
    "scheduling",
    "context_switch",
    "ipi",
    "cache_related_preemption",
    "cache_related_migration",
    "lock_acquire",
    "lock_release",
];

impl Drawn {
    pub(super) fn new(aim: &Aim, with_overheads: bool, random: &mut Random) -> Drawn {
        let scope = aim.scheduler.trim_start_matches('N').chars().next().expect("a name is not empty");
        let (processors, clusters) = match scope {
            'P' => (random.between(1, 3), 0),
            'C' => (4, 2),
            _ => (random.between(2, 3), 1),
        };
        let clusters = if clusters == 0 { processors } else { clusters };
        let resources = random.between(1, 3) * if aim.is_local { clusters } else { 1 };
        let units = if aim.protocol.starts_with("rw-") { 16 } else { 1 };
        let unit = *pick(random, &[100, 1_000, 1_000, 2_000]);
        let pattern = random.below(4);
        let count = random.between(2, 3 + 2 * processors);
        let mut drawn = Drawn {
            aim: *aim,
            processors,
            units,
            long: (0..resources).map(|_| random.below(2) == 0).collect(),
            overheads: Vec::new(),
            tasks: Vec::new(),
            horizon: 5 * 120 * unit,
            seed: random.below(1 << 30),
        };
        for index in 0..count {
            let cluster = random.below(clusters);
            let mut task = DrawnTask::new(aim, unit, pattern, random);
            (task.cluster, task.priority) = (cluster, index);
            task.steps = drawn.steps(task.period, cluster, clusters, random);
            drawn.tasks.push(task);
        }
        if with_overheads {
            let length = |name| (name, random.between(0, unit / 50));
            drawn.overheads = OVERHEADS.into_iter().map(length).collect();
        }
        drawn
    }

    /// Up to three sections between pieces of execution. A section is short, as long as a piece, or longer.
    fn steps(
        &self,
        period: u64,
        cluster: u64,
        clusters: u64,
        random: &mut Random,
    ) -> Vec<(u64, Option<(u64, u64)>)> {
        let whole = period / random.between(2, 5);
        let mut steps = vec![(random.between(1, whole), None)];
        if self.aim.protocol == "none" {
            return steps;
        }
        for _ in 0..random.below(4) {
            let mut resource = random.below(self.long.len() as u64);
            if self.aim.is_local {
                resource -= resource % clusters;
                resource += cluster;
            }
            let units = if self.units > 1 && random.below(2) == 0 { 1 } else { self.units };
            let part = *pick(random, &[50, 20, 8, 3]);
            steps.push((random.between(1, whole / part + 1), Some((resource, units))));
            steps.push((random.between(1, whole / 4 + 1), None));
        }
        steps
    }

    /// Costs at so many ten-thousandths of what they are, at least 1 each.
    pub(super) fn scaled(&self, factor: u64) -> Drawn {
        let mut scaled = self.clone();
        for (length, _) in scaled.tasks.iter_mut().flat_map(|task| &mut task.steps) {
            *length = (*length * factor / 10_000).max(1);
        }
        scaled
    }

    /// Whether migrations cost by their path: in half of the systems with overheads.
    fn tells_paths_apart(&self) -> bool {
        !self.overheads.is_empty() && self.seed % 2 == 1
    }

    /// As a user would write it.
    pub(super) fn text(&self) -> String {
        let Aim { scheduler, protocol, .. } = self.aim;
        let mut text = format!("schedlab = 1\nseed = {}\nhorizon = \"{}ns\"\n", self.seed, self.horizon);
        let shares = protocol != "none";
        if shares {
            let _ = writeln!(text, "protocol = \"{protocol}\"");
        }
        let _ = writeln!(text, "scheduler = \"{scheduler}\"");
        let size = if scheduler.contains("C-") { ", cluster_size = 2" } else { "" };
        let caches = if self.tells_paths_apart() { paths::caches(self.processors) } else { String::new() };
        let _ = writeln!(text, "platform = {{ processors = {}{size}{caches} }}", self.processors);
        if !self.overheads.is_empty() {
            let one = |(name, length): &(&str, u64)| match *name {
                "cache_related_migration" if self.tells_paths_apart() => paths::migration(*length),
                _ => format!("{name} = \"{length}ns\""),
            };
            let all: Vec<String> = self.overheads.iter().map(one).collect();
            let _ = writeln!(text, "[overheads]\nall = {{ {} }}", all.join(", "));
        }
        for (index, long) in self.long.iter().enumerate().filter(|_| shares) {
            let length = if *long { "long" } else { "short" };
            let _ = writeln!(
                text,
                "[[resource]]\nname = \"R{index}\"\nunits = {}\nlength = \"{length}\"",
                self.units
            );
        }
        for (index, task) in self.tasks.iter().enumerate() {
            let _ = writeln!(text, "[[task]]\nname = \"t{index}\"");
            task.write(scheduler, &mut text);
        }
        text
    }

    pub(super) fn prepared(&self) -> Result<Prepared, String> {
        let scenario = Scenario::parse("drawn", &self.text()).map_err(|errors| errors.to_string())?;
        let prepared = Prepared::new(&scenario).map_err(|error| error.to_string())?;
        prepared.locks().map_err(|error| error.to_string())?;
        Ok(prepared)
    }
}

impl DrawnTask {
    /// Without place, priority and steps.
    fn new(aim: &Aim, unit: u64, pattern: u64, random: &mut Random) -> DrawnTask {
        let period = unit * *pick(random, &PERIODS);
        let alone = aim.protocol == "none";
        let relative_deadline = match random.below(4) {
            0 => random.between(period * 2 / 3, period),
            1 if alone => random.between(period, 2 * period),
            _ => period,
        };
        DrawnTask {
            period,
            relative_deadline,
            offset: if pattern == 0 { 0 } else { random.below(period) },
            jitter: if alone && random.below(4) == 0 { random.below(period / 8) } else { 0 },
            point: random.below(2 * period),
            cluster: 0,
            priority: 0,
            sporadic: pattern == 1,
            steps: Vec::new(),
        }
    }

    fn write(&self, scheduler: &str, text: &mut String) {
        let DrawnTask { period, relative_deadline, offset, jitter, .. } = self;
        let _ = writeln!(text, "period = \"{period}ns\"\ndeadline = \"{relative_deadline}ns\"");
        let _ = writeln!(text, "offset = \"{offset}ns\"\njitter = \"{jitter}ns\"");
        if scheduler.contains("FP") {
            let _ = writeln!(text, "priority = {}", self.priority);
        }
        if scheduler.contains("GEL") {
            let _ = writeln!(text, "priority_point = \"{}ns\"", self.point);
        }
        if !scheduler.contains("G-") {
            let _ = writeln!(text, "cluster = {}", self.cluster);
        }
        if self.sporadic {
            let _ = writeln!(text, "arrival = \"sporadic\"");
        }
        let step = |(length, section): &(u64, Option<(u64, u64)>)| match section {
            Some((of, units)) => {
                format!("\"request R{of} {units}\", \"execute {length}ns\", \"release R{of} {units}\"")
            }
            None => format!("\"execute {length}ns\""),
        };
        let steps: Vec<String> = self.steps.iter().map(step).collect();
        let _ = writeln!(text, "program = [{}]", steps.join(", "));
    }
}

/// Draws until something is proved, or gives up.
const TRIES: usize = 4;

/// Examines case `index` of `seed`: adds to `power`, or says what is wrong.
pub fn examine_scenario(seed: u64, index: u64, power: &mut ScenarioPower) -> Result<(), String> {
    let mut random = Random::new(seed, *b"Scenario", index);
    let aim = aims()[(index % aims().len() as u64) as usize];
    let with_overheads = index / aims().len() as u64 % 2 == 1;
    for _ in 0..TRIES {
        let drawn = Drawn::new(&aim, with_overheads, &mut random);
        // Some protocols are not for some systems.
        let Ok(prepared) = drawn.prepared() else { continue };
        let breakdown = u64::from(breakdown(&prepared).0);
        let aimed_at = if breakdown == 0 && aim.protocol == "none" { filling(&drawn) } else { breakdown };
        if aimed_at == 0 {
            continue;
        }
        let parts = match random.below(10) {
            0..=5 => 100,
            6..=8 => random.between(90, 100),
            _ => random.between(50, 110),
        };
        let drawn = drawn.scaled((aimed_at * parts).div_ceil(100));
        return hold(&drawn, parts >= 90, power).map_err(|what| format!("{what}\n{}", drawn.text()));
    }
    Ok(())
}

/// The factor at which the tasks fill the machine, where tardiness is what one asks for.
fn filling(drawn: &Drawn) -> u64 {
    let share = |task: &DrawnTask| {
        let cost: u64 = task.steps.iter().map(|(length, _)| length).sum();
        u128::from(cost) * 1_000_000 / u128::from(task.period)
    };
    let sum: u128 = drawn.tasks.iter().map(share).sum();
    let largest = drawn.tasks.iter().map(share).max().unwrap_or(1).max(1);
    let all = u128::from(drawn.processors) * 9_900_000_000 / sum.max(1);
    all.min(9_900_000_000 / largest) as u64
}

/// Analyses and simulates.
fn hold(drawn: &Drawn, near: bool, power: &mut ScenarioPower) -> Result<(), String> {
    let Ok(prepared) = drawn.prepared() else { return Ok(()) };
    let found = analyze(&prepared).map_err(|error| error.to_string())?;
    let Some(found) = found.analysis else { return Ok(()) };
    let mut observed = Observed::of(prepared.tasks.len());
    let run = prepared.simulate(&mut observed, &mut |_| true);
    run.map_err(|error| error.to_string())?;
    let mut largest: f64 = 0.0;
    for (index, seen) in observed.tasks.iter().enumerate() {
        if found.hard == Answer::Schedulable && seen.misses > 0 {
            return Err(format!(
                "accepted, but t{index} misses {} deadlines: {:?}",
                seen.misses,
                proofs(&found)
            ));
        }
        let bounds = [&found.response_times, &found.tardiness].map(|of| of[index].map(Duration::as_ns));
        for (bound, value) in bounds.into_iter().zip([seen.response_time_max, seen.tardiness_max]) {
            let Some(bound) = bound else { continue };
            if value > bound {
                let (value, bound) = (Instant::from_ns(value), Instant::from_ns(bound));
                return Err(format!(
                    "t{index} was observed at {value}, the bound is {bound}: {:?}",
                    proofs(&found)
                ));
            }
            power.compared += 1;
            largest = largest.max(value as f64 / bound.max(1) as f64);
        }
    }
    power.runs += 1;
    if found.hard == Answer::Schedulable || found.soft == Answer::Schedulable {
        power.add(&drawn.aim, &found, !drawn.overheads.is_empty(), near, largest);
    }
    Ok(())
}

/// The tests that accept.
fn proofs(found: &Analysis) -> Vec<&'static str> {
    let verdicts = found.clusters.iter().flat_map(|cluster| &cluster.verdicts);
    verdicts.filter(|verdict| verdict.answer == Answer::Schedulable).map(|verdict| verdict.test).collect()
}

impl fmt::Display for ScenarioPower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<56} {:>9} {:>15} {:>15}",
            "scenarios", "accepted", "near breakdown", "observed/bound"
        )?;
        for (name, row) in &self.rows {
            write!(f, "{name:<56} {:>9} {:>15} {:>15.4}", row.accepted, row.near, row.largest)?;
            writeln!(f, "{}", if row.near < super::power::ENOUGH { "  not tested" } else { "" })?;
        }
        let ScenarioPower { runs, accepted, near, compared, .. } = self;
        writeln!(
            f,
            "{runs} scenarios simulated, {accepted} accepted, {near} near breakdown, {compared} bounds compared"
        )
    }
}
