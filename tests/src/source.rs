//! The jobs of a random system: one stream of random numbers per task, so that it does not matter who asks when.

use crate::system::{Arrivals, Costs, Lateness, System};
use schedlab_model::{Duration, Instant, JobSource, NextJob, Step, Suspension, Task, TaskId, Work};
use schedlab_workload::Random;

/// Makes the jobs of one system.
#[derive(Clone, Debug)]
pub struct Jobs {
    streams: Vec<Stream>,
    arrivals: Arrivals,
    lateness: Lateness,
    costs: Costs,
}

#[derive(Clone, Debug)]
struct Stream {
    task: Task,
    next: Instant,
    first: bool,
    random: Random,
}

impl Jobs {
    /// The jobs of `system`, from the first on.
    pub fn new(system: &System) -> Self {
        let stream = |(index, task): (usize, &Task)| Stream {
            task: task.clone(),
            next: task.join + (task.offset - Instant::ZERO),
            first: true,
            random: Random::new(system.seed, *b"TestJobs", index as u64),
        };
        Jobs {
            streams: system.tasks.iter().enumerate().map(stream).collect(),
            arrivals: system.arrivals,
            lateness: system.lateness,
            costs: system.costs,
        }
    }
}

impl JobSource for Jobs {
    fn next_job(&mut self, task: TaskId, program: &mut Vec<Step>) -> Option<NextJob> {
        let stream = &mut self.streams[task.index()];
        let arrival = stream.next;
        let late = stream.lateness(self.lateness);
        let extra = stream.extra_gap(self.arrivals);
        stream.next = arrival.checked_add(stream.task.period + extra)?;
        stream.first = false;
        stream.program(self.costs, program);
        let cost = match program.is_empty() {
            true => stream.cost(stream.task.wcet, self.costs),
            false => executed(program),
        };
        Some(NextJob { arrival, release: arrival + late, cost })
    }

    fn has_steps(&self) -> bool {
        let has_steps = |task: &Task| !task.program.is_empty() || task.suspension != Suspension::None;
        self.streams.iter().any(|stream| has_steps(&stream.task))
    }
}

/// The sum of the `Execute` steps.
pub fn executed(program: &[Step]) -> Work {
    program.iter().fold(Work::ZERO, |sum, step| match step {
        Step::Execute(work) => sum + *work,
        _ => sum,
    })
}

impl Stream {
    fn lateness(&mut self, lateness: Lateness) -> Duration {
        let most = self.task.jitter;
        match lateness {
            _ if most.is_zero() => Duration::ZERO,
            Lateness::FirstOnly if self.first => most,
            Lateness::FirstOnly => Duration::ZERO,
            Lateness::Random => Duration::from_ns(self.random.between(0, most.as_ns())),
        }
    }

    fn extra_gap(&mut self, arrivals: Arrivals) -> Duration {
        match arrivals {
            Arrivals::Periodic => Duration::ZERO,
            Arrivals::Sporadic if self.random.below(2) == 0 => Duration::ZERO,
            Arrivals::Sporadic => Duration::from_ns(self.random.below(self.task.period.as_ns()) + 1),
        }
    }

    /// At most `most`, at least a nanosecond.
    fn cost(&mut self, most: Work, costs: Costs) -> Work {
        match costs {
            Costs::Worst => most,
            Costs::Below if self.random.below(2) == 0 => most,
            Costs::Below => Work::from_ns(self.random.between(1.min(most.as_ns()), most.as_ns())),
        }
    }

    fn length(&mut self, most: Duration, costs: Costs) -> Duration {
        match costs {
            Costs::Worst => most,
            Costs::Below => Duration::from_ns(self.random.between(1.min(most.as_ns()), most.as_ns())),
        }
    }

    /// The steps of the next job; none if it just executes.
    fn program(&mut self, costs: Costs, program: &mut Vec<Step>) {
        if let Suspension::Dynamic(bound) = self.task.suspension {
            return self.suspend_anywhere(bound, costs, program);
        }
        for index in 0..self.task.program.len() {
            let step = match self.task.program[index] {
                Step::Execute(work) => Step::Execute(self.cost(work, costs)),
                Step::Suspend(length) => Step::Suspend(self.length(length, costs)),
                other => other,
            };
            program.push(step);
        }
    }

    /// Cuts the execution in up to three pieces with suspensions between them; the last piece is not empty,
    /// for a job that ended with a suspension would need its processor once more, for no time.
    fn suspend_anywhere(&mut self, bound: Duration, costs: Costs, program: &mut Vec<Step>) {
        let mut left = self.cost(self.task.wcet, costs).as_ns();
        let mut rest = self.length(bound, costs).as_ns();
        let cuts = if rest < 2 { 1 } else { self.random.between(1, 2) };
        for cut in (0..cuts).rev() {
            let piece = self.random.between(0, left - 1);
            let pause = if cut == 0 { rest } else { self.random.between(1, rest - 1) };
            if piece > 0 {
                program.push(Step::Execute(Work::from_ns(piece)));
            }
            if pause > 0 {
                program.push(Step::Suspend(Duration::from_ns(pause)));
            }
            left -= piece;
            rest -= pause;
        }
        program.push(Step::Execute(Work::from_ns(left)));
    }
}
