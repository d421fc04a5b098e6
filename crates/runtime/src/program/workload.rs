//! The code of a scenario's jobs when they run for real: the steps of their programs, and what they execute.

mod backtest;
mod compute;
mod objects;
mod program;
mod rate;
mod walk;

pub use compute::Burner;
pub use program::{Completions, Programs};

use crate::program::system::refuse_simulated;
use crate::run::threads::{server, Background, Body};
use crate::task::context::Context;
use objects::{Access, Objects};
use rate::Rate;
use schedlab_lab::Prepared;
use schedlab_model::{LockingClass, ResourceId, Step, Task, TaskId, Work};
use schedlab_scenario::{TaskSpec, Workload};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard};

/// Code whose rounds all do the same.
trait Code: Send {
    /// Executes `rounds` rounds.
    fn run(&mut self, rounds: u64);
}

/// The code of the task number `index`, if its workload works on data. None for one that computes in registers. This is
/// the list of such workloads.
fn code(task: &TaskSpec, index: usize) -> Option<Box<dyn Code>> {
    // Data that fits no machine's memory was refused.
    let bytes = task.working_set as usize;
    Some(match task.workload {
        Workload::Compute => return None,
        Workload::Writes => Box::new(walk::Walk::new(bytes, true)),
        Workload::Reads => Box::new(walk::Walk::new(bytes, false)),
        Workload::Backtest(_) => Box::new(backtest::Backtest::new(bytes, index as u32)),
    })
}

/// The work between two looks at whether the job was given up.
const CHUNK: Work = Work::from_ns(20_000);

/// The code that a task executes, and how fast it is.
enum Executed {
    Compute(Burner),
    Code(Box<dyn Code>, Rate),
}

impl Executed {
    fn execute(&mut self, work: Work) {
        match self {
            Executed::Compute(burner) => burner.burn(work),
            Executed::Code(code, rate) => code.run(rate.rounds(work)),
        }
    }

    /// Executes this much work, or until the job is given up.
    fn execute_in(&mut self, context: &Context<'_>, work: Work) {
        let mut left = work;
        while !left.is_zero() && !context.aborted() {
            let now = left.min(CHUNK);
            self.execute(now);
            left -= now;
        }
    }
}

/// The jobs of a task. Those of schedulers that give jobs up look whether they were.
struct Jobs {
    executed: Arc<Mutex<Executed>>,
    /// By resource: true if a server executes the sections on it.
    served: Vec<bool>,
    may_abort: bool,
    handler: Work,
    /// By resource: the access to its object, of which an operation is the end of the section.
    accesses: Vec<Option<Access>>,
}

impl Jobs {
    /// Executes the steps of a job, or `cost` where there are none.
    fn run(&mut self, context: &mut Context<'_>, cost: Work, steps: &[Step]) {
        if steps.is_empty() {
            self.execute(context, cost);
        }
        let mut steps = steps.iter();
        while let Some(step) = steps.next() {
            if self.may_abort && context.aborted() {
                return;
            }
            let Some(resource) = step.requested().filter(|resource| self.served[resource.index()]) else {
                self.take(context, *step);
                continue;
            };
            let own = steps.as_slice();
            let end = own.iter().position(|step| matches!(step, Step::Release(..)));
            let end = end.expect("what is requested is released");
            self.have_served(context, resource, &own[..end]);
            steps = own[end + 1..].iter();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Executed> {
        self.executed.lock().expect("the code of workloads does not panic")
    }

    fn execute(&mut self, context: &Context<'_>, work: Work) {
        match self.may_abort {
            true => self.lock().execute_in(context, work),
            false => self.lock().execute(work),
        }
    }

    /// Has the server of `resource` execute what these steps do.
    fn have_served(&self, context: &mut Context<'_>, resource: ResourceId, steps: &[Step]) {
        let length = |step: &Step| if let Step::Execute(work) = step { *work } else { Work::ZERO };
        let work = steps.iter().map(length).fold(Work::ZERO, |sum, work| sum + work);
        let executed = Arc::clone(&self.executed);
        context.section(resource, move || {
            executed.lock().expect("the code of workloads does not panic").execute(work);
        });
    }

    fn take(&mut self, context: &mut Context<'_>, step: Step) {
        match step {
            Step::Execute(work) => self.execute(context, work),
            Step::Suspend(length) => context.suspend(length),
            Step::Request(resource, units) => context.lock_units(resource, units),
            Step::Release(resource, units) => {
                if let Some(access) = &mut self.accesses[resource.index()] {
                    access.operate_in(context, resource);
                }
                context.unlock_units(resource, units);
            }
            Step::NpEnter => context.enter_non_preemptive(),
            Step::NpExit => context.exit_non_preemptive(),
            Step::Serve(_) => unreachable!("a server's jobs execute no steps of their own"),
        }
    }
}

/// The largest amount of data that all tasks may have together, in bytes: it is locked in memory.
const MOST_DATA: u64 = 1 << 30;

/// By task: the code of its jobs. Costs are those that a simulation of the scenario draws.
pub fn bodies(prepared: &Prepared, burner: Burner, programs: &Arc<Programs>) -> Result<Vec<Body>, String> {
    refuse(prepared)?;
    let objects = Objects::of(prepared)?;
    let mut rates: BTreeMap<(Workload, u64), Rate> = BTreeMap::new();
    let mut bodies = Vec::new();
    for (index, spec) in prepared.scenario.tasks.iter().enumerate() {
        let task = TaskId(index as u32);
        if prepared.tasks[index].is_server() && prepared.protocol.class == LockingClass::Server {
            bodies.push(server());
            continue;
        }
        let executed = match (code(spec, index), spec.workload.program()) {
            (Some(code), Some(iterations)) => {
                let rounds = program::rounds(spec, iterations.get());
                bodies.push(program::body(code, rounds, Arc::clone(programs)));
                continue;
            }
            (Some(mut code), None) => {
                let key = (spec.workload, spec.working_set);
                let rate = *rates.entry(key).or_insert_with(|| Rate::of(&mut *code));
                Executed::Code(code, rate)
            }
            (None, _) => Executed::Compute(burner),
        };
        bodies.push(body(prepared, task, executed, objects.accesses(prepared, task))?);
    }
    Ok(bodies)
}

/// True if the jobs of `tasks` allocate and free nothing while they execute (see
/// [`Options::interrupts`](crate::Options::interrupts)): all but the last of a program, with which its memory goes, and
/// those that hand sections over to servers.
pub fn allocates_nothing(tasks: &[TaskSpec]) -> bool {
    let serves = |task: &TaskSpec| task.program.iter().any(|step| matches!(step, Step::Serve(_)));
    tasks.iter().all(|task| task.workload.program().is_none() && !serves(task))
}

/// Refuses what no real run can do.
fn refuse(prepared: &Prepared) -> Result<(), String> {
    refuse_simulated(&prepared.scenario).map_err(|why| why.to_string())?;
    let used = prepared.scenario.tasks.iter().filter(|task| task.workload.needs_working_set());
    let bytes = used.fold(0u64, |sum, task| sum.saturating_add(task.working_set));
    if bytes > MOST_DATA {
        return Err(format!(
            "the workloads' working sets are {bytes} bytes together; allowed: at most {MOST_DATA}, which stay in memory"
        ));
    }
    Ok(())
}

fn body(
    prepared: &Prepared,
    task: TaskId,
    executed: Executed,
    accesses: Vec<Option<Access>>,
) -> Result<Body, String> {
    // Each task draws its jobs by itself, so a source of its own gives the same ones.
    let mut source = prepared.source().map_err(|error| error.to_string())?;
    let own = &prepared.tasks[task.index()];
    let mut steps = Vec::with_capacity(own.program.len() + 1);
    let handler = own.abort_handler.unwrap_or_default().cost;
    let may_abort = prepared.scheduler.accrues_utility();
    let is_served = |resource| {
        let serves = |task: &Task| task.program.contains(&Step::Serve(resource));
        prepared.protocol.class == LockingClass::Server && prepared.tasks.iter().any(serves)
    };
    let served = (0..prepared.resources.len() as u32).map(|index| is_served(ResourceId(index))).collect();
    let executed = Arc::new(Mutex::new(executed));
    let mut jobs = Jobs { executed, served, may_abort, handler, accesses };
    // Jobs that were given up before they began are no less drawn.
    let mut drawn = 0;
    Ok(Box::new(move |context| {
        while context.next_job() {
            let mut cost = None;
            while drawn <= context.job().number {
                steps.clear();
                cost = source.next_job(task, &mut steps).map(|job| job.cost);
                drawn += 1;
            }
            let Some(cost) = cost else { continue };
            jobs.run(context, cost, &steps);
            if !context.complete() {
                jobs.lock().execute(jobs.handler);
            }
        }
    }))
}

/// Computes until the flag is set.
pub fn endless(burner: Burner) -> Background {
    Box::new(move |over| {
        while !over.load(Relaxed) {
            burner.burn(Work::from_ns(100_000));
        }
    })
}
