//! Jobs that arrive exactly a period apart and need exactly their WCET.

use schedlab_model::{Duration, Instant, JobSource, NextJob, Step, Task, TaskId, Work};

/// The strictly periodic source: the first arrival is at the task's offset, or at its join if that is later.
#[derive(Clone, Debug)]
pub struct Periodic {
    next: Vec<Stream>,
    /// By task, where it has one; every job does the same.
    programs: Vec<Vec<Step>>,
}

#[derive(Clone, Copy, Debug)]
struct Stream {
    arrival: Instant,
    period: Duration,
    wcet: Work,
}

impl Periodic {
    /// The jobs of `tasks`.
    pub fn new(tasks: &[Task]) -> Self {
        let first = |task: &Task| task.join.max(task.offset);
        let stream = |task: &Task| Stream { arrival: first(task), period: task.period, wcet: task.wcet };
        Periodic {
            next: tasks.iter().map(stream).collect(),
            programs: tasks.iter().map(|task| task.program.clone()).collect(),
        }
    }
}

impl JobSource for Periodic {
    #[inline]
    fn next_job(&mut self, task: TaskId, program: &mut Vec<Step>) -> Option<NextJob> {
        let stream = &mut self.next[task.index()];
        let arrival = stream.arrival;
        stream.arrival = arrival + stream.period;
        let steps = &self.programs[task.index()];
        if !steps.is_empty() {
            program.extend_from_slice(steps);
        }
        Some(NextJob { arrival, release: arrival, cost: stream.wcet })
    }
}
