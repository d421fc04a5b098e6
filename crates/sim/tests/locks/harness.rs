//! Every protocol of the registry on systems that it is for.

use super::observed::Observed;
use super::promises::Promises;
use super::random::{readers_and_writers, system, Shape, System};
use super::*;
use crate::support::*;
use schedlab_lock::*;
use schedlab_sim::Charges;

/// The protocols for schedulers by priority (those for Pfair schedulers are tried in pfair_promises.rs);
/// `LOCK_PROTOCOL` asks for those alone whose names begin so.
pub fn protocols() -> impl Iterator<Item = &'static Protocol> {
    let wanted = std::env::var("LOCK_PROTOCOL").unwrap_or_default();
    ALL_PROTOCOLS
        .iter()
        .filter(|protocol| protocol.ceilings != Ceilings::Quanta && !protocol.attempts())
        .filter(move |protocol| protocol.name.starts_with(&wanted))
}

/// The schedulers and platforms that a protocol is for.
pub fn homes(protocol: &Protocol) -> Vec<(&'static str, Platform)> {
    let edf = protocol.ceilings != Ceilings::Priorities;
    let (one, two, three) = (Platform::partitioned(1), Platform::partitioned(2), Platform::partitioned(3));
    let mut homes = match protocol.reach {
        Reach::Local => vec![("P-FP", one.clone()), ("P-EDF", one), ("P-FP", two)],
        Reach::Partitioned => vec![("P-FP", two), ("P-EDF", three.clone()), ("P-FP", three)],
        Reach::Global => {
            vec![("G-FP", Platform::global(2)), ("G-EDF", Platform::global(3)), ("G-FP", Platform::global(1))]
        }
        Reach::Any => vec![
            ("P-FP", three),
            ("G-EDF", Platform::global(3)),
            ("C-FP", Platform::clustered(4, 2)),
            ("G-FP", Platform::global(2)),
        ],
    };
    homes.retain(|(scheduler, _)| edf || !scheduler.ends_with("EDF"));
    homes
}

/// A random system that the protocol takes.
pub fn system_for(protocol: &Protocol, seed: u64, platform: &Platform) -> System {
    let is_flat = protocol.nesting != Nesting::Any || (!protocol.deadlock_free && seed % 2 == 0);
    let shape =
        Shape { processors: platform.clusters.len() as u16, units: 1, depth: if is_flat { 1 } else { 3 } };
    let mut system = system(seed, shape);
    if protocol.reach == Reach::Local {
        apart(&mut system, platform);
    }
    if protocol.name.starts_with("rw-") {
        readers_and_writers(&mut system, seed);
    } else if protocol.several_units {
        several_units(&mut system, protocol, platform);
    }
    system
}

/// Resource k is for processor k, counted round, alone.
pub fn apart(system: &mut System, platform: &Platform) {
    let clusters = platform.clusters.len() as u32;
    for task in &mut system.tasks {
        let own = u32::from(task.cluster.0);
        for step in &mut task.program {
            if let Step::Request(resource, _) | Step::Release(resource, _) = step {
                resource.0 = resource.0 * clusters + own;
            }
        }
    }
    system.resources = vec![Resource { units: 1 }; system.resources.len() * clusters as usize];
}

/// More units; on one processor requests for two of three as well.
fn several_units(system: &mut System, protocol: &Protocol, platform: &Platform) {
    if protocol.reach == Reach::Partitioned || protocol.nesting != Nesting::Any || platform.clusters.len() > 1
    {
        return;
    }
    system.resources.iter_mut().for_each(|resource| resource.units = 3);
    for (index, task) in system.tasks.iter_mut().enumerate() {
        for step in &mut task.program {
            if let Step::Request(resource, units) | Step::Release(resource, units) = step {
                *units = 1 + (index as u32 + resource.0) % 3;
            }
        }
    }
}

/// Holds `make`, which should be `protocol`, to what that one promises; gives how many waited.
pub fn hold(protocol: &Protocol, make: Make, seed: u64, aborts: bool) -> usize {
    let homes = homes(protocol);
    let (scheduler, platform) = &homes[seed as usize % homes.len()];
    let System { mut tasks, resources } = system_for(protocol, seed, platform);
    if platform.clusters.len() == 1 {
        tasks.iter_mut().for_each(|task| task.cluster = ClusterId(0));
    }
    let tick = Duration::from_ns(1);
    let slow = Charges { release: tick, scheduling: tick, context_switch: tick, ..Charges::default() };
    // Decisions lag behind on a machine that takes its time, so that what is promised of priorities holds later.
    let charges = if aborts && seed % 3 == 0 { slow } else { Charges::default() };
    let is_ideal = charges.scheduling == Duration::ZERO;
    let setup = Setup { charges, ..ideal(tasks.clone(), platform.clone(), 5_000) };
    let run = if aborts { run_giving_up } else { run_locked };
    let timeline = run(setup, &resources, scheduler, make);
    let mut promises = Promises::new(protocol, &tasks, &resources, platform);
    promises.aborts = aborts;
    promises.is_ideal = is_ideal;
    if protocol.blocks_once && is_ideal && !aborts {
        for (job, by) in Observed::new(&timeline, &tasks).blocked_by {
            assert!(by.len() <= 1, "{job} is blocked by {by:?}");
        }
    }
    promises.check(&timeline).waits
}
