//! The FMLP with short requests inside long sections, at all times of requests: as many processors as tasks, so that
//! each job takes its cost and what its blocking terms say, and no more.

use super::*;

/// What a job does, in all ways: a short request in a long section, either alone, one in and one after it.
fn programs() -> [Vec<Step>; 4] {
    let run = |ns| Step::Execute(Work::from_ns(ns));
    let (short, long) = (ResourceId(0), ResourceId(1));
    let around = |resource, inner: &[Step]| {
        [&[Step::Request(resource, 1)], inner, &[Step::Release(resource, 1)]].concat()
    };
    let in_it = around(long, &[&[run(1)], &around(short, &[run(2)])[..], &[run(1)]].concat());
    let and_after = [around(long, &around(short, &[run(1)])), around(short, &[run(2)])].concat();
    [in_it, around(short, &[run(3)]), around(long, &[run(2)]), and_after]
}

/// Three tasks: what each does by the digits of `pattern`, and when by those of `times`.
fn three(pattern: usize, times: u64, partitioned: bool) -> System {
    let choose = |index: u32| {
        let mut program = programs()[pattern / 4usize.pow(index) % 4].clone();
        program.insert(0, Step::Execute(Work::from_ns(1 + times / 5u64.pow(index) % 5)));
        let cost = program.iter().map(|step| if let Step::Execute(work) = step { work.as_ns() } else { 0 });
        let cluster = ClusterId(if partitioned { index as u16 } else { 0 });
        let leave = Instant::from_ns(1);
        Task {
            cluster,
            leave,
            ..Task { program: program.clone(), ..support::task(cost.sum(), 1_000, 1_000) }
        }
    };
    let platform = if partitioned { Platform::partitioned(3) } else { Platform::global(3) };
    System { tasks: (0..3).map(choose).collect(), resources: vec![Resource { units: 1 }; 2], platform }
}

#[test]
fn short_requests_inside_long_sections_delay_no_more_than_the_bound() {
    for (scheduler, partitioned) in [("G-EDF", false), ("P-EDF", true)] {
        let mut reached = 0;
        for (pattern, times) in (0..64).flat_map(|pattern| (0..125).map(move |times| (pattern, times))) {
            let system = three(pattern, times, partitioned);
            let analysis = analysis(&system, "fmlp", scheduler);
            let terms = &analysis.blocking.as_ref().expect("the FMLP is bounded").terms;
            let setup = ideal(system.tasks.clone(), system.platform.clone(), 200);
            let timeline = run_locked(setup, &system.resources, scheduler, maker("fmlp"));
            for (task, response) in seen(&timeline, &system.tasks).responses.into_iter().enumerate() {
                let delay = response - system.tasks[task].wcet.as_ns();
                let bound = terms[task].total().unwrap();
                assert!(delay <= bound, "{scheduler} {pattern} {times}: T{task} {delay}, bound {bound}");
                reached += u64::from(delay > 0 && delay == bound);
            }
        }
        // Global bounds count sections without preemption, which do not matter where there are as many processors as
        // tasks.
        assert!(!partitioned || reached > 200, "only {reached} delays are as long as their bounds");
    }
}
