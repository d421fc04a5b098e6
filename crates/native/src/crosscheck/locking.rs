//! Computations for cross-checks of blocking bounds, on plain whole numbers of any unit.

use crate::crosscheck::{request, Triple};
use crate::errors::bad_input;
use pyo3::prelude::*;
use schedlab_analysis::blocking::response::{with_terms, Waiting};
use schedlab_analysis::blocking::{
    clustered_omlp, dpcp, edf, fmlp_plus, global_fmlp, global_omlp, global_pip, mpcp, msrp_classic,
    msrp_holistic, ppcp, rw_phase_fair, rw_task_fair, task_fair_mutex, Requests, Sharer, Sharing, Terms,
};
use schedlab_analysis::steps::Unwatched;
use schedlab_analysis::Budget;

/// Resource, writes, their length, reads, their length.
type WideRow = [u64; 5];
/// Columns by task: the remote terms, the local ones, the sums.
type Columns = (Vec<Option<u64>>, Vec<u64>, Vec<Option<u64>>);

/// A record of tasks that share resources.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Sharers {
    pub(super) m: u32,
    pub(super) tasks: Vec<Triple>,
    partition: Vec<u32>,
    requests: Vec<Vec<WideRow>>,
    pub(super) pending_interval: Vec<u64>,
}

/// Places the tasks on processors, on clusters of `size` processors, or in one cluster if `size` is 0; levels by index
/// or by relative deadline.
pub(super) fn sharing(record: &Sharers, edf: bool, size: u32) -> PyResult<Sharing> {
    let Sharers { m, tasks, partition, requests, pending_interval } = record;
    if [partition.len(), requests.len(), pending_interval.len()] != [tasks.len(); 3] {
        return Err(bad_input("partition, requests and response times have one entry for each task"));
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
    for (index, task) in tasks.iter().enumerate() {
        let rank = deadlines.partition_point(|deadline| *deadline < task[2]) as u32;
        let sharer = Sharer {
            cost: task[0],
            period: task[1],
            relative_deadline: task[2],
            cluster: partition[index].checked_div(size).unwrap_or(0),
            level: if edf { rank } else { index as u32 },
        };
        let request = |&[resource, writes, length, reads, read_length]: &WideRow| {
            request(&(resource as u32, writes as u32, length, reads as u32, read_length))
        };
        let own: Vec<Requests> = requests[index].iter().map(request).collect();
        sharing.push(sharer, &own).map_err(bad_input)?;
    }
    Ok(sharing)
}

/// A bound of the other tool, with its cluster size, the way in which jobs wait, and its terms.
struct PublishedBound {
    name: &'static str,
    /// Number of processors of a cluster; 0 means all.
    cluster_size: u32,
    waiting: Waiting,
    /// Computes the terms from sharing and response times; the last number is that of all processors.
    terms: fn(&Sharing, &[u64], u32) -> Vec<Terms>,
}

const fn suspends(
    name: &'static str,
    cluster_size: u32,
    terms: fn(&Sharing, &[u64], u32) -> Vec<Terms>,
) -> PublishedBound {
    PublishedBound { name, cluster_size, waiting: Waiting::Suspends, terms }
}

const fn spins(name: &'static str, terms: fn(&Sharing, &[u64], u32) -> Vec<Terms>) -> PublishedBound {
    PublishedBound { name, cluster_size: 1, waiting: Waiting::Spins, terms }
}

/// Bounds by their names in the other tool's records.
const BOUNDS: &[PublishedBound] = &[
    suspends("mpcp", 1, |sharing, responses, _| mpcp::bounds(sharing, responses, false)),
    spins("mpcp_vs", |sharing, responses, _| mpcp::bounds(sharing, responses, true)),
    suspends("dpcp", 1, |sharing, responses, m| {
        dpcp::bounds(sharing, responses, &dpcp::in_turn(sharing.units().len(), m))
    }),
    suspends("fmlp_plus", 1, |sharing, responses, _| fmlp_plus::bounds(sharing, responses, true)),
    suspends("fmlp_plus_np", 1, |sharing, responses, _| fmlp_plus::bounds(sharing, responses, false)),
    spins("msrp_classic", |sharing, _, _| msrp_classic::bounds(sharing)),
    spins("msrp_holistic", |sharing, responses, _| msrp_holistic::bounds(sharing, responses)),
    suspends("tf_mutex_c1", 1, |sharing, responses, _| task_fair_mutex::bounds(sharing, responses, 1)),
    suspends("tf_mutex_global", 0, task_fair_mutex::bounds),
    suspends("part_omlp", 1, |sharing, responses, _| clustered_omlp::bounds(sharing, responses, 1)),
    suspends("clust_omlp_c2", 2, |sharing, responses, _| clustered_omlp::bounds(sharing, responses, 2)),
    suspends("global_fmlp_sob", 0, |sharing, responses, _| global_fmlp::bounds(sharing, responses)),
    suspends("global_omlp", 0, global_omlp::bounds),
    suspends("global_pip", 0, global_pip::bounds),
    suspends("ppcp", 0, ppcp::bounds),
    suspends("rw.tf_rw_c1", 1, |sharing, responses, _| rw_task_fair::bounds(sharing, responses, 1)),
    suspends("rw.pf_rw_c1", 1, |sharing, responses, _| rw_phase_fair::bounds(sharing, responses, 1)),
];

fn known(name: &str) -> PyResult<&'static PublishedBound> {
    let unknown = || bad_input(format!("unknown bound \"{name}\""));
    BOUNDS.iter().find(|known| known.name == name).ok_or_else(unknown)
}

/// Blocking by task; fixed priorities fall with the index.
#[pyfunction]
pub(crate) fn blocking_bounds(name: &str, record: Sharers, edf: bool) -> PyResult<Columns> {
    let known = known(name)?;
    let sharing = sharing(&record, edf, known.cluster_size)?;
    let terms = (known.terms)(&sharing, &record.pending_interval, record.m);
    let remote = terms.iter().map(|terms| terms.remote).collect();
    let local = terms.iter().map(|terms| terms.local).collect();
    Ok((remote, local, terms.iter().map(|terms| terms.total()).collect()))
}

/// Response times with the bound called `name` at relative deadlines; `None` from the first task of a processor on that
/// is late.
#[pyfunction]
pub(crate) fn response_times_with_blocking(name: &str, record: Sharers) -> PyResult<Vec<Option<u64>>> {
    let known = known(name)?;
    if known.cluster_size != 1 {
        return Err(bad_input(format!("{name}: response times are those of partitions")));
    }
    let sharing = sharing(&record, false, 1)?;
    let deadlines: Vec<u64> = record.tasks.iter().map(|task| task[2]).collect();
    let terms = (known.terms)(&sharing, &deadlines, record.m);
    Ok(with_terms(&sharing, &terms, known.waiting))
}

/// Returns whether partitioned EDF with the MSRP meets all deadlines by the classic bound.
#[pyfunction]
pub(crate) fn pedf_msrp_schedulable(record: Sharers) -> PyResult<bool> {
    let sharing = sharing(&record, true, 1)?;
    let terms = msrp_classic::bounds(&sharing);
    Ok(edf::first_failure(&sharing, &terms, edf::Blockers::Ceilings, &mut Budget::default(), &mut Unwatched)
        .is_none())
}
