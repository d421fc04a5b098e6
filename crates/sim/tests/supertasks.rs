//! Supertasks under the Pfair schedulers in the simulator.

use crate::support;
use schedlab_model::*;
use schedlab_policy::pfair::ComponentScheduling::{self, FullyPreemptive, QuantumBased};
use schedlab_policy::pfair::{Affinity, Supertask, SupertaskError, Weight};
use schedlab_policy::{find, ClusterSetup, Order, Policy, SetupError, EDF, RM};
use schedlab_sim::{simulate, NoLocks};
use schedlab_trace::{Record, Timeline};
use support::*;

fn supertask(
    weight: (u64, u64),
    order: Order,
    scheduling: ComponentScheduling,
    components: &[u32],
) -> Supertask {
    let components = components.iter().map(|&task| TaskId(task)).collect();
    Supertask { weight: Weight::new(weight.0, weight.1).unwrap(), order, scheduling, components }
}

fn with_quantum(name: &str, processors: u16, quantum: u64) -> Platform {
    let alignment = find(name).unwrap().quanta.unwrap();
    Platform { quantum: Duration::from_ns(quantum), alignment, ..Platform::global(processors) }
}

fn made(
    name: &str,
    platform: &Platform,
    tasks: &[Task],
    supertasks: &[Supertask],
) -> Result<Box<dyn Policy>, SetupError> {
    let cpus = &platform.clusters[0].cpus;
    let affinity = Affinity::default();
    let setup =
        ClusterSetup { cluster: ClusterId(0), cpus, platform, tasks, affinity, supertasks, throttling: None };
    find(name).unwrap().policy(&setup)
}

fn run_supertasks(
    name: &str,
    platform: &Platform,
    tasks: &[Task],
    supertasks: &[Supertask],
    horizon: u64,
) -> Timeline {
    let policy = made(name, platform, tasks, supertasks).unwrap_or_else(|error| panic!("{error}"));
    let mut timeline = Timeline::default();
    let setup = ideal(tasks.to_vec(), platform.clone(), horizon);
    simulate(setup, vec![policy], NoLocks, periodic(tasks), &mut timeline);
    timeline
}

fn drawn(name: &str, m: u16, quantum: u64, tasks: &[Task], supertasks: &[Supertask], until: u64) -> String {
    draw(&run_supertasks(name, &with_quantum(name, m, quantum), tasks, supertasks, until), m, until)
}

/// The example of the policy's header.
#[test]
fn what_a_component_leaves_of_a_quantum_is_the_others_if_fully_preemptive() {
    let tasks = [task(3, 10, 10), task(1, 10, 10)];
    for name in ["PD2", "PF", "PD", "ER-PD2", "S-PD2"] {
        let draw = |scheduling| drawn(name, 1, 2, &tasks, &[supertask((3, 5), EDF, scheduling, &[0, 1])], 10);
        assert_eq!(draw(FullyPreemptive), "AAAB......", "{name}");
        assert_eq!(draw(QuantumBased), "AAA...B...", "{name}");
    }
}

/// B arrives at 3, within the quantum that A has until 4, and is due before A.
#[test]
fn quantum_based_components_are_chosen_where_quanta_begin() {
    let late = Task { offset: Instant::from_ns(3), ..task(2, 100, 4) };
    let tasks = [task(6, 100, 20), late];
    let draw =
        |order, scheduling| drawn("PD2", 1, 4, &tasks, &[supertask((1, 1), order, scheduling, &[0, 1])], 12);
    assert_eq!(draw(EDF, FullyPreemptive), "AAABBAAA....");
    assert_eq!(draw(EDF, QuantumBased), "AAAABB..AA..");
    // By period, and by task where periods are equal, A goes first.
    assert_eq!(draw(RM, FullyPreemptive), "AAAAAABB....");
    assert_eq!(draw(RM, QuantumBased), "AAAAAA..BB..");
}

/// A supertask competes by its own windows, those of a task with its weight, and never releases them early.
#[test]
fn a_supertask_competes_like_a_task_of_its_weight() {
    for name in ["PD2", "PF", "PD", "S-PD2"] {
        let others = [task(4, 6, 6), task(8, 12, 12)];
        let with = |last| others.iter().cloned().chain([last]).collect::<Vec<Task>>();
        let expected = drawn(name, 2, 2, &with(task(60, 120, 120)), &[], 60);
        // The component has work in every quantum. Ties go to the task with the lower number in both systems.
        let inside = with(task(60, 60, 60));
        let supertasks = [supertask((1, 2), EDF, FullyPreemptive, &[2])];
        assert_eq!(drawn(name, 2, 2, &inside, &supertasks, 60), expected, "{name}");
    }
}

/// Staggered or not, a unit-weight supertask has a processor of its own from the first boundary of that on.
#[test]
fn a_unit_weight_supertask_is_a_dedicated_processor() {
    let sets: [&[(u64, u64)]; 4] =
        [&[(2, 7), (3, 11), (4, 13)], &[(1, 3), (2, 5)], &[(5, 10), (5, 11)], &[(7, 20), (3, 9), (2, 8)]];
    for set in sets {
        let components: Vec<Task> = set.iter().map(|&(cost, period)| task(cost, period, period)).collect();
        for (order, alone) in [(EDF, "P-EDF"), (RM, "P-RM")] {
            let expected = draw(&run(components.clone(), alone, 1, 400), 1, 400);
            let mut tasks = components.clone();
            tasks.extend([task(8, 20, 20), task(8, 32, 32), task(8, 40, 40)]);
            let members: Vec<u32> = (0..components.len() as u32).collect();
            let supertasks = [supertask((1, 1), order, FullyPreemptive, &members)];
            for name in ["PD2", "PF", "PD", "ER-PD2"] {
                let both = drawn(name, 2, 4, &tasks, &supertasks, 400);
                let rows: Vec<&str> = both.split(" / ").collect();
                assert!(rows.contains(&expected.as_str()), "{name} {set:?}\n{both}\n{expected}");
            }
            staggered_unit_weight(&tasks, &supertasks, order);
        }
    }
}

fn staggered_unit_weight(tasks: &[Task], supertasks: &[Supertask], order: Order) {
    let platform = with_quantum("S-PD2", 2, 4);
    let timeline = run_supertasks("S-PD2", &platform, tasks, supertasks, 400);
    let components = &supertasks[0].components;
    let mut on = timeline.records.iter().filter_map(|(_, record)| match record {
        Record::Dispatch { cpu, job } if components.contains(&job.task) => Some(*cpu),
        _ => None,
    });
    let cpu = on.next().unwrap();
    assert!(on.all(|other| other == cpu), "a processor of its own");
    // As on one processor that someone else keeps until its first boundary; that is late, and drawn as idling.
    let begin = platform.quantum_offset(cpu).as_ns();
    let mut alone: Vec<Task> = components.iter().map(|id| tasks[id.index()].clone()).collect();
    if begin > 0 {
        alone.push(Task { fixed_priority: 1, ..task(begin, 10_000, 1) });
    }
    let ranks = |task: &Task| if task.fixed_priority == 1 { 0 } else { 1 + task.period.as_ns() as u32 };
    alone = alone.into_iter().map(|task| Task { fixed_priority: ranks(&task), ..task }).collect();
    let name = if order.name == "EDF" { "P-EDF" } else { "P-FP" };
    let keeper = (b'A' + components.len() as u8) as char;
    let expected = draw(&run(alone, name, 1, 400), 1, 400).replace(keeper, ".");
    let both = draw(&timeline, 2, 400);
    assert_eq!(both.split(" / ").nth(cpu.index()), Some(expected.as_str()));
}

#[test]
fn bad_supertasks_are_refused_by_name() {
    let tasks = [task(4, 8, 8), task(4, 8, 8), task(4, 8, 8)];
    let refused = |name: &str, supertasks: &[Supertask]| {
        made(name, &with_quantum(name, 1, 4), &tasks, supertasks).err().expect("it is refused")
    };
    let of = |weight, components: &[u32]| supertask(weight, EDF, QuantumBased, components);
    for name in ["PD2", "S-PD2"] {
        let message = |supertasks: &[Supertask]| refused(name, supertasks).to_string();
        assert_eq!(message(&[of((1, 2), &[])]), "supertask 0: no component; allowed: from 1");
        assert_eq!(message(&[of((1, 2), &[3])]), "supertask 0: component T3 is no task of this cluster");
        let twice = [of((1, 2), &[0]), of((1, 2), &[1, 0])];
        assert_eq!(message(&twice), "supertask 1: component T0 stands twice; allowed: once in all");
        assert_eq!(
            refused(name, &twice),
            SetupError::Supertask { supertask: 1, error: SupertaskError::Twice(TaskId(0)) }
        );
        assert_eq!(
            message(&[of((2, 3), &[0, 1])]),
            "supertask 0: with its weight of 2/3, tasks and supertasks need more than 1 processors"
        );
        // A component may need more than its supertask has: it is late then.
        assert!(made(name, &with_quantum(name, 1, 4), &tasks, &[of((1, 2), &[0, 1])]).is_ok());
    }
}
