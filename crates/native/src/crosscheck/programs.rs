//! What cross-checks compute of blocking bounds by linear programs.

use crate::crosscheck::{request, ResourceRow, Triple};
use crate::errors::bad_input;
use pyo3::prelude::*;
use schedlab_analysis::blocking::{Requests, Sharer, Sharing};
use schedlab_lp_blocking::spin::ranked::{Lock, PendingJob, Ranks, WaitLength};
use schedlab_lp_blocking::spin::{greedy::Greedy, Spinning};
use schedlab_lp_blocking::{maximum, semaphore};

/// By task: the bound called `name` on its whole blocking, `None` if there is none. Priorities fall with the index;
/// resource q lives on processor q mod m where that matters.
#[pyfunction]
pub(crate) fn program_bounds(
    name: &str,
    processors: u32,
    tasks: Vec<Triple>,
    partition: Vec<u32>,
    requests: Vec<Vec<ResourceRow>>,
    responses: Vec<u64>,
) -> PyResult<Vec<Option<u64>>> {
    if [partition.len(), requests.len(), responses.len()] != [tasks.len(); 3] {
        return Err(bad_input("processors, requests and response times have one value for each task"));
    }
    let resources = requests.iter().flatten().map(|request| request.0 as usize + 1).max().unwrap_or(0);
    let mut sharing = Sharing::new(processors, vec![1; resources]);
    for (at, &[cost, period, relative_deadline]) in tasks.iter().enumerate() {
        let cluster = partition[at];
        let task = Sharer { cost, period, relative_deadline, cluster, level: at as u32 };
        let requests: Vec<Requests> = requests[at].iter().map(request).collect();
        sharing.push(task, &requests).map_err(bad_input)?;
    }
    let homes: Vec<u32> = (0..resources as u32).map(|resource| resource % processors.max(1)).collect();
    let mut greedy = Greedy::default();
    greedy.read(&sharing);
    let mpcp = semaphore::mpcp::Mpcp::new(&sharing);
    let bound = |at: usize| {
        match name {
        "msrp" => Ok(Some(greedy.bound(&sharing, &responses, at, Spinning::NonPreemptive))),
        "fifo-preemptable" => Ok(Some(greedy.bound(&sharing, &responses, at, Spinning::Preemptable))),
        "unordered-instant" => Ok(Some(unordered_instant(&sharing, &responses, at))),
        "fmlp+" => Ok(maximum(&semaphore::fmlp_plus::program(&sharing, &responses, at))),
        "mpcp" => Ok(maximum(&mpcp.program(&responses, at))),
        "dflp" => Ok(maximum(&semaphore::dflp::program(&sharing, &responses, at, &homes))),
        _ => Err(bad_input(format!(
            "unknown bound \"{name}\" (there are msrp, fifo-preemptable, unordered-instant, mpcp, fmlp+, dflp)"
        ))),
    }
    };
    (0..tasks.len()).map(bound).collect()
}

/// The peer's value for unordered spin locks: it takes waits as over at once, so that this is no bound (docs/peers.md).
fn unordered_instant(sharing: &Sharing, responses: &[u64], at: usize) -> u64 {
    let lock = Lock { ranks: Ranks::Equal, spinning: Spinning::NonPreemptive, wait: WaitLength::Instant };
    PendingJob { sharing, responses, at, lock }.bound()
}
