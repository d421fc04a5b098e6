//! Computations for cross-checks of overheads, in whole ns.

use crate::crosscheck::{request, ResourceRow};
use crate::errors::bad_input;
use pyo3::prelude::*;
use schedlab_analysis::blocking::Requests;
use schedlab_analysis::overheads::requests::{charge, Operations, Waiting};

/// A row of requests, and the length for jobs of the same processor where it differs.
type Longer = (u32, u32, u64, u32, u64, Option<u64>);

/// Largest value, so that no sum overflows: about 18 minutes.
const LONGEST: u64 = 1 << 40;

/// Returns the cost of a job of `cost` with `requests`, and how long it suspends itself, with the published overheads
/// of its requests; lengths and sums are rounded up to multiples of `unit`. `operations`: acquire, release, the same to
/// read, kernel, switch, cache, ipi.
#[pyfunction]
pub(crate) fn requests_with_overheads(
    waiting: &str,
    cost: u64,
    requests: Vec<ResourceRow>,
    operations: [u64; 8],
    unit: u64,
) -> PyResult<(u64, u64, Vec<Longer>)> {
    let waiting = match waiting {
        "spinning" => Waiting::Spinning,
        "semaphore" => Waiting::Semaphore { preemptable: false, aware: false },
        "semaphore-aware" => Waiting::Semaphore { preemptable: false, aware: true },
        "semaphore-preemptable" => Waiting::Semaphore { preemptable: true, aware: false },
        "semaphore-preemptable-aware" => Waiting::Semaphore { preemptable: true, aware: true },
        "distributed" => Waiting::Distributed,
        other => return Err(bad_input(format!("unknown way to wait \"{other}\""))),
    };
    let lengths = requests.iter().flat_map(|row| [row.2, row.4]);
    if unit == 0 || lengths.chain(operations).chain([cost, unit]).any(|time| time > LONGEST) {
        return Err(bad_input(format!("times are at most {LONGEST}, and the unit is not zero")));
    }
    let [acquire, release, read_acquire, read_release, kernel, switch, cache, ipi] = operations;
    let operations = Operations { acquire, release, read_acquire, read_release, kernel, switch, cache, ipi };
    let requests: Vec<Requests> = requests.iter().map(request).collect();
    let charged = charge(cost, &requests, &operations, waiting, unit);
    let each = charged.requests.iter().zip(charged.local_lengths);
    let row = |(request, local): (&Requests, _)| {
        (request.resource, request.writes, request.write_length, request.reads, request.read_length, local)
    };
    Ok((charged.cost, charged.suspension, each.map(row).collect()))
}
