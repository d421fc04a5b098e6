//! The published linear programs of spin locks: the closed forms are their optima.

#[expect(unreachable_pub, reason = "integration tests have it, too")]
#[path = "../../../../analysis/tests/support/mixer.rs"]
mod mixer;
#[expect(unreachable_pub, dead_code, reason = "integration tests have it, too")]
#[path = "../../../tests/support/mod.rs"]
mod support;

use super::*;
use crate::maximum;
use crate::program::LinearProgram;
use crate::spin::frame::preemptions;
use crate::spin::greedy::Greedy;
use crate::users::Users;
use mixer::Mixer;
use support::{draw, numbers, records, sharing};

/// The columns of one resource besides those of requests.
struct Place {
    contended: Contended,
    /// Column that is 1 if the resource delays the job on arrival, else 0.
    indicator: usize,
    /// Column that counts how often a wait for the resource begins anew, if spinning can be preempted.
    retry: Option<usize>,
}

/// Builds the program of one job of `task`: `rows` adds, for each resource, the columns of remote requests and their
/// limits. Only resources that `may_arrive` delay on arrival.
fn build(
    (sharing, responses, task): (&Sharing, &[u64], usize),
    spinning: Spinning,
    may_arrive: impl Fn(usize) -> bool,
    rows: impl Fn(&mut LinearProgram, &Place),
) -> LinearProgram {
    let mut users = Users::default();
    users.read(sharing);
    let mut program = LinearProgram::default();
    let (mut indicators, mut blockers, mut retries) = (Vec::new(), Vec::new(), Vec::new());
    for (resource, list) in users.by_resource().iter().enumerate() {
        let mut contended = Contended::default();
        contended.read(sharing, responses, task, list);
        // Nothing remote delays on arrival unless a local request for the same resource does.
        let delays = !contended.below.is_empty() && may_arrive(resource);
        let indicator = program.column(0, u64::from(delays));
        indicators.push(indicator);
        let of_these: Vec<usize> =
            contended.below.iter().map(|user| program.column(user.length, 1)).collect();
        program.row(of_these.iter().map(|blocker| (*blocker, 1)).chain([(indicator, -1)]), 0);
        blockers.extend(of_these);
        let retries_it = spinning == Spinning::Preemptable && !contended.waiters.is_empty();
        let retry = retries_it.then(|| program.column(0, u64::MAX >> 20));
        retries.extend(retry);
        rows(&mut program, &Place { contended, indicator, retry });
    }
    program.at_most(indicators, 1);
    program.at_most(blockers, 1);
    program.at_most(retries, preemptions(sharing, responses, task));
    program
}

/// The program for FIFO spin locks: Wieder and Brandenburg, RTSS 2013, sections IV and V.
fn fifo_program(sharing: &Sharing, responses: &[u64], task: usize, spinning: Spinning) -> LinearProgram {
    build(
        (sharing, responses, task),
        spinning,
        |_| true,
        |program, place| {
            for processor in place.contended.remote.chunk_by(|a, b| a.cluster == b.cluster) {
                let (mut spins, mut arrivals) = (Vec::new(), Vec::new());
                for user in processor {
                    let requests =
                        user.count * sharing.jobs_within(user.task, responses[task], responses[user.task]);
                    let met = place.contended.met(sharing, responses, user);
                    let spin = program.column(user.length, met.min(requests));
                    let arrival = program.column(user.length, requests);
                    // A request delays once.
                    program.at_most([spin, arrival], requests);
                    spins.push((spin, 1));
                    arrivals.push((arrival, 1));
                }
                // Each local request waits for one request of each other processor at most, and so does each retry.
                let limit = place.contended.waits();
                program.row(spins.into_iter().chain(place.retry.map(|retry| (retry, -1))), limit);
                // So does the request that delays the job on arrival, if it spins without preemption.
                if spinning == Spinning::NonPreemptive {
                    arrivals.push((place.indicator, -1));
                }
                program.row(arrivals, 0);
            }
        },
    )
}

/// The program whose optimum is the bound if `arrival` is the resource that delays the job on arrival.
fn ranked_program(job: &PendingJob<'_>, arrival: usize) -> LinearProgram {
    let PendingJob { sharing, responses, task, lock } = *job;
    build(
        (sharing, responses, task),
        lock.spinning,
        |resource| resource == arrival,
        |program, place| {
            let waits = place.contended.waits();
            let (mut late, mut late_on_arrival, mut all) = (Vec::new(), Vec::new(), Vec::new());
            job.list(&place.contended, &mut all);
            for requests in all {
                let spin = program.column(requests.length, requests.count);
                let arrival = program.column(requests.length, requests.count);
                // A request delays once.
                program.at_most([spin, arrival], requests.count);
                program.at_most([spin], requests.spin.most);
                let most = requests.arrival.most.min(requests.count) as i64;
                program.row([(arrival, 1), (place.indicator, -most)], 0);
                late.extend(requests.spin.shares.then_some((spin, 1)));
                late_on_arrival.extend(requests.arrival.shares.then_some((arrival, 1)));
            }
            // Each wait, and each one that begins anew, meets one less urgent holder at most.
            program.row(late.into_iter().chain(place.retry.map(|retry| (retry, -1))), waits);
            program.row(late_on_arrival.into_iter().chain([(place.indicator, -1)]), 0);
        },
    )
}

#[test]
fn the_closed_form_is_the_optimum() {
    let (mut random, mut greedy, mut positive) = (Mixer(7), Greedy::default(), 0);
    for _ in 0..400 {
        let (sharing, responses) = draw(|bound| random.below(bound));
        greedy.read(&sharing);
        for task in 0..sharing.tasks().len() {
            for spinning in [Spinning::NonPreemptive, Spinning::Preemptable] {
                let closed = greedy.bound(&sharing, &responses, task, spinning);
                let solved = maximum(&fifo_program(&sharing, &responses, task, spinning));
                assert_eq!(Some(closed), solved, "task {task}, {spinning:?}, {sharing:?} {responses:?}");
                positive += usize::from(closed > 0);
            }
        }
    }
    assert!(positive > 2_000, "only {positive} positive bounds");
}

/// The choice of the resource that delays on arrival is discrete: the closed form equals the best of the programs for
/// each choice.
#[test]
fn without_fifo_too_the_closed_form_is_the_optimum() {
    let (mut random, mut positive, mut ranked) = (Mixer(29), 0, 0);
    for _ in 0..250 {
        let (sharing, responses) = draw(|bound| random.below(bound));
        for task in 0..sharing.tasks().len() {
            let mut bounds = Vec::new();
            for ranks in [Ranks::Equal, Ranks::ByPriority] {
                for spinning in [Spinning::NonPreemptive, Spinning::Preemptable] {
                    let lock = Lock::new(ranks, spinning);
                    let pending = PendingJob { sharing: &sharing, responses: &responses, task, lock };
                    let (closed, programs) = (pending.bound(), sharing.units().len());
                    let solved =
                        (0..programs).map(|arrival| maximum(&ranked_program(&pending, arrival))).max();
                    assert_eq!(
                        Some(closed),
                        solved.unwrap(),
                        "task {task}, {lock:?}, {sharing:?} {responses:?}"
                    );
                    positive += usize::from(closed > 0);
                    bounds.push(closed);
                }
            }
            // What is unordered may also go by priority.
            assert!(bounds[2] <= bounds[0] && bounds[3] <= bounds[1], "task {task}: {bounds:?}");
            ranked += usize::from(bounds[2] < bounds[0]);
        }
    }
    assert!(positive > 2_000 && ranked > 100, "only {positive} positive bounds, {ranked} better by priority");
}

#[test]
fn the_program_has_the_recorded_optima() {
    for (key, spinning) in
        [("lp_pfp_msrp", Spinning::NonPreemptive), ("lp_pfp_fifo_preempt", Spinning::Preemptable)]
    {
        let mut agree = 0;
        for record in records() {
            let (sharing, responses) = (sharing(&record), numbers(&record["pending_interval"]));
            let optimum = |task| maximum(&fifo_program(&sharing, &responses, task, spinning)).unwrap();
            let ours: Vec<u64> = (0..sharing.tasks().len()).map(optimum).collect();
            assert_eq!(ours, numbers(&record["results"]["lp"][key]), "{key} of {}", record["id"]);
            agree += 1;
        }
        assert!(agree >= 120, "only {agree} records have {key}");
    }
}
