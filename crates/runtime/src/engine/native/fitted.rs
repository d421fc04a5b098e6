//! Inputs of a run at times at which the engine can take them.

use crate::engine::domain::DomainSetup;
use crate::engine::native::attempt::{attempt, Misfit};
use crate::record::inputs::EngineInput;
use schedlab_model::{Duration, Instant, JobId};
use schedlab_sim::{Input, Setup};
use std::collections::{BTreeMap, BTreeSet};

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
    /// By how much requests, and inputs that follow a release at which the engine would stop the job, came after the
    /// engine had stopped their jobs. These count as not preempted meanwhile, so the kernel's switches do not show how
    /// late a stop was.
    pub late_requests: Vec<Duration>,
    /// Number of times that an engine took all inputs. Each time finds at least the first misfit of every busy
    /// interval: so this is one more than the most misfits of one of them, at most.
    pub attempts: u64,
}

/// Fits `inputs`, by time, to an engine that `make` makes anew as often as is needed.
pub(crate) fn fitted(make: &dyn Fn() -> DomainSetup, system: &Setup, inputs: Vec<Timed>) -> Fitted {
    let mut fitted = Fitted { inputs, ..Fitted::default() };
    let most = fitted.inputs.len() as u64;
    loop {
        let may_move = fitted.late_stops + fitted.late_starts < most;
        let taken = attempt(make(), system, &fitted.inputs, may_move);
        fitted.attempts += 1;
        if taken.misfits.is_empty() {
            fitted.longest_move = fitted.longest_move.max(taken.longest_wait);
            return Fitted { inputs: taken.inputs, early_starts: taken.early_starts, ..fitted };
        }
        fitted.correct(&taken.misfits);
    }
}

impl Fitted {
    /// Corrects inputs that do not fit, by their places.
    fn correct(&mut self, misfits: &BTreeMap<usize, Misfit>) {
        let inputs = std::mem::take(&mut self.inputs);
        // Those that follow an input at once, and those that come behind all others of their times.
        let (mut after, mut behind, mut kept) = (BTreeMap::new(), Vec::new(), BTreeSet::new());
        for (place, misfit) in misfits {
            let (before, job, what) = inputs[*place];
            let at = match misfit {
                Misfit::LateStop { stopped } => {
                    self.late_stops += 1;
                    Instant::from_ns(stopped.as_ns().saturating_sub(1))
                }
                Misfit::LateStart { other } => {
                    self.late_starts += 1;
                    *other
                }
            };
            let moved = at.max(before) - at.min(before);
            self.longest_move = self.longest_move.max(moved);
            // No input of a job comes before another one that the job made earlier. A job that the engine stopped at
            // its release of a lock was in a section until then, and the kernel had not stopped it yet.
            let own = inputs[..*place]
                .iter()
                .rev()
                .find(|(_, other, what)| *other == job && matches!(what, EngineInput::Reported(_)));
            let follows_own = own.is_some_and(|(last, ..)| *last > at);
            match what {
                EngineInput::Reported(input) if follows_own && !matches!(input, Input::Request(..)) => {
                    self.late_requests.push(moved);
                    behind.push((at, job, EngineInput::Reported(Input::NpEnter)));
                    if input != Input::Complete {
                        after.insert(*place, EngineInput::Reported(Input::NpExit));
                    }
                    kept.insert(*place);
                }
                // When a job asks matters to others that ask. So it still asks then, and had begun not to be preempted
                // before it would have been.
                EngineInput::Reported(Input::Request(..)) => {
                    self.late_requests.push(moved);
                    behind.push((at, job, EngineInput::Reported(Input::NpEnter)));
                    if let Some(place) = last_release(&inputs[*place..]).map(|end| place + end) {
                        after.insert(place, EngineInput::Reported(Input::NpExit));
                    }
                    kept.insert(*place);
                }
                EngineInput::Reported(_)
                | EngineInput::FastSection(_)
                | EngineInput::Resumed
                | EngineInput::Called(_)
                | EngineInput::Began(_)
                | EngineInput::Executes(_)
                | EngineInput::Left => behind.push((at, job, what)),
            }
        }
        for (place, input) in inputs.into_iter().enumerate() {
            let (at, job, _) = input;
            let is_moved = misfits.contains_key(&place) && !kept.contains(&place);
            if !is_moved {
                self.inputs.push(input);
            }
            self.inputs.extend(after.remove(&place).map(|what| (at, job, what)));
        }
        self.inputs.append(&mut behind);
        self.inputs.sort_by_key(|(at, ..)| *at);
    }
}

/// The place of the input by which the job of the first of these inputs, a request, holds nothing any more.
fn last_release(inputs: &[Timed]) -> Option<usize> {
    let (_, job, _) = inputs.first()?;
    let mut held = 0_u32;
    inputs.iter().position(|(_, other, what)| {
        match what {
            EngineInput::Reported(Input::Request(..)) if other == job => held += 1,
            EngineInput::Reported(Input::Release(..)) if other == job => held = held.saturating_sub(1),
            EngineInput::Reported(_)
            | EngineInput::FastSection(_)
            | EngineInput::Resumed
            | EngineInput::Called(_)
            | EngineInput::Began(_)
            | EngineInput::Executes(_)
            | EngineInput::Left => {}
        }
        held == 0
    })
}

#[cfg(test)]
mod tests;
