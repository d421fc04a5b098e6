//! What cross-checks compute of utility-accrual decisions.

use crate::errors::bad_input;
use pyo3::prelude::*;
use schedlab_model::{Instant, JobId, TaskId, Work};
use schedlab_policy::utility::{Algorithm, Candidate, DasaNd, GGua, GMua, Hvdf, Lbesa, NgGua, Queues};

/// More jobs or processors than this are taken for a mistake.
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
    let mut algorithm: Box<dyn Algorithm> = match name {
        "hvdf" => Box::new(Hvdf::new(n)),
        "lbesa" => Box::new(Lbesa::new(n)),
        "dasa_nd" => Box::new(DasaNd::new(n)),
        "gmua" => Box::new(GMua::new(n, processors)),
        "ng_gua" => Box::new(NgGua::new(n, processors)),
        "g_gua" => Box::new(GGua::new(n, processors)),
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
    algorithm.decide(Instant::from_ns(now), &candidates, &mut queues);
    Ok(queues.all().to_vec())
}
