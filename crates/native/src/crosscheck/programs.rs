//! Computations for cross-checks of blocking bounds by linear programs.

use crate::crosscheck::locking::{sharing, Sharers};
use crate::errors::bad_input;
use pyo3::prelude::*;
use schedlab_analysis::blocking::Sharing;
use schedlab_lp_blocking::spin::ranked::{Lock, PendingJob, Ranks, WaitLength};
use schedlab_lp_blocking::spin::{greedy::Greedy, Spinning};
use schedlab_lp_blocking::{maximum, semaphore};

/// By task: the bound called `name` on its whole blocking, `None` if there is none. Priorities fall with the index;
/// resource q lives on processor q mod m where that matters.
#[pyfunction]
pub(crate) fn program_bounds(name: &str, record: Sharers) -> PyResult<Vec<Option<u64>>> {
    let (sharing, responses) = (sharing(&record, false, 1)?, &record.pending_interval);
    let resources = sharing.units().len() as u32;
    let homes: Vec<u32> = (0..resources).map(|resource| resource % record.m.max(1)).collect();
    let mut greedy = Greedy::default();
    greedy.read(&sharing);
    let mpcp = semaphore::mpcp::Mpcp::new(&sharing);
    let bound = |index: usize| {
        match name {
        "msrp" => Ok(Some(greedy.bound(&sharing, responses, index, Spinning::NonPreemptive))),
        "fifo-preemptable" => Ok(Some(greedy.bound(&sharing, responses, index, Spinning::Preemptable))),
        "unordered-instant" => Ok(Some(unordered_instant(&sharing, responses, index))),
        "fmlp+" => Ok(maximum(&semaphore::fmlp_plus::program(&sharing, responses, index))),
        "mpcp" => Ok(maximum(&mpcp.program(responses, index))),
        "dflp" => Ok(maximum(&semaphore::dflp::program(&sharing, responses, index, &homes))),
        _ => Err(bad_input(format!(
            "unknown bound \"{name}\" (there are msrp, fifo-preemptable, unordered-instant, mpcp, fmlp+, dflp)"
        ))),
    }
    };
    (0..record.tasks.len()).map(bound).collect()
}

/// Returns the other tool's value for unordered spin locks, which assumes that waits take no time, so that it is no
/// bound (docs/peers.md).
fn unordered_instant(sharing: &Sharing, responses: &[u64], task: usize) -> u64 {
    let lock = Lock { ranks: Ranks::Equal, spinning: Spinning::NonPreemptive, wait: WaitLength::Instant };
    PendingJob { sharing, responses, task, lock }.bound()
}
