//! Computations for cross-checks of utility-accrual decisions.

use crate::errors::bad_input;
use pyo3::prelude::*;
use schedlab_model::{Instant, JobId, TaskId, Work};
use schedlab_policy::utility::{
    Candidate, DecisionMemory, Queues, DASA_ND, G_GUA, G_MUA, HVDF, LBESA, NG_GUA,
};

/// Most jobs or processors; larger numbers count as a mistake.
const MOST: usize = 10_000;

/// By processor: the queue of jobs, by index, that the algorithm called `name` decides for ready jobs
/// `[remaining, wcet, absolute deadline, utility]`. Utilities are steps at the deadline; loads are WCETs, as in
/// ChronOS. The algorithms are `hvdf`, `gmua`, `ng_gua`, `g_gua`, and for one processor `lbesa` and `dasa_nd`.
#[pyfunction]
pub(crate) fn utility_queues(
    name: &str,
    processors: usize,
    jobs: Vec<[u64; 4]>,
    now: u64,
) -> PyResult<Vec<Vec<u32>>> {
    if processors == 0 || processors > MOST || jobs.len() > MOST {
        return Err(bad_input(format!(
            "{processors} processors and {} jobs; allowed: 1 to {MOST} and up to {MOST}",
            jobs.len()
        )));
    }
    let n = jobs.len();
    let algorithm = match name {
        "hvdf" => HVDF,
        "lbesa" => LBESA,
        "dasa_nd" => DASA_ND,
        "gmua" => G_MUA,
        "ng_gua" => NG_GUA,
        "g_gua" => G_GUA,
        other => return Err(bad_input(format!("unknown algorithm \"{other}\""))),
    };
    let candidate = |(index, &[remaining, wcet, deadline, utility]): (usize, &[u64; 4])| Candidate {
        id: JobId::new(TaskId(index as u32), 0),
        termination: Instant::from_ns(deadline),
        remaining: Work::from_ns(remaining),
        load: Work::from_ns(wcet),
        utility,
        waits_for: None,
    };
    let candidates: Vec<Candidate> = jobs.iter().enumerate().map(candidate).collect();
    let mut queues = Queues::new(processors, n);
    let mut memory = DecisionMemory::new(n, processors);
    (algorithm.decide)(Instant::from_ns(now), &candidates, &mut queues, &mut memory);
    Ok(queues.all().to_vec())
}
