//! Jobs whose arrivals, releases, costs and suspensions are drawn at random, within what tasks announce.

use super::pattern::Progress;
use super::suspensions::{self, Piece};
use super::{check, up_to, Arrivals, SourceError, SourceSpec};
use crate::random::{Purpose, Random};
use schedlab_model::{JobSource, NextJob, Step, Suspension, Task, TaskId};

/// The jobs of a task set by its specs.
///
/// The first job arrives at the task's offset or when the task joins, whichever is later, or after that if the pattern
/// delays it; no job arrives when the task leaves, or later.
#[derive(Clone, Debug)]
pub struct RandomSource {
    tasks: Vec<Stream>,
    pieces: Vec<Piece>,
}

/// The jobs of one task.
#[derive(Clone, Debug)]
struct Stream {
    task: Task,
    spec: SourceSpec,
    /// Number of jobs so far.
    number: u64,
    progress: Progress,
    arrivals: Random,
    jitter: Random,
    costs: Random,
    suspensions: Random,
}

impl RandomSource {
    /// Makes the source of jobs of `tasks`, where `specs[i]` has the rules for task `i`.
    pub(crate) fn new(tasks: &[Task], specs: &[SourceSpec], seed: u64) -> Result<Self, SourceError> {
        if tasks.len() != specs.len() {
            return Err(SourceError::WrongNumberOfSpecs { tasks: tasks.len(), specs: specs.len() });
        }
        let pairs = tasks.iter().zip(specs).enumerate();
        let streams = pairs.map(|(index, (task, spec))| {
            let id = TaskId(index as u32);
            check(id, task)?;
            spec.arrivals.check(id)?;
            spec.costs.check(id, task.wcet)?;
            let stream = |purpose| Random::stream(seed, purpose, index as u64);
            let of_arrivals = match spec.arrivals {
                Arrivals::SporadicUniform { like, .. } => like.unwrap_or(id),
                Arrivals::Periodic | Arrivals::Listed(_) => id,
            };
            Ok(Stream {
                task: task.clone(),
                spec: spec.clone(),
                number: 0,
                progress: Progress::default(),
                arrivals: Random::stream(seed, Purpose::Arrivals, of_arrivals.index() as u64),
                jitter: stream(Purpose::Jitter),
                costs: stream(Purpose::Costs),
                suspensions: stream(Purpose::Suspensions),
            })
        });
        Ok(RandomSource { tasks: streams.collect::<Result<_, _>>()?, pieces: Vec::new() })
    }
}

impl JobSource for RandomSource {
    fn next_job(&mut self, task: TaskId, program: &mut Vec<Step>) -> Option<NextJob> {
        let stream = &mut self.tasks[task.index()];
        let (task, spec) = (&stream.task, &stream.spec);
        let arrival = spec.arrivals.next(&mut stream.progress, task, &mut stream.arrivals)?;
        if arrival >= task.leave {
            return None;
        }
        let release = arrival.checked_add(up_to(task.jitter, &mut stream.jitter))?;
        let cost = spec.costs.draw(stream.number, task.wcet, &mut stream.costs);
        stream.number += 1;
        if let Suspension::Dynamic(bound) = task.suspension {
            suspensions::pieces(cost, bound, &mut stream.suspensions, &mut self.pieces);
        } else {
            self.pieces.clear();
        }
        let alone = [Step::Execute(task.wcet)];
        let worst = if task.program.is_empty() { &alone[..] } else { &task.program };
        if !task.program.is_empty() || !self.pieces.is_empty() {
            suspensions::write_program(worst, (cost, task.wcet), &self.pieces, program);
        }
        Some(NextJob { arrival, release, cost })
    }

    fn has_steps(&self) -> bool {
        let has_steps = |task: &Task| !task.program.is_empty() || task.suspension != Suspension::None;
        self.tasks.iter().any(|stream| has_steps(&stream.task))
    }
}
