//! Random systems: the closed form of spin locks is the program's optimum; prices never prove too little.

#[path = "../../analysis/tests/support/mixer.rs"]
mod mixer;

use mixer::Mixer;
use schedlab_analysis::blocking::{fmlp_plus, mpcp, Request, Sharer, Sharing};
use schedlab_lp_blocking::spin::greedy::Greedy;
use schedlab_lp_blocking::spin::{program, response_time, Spinning};
use schedlab_lp_blocking::{maximum, semaphore};

/// Up to eight tasks, four resources, three processors; response times anywhere up to a little above the period.
fn draw(random: &mut Mixer) -> (Sharing, Vec<u64>) {
    let clusters = 1 + random.below(3);
    let resources = 1 + random.below(4);
    let mut sharing = Sharing::new(clusters as u32, vec![1; resources as usize]);
    let mut responses = Vec::new();
    for level in 0..2 + random.below(7) {
        let period = 20 + random.below(200);
        let cost = 1 + random.below(period / 4);
        let cluster = random.below(clusters) as u32;
        let task = Sharer { cost, period, relative_deadline: period, cluster, level: level as u32 };
        let mut requests = Vec::new();
        for resource in 0..resources {
            if random.below(2) == 0 {
                let (count, length) = (1 + random.below(3), 1 + random.below(9));
                requests.push(Request::mutex(resource as u32, count as u32, length));
            }
        }
        sharing.push(task, &requests).unwrap();
        responses.push(cost + random.below(period));
    }
    (sharing, responses)
}

#[test]
fn the_closed_form_is_the_optimum() {
    let (mut random, mut greedy, mut positive) = (Mixer(7), Greedy::default(), 0);
    for _ in 0..400 {
        let (sharing, responses) = draw(&mut random);
        greedy.read(&sharing);
        for at in 0..sharing.tasks().len() {
            for spinning in [Spinning::NonPreemptive, Spinning::Preemptable] {
                let closed = greedy.bound(&sharing, &responses, at, spinning);
                let solved = maximum(&program::program(&sharing, &responses, at, spinning));
                assert_eq!(Some(closed), solved, "task {at}, {spinning:?}, {sharing:?} {responses:?}");
                positive += usize::from(closed > 0);
            }
        }
    }
    assert!(positive > 2_000, "only {positive} positive bounds");
}

#[test]
fn the_program_of_the_fmlp_plus_is_not_above_the_classic_bound() {
    let (mut random, mut below) = (Mixer(11), 0);
    for _ in 0..300 {
        let (sharing, responses) = draw(&mut random);
        let classic = fmlp_plus::bounds(&sharing, &responses, true);
        for (at, classic) in classic.iter().enumerate() {
            let bound = maximum(&semaphore::fmlp_plus::program(&sharing, &responses, at)).unwrap();
            assert!(bound <= classic.total().unwrap(), "task {at} {sharing:?} {responses:?}");
            below += usize::from(bound < classic.total().unwrap());
        }
    }
    assert!(below > 100, "the program is better in only {below} cases");
}

#[test]
fn the_program_of_the_mpcp_is_not_above_the_classic_bound() {
    let (mut random, mut below, mut compared) = (Mixer(17), 0, 0);
    for _ in 0..300 {
        let (sharing, responses) = draw(&mut random);
        let classic = mpcp::bounds(&sharing, &responses, false);
        let programs = semaphore::mpcp::Mpcp::new(&sharing);
        for (at, classic) in classic.iter().enumerate() {
            let Some(classic) = classic.total() else { continue };
            // The classic bound counts a job of each more urgent task once more; the program lets one come in late instead.
            if responses.iter().zip(sharing.tasks()).any(|(response, task)| *response > task.period) {
                continue;
            }
            let bound = maximum(&programs.program(&responses, at)).unwrap();
            assert!(bound <= classic, "task {at} {sharing:?} {responses:?}");
            compared += 1;
            below += usize::from(bound < classic);
        }
    }
    assert!(below > 50 && compared > below, "the program is better in only {below} of {compared} cases");
}

/// Each limit matters: three tasks, by hand.
#[test]
fn the_program_of_the_mpcp_by_hand() {
    // T0 on processor 0, T1 and T2 on processor 1: T1 and T0 share R0, T2 and T0 share R1, lengths 3, 5, 7, 2.
    let mut sharing = Sharing::new(2, vec![1, 1]);
    let task = |cluster, level| Sharer { cost: 20, period: 100, relative_deadline: 100, cluster, level };
    sharing.push(task(0, 0), &[Request::mutex(0, 1, 3), Request::mutex(1, 1, 2)]).unwrap();
    sharing.push(task(1, 1), &[Request::mutex(0, 1, 5)]).unwrap();
    sharing.push(task(1, 2), &[Request::mutex(1, 1, 7)]).unwrap();
    let responses = [40, 50, 60];
    let programs = semaphore::mpcp::Mpcp::new(&sharing);
    let bound = |at| maximum(&programs.program(&responses, at)).unwrap();
    // W of T1's section: 5 and T2's 7, equally boosted; so is W of T2's.
    assert_eq!((programs.wait(&responses, 0, 0), programs.wait(&responses, 0, 1)), (12, 12));
    // T0 waits for each section once: direct blocking, since there is one job of each.
    assert_eq!(bound(0), 5 + 7);
    // T1 waits for T0's R0 (3); T2 executes its R1 when T1 arrives and when it resumes, in two jobs. T0's R1 delays nothing here.
    assert_eq!((programs.wait(&responses, 1, 0), bound(1)), (3, 3 + 2 * 7));
    // T2 waits for T0's R1 (2), whom no other section preempts: T0 is alone on its processor.
    assert_eq!((programs.wait(&responses, 2, 1), bound(2)), (2, 2));
    // With a third task on processor 0 whose boosted section preempts T0's, T2 waits for that too.
    sharing.push(task(0, 3), &[Request::mutex(0, 2, 4)]).unwrap();
    let responses = [40, 50, 60, 70];
    let programs = semaphore::mpcp::Mpcp::new(&sharing);
    let bound = |at| maximum(&programs.program(&responses, at)).unwrap();
    // Its R0 is boosted to T1, above T0's R1 (boosted to T2): one section of 4 for the one time that T2 waits.
    assert_eq!((programs.wait(&responses, 2, 1), bound(2)), (2 + 4, 2 + 4));
}

#[test]
fn response_times_are_a_fixed_point_from_below() {
    let (mut random, mut greedy, mut found) = (Mixer(13), Greedy::default(), 0);
    for _ in 0..300 {
        let (sharing, _) = draw(&mut random);
        let Some(responses) = response_time::bounds(&sharing, Spinning::NonPreemptive, &mut greedy) else {
            continue;
        };
        found += 1;
        let tasks = sharing.tasks();
        for (at, own) in tasks.iter().enumerate() {
            let above = tasks.iter().filter(|task| task.cluster == own.cluster && task.level < own.level);
            let demand: u64 = above.map(|task| responses[at].div_ceil(task.period) * task.cost).sum();
            let blocking = greedy.bound(&sharing, &responses, at, Spinning::NonPreemptive);
            assert_eq!(responses[at], own.cost + blocking + demand);
            assert!(responses[at] <= own.relative_deadline);
        }
    }
    assert!(found > 30, "only {found} systems are schedulable");
}
