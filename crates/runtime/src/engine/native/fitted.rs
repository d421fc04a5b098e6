//! Inputs of a run at times at which the engine can take them.

use crate::engine::domain::{DomainSetup, EngineInto};
use crate::engine::native::begun::begun_jobs;
use crate::record::inputs::EngineInput;
use schedlab_model::{Duration, Instant, Job, JobId, JobState};
use schedlab_sim::{Input, Setup};
use schedlab_trace::{about, Record, Timeline};

/// An input of a domain, with its job and its time.
type Timed = (Instant, JobId, EngineInput);

/// The inputs of a domain at times at which the engine takes them all.
#[derive(Debug, Default)]
pub(crate) struct Fitted {
    pub inputs: Vec<Timed>,
    /// Number of inputs that came after the engine had stopped their jobs: they count just before that.
    pub late_stops: u64,
    /// Number of jobs that were ready just before a more urgent one, and that the kernel had not let execute by then:
    /// they count as ready when that one was.
    pub late_starts: u64,
    /// Number of inputs of jobs that the kernel executed before the engine would have: they count as soon as the engine
    /// executes the job.
    pub early_starts: u64,
    /// Longest time by which an input was moved.
    pub longest_move: Duration,
}

/// An input that the engine does not take at its time, or one that is to blame for that.
enum Misfit {
    /// The input in this place came after the engine had stopped the job, at this time. The job was executing just
    /// before.
    LateStop { place: usize, stopped: Instant },
    /// The job began by the input in this place, and the engine let it execute at once. The kernel let another job
    /// execute first, which was ready later: the job counts as begun at this time.
    LateStart { place: usize, other: Instant },
}

/// Fits `inputs`, by time, to an engine that `make` makes anew as often as is needed.
pub(crate) fn fitted(make: &dyn Fn() -> DomainSetup, system: &Setup, inputs: Vec<Timed>) -> Fitted {
    let mut fitted = Fitted { inputs, ..Fitted::default() };
    let most = fitted.inputs.len() as u64;
    loop {
        let may_move = fitted.late_stops + fitted.late_starts < most;
        let (place, at) = match attempt(make(), system, &fitted.inputs, may_move) {
            Ok(taken) => {
                let longest_move = fitted.longest_move.max(taken.longest_wait);
                let (inputs, early_starts) = (taken.inputs, taken.early_starts);
                return Fitted { inputs, early_starts, longest_move, ..fitted };
            }
            Err(Misfit::LateStop { place, stopped }) => {
                fitted.late_stops += 1;
                (place, Instant::from_ns(stopped.as_ns().saturating_sub(1)))
            }
            Err(Misfit::LateStart { place, other }) => {
                fitted.late_starts += 1;
                (place, other)
            }
        };
        let (before, job, what) = fitted.inputs.remove(place);
        fitted.longest_move = fitted.longest_move.max(at.max(before) - at.min(before));
        // Behind all inputs of its new time.
        let place = fitted.inputs.partition_point(|(other, ..)| *other <= at);
        fitted.inputs.insert(place, (at, job, what));
    }
}

/// The inputs as the engine took them.
#[derive(Default)]
struct Taken {
    inputs: Vec<Timed>,
    /// Number of inputs that it took later than they came.
    early_starts: u64,
    /// Longest time by which it took one later.
    longest_wait: Duration,
}

/// Decides by `inputs`. Returns them as the engine took them, or the first one that belongs before a decision.
fn attempt(setup: DomainSetup, system: &Setup, inputs: &[Timed], may_move: bool) -> Result<Taken, Misfit> {
    let setup = DomainSetup { source: begun_jobs(setup.source, system.tasks.len(), inputs), ..setup };
    let mut live = setup.live(system, Timeline::default());
    live.leave_budgets_to_inputs();
    let mut taken = Taken { inputs: Vec::with_capacity(inputs.len()), ..Taken::default() };
    let mut waiting: Vec<Timed> = Vec::new();
    for (place, (at, job, what)) in inputs.iter().copied().enumerate() {
        match what {
            EngineInput::Reported(_) if waiting.iter().any(|(_, other, _)| *other == job) => {
                wait(&mut waiting, (at, job, what));
            }
            EngineInput::Reported(input) if live.report(at, job, input) => taken.inputs.push((at, job, what)),
            EngineInput::Reported(_) => match stop_of(job, &live.sink_mut().records) {
                Some(stopped) if may_move => return Err(Misfit::LateStop { place, stopped }),
                Some(_) | None => {
                    taken.early_starts += 1;
                    wait(&mut waiting, (at, job, what));
                }
            },
            EngineInput::Resumed if waiting.iter().any(|(_, other, _)| *other == job) => {
                wait(&mut waiting, (at, job, what));
            }
            EngineInput::Resumed => {
                live.wake(at, job);
                taken.inputs.push((at, job, what));
            }
            EngineInput::Executes(_) => {
                live.advance(Instant::from_ns(at.as_ns().saturating_sub(1)));
                let waits = |job: &Job| job.scheduled_on.is_none() && job.state == JobState::Ready;
                let is_chosen = may_move && live.job(job.task).id == job && waits(live.job(job.task));
                let blamed = is_chosen.then(|| blamed(job, &mut live, inputs, place)).flatten();
                if let Some((place, other)) = blamed {
                    return Err(Misfit::LateStart { place, other });
                }
                taken.inputs.push((at, job, what));
            }
            EngineInput::FastSection(_) | EngineInput::Began(_) | EngineInput::Left => {
                taken.inputs.push((at, job, what));
            }
        }
        waiting.retain(|(came, job, what)| {
            let EngineInput::Reported(input) = what else { return false };
            let is_taken = live.report(at, *job, *input);
            if is_taken {
                taken.inputs.push((at, *job, *what));
                taken.longest_wait = taken.longest_wait.max(at - *came);
            }
            !is_taken
        });
    }
    Ok(taken)
}

/// Has an input wait until the engine executes its job. What begins and ends again meanwhile is left out: only that the
/// job is complete counts then.
fn wait(waiting: &mut Vec<Timed>, (at, job, what): Timed) {
    waiting.retain(|(_, other, _)| *other != job);
    match what {
        EngineInput::Reported(Input::NpExit) | EngineInput::Resumed => {}
        EngineInput::Reported(_)
        | EngineInput::FastSection(_)
        | EngineInput::Began(_)
        | EngineInput::Executes(_)
        | EngineInput::Left => waiting.push((at, job, what)),
    }
}

/// The place of the input by which a job began that the engine let execute and the kernel had not, when the kernel
/// let `job` execute for the first time, by the input in `place`; and when it counts as begun. None if there is no
/// such job.
fn blamed(
    job: JobId,
    live: &mut EngineInto<Timeline>,
    inputs: &[Timed],
    place: usize,
) -> Option<(usize, Instant)> {
    let executed = |wanted: JobId| {
        inputs[..place]
            .iter()
            .any(|(_, job, what)| *job == wanted && matches!(what, EngineInput::Executes(_)))
    };
    let began = |wanted: JobId| {
        inputs.iter().position(|(_, job, what)| *job == wanted && matches!(what, EngineInput::Began(_)))
    };
    if executed(job) {
        return None;
    }
    let begun = inputs[began(job)?].0;
    let mut on = Vec::new();
    for (_, record) in &live.sink_mut().records {
        match *record {
            Record::Dispatch { job, .. } => on.push(job),
            Record::Preempt { job, .. } | Record::Complete { job } | Record::Suspend { job, .. } => {
                on.retain(|other| *other != job);
            }
            about![
                Arrival, Ready, GiveUp, Abort, Miss, Link, Resume, Move, urgencies, requests, attempts,
                machine
            ] => {}
        }
    }
    // A job that goes before this one was ready just after it; another one together with it.
    let moved = |other: JobId| {
        let goes_first = live.job(other.task).effective.is_higher_than(live.job(job.task).effective);
        let at = if goes_first { begun + Duration::from_ns(1) } else { begun };
        began(other).filter(|place| inputs[*place].0 < at).map(|place| (place, at))
    };
    on.into_iter().filter(|other| !executed(*other)).filter_map(moved).max()
}

/// The time at which the engine stopped `job`, if it executed for a moment before that and not since.
fn stop_of(job: JobId, records: &[(Instant, Record)]) -> Option<Instant> {
    let mut stopped = None;
    for (at, record) in records.iter().rev() {
        match record {
            Record::Preempt { job: other, .. } if *other == job && stopped.is_none() => stopped = Some(*at),
            Record::Dispatch { job: other, .. } if *other == job => {
                return stopped.filter(|stopped| *at + Duration::from_ns(1) < *stopped);
            }
            about![lives, places, urgencies, requests, attempts, machine] => {}
        }
    }
    None
}

#[cfg(test)]
mod tests;
