//! Locking protocols across processors: golden schedules.

use crate::locks;
use crate::support;

use locks::observed::Observed;
use locks::random::Random;
use locks::*;

use schedlab_model::*;
use support::golden::{golden, numbers};
use support::*;

fn scheduler_and_protocol(name: &str) -> (&str, Make) {
    match name {
        "MSRP-EDF" => ("P-EDF", make!("msrp")),
        "MSRP-FP" => ("P-FP", make!("msrp")),
        "MPCP" => ("P-FP", make!("mpcp")),
        other => panic!("an unknown protocol {other}"),
    }
}

#[test]
fn every_golden_completion_and_spin_agrees() {
    let (mut compared, mut jobs, mut spins) = (0, 0, 0);
    for record in golden("proto_multi") {
        let (mut tasks, resources) = tasks(&record);
        let (cpus, priorities) = (numbers(&record["cpu"]), numbers(&record["fp_priority"]));
        for (index, task) in tasks.iter_mut().enumerate() {
            task.cluster = ClusterId(cpus[index] as u16);
            task.fixed_priority = priorities[index] as u32;
        }
        let platform = Platform::partitioned(record["m"].as_u64().unwrap() as u16);
        for (name, expected) in record["results"].as_object().unwrap() {
            let (scheduler, make) = scheduler_and_protocol(name);
            let setup = ideal(tasks.clone(), platform.clone(), 100_000);
            let timeline = run_locked(setup, &resources, scheduler, make);
            let seen = finish(&timeline);
            assert_eq!(seen, rows(&expected["finish"]), "{} {name}", record["id"]);
            if let Some(max_spin) = expected["max_spin"].as_u64() {
                assert_eq!(Observed::new(&timeline, &tasks).max_spin, max_spin, "{} {name}", record["id"]);
                spins += u64::from(max_spin > 0);
            }
            compared += 1;
            jobs += seen.len();
        }
    }
    assert!(
        compared > 220 && jobs > 5_000 && spins >= 30,
        "only {compared} schedules, {jobs} jobs, {spins} spin"
    );
}

fn execute(ns: u64) -> Step {
    Step::Execute(Work::from_ns(ns))
}

fn section(resource: u32, inner: Vec<Step>) -> Vec<Step> {
    let r = ResourceId(resource);
    [vec![Step::Request(r, 1)], inner, vec![Step::Release(r, 1)]].concat()
}

fn at(offset: u64, deadline: u64, cluster: u16, program: &[Vec<Step>]) -> Task {
    Task {
        offset: Instant::from_ns(offset),
        fixed_priority: deadline as u32,
        cluster: ClusterId(cluster),
        program: program.concat(),
        ..task(1, 1_000_000, deadline)
    }
}

fn drawn(tasks: Vec<Task>, platform: Platform, scheduler: &str, make: Make, until: u64) -> String {
    let processors = platform.processors();
    let resources = [Resource { units: 1 }; 3];
    let timeline = run_locked(ideal(tasks, platform, 1_000_000), &resources, scheduler, make);
    draw(&timeline, processors, until)
}

const SHORT: Make = make!("fmlp-short");
const LONG: Make = make!("fmlp-long");

/// Block-or-not-2008, section 2.2: a long group of one processor follows the stack resource policy. A, which does not
/// share it, preempts its holder C; B, which does, waits at the gate. Were it global, because D shares it too, C would
/// not be preempted; D waits for it then.
#[test]
fn long_groups_of_one_processor_follow_the_stack_resource_policy() {
    let tasks = |elsewhere: u32| {
        vec![
            at(2, 10, 0, &[vec![execute(2)]]),
            at(3, 50, 0, &[section(0, vec![execute(2)])]),
            at(0, 100, 0, &[vec![execute(1)], section(1, section(0, vec![execute(4)])), vec![execute(1)]]),
            at(0, 100, 1, &[vec![execute(2)], section(elsewhere, vec![execute(1)])]),
        ]
    };
    let run = |elsewhere| drawn(tasks(elsewhere), Platform::partitioned(2), "P-EDF", LONG, 12);
    assert_eq!(run(2), "CCAACCCBBC.. / DDD.........");
    assert_eq!(run(1), "CCCCCAABBC.. / DD...D......");
}

/// Under G-EDF a long holder inherits: C holds R0 on one of two processors, the more urgent A waits for it, so B and D,
/// of middling urgency, cannot both keep C from running. With a short resource C would not be preempted at all.
#[test]
fn long_holders_inherit_and_short_ones_are_not_preempted() {
    let tasks = || {
        vec![
            at(2, 10, 0, &[section(0, vec![execute(2)]), vec![execute(1)]]),
            at(3, 20, 0, &[vec![execute(5)]]),
            at(0, 40, 0, &[vec![execute(1)], section(0, vec![execute(5)]), vec![execute(2)]]),
            at(3, 25, 0, &[vec![execute(5)]]),
        ]
    };
    let platform = || Platform::global(2);
    assert_eq!(drawn(tasks(), platform(), "G-EDF", LONG, 15), "CCCCCCAAACC.... / ...BBBBBDDDDD..");
    assert_eq!(drawn(tasks(), platform(), "G-EDF", SHORT, 15), "CCCCCCBBBBBCC.. / ..AAAAAAADDDDD.");
}

/// Under P-EDF a long holder is not preempted, and inherits from those on its processor until it runs.
#[test]
fn long_sections_are_not_preempted_under_partitions() {
    let tasks = vec![
        at(1, 10, 0, &[vec![execute(2)]]),
        at(0, 30, 0, &[section(0, vec![execute(3)]), vec![execute(1)]]),
        at(1, 20, 1, &[section(0, vec![execute(2)]), vec![execute(1)]]),
        at(0, 90, 1, &[vec![execute(9)]]),
    ];
    assert_eq!(drawn(tasks, Platform::partitioned(2), "P-EDF", LONG, 14), "BBBAAB........ / DDDCCCDDDDDD..");
    // B is granted R0 at 4, when C is more urgent; at 5 D, more urgent than C, waits for B on its own processor.
    let tasks = vec![
        at(0, 10, 0, &[section(0, vec![execute(4)])]),
        at(0, 90, 1, &[section(0, vec![execute(2)]), vec![execute(1)]]),
        at(1, 50, 1, &[vec![execute(10)]]),
        at(5, 20, 1, &[section(0, vec![execute(1)]), vec![execute(1)]]),
    ];
    let drawing = drawn(tasks, Platform::partitioned(2), "P-EDF", LONG, 17);
    assert_eq!(drawing, "AAAA............. / .CCCCBBDDCCCCCCB.");
}

/// Requests for R1 nest within those for R0 somewhere, so the two have one lock: B, which wants R1 alone, waits for A,
/// which holds R0 alone. C uses R2, which is in no group with them.
#[test]
fn resources_that_nest_have_one_lock() {
    let tasks = vec![
        at(0, 10, 0, &[section(0, vec![execute(4)])]),
        at(1, 10, 1, &[section(1, vec![execute(1)])]),
        at(1, 10, 2, &[section(2, vec![execute(1)])]),
        at(20, 90, 2, &[section(0, section(1, vec![execute(1)]))]),
    ];
    let drawing = drawn(tasks, Platform::partitioned(3), "P-EDF", SHORT, 8);
    assert_eq!(drawing, "AAAA.... / .BBBB... / .C......");
}

/// The worked example of six tasks with one request of 10000 each: a request waits for at most one of every other
/// task (Block et al. 2007), and with a processor for each and all at once, the last does wait that long.
#[test]
fn a_request_waits_at_most_for_one_of_every_other_task() {
    for (make, processors) in [(SHORT, 6), (LONG, 6), (LONG, 2)] {
        let tasks =
            (0..6).map(|task| at(0, 100_000 + task, 0, &[section(0, vec![execute(10_000)])])).collect();
        let setup = ideal(tasks, Platform::global(processors), 1_000_000);
        let timeline = run_locked(setup, &[Resource { units: 1 }], "G-EDF", make);
        let last = completions(&timeline).into_iter().map(|(_, _, at)| at).max();
        assert_eq!(last, Some(50_000 + 10_000));
    }
}

/// MPCP: within a global section B is more urgent than A outside of any; MSRP: while B spins, A has to wait as well.
#[test]
fn global_sections_go_before_everything_else() {
    let tasks = || {
        vec![
            at(1, 10, 0, &[vec![execute(4)]]),
            at(0, 20, 0, &[section(0, vec![execute(2)]), vec![execute(1)]]),
            at(0, 30, 1, &[section(0, vec![execute(2)]), vec![execute(1)]]),
        ]
    };
    let platform = || Platform::partitioned(2);
    assert_eq!(drawn(tasks(), platform(), "P-FP", make!("mpcp"), 9), "BBAAAAB.. / ..CCC....");
    assert_eq!(drawn(tasks(), platform(), "P-FP", make!("msrp"), 9), "BBAAAAB.. / CCCCC....");
}

/// MPCP: among global sections the users elsewhere count. B's resource has a more urgent one (D) than A's (C), so B
/// goes first as soon as it is granted, though A is the more urgent task.
#[test]
fn remote_ceilings_order_global_sections() {
    let tasks = vec![
        at(2, 10, 0, &[section(0, vec![execute(4)])]),
        at(1, 20, 0, &[section(1, vec![execute(2)]), vec![execute(1)]]),
        at(50, 40, 1, &[section(0, vec![execute(1)])]),
        at(0, 5, 1, &[section(1, vec![execute(3)])]),
    ];
    let drawing = drawn(tasks, Platform::partitioned(2), "P-FP", make!("mpcp"), 10);
    assert_eq!(drawing, "..ABBAAAB. / DDD.......");
}

/// Where all users count, A's own urgency does: it goes on. Among users elsewhere, B's is the more urgent (D, above C).
#[test]
fn ceilings_of_all_users_order_global_sections_otherwise() {
    let tasks = || {
        vec![
            at(2, 10, 0, &[section(0, vec![execute(4)])]),
            at(1, 20, 0, &[section(1, vec![execute(2)]), vec![execute(1)]]),
            at(50, 40, 1, &[section(0, vec![execute(1)])]),
            at(0, 30, 1, &[section(1, vec![execute(3)])]),
        ]
    };
    let drawing = |make: Make| drawn(tasks(), Platform::partitioned(2), "P-FP", make, 10);
    assert_eq!(drawing(make!("mpcp")), "..ABBAAAB. / DDD.......");
    assert_eq!(drawing(make!("mpcp-all")), "..AAAABBB. / DDD.......");
}

/// The worked examples of bounds: no request ever waits longer, over many offsets, and each task waits for a good
/// part of it.
fn longest_waits(id: &str, processors: u16, make: Make) -> (Vec<u64>, serde_json::Value) {
    let example = worked_example(id);
    let mut longest = Vec::new();
    for seed in 0..400 {
        let mut random = Random(seed);
        let mut tasks = Vec::new();
        for (index, given) in example["system"]["tasks"].as_array().unwrap().iter().enumerate() {
            let mut steps = vec![vec![execute(1 + random.below(20))]];
            for section_of in given["sections"].as_array().unwrap() {
                let [count, length] = [1, 2].map(|field| section_of[field].as_u64().unwrap());
                for _ in 0..count {
                    steps.push(section(0, vec![execute(length)]));
                    steps.push(vec![execute(1 + random.below(length))]);
                }
            }
            let period = Duration::from_ns(given["T"].as_u64().unwrap());
            let cluster = given["cpu"].as_u64().unwrap() as u16;
            let near = random.below(if seed % 2 == 0 { 60 } else { 10_000 });
            let leave = Instant::from_ns(300_000);
            tasks.push(Task { period, leave, ..at(near, 10_000 + index as u64, cluster, &steps) });
        }
        let setup = ideal(tasks.clone(), Platform::partitioned(processors), 1_000_000);
        let timeline = run_locked(setup, &[Resource { units: 1 }], "P-FP", make);
        let observed = Observed::new(&timeline, &tasks);
        longest.resize(tasks.len(), 0);
        for (task, wait) in observed.longest_wait {
            longest[task.index()] = longest[task.index()].max(wait);
        }
    }
    (longest, example["expected"].clone())
}

#[test]
fn no_request_waits_longer_than_its_bound() {
    let (seen, expected) = longest_waits("msrp-bounds", 3, make!("msrp"));
    let bounds = numbers(&expected["spin_per_request"]);
    assert!(seen.iter().zip(&bounds).all(|(seen, bound)| seen <= bound), "{seen:?} {bounds:?}");
    assert!(seen.iter().zip(&bounds).all(|(seen, bound)| seen * 2 >= *bound), "{seen:?} {bounds:?}");
    let (seen, expected) = longest_waits("mpcp-bounds", 5, make!("mpcp"));
    let bounds = numbers(&expected["remote_blocking"]);
    assert!(seen.iter().zip(&bounds).all(|(seen, bound)| seen <= bound), "{seen:?} {bounds:?}");
    assert!(seen.iter().zip(&bounds).all(|(seen, bound)| seen * 5 >= *bound * 2), "{seen:?} {bounds:?}");
}
