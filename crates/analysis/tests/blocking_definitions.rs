//! The MSRP's and the MPCP's bounds against their definitions, spelled out on random tasks: levels in any order and
//! equal ones, resources of one processor and of several, reads and writes.

use crate::mixer;
use crate::sharing as support;

use mixer::Mixer;
use schedlab_analysis::blocking::response::{Iteration, Waiting};
use schedlab_analysis::blocking::{mpcp, msrp_holistic, Requests, Sharing, Terms};
use support::{others, request, sharing};

/// The requests that `issued` requests of `index` wait for: of each other processor the longest, as many.
fn spins(sharing: &Sharing, index: usize, resource: u32, issued: u64, responses: &[u64]) -> u64 {
    let of = |cluster: u32| {
        let mut lengths = Vec::new();
        for (other, task) in others(sharing, index).filter(|(_, task)| task.cluster == cluster) {
            if let Some(request) = request(sharing, other, resource) {
                let jobs = (responses[index] + responses[other]).div_ceil(task.period).max(1);
                lengths.extend((0..jobs * request.count()).map(|_| request.length()));
            }
        }
        lengths.sort_unstable();
        lengths.iter().rev().take(issued as usize).sum::<u64>()
    };
    (0..sharing.clusters()).filter(|cluster| *cluster != sharing.tasks()[index].cluster).map(of).sum()
}

fn msrp(sharing: &Sharing, index: usize, responses: &[u64]) -> Terms {
    let local = sharing.is_local();
    let is_global = |request: &&Requests| !local[request.resource as usize];
    let own = &sharing.tasks()[index];
    let spin = |request: &Requests| spins(sharing, index, request.resource, request.count(), responses);
    let mut arrival = 0;
    for (other, _) in
        others(sharing, index).filter(|(_, task)| task.cluster == own.cluster && task.level >= own.level)
    {
        for request in sharing.requests(other) {
            let users = (0..sharing.tasks().len())
                .filter(|user| support::request(sharing, *user, request.resource).is_some());
            let ceiling = users.map(|user| sharing.tasks()[user].level).min().unwrap();
            if is_global(&request) {
                let zero = vec![0; responses.len()];
                arrival = arrival.max(spins(sharing, other, request.resource, 1, &zero) + request.length());
            } else if ceiling <= own.level {
                arrival = arrival.max(request.length());
            }
        }
    }
    Terms::new(sharing.requests(index).iter().filter(is_global).map(spin).sum(), arrival)
}

/// The remote ceiling of `resource` on `cluster`.
fn ceiling(sharing: &Sharing, resource: u32, cluster: u32) -> u32 {
    let users =
        sharing.tasks().iter().enumerate().filter(|(index, _)| request(sharing, *index, resource).is_some());
    users.filter(|(_, task)| task.cluster != cluster).map(|(_, task)| task.level).min().unwrap_or(u32::MAX)
}

/// W: a section with those of its processor that may preempt it.
fn occupies(sharing: &Sharing, index: usize, request: &Requests) -> u64 {
    let cluster = sharing.tasks()[index].cluster;
    let own = ceiling(sharing, request.resource, cluster);
    let longest = |other: usize| {
        let may = sharing
            .requests(other)
            .iter()
            .filter(|request| ceiling(sharing, request.resource, cluster) <= own);
        may.map(Requests::length).max().unwrap_or(0)
    };
    let neighbours = others(sharing, index).filter(|(_, task)| task.cluster == cluster);
    request.length() + neighbours.map(|(other, _)| longest(other)).sum::<u64>()
}

fn mpcp(sharing: &Sharing, index: usize, limit: u64, virtual_spinning: bool) -> Terms {
    let own = &sharing.tasks()[index];
    let wait = |resource: u32| {
        let users = || {
            others(sharing, index)
                .filter_map(|(other, task)| Some((other, task, request(sharing, other, resource)?)))
        };
        let w = |other: usize, request: &Requests| occupies(sharing, other, request);
        let lower = users()
            .filter(|(_, task, _)| task.level >= own.level)
            .map(|(other, _, request)| w(other, request));
        let lower = lower.max().unwrap_or(0);
        let mut wait = lower;
        loop {
            let higher = users().filter(|(_, task, _)| task.level < own.level);
            let work = higher.map(|(other, task, request)| {
                (wait.div_ceil(task.period) + 1) * request.count() * w(other, request)
            });
            let next = lower + work.sum::<u64>();
            if next == wait || next > limit {
                return (next <= limit).then_some(next);
            }
            wait = next;
        }
    };
    let remote =
        sharing.requests(index).iter().map(|request| Some(wait(request.resource)? * request.count())).sum();
    let longest = |other: usize| sharing.requests(other).iter().map(Requests::length).max().unwrap_or(0);
    let lower =
        others(sharing, index).filter(|(_, task)| task.cluster == own.cluster && task.level >= own.level);
    let issued: u64 = sharing.requests(index).iter().map(Requests::count).sum();
    let times = if virtual_spinning { 1 } else { issued + 1 };
    Terms { remote, local: times * lower.map(|(other, _)| longest(other)).sum::<u64>() }
}

#[test]
fn bounds_are_what_their_definitions_say() {
    let mut random = Mixer(0x9E37_79B9_7F4A_7C15);
    let (mut spinning, mut unbounded, mut kept_msrp, mut kept_mpcp) =
        (0, 0, Default::default(), Default::default());
    for _ in 0..20_000 {
        let sharing = sharing(&mut random);
        let tasks = 0..sharing.tasks().len();
        let responses: Vec<u64> = tasks.clone().map(|_| random.below(300)).collect();
        // What was prepared before must leave no trace.
        let (msrp_before, mpcp_before): (&mut msrp_holistic::Prepared, &mut mpcp::Prepared) =
            (&mut kept_msrp, &mut kept_mpcp);
        msrp_before.prepare(&sharing);
        let virtual_spinning = random.below(2) == 0;
        mpcp_before.prepare(&sharing, virtual_spinning);
        for task in tasks {
            let terms = Terms::new(msrp_before.spin(&sharing, task, &responses), msrp_before.arrival(task));
            let defined = msrp(&sharing, task, &responses);
            assert_eq!(terms, defined, "task {task} of {sharing:?} with {responses:?}");
            spinning += u64::from(terms.remote > Some(0));
            let limit = random.below(300);
            let terms = mpcp_before.terms(&sharing, task, limit);
            let defined = mpcp(&sharing, task, limit, virtual_spinning);
            assert_eq!(terms, defined, "task {task} of {sharing:?}, {limit}");
            unbounded += u64::from(terms.remote.is_none());
        }
    }
    assert!(spinning > 10_000 && unbounded > 10_000, "{spinning} spin, {unbounded} are not bounded");
}

#[test]
fn terms_that_depend_on_nothing_settle_at_once() {
    let mut random = Mixer(7);
    let (mut once, mut rounds) = (Iteration::default(), Iteration::default());
    let (mut settled, mut failed) = (0, 0);
    for _ in 0..20_000 {
        let sharing = sharing(&mut random);
        let terms: Vec<Terms> =
            sharing.tasks().iter().map(|_| Terms::new(random.below(20) / 4, random.below(10))).collect();
        for waiting in [Waiting::Spins, Waiting::Suspends] {
            let found = once.settle(&sharing, waiting, |task| terms[task]);
            assert_eq!(found, rounds.run(&sharing, waiting, |task, _| terms[task]), "{sharing:?}");
            *(if found.is_ok() { &mut settled } else { &mut failed }) += 1;
        }
    }
    assert!(settled > 5_000 && failed > 5_000, "{settled} settled, {failed} failed");
}

/// One step of the equations from bounds on response times, for the task at `index`: nothing is kept from before, and
/// each is taken as it stands.
fn step(sharing: &Sharing, waiting: Waiting, terms: &[Terms], responses: &[u64], index: usize) -> u64 {
    let own = &sharing.tasks()[index];
    let mut sum = own.cost + terms[index].total().unwrap();
    for (other, task) in others(sharing, index).filter(|(_, task)| task.cluster == own.cluster) {
        if (task.level, other) > (own.level, index) {
            continue;
        }
        let remote = terms[other].remote.unwrap();
        let (cost, jitter) = match waiting {
            Waiting::Spins => (task.cost + remote, 0),
            Waiting::Suspends if remote > 0 => (task.cost, responses[other] - task.cost),
            Waiting::Suspends => (task.cost, 0),
        };
        sum += (responses[index] + jitter).div_ceil(task.period) * cost;
    }
    sum
}

/// Terms that rise with response times: the least common fixed point, from the costs on, one step of all tasks after
/// another.
#[test]
fn terms_that_depend_on_response_times_are_iterated_to_the_least_fixed_point() {
    let (mut random, mut kept) = (Mixer(11), Iteration::default());
    let (mut met, mut late, mut rose) = (0, 0, 0);
    for _ in 0..20_000 {
        let sharing = sharing(&mut random);
        let tasks = 0..sharing.tasks().len();
        let remote_of: Vec<u64> = tasks.clone().map(|_| random.below(3)).collect();
        let local_of: Vec<u64> = tasks.clone().map(|_| random.below(6)).collect();
        let bound = |index: usize, responses: &[u64]| {
            let jobs = others(&sharing, index)
                .map(|(other, task)| (responses[index] + responses[other]).div_ceil(task.period));
            Terms::new(remote_of[index] * jobs.sum::<u64>(), local_of[index])
        };
        for waiting in [Waiting::Spins, Waiting::Suspends] {
            let mut responses: Vec<u64> = sharing.tasks().iter().map(|task| task.cost).collect();
            let first: Vec<Terms> = tasks.clone().map(|index| bound(index, &responses)).collect();
            let expected = loop {
                let terms: Vec<Terms> = tasks.clone().map(|index| bound(index, &responses)).collect();
                let next: Vec<u64> =
                    tasks.clone().map(|index| step(&sharing, waiting, &terms, &responses, index)).collect();
                if next.iter().zip(sharing.tasks()).any(|(next, task)| *next > task.relative_deadline) {
                    break None;
                }
                if next == responses {
                    rose += u64::from(terms != first);
                    break Some(next);
                }
                responses = next;
            };
            met += u64::from(expected.is_some());
            late += u64::from(expected.is_none());
            let above_none = kept.run_above_none(&sharing, waiting, bound).ok().map(<[u64]>::to_vec);
            assert_eq!(above_none, expected, "{waiting:?} {sharing:?} {remote_of:?} {local_of:?}");
            let found = kept.run(&sharing, waiting, bound).ok().map(<[u64]>::to_vec);
            assert_eq!(found, expected, "{waiting:?} {sharing:?} {remote_of:?} {local_of:?}");
        }
    }
    assert!(met > 3_000 && late > 3_000 && rose > 1_000, "{met} met, {late} late, in {rose} terms rose");
}
