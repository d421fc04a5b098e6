//! Random scenes of everything that a scenario may state.

use super::draw_task::{draw_task, Style};
use super::draw_worth::add_worths;
use super::scene::{Scene, SceneSupertask};
use super::task::{Part, SceneTask};
use crate::draw::pick;
use crate::pfair_schedulers::{is_pfair, NAMES};
use crate::utility_schedulers::accrues_utility;
use schedlab_lock::{Ceilings, Protocol, Reach, ALL_PROTOCOLS};
use schedlab_model::MutexProtocol;
use schedlab_scenario::breaks_under_aborts;
use schedlab_workload::Random;

/// What is drawn: anything, or for this scheduler and protocol.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wish {
    /// The scheduler's name; any if none.
    pub scheduler: Option<&'static str>,
    /// The protocol; outer `None`: any or none, inner: none.
    pub protocol: Option<Option<&'static Protocol>>,
    /// Resources are mutexes of POSIX, each with a protocol of its own.
    pub mutexes: bool,
    /// Arrivals that can be moved, short runs, and little that no bound speaks of.
    pub movable: bool,
}

const SCOPES: [&str; 3] = ["P", "C", "G"];
const ORDERS: [&str; 7] = ["EDF", "RM", "DM", "FP", "FIFO", "FL", "GEL"];

/// Clusters of clustered schedulers; the last three are uneven.
const CLUSTERS: [&[&[u64]]; 5] =
    [&[&[0, 1], &[2, 3]], &[&[0], &[1]], &[&[0], &[1, 2]], &[&[0], &[1, 2, 3]], &[&[0, 2], &[1], &[3]]];

const OVERHEADS: [&str; 9] = [
    "release",
    "scheduling",
    "context_switch",
    "tick",
    "ipi",
    "cache_related_preemption",
    "cache_related_migration",
    "lock_acquire",
    "lock_release",
];

/// True once in so many times.
pub(super) fn once_in(random: &mut Random, times: u64) -> bool {
    random.below(times) == 0
}

fn scheduler(random: &mut Random) -> String {
    if once_in(random, 4) {
        return pick(random, &NAMES).clone();
    }
    let preemptive = if once_in(random, 4) { "N" } else { "" };
    format!("{preemptive}{}-{}", pick(random, &SCOPES), pick(random, &ORDERS))
}

/// A scene as `wish` says.
pub fn draw(wish: &Wish, random: &mut Random) -> Scene {
    let scheduler = wish.scheduler.map_or_else(|| scheduler(random), str::to_owned);
    let is_pfair = is_pfair(&scheduler);
    let scope = scheduler.trim_start_matches('N').split_once('-').map_or("G", |(scope, _)| scope);
    let clusters: &[&[u64]] = match scope {
        "C" => pick::<&[&[u64]]>(random, &CLUSTERS),
        _ => &[],
    };
    let processors = match clusters.iter().map(|cpus| cpus.len() as u64).sum() {
        0 if scope == "P" => random.between(1, 3),
        0 => random.between(1, 4),
        sum => sum,
    };
    let unit = *pick(random, &[1, 2, 10, 100]);
    let mut scene = Scene {
        scheduler,
        processors,
        clusters: clusters.iter().map(|cpus| cpus.to_vec()).collect(),
        quantum: if is_pfair { unit } else { random.between(1, 40 * unit) },
        staggered: once_in(random, 8),
        ticks: once_in(random, 8),
        protocol: None,
        resources: Vec::new(),
        mutexes: Vec::new(),
        overheads: Vec::new(),
        split: None,
        guaranteed: is_pfair && once_in(random, 3),
        supertasks: Vec::new(),
        tasks: Vec::new(),
        horizon: 0,
        seed: random.below(1 << 30),
    };
    scene.staggered = scene.staggered && !is_pfair || scene.scheduler == "S-PD2";
    add_rarities(&mut scene, wish, unit, is_pfair, random);
    add_protocol(&mut scene, wish, random);
    add_tasks(&mut scene, wish, unit, random);
    if accrues_utility(&scene.scheduler) {
        add_worths(&mut scene, random);
    }
    let longest = scene.tasks.iter().map(|task| task.period).max().unwrap_or(1);
    let times = if wish.movable { random.between(3, 5) } else { random.between(2, 12) };
    scene.horizon = longest * times + random.below(longest + 1);
    scene
}

/// Overheads, splits and supertasks; seldom where they are refused.
fn add_rarities(scene: &mut Scene, wish: &Wish, unit: u64, is_pfair: bool, random: &mut Random) {
    if once_in(random, if wish.movable { 12 } else { 5 }) {
        let length = |name| (name, random.between(0, (unit / 20).max(1)));
        scene.overheads = OVERHEADS.into_iter().map(length).collect();
    }
    if once_in(random, if scene.scheduler == "P-EDF" && wish.protocol.is_none() { 3 } else { 30 }) {
        scene.split = Some(*pick(random, &["C=D", "EDF-WM"]));
    }
    if once_in(random, if is_pfair { 3 } else { 60 }) {
        let one = |random: &mut Random| SceneSupertask {
            order: pick::<&str>(random, &["EDF", "RM", "DM"]),
            quantum_based: once_in(random, 3),
        };
        scene.supertasks = (0..random.between(1, 2)).map(|_| one(random)).collect();
    }
}

fn add_protocol(scene: &mut Scene, wish: &Wish, random: &mut Random) {
    // No rule splits tasks that share.
    let shares = once_in(random, if scene.split.is_some() { 20 } else { 2 });
    let any = || {
        let suited: Vec<&'static Protocol> =
            ALL_PROTOCOLS.iter().filter(|protocol| suits(protocol, scene)).collect();
        let whatever = once_in(random, 10) || suited.is_empty();
        if whatever {
            pick(random, ALL_PROTOCOLS)
        } else {
            *pick(random, &suited)
        }
    };
    scene.protocol = match wish.protocol {
        Some(protocol) => protocol,
        None => shares.then(any),
    };
    let Some(protocol) = scene.protocol else { return };
    let clusters = if protocol.reach == Reach::Local { scene.cluster_count() } else { 1 };
    let units = if protocol.name.starts_with("rw-") { 16 } else { 1 };
    let units = if protocol.several_units && once_in(random, 3) { 2 } else { units };
    let resources = random.between(1, 3) * clusters;
    scene.resources = (0..resources).map(|_| (units, once_in(random, 2))).collect();
    if wish.mutexes {
        scene.resources.iter_mut().for_each(|(units, _)| *units = 1);
        scene.mutexes = scene.resources.iter().map(|_| *pick(random, &MutexProtocol::ALL)).collect();
    }
}

/// Whether the protocol is for the scene's scheduler, as far as its facts say.
fn suits(protocol: &Protocol, scene: &Scene) -> bool {
    let order = scene.scheduler.rsplit('-').next().unwrap_or_default();
    let ordered = match protocol.ceilings {
        Ceilings::None => true,
        Ceilings::Levels => !scene.is_pfair() && ["EDF", "RM", "DM", "FP"].contains(&order),
        Ceilings::Jobs => !scene.is_pfair(),
        Ceilings::Quanta => scene.is_pfair(),
        Ceilings::Priorities => ["RM", "DM", "FP"].contains(&order),
    };
    let is_kept = !accrues_utility(&scene.scheduler) || !breaks_under_aborts(protocol, &[]);
    let clusters = scene.cluster_count();
    ordered
        && is_kept
        && match protocol.reach {
            Reach::Any => true,
            Reach::Global => clusters == 1,
            Reach::Local | Reach::Partitioned => clusters == scene.processors,
        }
}

fn add_tasks(scene: &mut Scene, wish: &Wish, unit: u64, random: &mut Random) {
    let style = Style::draw(scene, wish, unit, random);
    // Without overload hardly any job is given up.
    let rarely = if accrues_utility(&scene.scheduler) { 2 } else { 12 };
    let overload = !wish.movable && once_in(random, rarely);
    let in_pieces = scene.scheduler == "P-EDF" && scene.split.is_some() && scene.processors > 1;
    let clusters = if in_pieces { 1 } else { scene.cluster_count() };
    for cluster in 0..clusters {
        let size = if in_pieces { scene.processors } else { scene.size(cluster) };
        let count =
            if wish.movable { random.between(2, 3 + 2 * size) } else { random.between(1, 2 + 2 * size) };
        let parts: Vec<u64> = match in_pieces {
            // Half a processor and more each, one task more than processors: some task has to be split.
            true => (0..=size).map(|_| random.between(90, 100)).collect(),
            false => (0..count).map(|_| random.between(1, 100)).collect(),
        };
        let whole: u64 = parts.iter().sum();
        let load = match (overload, in_pieces) {
            (true, _) => random.between(105, 150),
            // Before and after a change are two tasks to the rule that places them.
            (_, true) if style.changes => random.between(30, 97),
            (_, true) => random.between(80, 97),
            _ => random.between(30, 100),
        };
        for part in parts {
            // Parts of the cluster in ten-thousandths of a processor.
            let share = (size * load * 100 * part / whole).min(if overload { 15_000 } else { 10_000 });
            let index = scene.tasks.len() as u64;
            let mut task = draw_task(scene, &style, cluster, share, random);
            task.priority = index;
            scene.tasks.push(task);
        }
    }
    if scene.protocol.is_some_and(|protocol| protocol.name == "pfair-server") {
        add_servers(scene, unit, random);
    }
    // Deadline-monotonic, mostly: else hardly any set is schedulable.
    if !once_in(random, 4) {
        let mut order: Vec<usize> = (0..scene.tasks.len()).collect();
        order.sort_by_key(|index| scene.tasks[*index].relative_deadline);
        order.into_iter().enumerate().for_each(|(rank, index)| scene.tasks[index].priority = rank as u64);
    }
}

/// A task for each resource, which executes its sections.
fn add_servers(scene: &mut Scene, unit: u64, random: &mut Random) {
    for resource in 0..scene.resources.len() as u64 {
        let period = unit * random.between(2, 6);
        let program = vec![Part::Serve(resource), Part::Execute(random.between(1, period))];
        scene.tasks.push(SceneTask { program, ..SceneTask::plain(period) });
    }
}
