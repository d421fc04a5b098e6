//! The published linear program for FIFO spin locks.
//!
//! For each request of another task, S is the part of it that some local job spins for, A the part that delays the job on arrival. As requests
//! of one task for one resource have the same length and stand in the same constraints, their parts are summed up to one
//! column. Wieder and Brandenburg, RTSS 2013, sections IV and V.

use super::greedy::preemptions;
use super::Spinning;
use crate::program::Program;
use crate::users::{is_global, jobs, User, Users};
use schedlab_analysis::blocking::Sharing;

/// The program whose optimum bounds the blocking of one job of the task at `at`.
pub fn program(sharing: &Sharing, responses: &[u64], at: usize, spinning: Spinning) -> Program {
    let mut users = Users::default();
    users.read(sharing);
    let mut program = Program::default();
    let (mut indicators, mut blockers, mut retries) = (Vec::new(), Vec::new(), Vec::new());
    let own = &sharing.tasks()[at];
    for list in users.by_resource() {
        let (local, remote): (Vec<User>, Vec<User>) =
            list.iter().partition(|user| user.cluster == own.cluster);
        let level = |user: &User| sharing.tasks()[user.task].level;
        let global = is_global(list);
        // A less urgent job of this processor blocks at most once, on arrival, and only with a resource that is
        // global, or local with a ceiling that reaches the job.
        let reaches = global || list.iter().any(|user| level(user) <= own.level);
        let below: Vec<&User> = local.iter().filter(|user| reaches && level(user) > own.level).collect();
        // Nothing remote delays on arrival unless a local request for the same resource does.
        let indicator = program.column(0, u64::from(!below.is_empty()));
        indicators.push(indicator);
        let of_these: Vec<usize> = below.iter().map(|user| program.column(user.length, 1)).collect();
        program.row(of_these.iter().map(|blocker| (*blocker, 1)).chain([(indicator, -1)]), 0);
        blockers.extend(of_these);
        let waiting: Vec<(usize, u64, u64)> = local
            .iter()
            .filter(|user| user.task == at || level(user) < own.level)
            .map(|user| {
                (
                    user.task,
                    if user.task == at { 1 } else { jobs(sharing, responses, user.task, at) },
                    user.count,
                )
            })
            .collect();
        let waits: u64 = waiting.iter().map(|&(_, jobs, count)| jobs * count).sum();
        let retry =
            (spinning == Spinning::Preemptable && waits > 0).then(|| program.column(0, u64::MAX >> 20));
        retries.extend(retry);
        for processor in remote.chunk_by(|a, b| a.cluster == b.cluster) {
            let (mut spins, mut arrivals) = (Vec::new(), Vec::new());
            for user in processor {
                let within = |task: usize| {
                    user.count * sharing.jobs_within(user.task, responses[task], responses[user.task])
                };
                let cap: u64 = waiting.iter().map(|&(task, jobs, _)| jobs * within(task)).sum();
                let requests = within(at);
                let spin = program.column(user.length, cap.min(requests));
                let arrival = program.column(user.length, requests);
                // A request delays once.
                program.at_most([spin, arrival], requests);
                spins.push((spin, 1));
                arrivals.push((arrival, 1));
            }
            // Each local request waits for one request of each other processor at most, and so does each retry.
            program.row(spins.into_iter().chain(retry.map(|retry| (retry, -1))), waits);
            // So does the request that delays the job on arrival, if it spins without preemption.
            if spinning == Spinning::NonPreemptive {
                arrivals.push((indicator, -1));
            }
            program.row(arrivals, 0);
        }
    }
    program.at_most(indicators, 1);
    program.at_most(blockers, 1);
    program.at_most(retries, preemptions(sharing, responses, at));
    program
}
