//! What cross-checks of blocking bounds compute, on plain whole numbers of any unit.

use crate::errors::bad_input;
use pyo3::prelude::*;
use schedlab_analysis::blocking::response::{with_terms, Waiting};
use schedlab_analysis::blocking::{
    clustered_omlp, dpcp, edf, fmlp_plus, global_fmlp, global_omlp, global_pip, mpcp, msrp_classic,
    msrp_holistic, partitioned_omlp, ppcp, rw_phase_fair, rw_task_fair, task_fair_mutex, Request, Sharer,
    Sharing, Terms,
};
use schedlab_analysis::Budget;

/// Cost, period, relative deadline.
type Triple = [u64; 3];
/// Resource, writes, their length, reads, their length.
type ResourceRow = [u64; 5];
/// By task: the remote terms, the local ones, the sums.
type Columns = (Vec<Option<u64>>, Vec<u64>, Vec<Option<u64>>);

/// The tasks by processors, or by clusters of `size` of them, or in one cluster if `size` is 0; levels by index or by
/// relative deadline.
fn sharing(
    m: u32,
    tasks: &[Triple],
    partition: &[u32],
    requests: &[Vec<ResourceRow>],
    edf: bool,
    size: u32,
) -> PyResult<Sharing> {
    if partition.len() != tasks.len() || requests.len() != tasks.len() {
        return Err(bad_input("partition and requests have one entry for each task"));
    }
    let mut deadlines: Vec<u64> = tasks.iter().map(|task| task[2]).collect();
    deadlines.sort_unstable();
    deadlines.dedup();
    let resources =
        requests.iter().flatten().map(|row| row[0]).max().map_or(0, |last| last.saturating_add(1));
    let counts = requests.iter().flatten().flat_map(|row| [row[1], row[3]]);
    if resources > 1_000_000 || counts.max() > Some(u64::from(u32::MAX)) {
        return Err(bad_input(
            "a resource's number is at most 999999, and a job issues less than 2^32 requests",
        ));
    }
    let clusters = if size == 0 { 1 } else { m.div_ceil(size) };
    let mut sharing = Sharing::new(clusters, vec![1; resources as usize]);
    for (at, task) in tasks.iter().enumerate() {
        let rank = deadlines.partition_point(|deadline| *deadline < task[2]) as u32;
        let sharer = Sharer {
            cost: task[0],
            period: task[1],
            relative_deadline: task[2],
            cluster: partition[at].checked_div(size).unwrap_or(0),
            level: if edf { rank } else { at as u32 },
        };
        let request = |&[resource, writes, write_length, reads, read_length]: &ResourceRow| Request {
            resource: resource as u32,
            writes: writes as u32,
            write_length,
            reads: reads as u32,
            read_length,
            units: 1,
        };
        let own: Vec<Request> = requests[at].iter().map(request).collect();
        sharing.push(sharer, &own).map_err(bad_input)?;
    }
    Ok(sharing)
}

/// How many processors the bound called `name` wants in a cluster; 0 is all.
fn cluster_size(name: &str) -> u32 {
    match name {
        "global_fmlp_sob" | "global_omlp" | "tf_mutex_global" | "global_pip" | "ppcp" => 0,
        "clust_omlp_c2" => 2,
        _ => 1,
    }
}

fn bound(name: &str, m: u32, sharing: &Sharing, responses: &[u64]) -> PyResult<Vec<Terms>> {
    Ok(match name {
        "mpcp" => mpcp::bounds(sharing, responses, false),
        "mpcp_vs" => mpcp::bounds(sharing, responses, true),
        "dpcp" => dpcp::bounds(sharing, responses, &dpcp::in_turn(sharing.units().len(), m)),
        "fmlp_plus" => fmlp_plus::bounds(sharing, responses, true),
        "fmlp_plus_np" => fmlp_plus::bounds(sharing, responses, false),
        "msrp_classic" => msrp_classic::bounds(sharing),
        "msrp_holistic" => msrp_holistic::bounds(sharing, responses),
        "tf_mutex_c1" => task_fair_mutex::bounds(sharing, responses, 1),
        "tf_mutex_global" => task_fair_mutex::bounds(sharing, responses, m),
        "part_omlp" => partitioned_omlp::bounds(sharing, responses),
        "clust_omlp_c2" => clustered_omlp::bounds(sharing, responses, 2),
        "global_fmlp_sob" => global_fmlp::bounds(sharing, responses),
        "global_omlp" => global_omlp::bounds(sharing, responses, m),
        "global_pip" => global_pip::bounds(sharing, responses, m),
        "ppcp" => ppcp::bounds(sharing, responses, m),
        "rw.tf_rw_c1" => rw_task_fair::bounds(sharing, responses, 1),
        "rw.pf_rw_c1" => rw_phase_fair::bounds(sharing, responses, 1),
        other => return Err(bad_input(format!("unknown bound \"{other}\""))),
    })
}

/// Blocking by task; fixed priorities fall with the index.
#[pyfunction]
pub(crate) fn blocking_bounds(
    name: &str,
    processors: u32,
    tasks: Vec<Triple>,
    partition: Vec<u32>,
    responses: Vec<u64>,
    requests: Vec<Vec<ResourceRow>>,
    edf: bool,
) -> PyResult<Columns> {
    if responses.len() != tasks.len() {
        return Err(bad_input("response times have one value for each task"));
    }
    let sharing = sharing(processors, &tasks, &partition, &requests, edf, cluster_size(name))?;
    let terms = bound(name, processors, &sharing, &responses)?;
    let remote = terms.iter().map(|terms| terms.remote).collect();
    let local = terms.iter().map(|terms| terms.local).collect();
    Ok((remote, local, terms.iter().map(|terms| terms.total()).collect()))
}

/// Response times with the bound called `name` at relative deadlines; `None` from the first task of a processor on that
/// is late.
#[pyfunction]
pub(crate) fn response_times_with_blocking(
    name: &str,
    processors: u32,
    tasks: Vec<Triple>,
    partition: Vec<u32>,
    requests: Vec<Vec<ResourceRow>>,
) -> PyResult<Vec<Option<u64>>> {
    let sharing = sharing(processors, &tasks, &partition, &requests, false, 1)?;
    let deadlines: Vec<u64> = tasks.iter().map(|task| task[2]).collect();
    let terms = bound(name, processors, &sharing, &deadlines)?;
    let waiting = match name {
        "mpcp_vs" | "msrp_holistic" | "msrp_classic" => Waiting::Spins,
        _ => Waiting::Suspends,
    };
    Ok(with_terms(&sharing, &terms, waiting))
}

/// Whether partitioned EDF with the MSRP meets all deadlines by the classic bound.
#[pyfunction]
pub(crate) fn pedf_msrp_schedulable(
    processors: u32,
    tasks: Vec<Triple>,
    partition: Vec<u32>,
    requests: Vec<Vec<ResourceRow>>,
) -> PyResult<bool> {
    let sharing = sharing(processors, &tasks, &partition, &requests, true, 1)?;
    let each = edf::msrp_classic(&sharing, &mut Budget::default());
    Ok(each.iter().all(|demanded| *demanded == edf::Demanded::Fits))
}
