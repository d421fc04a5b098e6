//! An engine takes the inputs of a run in which the kernel decided, and finds those that do not fit.

use crate::engine::domain::{DomainSetup, EngineInto};
use crate::engine::native::begun::begun_jobs;
use crate::record::inputs::EngineInput;
use schedlab_model::{CpuId, Duration, Instant, Job, JobId, JobState};
use schedlab_sim::{Input, Setup};
use schedlab_trace::{about, Record, Timeline};
use std::collections::{BTreeMap, BTreeSet};

/// An input of a domain, with its job and its time.
type Timed = (Instant, JobId, EngineInput);

/// Why an input does not fit.
#[derive(Clone, Copy, Debug)]
pub(super) enum Misfit {
    /// The input came after the engine had stopped the job, at this time. The job was executing just before.
    LateStop { stopped: Instant },
    /// A job began by the input, and the engine let it execute at once. The kernel let another job execute first, which
    /// was ready later: the job counts as begun at this time.
    LateStart { other: Instant },
}

/// The inputs as an engine took them.
#[derive(Default)]
pub(super) struct Taken {
    pub inputs: Vec<Timed>,
    /// Inputs that do not fit, by their places: the first one of each busy interval. If there is one, the others count
    /// for nothing.
    pub misfits: BTreeMap<usize, Misfit>,
    /// Number of inputs that the engine took later than they came.
    pub early_starts: u64,
    /// Longest time by which it took one later.
    pub longest_wait: Duration,
}

/// Decides by `inputs`. Misfits are found if inputs `may_move`.
pub(super) fn attempt(setup: DomainSetup, system: &Setup, inputs: &[Timed], may_move: bool) -> Taken {
    let cpus = setup.cpus.clone();
    let setup = DomainSetup { source: begun_jobs(setup.source, system.tasks.len(), inputs), ..setup };
    let mut live = setup.live(system, Timeline::default());
    live.leave_budgets_to_inputs();
    let mut began = BTreeMap::new();
    for (place, (_, job, what)) in inputs.iter().enumerate() {
        if matches!(what, EngineInput::Began(_)) {
            began.entry(*job).or_insert(place);
        }
    }
    let mut attempt = Attempt {
        live,
        cpus,
        inputs,
        moves: may_move,
        may_move,
        began,
        executed: BTreeSet::new(),
        open: BTreeSet::new(),
        waiting: Vec::new(),
        taken: Taken { inputs: Vec::with_capacity(inputs.len()), ..Taken::default() },
    };
    for place in 0..inputs.len() {
        attempt.take_next(place);
    }
    attempt.taken
}

struct Attempt<'a> {
    live: EngineInto<Timeline>,
    cpus: Vec<CpuId>,
    inputs: &'a [Timed],
    /// True if inputs may move.
    moves: bool,
    /// True while a misfit is looked for: not after one, until no job is left.
    may_move: bool,
    /// By job: the place of the input by which it began.
    began: BTreeMap<JobId, usize>,
    /// Jobs that the kernel has let execute.
    executed: BTreeSet<JobId>,
    /// Jobs that have begun and are not complete.
    open: BTreeSet<JobId>,
    /// Inputs that the engine does not take yet.
    waiting: Vec<Timed>,
    taken: Taken,
}

impl Attempt<'_> {
    /// Takes the input in this place, or has it wait.
    fn take_next(&mut self, place: usize) {
        let (at, job, what) = self.inputs[place];
        match what {
            EngineInput::Reported(_) | EngineInput::Resumed if self.waits(job) => self.wait((at, job, what)),
            EngineInput::Reported(input) if self.report(at, job, input) => {}
            EngineInput::Reported(_) => match self.misfit(job) {
                Some(misfit) => {
                    self.note(place, misfit);
                    self.wait((at, job, what));
                }
                None => {
                    self.taken.early_starts += 1;
                    self.wait((at, job, what));
                }
            },
            EngineInput::Resumed => {
                self.live.wake(at, job);
                self.taken.inputs.push((at, job, what));
            }
            EngineInput::Executes(_) => {
                self.live.advance(Instant::from_ns(at.as_ns().saturating_sub(1)));
                if let Some((place, other)) = self.blamed(job) {
                    self.note(place, Misfit::LateStart { other });
                }
                self.executed.insert(job);
                self.taken.inputs.push((at, job, what));
            }
            EngineInput::Began(_) => {
                self.open.insert(job);
                self.taken.inputs.push((at, job, what));
            }
            EngineInput::FastSection(_) | EngineInput::Called(_) | EngineInput::Left => {
                self.taken.inputs.push((at, job, what));
            }
        }
        self.take_waiting(at);
    }

    fn waits(&self, job: JobId) -> bool {
        self.waiting.iter().any(|(_, other, _)| *other == job)
    }

    /// True if the engine takes this input. It takes none of a job that spins: the job's thread has the lock already,
    /// and the engine has not granted it yet.
    fn report(&mut self, at: Instant, job: JobId, input: Input) -> bool {
        let is_taken = !self.live.is_spinning(job) && self.live.report(at, job, input);
        if is_taken {
            self.taken.inputs.push((at, job, EngineInput::Reported(input)));
            if input == Input::Complete {
                self.open.remove(&job);
            }
        }
        is_taken
    }

    /// Notes a misfit, which changes what follows until no job is left.
    fn note(&mut self, place: usize, misfit: Misfit) {
        self.taken.misfits.insert(place, misfit);
        self.may_move = false;
    }

    /// Takes what waits and has its turn now.
    fn take_waiting(&mut self, now: Instant) {
        if !self.waiting.is_empty() {
            let mut refused: Vec<JobId> = Vec::new();
            for (came, job, what) in std::mem::take(&mut self.waiting) {
                let is_taken = match what {
                    EngineInput::Reported(input) if !refused.contains(&job) => self.report(now, job, input),
                    EngineInput::Reported(_)
                    | EngineInput::FastSection(_)
                    | EngineInput::Resumed
                    | EngineInput::Called(_)
                    | EngineInput::Began(_)
                    | EngineInput::Executes(_)
                    | EngineInput::Left => false,
                };
                if is_taken {
                    self.taken.longest_wait = self.taken.longest_wait.max(now - came);
                } else {
                    refused.push(job);
                    self.waiting.push((came, job, what));
                }
            }
        }
        if self.open.is_empty() && self.waiting.is_empty() {
            self.may_move = self.moves;
        }
    }

    /// Has an input wait until the engine executes its job, behind others of the job. What begins and ends again
    /// meanwhile is left out, but for critical sections, which other jobs notice; once the job is complete, only these
    /// count.
    fn wait(&mut self, (at, job, what): Timed) {
        let EngineInput::Reported(input) = what else {
            return self.forget(job, |waiting| waiting == Input::Suspend);
        };
        match input {
            Input::NpExit => {
                let own = |(_, other, what): &Timed| {
                    *other == job && *what == EngineInput::Reported(Input::NpEnter)
                };
                if let Some(place) = self.waiting.iter().rposition(own) {
                    self.waiting.remove(place);
                    return;
                }
            }
            Input::Complete => {
                self.forget(job, |waiting| !matches!(waiting, Input::Request(..) | Input::Release(..)))
            }
            Input::HandedBack
            | Input::Request(..)
            | Input::Release(..)
            | Input::Retry(_)
            | Input::NpEnter
            | Input::Suspend
            | Input::Leave
            | Input::Overran => {}
        }
        self.waiting.push((at, job, what));
    }

    /// Lets those inputs of a job wait no longer that are so.
    fn forget(&mut self, job: JobId, is_so: impl Fn(Input) -> bool) {
        self.waiting.retain(|(_, other, what)| match what {
            EngineInput::Reported(input) => *other != job || !is_so(*input),
            EngineInput::FastSection(_)
            | EngineInput::Resumed
            | EngineInput::Called(_)
            | EngineInput::Began(_)
            | EngineInput::Executes(_)
            | EngineInput::Left => true,
        });
    }

    /// The misfit of an input of a job that the engine does not execute, if it is one.
    fn misfit(&mut self, job: JobId) -> Option<Misfit> {
        let stopped = self.may_move.then(|| stop_of(job, &self.live.sink_mut().records)).flatten()?;
        Some(Misfit::LateStop { stopped })
    }

    /// The place of the input by which a job began that the engine let execute and the kernel had not, when the kernel
    /// let `job` execute for the first time; and when it counts as begun. None if there is no such job, or `job` does
    /// not wait.
    fn blamed(&mut self, job: JobId) -> Option<(usize, Instant)> {
        let waits = |job: &Job| job.scheduled_on.is_none() && job.state == JobState::Ready;
        let own = self.live.job(job.task);
        if !self.may_move || self.executed.contains(&job) || own.id != job || !waits(own) {
            return None;
        }
        let begun = self.inputs[*self.began.get(&job)?].0;
        // A job that goes before this one was ready just after it; another one together with it.
        let moved = |other: JobId| {
            let other_goes_first =
                self.live.job(other.task).effective.is_higher_than(self.live.job(job.task).effective);
            let at = if other_goes_first { begun + Duration::from_ns(1) } else { begun };
            let place = *self.began.get(&other)?;
            (self.inputs[place].0 < at).then_some((place, at))
        };
        let on = self.cpus.iter().filter_map(|cpu| self.live.scheduled(*cpu));
        on.filter(|other| !self.executed.contains(other)).filter_map(moved).max()
    }
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
