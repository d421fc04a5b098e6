//! What locking protocols promise, on random systems; and that each rule matters: mutants break the promises.

use crate::locks;
use crate::support;

use locks::filtered::Filtered;
use locks::observed::Observed;
use locks::random::{system, Shape, System};
use locks::*;
use schedlab_lock::*;
use schedlab_model::*;
use schedlab_policy::find;
use schedlab_sim::{Charges, Setup};
use std::panic::catch_unwind;
use support::*;

const UNI: Shape = Shape { processors: 1, units: 1, depth: 3 };

/// How many systems; `LOCK_SYSTEMS` asks for more.
fn systems() -> u64 {
    std::env::var("LOCK_SYSTEMS").map_or(900, |count| count.parse().unwrap())
}

fn observe(seed: u64, shape: Shape, scheduler: &str, make: Make) -> Observed {
    observe_system(system(seed, shape), shape, scheduler, Charges::default(), make)
}

fn observe_system(system: System, shape: Shape, scheduler: &str, charges: Charges, make: Make) -> Observed {
    let platform = platform(find(scheduler).unwrap().scope, shape.processors, 2);
    let setup = Setup { charges, ..ideal(system.tasks, platform, 5_000) };
    let setup = match setup.platform.clusters.len() {
        1 => in_one_cluster(setup),
        _ => setup,
    };
    let tasks = setup.tasks.clone();
    let observed = Observed::new(&run_locked(setup, &system.resources, scheduler, make), &tasks);
    for (resource, most) in &observed.most_held {
        assert!(*most <= system.resources[resource.index()].units, "too many hold {resource}");
    }
    observed
}

fn in_one_cluster(mut setup: Setup) -> Setup {
    setup.tasks.iter_mut().for_each(|task| task.cluster = ClusterId(0));
    setup
}

/// No deadlock, and each job waits for at most one outermost section of one less urgent job.
fn blocks_once(seed: u64, shape: Shape, scheduler: &str, make: Make) -> Observed {
    let observed = observe(seed, shape, scheduler, make);
    assert!(observed.unfinished.is_empty(), "seed {seed}: {:?} never end", observed.unfinished);
    for (job, by) in &observed.blocked_by {
        let in_section = by.iter().all(|(_, section)| *section > 0);
        assert!(by.len() <= 1 && in_section, "seed {seed}: {job} is blocked by {by:?}");
    }
    observed
}

#[test]
fn ceilings_and_gates_block_at_most_once_without_deadlock() {
    let cases: [(&str, Make, u64); 7] = [
        ("P-RM", make!("pcp"), 1),
        ("P-FP", make!("ipcp"), 1),
        ("P-RM", make!("ipcp"), 1),
        ("P-RM", make!("srp"), 3),
        ("P-EDF", make!("srp"), 3),
        ("P-RM", make!("npcs"), 1),
        ("P-EDF", make!("npcs"), 1),
    ];
    for (index, (scheduler, make, units)) in cases.into_iter().enumerate() {
        let mut blocked = 0;
        for seed in 0..systems() {
            let observed = blocks_once(seed, Shape { units, ..UNI }, scheduler, make);
            assert!(index == 0 || observed.denied == 0, "seed {seed}: a request is denied");
            blocked += observed.blocked_by.len();
        }
        assert!(blocked as u64 > systems() / 10, "case {index}: only {blocked} jobs were blocked at all");
    }
}

/// Without nesting nothing deadlocks under PIP; with it, some systems do.
#[test]
fn inheritance_deadlocks_only_if_sections_nest() {
    let ends =
        |seed, depth| observe(seed, Shape { depth, ..UNI }, "P-RM", make!("pip")).unfinished.is_empty();
    assert!((0..systems()).all(|seed| ends(seed, 1)));
    assert!((0..systems()).any(|seed| !ends(seed, 3)));
}

fn does_not_boost(effect: &Effect) -> bool {
    !matches!(effect, Effect::SetPriority(..))
}

fn leaves_preemptable(effect: &Effect) -> bool {
    !matches!(effect, Effect::SetPreemptable(..))
}

/// The protocol with ceilings that forget the most urgent task.
macro_rules! with_low_ceilings {
    ($name:literal) => {
        |setup| {
            let mut tasks = setup.tasks.to_vec();
            tasks[0].program.clear();
            named($name, &LockSetup { tasks: &tasks, ..*setup })
        }
    };
}

#[test]
fn mutants_break_the_promises() {
    let mutants: [(&str, Make); 7] = [
        ("PCP, low ceilings", with_low_ceilings!("pcp")),
        ("IPCP, low ceilings", with_low_ceilings!("ipcp")),
        ("SRP, low ceilings", with_low_ceilings!("srp")),
        ("PCP without inheritance", |setup| {
            Ok(Box::new(Filtered(named("pcp", setup)?, |effect: &Effect| {
                !matches!(effect, Effect::Inherit { .. })
            })))
        }),
        ("IPCP without boosts", |setup| Ok(Box::new(Filtered(named("ipcp", setup)?, does_not_boost)))),
        ("SRP without a gate", |setup| {
            let no_gate = |effect: &Effect| !matches!(effect, Effect::Hold(_) | Effect::Admit(_));
            Ok(Box::new(Filtered(named("srp", setup)?, no_gate)))
        }),
        ("NPCS, preemptive", |setup| Ok(Box::new(Filtered(named("npcs", setup)?, leaves_preemptable)))),
    ];
    let survivors: Vec<&str> = mutants
        .into_iter()
        .filter(|(_, make)| {
            (0..300).all(|seed| catch_unwind(|| blocks_once(seed, UNI, "P-FP", *make)).is_ok())
        })
        .map(|(name, _)| name)
        .collect();
    assert!(survivors.is_empty(), "{survivors:?}");
}

const FLAT: Shape = Shape { processors: 3, units: 1, depth: 1 };
const DEEP: Shape = Shape { processors: 3, units: 1, depth: 3 };

/// MSRP: each job is blocked at most once on its processor, who waits is served in order and is not preempted.
fn msrp_holds(seed: u64, scheduler: &str, make: Make) -> Observed {
    let observed = blocks_once(seed, FLAT, scheduler, make);
    let [all, fifo, _] = observed.grants;
    assert!(all == fifo && observed.denied == 0, "seed {seed}: {fifo} of {all} in order");
    observed
}

/// MPCP: the most urgent waiter is served first, and no job in a global section waits for one outside of sections.
fn mpcp_holds(seed: u64, make: Make) -> Observed {
    let observed = observe(seed, FLAT, "P-FP", make);
    let [all, _, by_base] = observed.grants;
    assert!(observed.unfinished.is_empty() && all == by_base, "seed {seed}: {by_base} of {all} by priority");
    let System { tasks, resources } = system(seed, FLAT);
    let platform = Platform::partitioned(FLAT.processors);
    let setup = LockSetup {
        tasks: &tasks,
        resources: &resources,
        platform: &platform,
        order: PriorityOrder::Other,
        lengths: &[],
    };
    let is_local = setup.local(&setup.usage().unwrap());
    let global = observed.passed_over.iter().find(|(_, resource)| !is_local[resource.index()]);
    assert_eq!(global, None, "seed {seed}");
    observed
}

/// FMLP: group locks prevent deadlock, first come, first served; with non-preemptive sections no job is preempted.
fn fmlp_holds(seed: u64, scheduler: &str, nonpreemptive: bool, make: Make) -> Observed {
    let observed = observe(seed, DEEP, scheduler, make);
    let [all, fifo, _] = observed.grants;
    assert!(observed.unfinished.is_empty() && all == fifo, "seed {seed}: {fifo} of {all} in order");
    assert!(!nonpreemptive || observed.preempted_inside.is_empty(), "seed {seed}");
    observed
}

#[test]
fn protocols_across_processors_keep_their_promises() {
    let mut waits = [0; 7];
    for seed in 0..systems() {
        let all = [
            msrp_holds(seed, "P-EDF", make!("msrp")),
            msrp_holds(seed, "P-FP", make!("msrp")),
            mpcp_holds(seed, make!("mpcp")),
            fmlp_holds(seed, "G-EDF", true, make!("fmlp-short")),
            fmlp_holds(seed, "P-EDF", true, make!("fmlp-short")),
            fmlp_holds(seed, "G-EDF", false, make!("fmlp-long")),
            // Local long groups follow the stack resource policy, whose holders can be preempted.
            fmlp_holds(seed, "P-EDF", false, make!("fmlp-long")),
        ];
        waits.iter_mut().zip(&all).for_each(|(sum, observed)| *sum += observed.grants[0] as u64);
    }
    assert!(waits.iter().all(|waits| *waits > systems() / 2), "{waits:?} waits are too few");
}

#[test]
fn mutants_across_processors_break_the_promises() {
    type Run = fn(u64) -> Observed;
    let mutants: [(&str, Run); 5] = [
        ("MSRP, preemptive", |seed| {
            msrp_holds(seed, "P-EDF", |setup| {
                Ok(Box::new(Filtered(named("msrp", setup)?, leaves_preemptable)))
            })
        }),
        ("MPCP without boosts", |seed| {
            mpcp_holds(seed, |setup| Ok(Box::new(Filtered(named("mpcp", setup)?, does_not_boost))))
        }),
        ("FMLP+ instead of MPCP", |seed| mpcp_holds(seed, make!("fmlp+"))),
        ("FMLP short, preemptive", |seed| {
            fmlp_holds(seed, "P-EDF", true, |setup| {
                Ok(Box::new(Filtered(named("fmlp-short", setup)?, leaves_preemptable)))
            })
        }),
        ("PIP instead of group locks", |seed| fmlp_holds(seed, "G-EDF", false, make!("pip"))),
    ];
    let survivors: Vec<&str> = mutants
        .into_iter()
        .filter(|(_, run)| (0..400).all(|seed| catch_unwind(|| run(seed)).is_ok()))
        .map(|(name, _)| name)
        .collect();
    assert!(survivors.is_empty(), "{survivors:?}");
}

/// Jobs that suspend themselves between sections, on a machine that takes its time: every protocol still excludes, and
/// all but those that may deadlock come to an end.
#[test]
fn suspensions_and_overheads_break_nothing() {
    let tick = Duration::from_ns(1);
    let charges =
        Charges { release: tick, scheduling: tick, context_switch: tick, ipi: tick, ..Charges::default() };
    for protocol in ALL_PROTOCOLS.iter().filter(|protocol| protocol.ceilings != Ceilings::Quanta) {
        let (processors, depth, scheduler) = match protocol.reach {
            Reach::Local => (1, 3, "P-FP"),
            Reach::Partitioned => (3, 1, "P-FP"),
            Reach::Any | Reach::Global if protocol.nesting == Nesting::Never => (3, 1, "G-FP"),
            Reach::Any | Reach::Global => (3, 3, "G-FP"),
        };
        let shape = Shape { processors, units: 1, depth };
        for seed in 0..systems() {
            let mut system = system(seed, shape);
            for task in &mut system.tasks {
                nap_between_sections(&mut task.program, 1 + seed % 7);
            }
            let charges = if seed % 2 == 0 { Charges::default() } else { charges.clone() };
            let observed = observe_system(system, shape, scheduler, charges, protocol.make);
            let ends = observed.unfinished.is_empty() || !protocol.deadlock_free;
            assert!(ends, "{} seed {seed}: {:?}", protocol.name, observed.unfinished);
        }
    }
}

fn nap_between_sections(program: &mut Vec<Step>, length: u64) {
    let (mut depth, mut with_naps) = (0, Vec::new());
    for step in program.drain(..) {
        with_naps.push(step);
        match step {
            Step::Request(..) => depth += 1,
            Step::Release(..) => depth -= 1,
            _ => {}
        }
        if depth == 0 && with_naps.len() % 2 == 1 {
            with_naps.push(Step::Suspend(Duration::from_ns(length)));
            with_naps.push(Step::Execute(Work::from_ns(1)));
        }
    }
    *program = with_naps;
}
