//! Strictly periodic jobs at their worst: the source of most experiments, and the fastest.

use super::{check, SourceError};
use schedlab_model::{at_mut, Instant, JobSource, NextJob, Step, Task, TaskId, Work};

/// Jobs at exact multiples of the period, released on arrival, each of the WCET.
///
/// The first job arrives at the task's offset, or when the task joins if that is later. Each job executes its task's
/// program; a dynamic self-suspension is not used.
#[derive(Clone, Debug)]
pub struct PeriodicSource {
    tasks: Vec<Periodic>,
    programs: Vec<Vec<Step>>,
}

/// Parameters that one task's next job needs, and nothing more: they are read for every job of a simulation.
#[derive(Clone, Copy, Debug)]
struct Periodic {
    next: u64,
    leave: u64,
    period: u64,
    wcet: Work,
    has_program: bool,
}

impl PeriodicSource {
    /// The jobs of `tasks`.
    pub fn new(tasks: &[Task]) -> Result<Self, SourceError> {
        for (index, task) in tasks.iter().enumerate() {
            check(TaskId(index as u32), task)?;
        }
        let periodic = |task: &Task| Periodic {
            next: task.offset.max(task.join).as_ns(),
            leave: task.leave.as_ns(),
            period: task.period.as_ns(),
            wcet: task.wcet,
            has_program: !task.program.is_empty(),
        };
        Ok(PeriodicSource {
            tasks: tasks.iter().map(periodic).collect(),
            programs: tasks.iter().map(|task| task.program.clone()).collect(),
        })
    }
}

impl JobSource for PeriodicSource {
    #[inline]
    fn next_job(&mut self, task: TaskId, program: &mut Vec<Step>) -> Option<NextJob> {
        let state = at_mut(&mut self.tasks, task.index());
        // No task leaves later than at `Instant::NEVER`, so a sum that does not fit ends the task too.
        if state.next >= state.leave {
            return None;
        }
        let arrival = Instant::from_ns(state.next);
        state.next = state.next.saturating_add(state.period);
        if state.has_program && program.is_empty() {
            program.extend_from_slice(&self.programs[task.index()]);
        }
        Some(NextJob { arrival, release: arrival, cost: state.wcet })
    }

    fn has_steps(&self) -> bool {
        self.tasks.iter().any(|task| task.has_program)
    }

    fn repeats_steps(&self) -> bool {
        true
    }
}
