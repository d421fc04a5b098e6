//! Random systems of POSIX mutexes under `P-SCHED_FIFO`: climbs by arrivals come near the bounds and never exceed them,
//! and wrong bounds are found out.

use schedlab_analysis::blocking::{derive, posix, Judged, Lengths, Sections};
use schedlab_lab::Prepared;
use schedlab_model::{Instant, MutexProtocol, Platform};
use schedlab_scenario::{Arrival, CostModel, Scenario};
use schedlab_trace::{Record, Timeline};
use schedlab_workload::Random;
use std::fmt::Write as _;

/// How many systems are tried; `MUTEX_SYSTEMS` asks for more.
fn systems() -> u64 {
    std::env::var("MUTEX_SYSTEMS").map_or(400, |count| count.parse().expect("a whole number"))
}

/// Runs of one system.
const RUNS: u64 = 40;

/// Draws tasks, some of one priority, with sections that do not nest, on one processor.
fn drawn(random: &mut Random) -> String {
    let resources = random.between(1, 3);
    let mut text = String::from("schedlab = 1\nscheduler = \"P-SCHED_FIFO\"\nhorizon = \"400 ns\"\n");
    for id in 0..resources {
        let protocol = MutexProtocol::ALL[random.below(3) as usize].name();
        let _ = writeln!(text, "[[resource]]\nname = \"R{id}\"\nprotocol = \"{protocol}\"");
    }
    let tasks = random.between(2, 5);
    let ties = random.below(3) == 0;
    for id in 0..tasks {
        let (priority, period) =
            (if ties { random.below(tasks) } else { id }, random.between(12, 60) + 12 * id);
        let mut steps = Vec::new();
        for _ in 0..random.between(1, 3) {
            let (resource, length) = (random.below(resources), random.between(1, 5));
            match random.below(3) {
                0 => steps.push(format!("\"execute {length} ns\"")),
                _ => steps.push(format!(
                    "\"request R{resource}\", \"execute {length} ns\", \"release R{resource}\""
                )),
            }
        }
        let _ = writeln!(
            text,
            "[[task]]\nname = \"t{id}\"\nperiod = \"{period} ns\"\npriority = {priority}\nwcet_may_exceed_deadline = \
             true\nprogram = [{}]",
            steps.join(", ")
        );
    }
    text
}

/// Bounds the response times of `prepared`, with mutexes of `kinds` and sections that are `shorter` than they are.
fn judged(prepared: &Prepared, kinds: &[MutexProtocol], shorter: u64) -> Judged {
    let mut keys: Vec<u32> = prepared.tasks.iter().map(|task| task.fixed_priority).collect();
    keys.sort_unstable();
    let levels: Vec<u32> = prepared
        .tasks
        .iter()
        .map(|task| keys.partition_point(|key| *key < task.fixed_priority) as u32)
        .collect();
    let platform = Platform::partitioned(1);
    let sharing =
        derive(&prepared.tasks, &prepared.resources, &platform, &levels, Sections::Flat, Lengths::ALIKE)
            .unwrap();
    let mut changed = schedlab_analysis::blocking::Sharing::new(1, sharing.units().to_vec());
    for (index, task) in sharing.tasks().iter().enumerate() {
        let mut requests = sharing.requests(index).to_vec();
        requests
            .iter_mut()
            .for_each(|request| request.write_length = request.write_length.saturating_sub(shorter));
        changed.push(*task, &requests).unwrap();
    }
    posix::judge(kinds, &changed)
}

/// What may be chosen of a run: offsets, delays of arrivals and costs, and the seed of the latter.
#[derive(Clone)]
pub(crate) struct Plan {
    /// By task, in units.
    pub(crate) offsets: Vec<u64>,
    pub(crate) sporadic: bool,
    pub(crate) cheaper: bool,
    pub(crate) seed: u64,
    /// In ns.
    pub(crate) unit: u64,
}

impl Plan {
    pub(crate) fn draw(tasks: usize, random: &mut Random) -> Plan {
        Plan {
            offsets: (0..tasks).map(|_| random.below(40)).collect(),
            sporadic: random.below(3) == 0,
            cheaper: random.below(4) == 0,
            seed: random.below(1 << 30),
            unit: 1,
        }
    }

    fn changed(&self, random: &mut Random) -> Plan {
        let mut changed = self.clone();
        let task = random.below(changed.offsets.len() as u64) as usize;
        let most = if random.below(2) == 0 { 80 } else { 12 };
        changed.offsets[task] = random.below(most);
        if random.below(8) == 0 {
            changed.seed = random.below(1 << 30);
        }
        changed
    }

    /// Returns the longest response times of a run, by task.
    pub(crate) fn run(&self, scenario: &Scenario) -> Vec<u64> {
        let mut scenario = scenario.clone();
        scenario.seed = self.seed;
        for (task, offset) in scenario.tasks.iter_mut().zip(&self.offsets) {
            task.offset = Instant::from_ns(*offset * self.unit);
            if self.sporadic {
                task.arrival = Arrival::Sporadic { delay: task.period, like: None };
            }
            if self.cheaper {
                task.cost = CostModel::Uniform(schedlab_model::Work::from_ns(1), task.wcet);
            }
        }
        let prepared = Prepared::new(&scenario).unwrap_or_else(|error| panic!("{error}"));
        let mut timeline = Timeline::default();
        prepared.simulate(&mut timeline, &mut |_| true).unwrap_or_else(|error| panic!("{error}"));
        longest(&timeline, scenario.tasks.len())
    }
}

fn longest(timeline: &Timeline, tasks: usize) -> Vec<u64> {
    let mut arrived = vec![std::collections::BTreeMap::new(); tasks];
    let mut longest = vec![0; tasks];
    for (at, record) in &timeline.records {
        match record {
            Record::Arrival { job, .. } => {
                arrived[job.task.index()].insert(job.number, *at);
            }
            Record::Complete { job } => {
                let since = arrived[job.task.index()][&job.number];
                longest[job.task.index()] = (*at - since).as_ns().max(longest[job.task.index()]);
            }
            _ => {}
        }
    }
    longest
}

/// A bound that is held against runs.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Claim {
    True,
    /// Every mutex without protocol is taken for one that inherits: no task between delays.
    NoInversion,
    /// Every mutex that inherits is taken for one with a ceiling: one section altogether delays.
    OneSection,
    /// Sections are shorter by 1 ns.
    Shorter,
}

/// What a number of systems showed.
#[derive(Debug, Default)]
struct Found {
    bounded: u64,
    exceeded: u64,
    reached: u64,
    first: Option<String>,
}

/// Climbs towards the bounds of systems; counts those that are bounded, and those whose bounds are exceeded or reached.
fn climbed(claim: Claim, systems: u64) -> Found {
    let mut found = Found::default();
    for index in 0..systems {
        let mut random = Random::new(1, *b"Mutexes_", index);
        let text = drawn(&mut random);
        let scenario = Scenario::parse("drawn", &text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        let prepared = Prepared::new(&scenario).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut kinds = prepared.mutexes.clone();
        let replace = |kinds: &mut [MutexProtocol], from, to| {
            kinds.iter_mut().filter(|kind| **kind == from).for_each(|kind| *kind = to);
        };
        match claim {
            Claim::True | Claim::Shorter => {}
            Claim::NoInversion => replace(&mut kinds, MutexProtocol::None, MutexProtocol::Inherit),
            Claim::OneSection => replace(&mut kinds, MutexProtocol::Inherit, MutexProtocol::Protect),
        }
        if kinds.is_empty() {
            continue;
        }
        let Ok(bounds) = judged(&prepared, &kinds, u64::from(claim == Claim::Shorter)).met else { continue };
        found.bounded += 1;
        let count = bounds.len();
        let focus = random.below(count as u64) as usize;
        let (mut best, mut height) = (Plan::draw(count, &mut random), 0);
        let (mut exceeds, mut reaches) = (false, false);
        for run in 0..RUNS {
            let plan =
                if run < RUNS / 4 { Plan::draw(count, &mut random) } else { best.changed(&mut random) };
            let seen = plan.run(&scenario);
            exceeds |= seen.iter().zip(&bounds).any(|(seen, bound)| *seen > bound.as_ns());
            reaches |= seen[focus] == bounds[focus].as_ns();
            if seen[focus] >= height {
                (best, height) = (plan, seen[focus]);
            }
            if exceeds {
                found
                    .first
                    .get_or_insert_with(|| format!("system {index}: {seen:?} above {bounds:?}\n{text}"));
                break;
            }
        }
        found.exceeded += u64::from(exceeds);
        found.reached += u64::from(reaches);
    }
    found
}

#[test]
fn climbs_do_not_exceed_the_bounds() {
    let found = climbed(Claim::True, systems());
    println!(
        "{} systems: {} bounded, {} reached, {} exceeded",
        systems(),
        found.bounded,
        found.reached,
        found.exceeded
    );
    assert_eq!(found.exceeded, 0, "{}", found.first.unwrap_or_default());
    assert!(found.bounded * 4 > systems(), "most systems are bounded: {found:?}");
    assert!(found.reached * 10 > found.bounded, "climbs come near: {found:?}");
}

#[test]
fn wrong_bounds_are_exceeded() {
    for claim in [Claim::NoInversion, Claim::OneSection, Claim::Shorter] {
        let found = climbed(claim, 400);
        assert!(found.exceeded > 0, "{claim:?}: {found:?}");
    }
}
