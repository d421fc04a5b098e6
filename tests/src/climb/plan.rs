//! Jobs one by one: when they arrive, how late they are released, what they do.

use crate::draw::pick;
use schedlab_lab::Prepared;
use schedlab_model::{Duration, Instant, JobSource, NextJob, Step, Suspension, Task, TaskId, Work};
use schedlab_scenario::Arrival;
use schedlab_workload::Random;
use std::fmt;

/// One job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlannedJob {
    /// How much later it arrives than it might.
    pub gap: u64,
    /// How much later than that it is released.
    pub late: u64,
    /// What it does; its task's program if none.
    pub steps: Option<Vec<Step>>,
}

/// What a plan may change of one task's jobs.
#[derive(Clone, Debug)]
pub struct Freedom {
    /// The earliest first arrival.
    pub first: u64,
    /// The least distance.
    pub period: u64,
    /// Arrivals may be later.
    pub moves: bool,
    /// The task whose gaps these jobs have: its own, but for pieces of a split task.
    pub leader: usize,
    /// The longest jitter.
    pub jitter: u64,
    /// Jobs may do less than their worst.
    pub varies: bool,
    /// The task's program.
    pub program: Vec<Step>,
    /// The bound on suspension anywhere.
    pub suspension: u64,
}

impl Freedom {
    /// Of all tasks.
    pub fn of(prepared: &Prepared) -> Vec<Freedom> {
        (0..prepared.tasks.len()).map(|index| Freedom::of_task(prepared, index)).collect()
    }

    fn of_task(prepared: &Prepared, index: usize) -> Freedom {
        let (task, spec) = (&prepared.tasks[index], &prepared.scenario.tasks[index]);
        let (moves, like) = match &spec.arrival {
            Arrival::Sporadic { like, .. } => (like.is_none(), like.as_ref()),
            Arrival::Periodic | Arrival::Listed(_) => (false, None),
        };
        let place = |name: &String| prepared.scenario.tasks.iter().position(|task| task.name == *name);
        let is_piece = prepared.pieces.get(index).is_some_and(|piece| piece.count > 1);
        Freedom {
            first: task.offset.max(task.join).as_ns(),
            period: task.period.as_ns(),
            moves,
            leader: like.and_then(place).unwrap_or(index),
            jitter: task.jitter.as_ns(),
            varies: !is_piece && task.bcet.as_ns() <= 1 && !task.is_server(),
            program: program(task),
            suspension: match task.suspension {
                Suspension::Dynamic(bound) => bound.as_ns(),
                Suspension::None | Suspension::Segmented => 0,
            },
        }
    }

    /// What a job may do: its worst, less, with suspensions anywhere.
    pub fn behave(&self, random: &mut Random) -> Option<Vec<Step>> {
        if !self.varies || (self.suspension == 0 && random.below(2) == 0) {
            return None;
        }
        let mut steps = self.program.clone();
        let shrinks = random.below(4);
        let only = random.below(steps.len() as u64) as usize;
        for (index, step) in steps.iter_mut().enumerate().filter(|_| shrinks > 0) {
            if shrinks < 3 && index != only {
                continue;
            }
            match step {
                Step::Execute(work) => {
                    *work = Work::from_ns(random.between(1.min(work.as_ns()), work.as_ns()))
                }
                Step::Suspend(length) => *length = Duration::from_ns(random.between(1, length.as_ns())),
                _ => {}
            }
        }
        if self.suspension > 0 {
            let whole = *pick(random, &[self.suspension, random.clone().between(1, self.suspension)]);
            let first = if random.below(2) == 0 { whole } else { random.between(0, whole) };
            for length in [first, whole - first].into_iter().filter(|length| *length > 0) {
                suspend_anywhere(&mut steps, length, random);
            }
        }
        Some(steps)
    }
}

fn program(task: &Task) -> Vec<Step> {
    match task.program.is_empty() {
        true => vec![Step::Execute(task.wcet)],
        false => task.program.clone(),
    }
}

/// Inserts a suspension into some execution outside of sections, before its end.
fn suspend_anywhere(steps: &mut Vec<Step>, length: u64, random: &mut Random) {
    let mut depth = 0;
    let mut plain = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        match step {
            Step::Request(..) | Step::NpEnter => depth += 1,
            Step::Release(..) | Step::NpExit => depth -= 1,
            Step::Execute(work) if depth == 0 && !work.is_zero() => plain.push((index, work.as_ns())),
            Step::Execute(_) | Step::Suspend(_) | Step::Serve(_) => {}
        }
    }
    if plain.is_empty() {
        return;
    }
    let (index, work) = *pick(random, &plain);
    let before = random.below(work);
    steps[index] = Step::Execute(Work::from_ns(work - before));
    steps.insert(index, Step::Suspend(Duration::from_ns(length)));
    if before > 0 {
        steps.insert(index, Step::Execute(Work::from_ns(before)));
    }
}

/// All jobs of a run, by task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// By task and number.
    pub jobs: Vec<Vec<PlannedJob>>,
}

impl Plan {
    /// Any plan that the scenario allows.
    pub fn draw(prepared: &Prepared, freedoms: &[Freedom], random: &mut Random) -> Plan {
        let horizon = prepared.scenario.horizon.as_ns();
        // Synchronous and dense, or spread out.
        let spread = random.below(4);
        let mut of_task = |(task, freedom): (usize, &Freedom)| {
            let listed = match &prepared.scenario.tasks[task].arrival {
                Arrival::Listed(times) => Some(times),
                Arrival::Periodic | Arrival::Sporadic { .. } => None,
            };
            let count = listed.map_or(horizon / freedom.period + 1, |times| times.len() as u64);
            let mut earliest = freedom.first;
            let job = |number: u64| {
                let gap = match listed {
                    Some(times) => times[number as usize].as_ns() - earliest,
                    None if !freedom.moves => 0,
                    None if number == 0 => [0, random.below(freedom.period)][usize::from(spread > 0)],
                    None if spread > 1 && random.below(spread + 1) > 1 => random.below(freedom.period),
                    None => 0,
                };
                earliest += gap + freedom.period;
                let late = match random.below(3) {
                    0 => 0,
                    1 if number == 0 => freedom.jitter,
                    _ => random.between(0, freedom.jitter),
                };
                PlannedJob { gap, late, steps: freedom.behave(random) }
            };
            (0..count).map(job).collect()
        };
        Plan { jobs: freedoms.iter().enumerate().map(&mut of_task).collect() }
    }

    /// When a job arrives.
    pub fn arrival(&self, freedoms: &[Freedom], task: usize, number: usize) -> u64 {
        let gaps: u64 = self.jobs[freedoms[task].leader].iter().take(number + 1).map(|job| job.gap).sum();
        freedoms[task].first + number as u64 * freedoms[task].period + gaps
    }
}

/// A plan, job by job.
pub struct Replayed<'a> {
    plan: &'a Plan,
    /// By task: the next job's number and the time from which on it may arrive.
    next: Vec<(usize, u64)>,
    leaders: Vec<usize>,
    tasks: &'a [Task],
}

impl<'a> Replayed<'a> {
    /// From the beginning.
    pub fn new(plan: &'a Plan, prepared: &'a Prepared) -> Replayed<'a> {
        let first = |task: &Task| (0, task.offset.max(task.join).as_ns());
        let leaders = (0..prepared.tasks.len()).map(|index| Freedom::leader(prepared, index)).collect();
        Replayed { plan, next: prepared.tasks.iter().map(first).collect(), leaders, tasks: &prepared.tasks }
    }
}

impl Freedom {
    fn leader(prepared: &Prepared, index: usize) -> usize {
        match &prepared.scenario.tasks[index].arrival {
            Arrival::Sporadic { like: Some(name), .. } => {
                prepared.scenario.tasks.iter().position(|task| task.name == *name).unwrap_or(index)
            }
            Arrival::Sporadic { like: None, .. } | Arrival::Periodic | Arrival::Listed(_) => index,
        }
    }
}

impl JobSource for Replayed<'_> {
    fn next_job(&mut self, id: TaskId, program: &mut Vec<Step>) -> Option<NextJob> {
        let task = &self.tasks[id.index()];
        let (number, earliest) = &mut self.next[id.index()];
        let gap = self.plan.jobs[self.leaders[id.index()]].get(*number)?.gap;
        let job = self.plan.jobs[id.index()].get(*number)?;
        let arrival = Instant::from_ns(*earliest + gap);
        (*number, *earliest) = (*number + 1, arrival.as_ns() + task.period.as_ns());
        let steps = job.steps.as_ref().unwrap_or(&task.program);
        program.extend_from_slice(steps);
        let cost = if steps.is_empty() { task.wcet } else { crate::source::executed(steps) };
        Some(NextJob { arrival, release: arrival + Duration::from_ns(job.late), cost })
    }
}

/// A plan with what it is for, as a person reads it.
pub struct Shown<'a>(pub &'a Plan, pub &'a Prepared);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shown(plan, prepared) = self;
        let mut source = Replayed::new(plan, prepared);
        for (task, spec) in prepared.scenario.tasks.iter().enumerate() {
            writeln!(f, "jobs of {}:", spec.name)?;
            let mut steps = Vec::new();
            while let Some(job) = source.next_job(TaskId(task as u32), &mut steps) {
                if job.arrival >= prepared.scenario.horizon {
                    break;
                }
                write!(f, "  arrives at {}, released at {}", job.arrival, job.release)?;
                writeln!(f, ", costs {}: {steps:?}", job.cost)?;
                steps.clear();
            }
        }
        Ok(())
    }
}
