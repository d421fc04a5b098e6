//! What the jobs of a scenario do when they run for real: the steps of their programs, execution as a busy loop.

use crate::burn::Burner;
use schedlab_lab::{PrepareError, Prepared};
use schedlab_model::{JobSource, Step, TaskId, Work};
use schedlab_runtime::{each_job, Background, Body, Context};
use std::sync::atomic::Ordering::Relaxed;

/// By task: what its jobs do. Costs are those that a simulation of the scenario draws.
pub fn bodies(prepared: &Prepared, burner: Burner) -> Result<Vec<Body>, String> {
    for (task, spec) in prepared.tasks.iter().zip(&prepared.scenario.tasks) {
        if task.program.iter().any(|step| matches!(step, Step::Serve(_))) {
            let name = &spec.name;
            return Err(format!(
                "task \"{name}\" serves a resource for others: only a simulation can do that so far"
            ));
        }
    }
    let body = |task| body(prepared, TaskId(task), burner).map_err(|error| error.to_string());
    (0..prepared.tasks.len() as u32).map(body).collect()
}

fn body(prepared: &Prepared, task: TaskId, burner: Burner) -> Result<Body, PrepareError> {
    // Each task draws its jobs by itself, so a source of its own gives the same ones.
    let mut source = prepared.source()?;
    let mut steps = Vec::with_capacity(prepared.tasks[task.index()].program.len() + 1);
    Ok(each_job(move |context| {
        steps.clear();
        let Some(job) = source.next_job(task, &mut steps) else { return };
        if steps.is_empty() {
            burner.burn(job.cost);
        }
        steps.iter().for_each(|step| take(context, *step, burner));
    }))
}

/// Computes until it is told to stop.
pub fn endless(burner: Burner) -> Background {
    Box::new(move |over| {
        while !over.load(Relaxed) {
            burner.burn(Work::from_ns(100_000));
        }
    })
}

fn take(context: &mut Context<'_>, step: Step, burner: Burner) {
    match step {
        Step::Execute(work) => burner.burn(work),
        Step::Suspend(length) => context.suspend(length),
        Step::Request(resource, units) => context.lock_units(resource, units),
        Step::Release(resource, units) => context.unlock_units(resource, units),
        Step::NpEnter => context.enter_non_preemptive(),
        Step::NpExit => context.exit_non_preemptive(),
        Step::Serve(_) => unreachable!("refused at set-up"),
    }
}
