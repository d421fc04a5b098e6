//! The published linear program for FIFO spin locks: Wieder and Brandenburg, RTSS 2013, sections IV and V.

use super::frame::build;
use super::Spinning;
use crate::program::LinearProgram;
use schedlab_analysis::blocking::Sharing;

/// The program whose optimum bounds the blocking of one job of the task at `at`.
pub fn program(sharing: &Sharing, responses: &[u64], at: usize, spinning: Spinning) -> LinearProgram {
    build(
        sharing,
        responses,
        at,
        spinning,
        |_| true,
        |program, place| {
            for processor in place.remote.chunk_by(|a, b| a.cluster == b.cluster) {
                let (mut spins, mut arrivals) = (Vec::new(), Vec::new());
                for user in processor {
                    let requests =
                        user.count * sharing.jobs_within(user.task, responses[at], responses[user.task]);
                    let met = place.met(sharing, responses, user);
                    let spin = program.column(user.length, met.min(requests));
                    let arrival = program.column(user.length, requests);
                    // A request delays once.
                    program.at_most([spin, arrival], requests);
                    spins.push((spin, 1));
                    arrivals.push((arrival, 1));
                }
                // Each local request waits for one request of each other processor at most, and so does each retry.
                program.row(spins.into_iter().chain(place.retry.map(|retry| (retry, -1))), place.waits());
                // So does the request that delays the job on arrival, if it spins without preemption.
                if spinning == Spinning::NonPreemptive {
                    arrivals.push((place.indicator, -1));
                }
                program.row(arrivals, 0);
            }
        },
    )
}
