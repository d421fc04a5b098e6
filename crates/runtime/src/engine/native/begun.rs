//! The jobs of a run as the kernel began them.

use crate::record::inputs::EngineInput;
use schedlab_model::{Instant, JobId, JobSource, NextJob, Step, TaskId};

/// The jobs of another source, with the arrivals and releases at which the kernel began them. Jobs that the kernel
/// never began are never released.
struct BegunJobs {
    source: Box<dyn JobSource + Send>,
    /// By task: arrivals and releases.
    begun: Vec<Vec<(Instant, Instant)>>,
    /// By task: number of jobs that were drawn.
    drawn: Vec<usize>,
    /// By task: true if no job comes after those that were begun.
    left: Vec<bool>,
}

impl JobSource for BegunJobs {
    fn next_job(&mut self, task: TaskId, program: &mut Vec<Step>) -> Option<NextJob> {
        let number = self.drawn[task.index()];
        let begun = self.begun[task.index()].get(number).copied();
        if begun.is_none() && self.left[task.index()] {
            return None;
        }
        let next = self.source.next_job(task, program)?;
        self.drawn[task.index()] += 1;
        let (arrival, release) = begun.unwrap_or((next.arrival, Instant::NEVER));
        Some(NextJob { arrival, release, ..next })
    }
}

/// True if these are the inputs of a run in which the kernel decided: it counts budgets, too.
pub(crate) fn is_by_kernel(inputs: &[(Instant, JobId, EngineInput)]) -> bool {
    inputs.iter().any(|(_, _, what)| match what {
        EngineInput::Began(_) | EngineInput::Executes(_) | EngineInput::Left => true,
        EngineInput::Reported(_)
        | EngineInput::FastSection(_)
        | EngineInput::Resumed
        | EngineInput::Called(_) => false,
    })
}

/// The jobs of `source` as these inputs say that the kernel began them; `source` itself if the kernel began none.
pub(crate) fn begun_jobs(
    source: Box<dyn JobSource + Send>,
    tasks: usize,
    inputs: &[(Instant, JobId, EngineInput)],
) -> Box<dyn JobSource + Send> {
    if !is_by_kernel(inputs) {
        return source;
    }
    let (mut begun, mut left) = (vec![Vec::new(); tasks], vec![false; tasks]);
    for (at, job, what) in inputs {
        match what {
            EngineInput::Began(arrival) => begun[job.task.index()].push((*arrival, (*at).max(*arrival))),
            EngineInput::Left => left[job.task.index()] = true,
            EngineInput::Executes(_)
            | EngineInput::Reported(_)
            | EngineInput::FastSection(_)
            | EngineInput::Resumed
            | EngineInput::Called(_) => {}
        }
    }
    Box::new(BegunJobs { source, begun, drawn: vec![0; tasks], left })
}
