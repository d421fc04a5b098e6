//! Random systems: programs are not above classic bounds; waits for spin locks by hand; fixed points.

use crate::mixer;

use crate::support::draw;
use mixer::Mixer;
use schedlab_analysis::blocking::feed::without_inflation;
use schedlab_analysis::blocking::{fmlp_plus, mpcp, Requests, Sharer, Sharing};
use schedlab_lp_blocking::spin::greedy::Greedy;
use schedlab_lp_blocking::spin::ranked::{Lock, PendingJob, Ranks};
use schedlab_lp_blocking::spin::Spinning;
use schedlab_lp_blocking::{maximum, semaphore};

#[test]
fn the_program_of_the_fmlp_plus_is_not_above_the_classic_bound() {
    let (mut random, mut below) = (Mixer(11), 0);
    for _ in 0..300 {
        let (sharing, responses) = draw(|bound| random.below(bound));
        let classic = fmlp_plus::bounds(&sharing, &responses, true);
        for (task, classic) in classic.iter().enumerate() {
            let bound = maximum(&semaphore::fmlp_plus::program(&sharing, &responses, task)).unwrap();
            assert!(bound <= classic.total().unwrap(), "task {task} {sharing:?} {responses:?}");
            below += usize::from(bound < classic.total().unwrap());
        }
    }
    assert!(below > 100, "the program is better in only {below} cases");
}

#[test]
fn the_program_of_the_mpcp_is_not_above_the_classic_bound() {
    let (mut random, mut below, mut compared) = (Mixer(17), 0, 0);
    for _ in 0..300 {
        let (sharing, responses) = draw(|bound| random.below(bound));
        let classic = mpcp::bounds(&sharing, &responses, false);
        let programs = semaphore::mpcp::Mpcp::new(&sharing);
        for (index, classic) in classic.iter().enumerate() {
            let Some(classic) = classic.total() else { continue };
            // The classic bound counts a job of each more urgent task once more; the program lets one come in late
            // instead.
            if responses.iter().zip(sharing.tasks()).any(|(response, task)| *response > task.period) {
                continue;
            }
            let bound = maximum(&programs.program(&responses, index)).unwrap();
            assert!(bound <= classic, "task {index} {sharing:?} {responses:?}");
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
    sharing.push(task(0, 0), &[Requests::mutex(0, 1, 3), Requests::mutex(1, 1, 2)]).unwrap();
    sharing.push(task(1, 1), &[Requests::mutex(0, 1, 5)]).unwrap();
    sharing.push(task(1, 2), &[Requests::mutex(1, 1, 7)]).unwrap();
    let responses = [40, 50, 60];
    let programs = semaphore::mpcp::Mpcp::new(&sharing);
    let bound = |index| maximum(&programs.program(&responses, index)).unwrap();
    // W of T1's section: 5 and T2's 7, equally boosted; so is W of T2's.
    assert_eq!((programs.wait(&responses, 0, 0), programs.wait(&responses, 0, 1)), (12, 12));
    // T0 waits for each section once: direct blocking, since there is one job of each.
    assert_eq!(bound(0), 5 + 7);
    // T1 waits for T0's R0 (3); T2 executes its R1 when T1 arrives and when it resumes, in two jobs. T0's R1 delays
    // nothing here.
    assert_eq!((programs.wait(&responses, 1, 0), bound(1)), (3, 3 + 2 * 7));
    // T2 waits for T0's R1 (2), whom no other section preempts: T0 is alone on its processor.
    assert_eq!((programs.wait(&responses, 2, 1), bound(2)), (2, 2));
    // With a third task on processor 0 whose boosted section preempts T0's, T2 waits for that too.
    sharing.push(task(0, 3), &[Requests::mutex(0, 2, 4)]).unwrap();
    let responses = [40, 50, 60, 70];
    let programs = semaphore::mpcp::Mpcp::new(&sharing);
    let bound = |index| maximum(&programs.program(&responses, index)).unwrap();
    // Its R0 is boosted to T1, above T0's R1 (boosted to T2): one section of 4 for the one time that T2 waits.
    assert_eq!((programs.wait(&responses, 2, 1), bound(2)), (2 + 4, 2 + 4));
}

/// A task with its requests and its response time.
type Known = (Sharer, Vec<Requests>, u64);

const NP: Spinning = Spinning::NonPreemptive;
const P: Spinning = Spinning::Preemptable;

fn task(cluster: u32, level: u32, period: u64, response: u64, requests: &[Requests]) -> Known {
    let sharer = Sharer { cost: 2, period, relative_deadline: period, cluster, level };
    (sharer, requests.to_vec(), response)
}

fn section(length: u64) -> [Requests; 1] {
    [Requests::mutex(0, 1, length)]
}

fn bound(tasks: &[Known], task: usize, ranks: Ranks, spinning: Spinning) -> u64 {
    let mut sharing = Sharing::new(3, vec![1, 1]);
    tasks.iter().for_each(|(task, requests, _)| assert!(sharing.push(*task, requests).is_ok()));
    let responses: Vec<u64> = tasks.iter().map(|(.., response)| *response).collect();
    PendingJob { sharing: &sharing, responses: &responses, task, lock: Lock::new(ranks, spinning) }.bound()
}

#[test]
fn waits_without_fifo_by_hand() {
    // Two that come again and again, one after the other: unordered, T2 may wait for all of their 11 and 9 requests
    // within 30.
    let busy =
        [task(1, 0, 3, 3, &section(2)), task(2, 1, 4, 4, &section(2)), task(0, 2, 100, 30, &section(1))];
    assert_eq!([NP, P].map(|spinning| bound(&busy, 2, Ranks::Equal, spinning)), [40, 40]);
    assert_eq!(bound(&busy, 2, Ranks::ByPriority, NP), 40);
    // The most urgent one waits for one holder.
    assert_eq!(bound(&busy, 0, Ranks::ByPriority, NP), 2);
    // A wait that ends: W = 1 + 3 + 2, so one request of each within it, although two of T0 come within 30. FIFO would
    // say 3 + 2.
    let calm = |requests| {
        let own = [Requests::mutex(0, requests, 1)];
        [task(1, 0, 25, 5, &section(2)), task(2, 2, 100, 20, &section(3)), task(0, 1, 100, 30, &own)]
    };
    assert_eq!(bound(&calm(1), 2, Ranks::ByPriority, NP), 2 + 3);
    // Two waits meet both of T0's, and the one of T1.
    assert_eq!(bound(&calm(2), 2, Ranks::ByPriority, NP), 2 * 2 + 3);
    // Preempted, a wait lasts as long as the job is pending: both of T0's.
    assert_eq!(bound(&calm(1), 2, Ranks::ByPriority, P), 2 * 2 + 3);
    // With T0's period 10 two of its requests come within W = 1 + 3 + 2 * 2, but within 5 or 3 only one would.
    let mut closer = calm(1);
    closer[0].0.period = 10;
    assert_eq!(bound(&closer, 2, Ranks::ByPriority, NP), 2 * 2 + 3);
}

#[test]
fn waits_on_arrival_without_fifo_by_hand() {
    // On arrival: T1 may have a job waiting here, for T0's and for one that is less urgent, and then holds for 4.
    let arrival = |own: &[Requests]| {
        [
            task(1, 0, 100, 5, &section(2)),
            task(0, 1, 100, 30, own),
            task(0, 2, 100, 40, &section(4)),
            task(2, 3, 100, 20, &[Requests::mutex(0, 2, 3)]),
        ]
    };
    assert_eq!(bound(&arrival(&[]), 1, Ranks::ByPriority, NP), 4 + 2 + 3);
    assert_eq!(bound(&arrival(&[]), 1, Ranks::Equal, NP), 4 + 2 + 2 * 3);
    // Nothing remote where that one can be preempted.
    assert_eq!([Ranks::ByPriority, Ranks::Equal].map(|ranks| bound(&arrival(&[]), 1, ranks, P)), [4, 4]);
    // Of T3's two requests one delays the job's own wait, the other its arrival; no request delays twice.
    assert_eq!(bound(&arrival(&section(1)), 1, Ranks::ByPriority, NP), 4 + 2 + 3 + 3);
}

#[test]
fn preempted_waits_without_fifo_by_hand() {
    // A more urgent job without requests preempts the wait, and the new one meets another holder.
    let preempted = |level| {
        [
            task(0, level, 100, 2, &[]),
            task(0, 1, 100, 30, &section(1)),
            task(1, 3, 100, 20, &section(5)),
            task(2, 4, 100, 20, &section(3)),
        ]
    };
    assert_eq!([NP, P].map(|spinning| bound(&preempted(0), 1, Ranks::ByPriority, spinning)), [5, 5 + 3]);
    assert_eq!(bound(&preempted(2), 1, Ranks::ByPriority, P), 5);
    // Its own spinning counts, but only for what is issued while it is pending.
    let mut above = preempted(0);
    above[0].1 = section(1).to_vec();
    above[1].1.clear();
    assert_eq!(bound(&above, 1, Ranks::ByPriority, NP), 5);
    above[2].0.period = 21;
    assert_eq!(bound(&above, 1, Ranks::Equal, NP), 2 * 5 + 3);
}

#[test]
fn waits_behind_several_requests_without_fifo_by_hand() {
    // T1's three requests go before the least urgent waiter's here, and before the least urgent that waits on arrival.
    let thrice = [Requests::mutex(0, 3, 5)];
    let between = |level, at_level| {
        [
            task(0, level, 100, 10, &section(1)),
            task(0, at_level, 100, 30, &section(1)),
            task(1, 2, 100, 20, &thrice),
            task(0, 1, 100, 30, &[]),
        ]
    };
    assert_eq!(bound(&between(0, 3), 1, Ranks::ByPriority, NP), 3 * 5);
    assert_eq!(bound(&between(4, 3), 3, Ranks::ByPriority, NP), 1 + 3 * 5);
    let mut lowest = between(4, 5);
    lowest[2].0.level = 4;
    lowest[0].0.level = 3;
    assert_eq!(bound(&lowest, 3, Ranks::ByPriority, NP), 1 + 3 * 5);
}

#[test]
fn response_times_are_a_fixed_point_from_below() {
    let (mut random, mut greedy, mut found) = (Mixer(13), Greedy::default(), 0);
    for _ in 0..300 {
        let (sharing, _) = draw(|bound| random.below(bound));
        greedy.read(&sharing);
        let judged = without_inflation(&sharing, |index, responses| {
            greedy.bound(&sharing, responses, index, Spinning::NonPreemptive)
        });
        let Ok(responses) = judged.met else { continue };
        let responses: Vec<u64> = responses.into_iter().map(|response| response.as_ns()).collect();
        found += 1;
        let tasks = sharing.tasks();
        for (index, own) in tasks.iter().enumerate() {
            let above = tasks.iter().filter(|task| task.cluster == own.cluster && task.level < own.level);
            let demand: u64 = above.map(|task| responses[index].div_ceil(task.period) * task.cost).sum();
            let blocking = greedy.bound(&sharing, &responses, index, Spinning::NonPreemptive);
            assert_eq!(responses[index], own.cost + blocking + demand);
            assert!(responses[index] <= own.relative_deadline);
        }
    }
    assert!(found > 30, "only {found} systems are schedulable");
}
