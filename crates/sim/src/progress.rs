//! The progress of a task's live job. Its phase changes in this file alone:
//!
//! | change | from | to |
//! |---|---|---|
//! | `begin` | any: no job is live | `Begins` |
//! | `start` | `Begins` | `GoesOn` |
//! | `sleep_until`, `wait_elsewhere` | `GoesOn` | `Sleeps`, `WaitsElsewhere` |
//! | `await_grant`, `spin`, `spin_until` | `GoesOn` | `AwaitsGrant`, `Spins`, `SpinsUntil` |
//! | `turn_to_ask` | `SpinsUntil` | `AsksAgain` |
//! | `ask` | `GoesOn`, `AsksAgain` | `GoesOn` |
//! | `stop_spinning` | `Spins`, `SpinsUntil` | `GoesOn` |
//! | `wake` | all that wait for a grant or for a time | `GoesOn` |
//! | `hold` | `Begins`, `GoesOn` | `Held` |
//! | `admit` | `Held` | `GoesOn` |
//! | `end` | any | `Begins` |
//!
//! Any other change is a bug of the engine, or of a locking protocol: it panics.

use crate::behaviour::{Behaviour, Script};
use crate::phase::{Awaits, Caches, Doing, Phase};
use schedlab_model::{Instant, OverheadKind, ResourceId, Step, Work};

/// The engine's knowledge of a live job besides what policies may read. It lies in one cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Progress<B> {
    /// The job's behaviour.
    behaviour: B,
    /// Number of requests that the job holds.
    held: u32,
    phase: Phase,
    doing: Doing,
    caches: Caches,
    /// True if the job unlocked something just now: its next request waits for the decision.
    unlocked: bool,
    /// True if the job was given up, and executes its abort handler.
    hands_back: bool,
}

const _: () = assert!(size_of::<Progress<Script>>() == 64, "it lies in one cache line");

impl<B: Behaviour> Progress<B> {
    /// Progress of a task without a live job.
    pub(crate) fn new() -> Self {
        Progress {
            behaviour: B::default(),
            held: 0,
            phase: Phase::Begins,
            doing: Doing::ItsOwn,
            caches: Caches::Unloaded,
            unlocked: false,
            hands_back: false,
        }
    }

    /// Resets the progress to that of a task that has not had a job.
    pub(crate) fn renew(&mut self) {
        let mut behaviour = core::mem::take(&mut self.behaviour);
        behaviour.renew();
        *self = Progress { behaviour, ..Progress::new() };
    }

    /// Begins a job that needs `cost`, with its first step if it has steps.
    #[inline(always)]
    pub(crate) fn begin(&mut self, cost: Work) {
        self.behaviour.begin(cost);
        self.held = 0;
        self.phase = Phase::Begins;
        self.doing = Doing::ItsOwn;
        self.caches = Caches::Unloaded;
        self.unlocked = false;
        self.hands_back = false;
    }

    /// Ends a job that was given up: nothing wakes it any more.
    pub(crate) fn end(&mut self) {
        self.phase = Phase::Begins;
        self.hands_back = false;
    }
}

/// Steps of the job.
impl<B: Behaviour> Progress<B> {
    /// Returns the job's behaviour; the functions below change it.
    #[inline(always)]
    pub(crate) fn behaviour(&self) -> &B {
        &self.behaviour
    }

    /// Sets what the job of a live run does next, as its thread reports.
    pub(crate) fn tell(&mut self, behaviour: B) {
        self.behaviour = behaviour;
    }

    /// Takes the steps that were written for the next job: see [`Behaviour::exchange`].
    #[inline(always)]
    pub(crate) fn exchange(&mut self, steps: &mut Vec<Step>, repeat: bool) {
        self.behaviour.exchange(steps, repeat);
    }

    /// Begins a job that needs `cost`, in a run in which jobs only execute.
    #[inline(always)]
    pub(crate) fn begin_plainly(&mut self, cost: Work) {
        self.behaviour.begin_plainly(cost);
    }

    /// Deducts the time for which the job has executed.
    #[inline(always)]
    pub(crate) fn receive(&mut self, received: Work) {
        self.behaviour.receive(received);
    }

    /// Advances to the job's next step.
    #[inline]
    pub(crate) fn advance(&mut self) {
        self.behaviour.advance();
    }

    /// Advances to the next step if the current execution has ended. Returns false if there is no such step.
    #[inline]
    pub(crate) fn end_execution(&mut self) -> bool {
        self.behaviour.end_execution()
    }

    /// Ends the job's execution: see [`Behaviour::end_step`].
    #[inline(always)]
    pub(crate) fn end_step(&mut self) -> Option<Step> {
        self.behaviour.end_step()
    }

    /// Begins the current step, and returns the execution in it.
    #[inline(always)]
    pub(crate) fn begin_step(&mut self) -> Work {
        self.behaviour.begin_step()
    }

    /// Ends the job's work: nothing is left for it to do.
    pub(crate) fn cut(&mut self) {
        self.behaviour.cut();
    }
}

/// Phases of the job.
impl<B: Behaviour> Progress<B> {
    #[inline(always)]
    pub(crate) fn phase(&self) -> Phase {
        self.phase
    }

    /// Starts the job, of which the policy is about to be notified. Returns false if a protocol holds it back.
    #[inline(always)]
    pub(crate) fn start(&mut self) -> bool {
        let starts = self.phase == Phase::Begins;
        if starts {
            self.phase = Phase::GoesOn;
        }
        starts
    }

    /// Lets the job suspend itself until `at`.
    pub(crate) fn sleep_until(&mut self, at: Instant) {
        self.change(self.phase == Phase::GoesOn, Phase::Sleeps(at));
    }

    /// Lets the job suspend itself until an event unknown to schedlab.
    pub(crate) fn wait_elsewhere(&mut self) {
        self.change(self.phase == Phase::GoesOn, Phase::WaitsElsewhere);
    }

    /// Lets the job ask for what its current step needs. Returns true if it has asked before.
    pub(crate) fn ask(&mut self) -> bool {
        let again = self.phase == Phase::AsksAgain;
        self.change(again || self.phase == Phase::GoesOn, Phase::GoesOn);
        again
    }

    /// Lets the job wait without a processor for what it asked for.
    pub(crate) fn await_grant(&mut self) {
        self.change(self.phase == Phase::GoesOn, Phase::AwaitsGrant);
    }

    /// Lets the job wait on its processor for what it asked for.
    pub(crate) fn spin(&mut self) {
        self.change(self.phase == Phase::GoesOn, Phase::Spins);
    }

    /// Lets the job wait on its processor, until `at`, for what it asked for.
    pub(crate) fn spin_until(&mut self, at: Instant) {
        self.change(self.phase == Phase::GoesOn, Phase::SpinsUntil(at));
    }

    /// Ends the job's spinning, so that it asks again.
    pub(crate) fn turn_to_ask(&mut self) {
        self.change(matches!(self.phase, Phase::SpinsUntil(_)), Phase::AsksAgain);
    }

    /// Ends the job's spinning, because it holds what it has spun for.
    pub(crate) fn stop_spinning(&mut self) {
        self.change(self.phase.is_spinning(), Phase::GoesOn);
    }

    /// Ends the job's wait: the awaited event has happened, or the job waits no longer.
    pub(crate) fn wake(&mut self) {
        self.change(self.phase.awaits() != Awaits::Nothing, Phase::GoesOn);
    }

    /// Holds the job back. Returns true if its policy has been notified of the job.
    pub(crate) fn hold(&mut self) -> bool {
        let is_announced = self.phase == Phase::GoesOn;
        self.change(is_announced || self.phase == Phase::Begins, Phase::Held { is_announced });
        is_announced
    }

    /// Admits the job; returns whether its policy has been notified of it. `None` if it was not held back.
    pub(crate) fn admit(&mut self) -> Option<bool> {
        let Phase::Held { is_announced } = self.phase else { return None };
        self.phase = Phase::GoesOn;
        Some(is_announced)
    }

    /// Sets the next phase, which may follow the current one only if `may` is true.
    fn change(&mut self, may: bool, next: Phase) {
        assert!(may, "a job that {:?} is to be one that {next:?}", self.phase);
        self.phase = next;
    }
}

/// Sections of the job, and the meaning of its steps.
impl<B: Behaviour> Progress<B> {
    /// True if the job holds something.
    pub(crate) fn holds(&self) -> bool {
        self.held > 0
    }

    /// True if the job is in a section, or in an attempt on a lock-free object: no budget ends within either.
    #[inline(always)]
    pub(crate) fn is_in_section(&self) -> bool {
        self.held > 0 || self.doing == Doing::Attempt
    }

    #[inline(always)]
    pub(crate) fn doing(&self) -> Doing {
        self.doing
    }

    /// Notes that the job holds what it asked for, and advances to its next step; returns the execution in it.
    #[inline(always)]
    pub(crate) fn enter_section(&mut self) -> Work {
        self.held += 1;
        self.behaviour.advance();
        self.behaviour.left()
    }

    /// Notes that the job has given back what it held, and advances to its next step; returns the execution in it.
    #[inline(always)]
    pub(crate) fn leave_section(&mut self) -> Work {
        self.held -= 1;
        self.behaviour.advance();
        self.behaviour.left()
    }

    /// Begins the job's operation on a lock-free object.
    pub(crate) fn begin_attempt(&mut self) {
        self.doing = Doing::Attempt;
        self.behaviour.advance();
    }

    /// Ends the job's operation on a lock-free object.
    pub(crate) fn end_attempt(&mut self) {
        self.doing = Doing::ItsOwn;
        self.behaviour.advance();
    }

    /// Starts the job's operation on a lock-free object anew. In a live run the object itself reports failures to the
    /// thread.
    pub(crate) fn retry(&mut self) {
        self.behaviour.script().retry();
    }

    /// Appends a section of `length` that the job of a server executes.
    pub(crate) fn serve(&mut self, resource: ResourceId, length: Work) {
        self.doing = Doing::Section;
        self.behaviour.serve(resource, length);
    }

    /// Begins a busy period of a server's job, without a section yet.
    pub(crate) fn begin_serving(&mut self) {
        self.behaviour.begin_serving();
    }

    /// Advances past the section that a server has executed for the job.
    pub(crate) fn skip_served(&mut self) {
        self.behaviour.skip_served();
    }

    /// Ends a section that the job of a server has executed.
    pub(crate) fn end_service(&mut self) {
        self.doing = Doing::ItsOwn;
        self.behaviour.end_service();
    }

    /// Notes that the job unlocked something at this instant.
    #[inline(always)]
    pub(crate) fn unlock(&mut self) {
        self.unlocked = true;
    }

    /// Clears the note that the job unlocked something at this instant; returns true if it did.
    #[inline(always)]
    pub(crate) fn take_unlocked(&mut self) -> bool {
        core::mem::take(&mut self.unlocked)
    }
}

/// The job's working set, and its abort.
impl<B: Behaviour> Progress<B> {
    /// True if the job has had a processor.
    pub(crate) fn has_begun(&self) -> bool {
        self.caches != Caches::Unloaded
    }

    /// Notes that the job loads its working set; returns the former state of the caches.
    #[inline(always)]
    pub(crate) fn load(&mut self) -> Caches {
        core::mem::replace(&mut self.caches, Caches::Warm)
    }

    /// Notes that the job was preempted: its working set may be lost.
    #[inline(always)]
    pub(crate) fn unload(&mut self) {
        self.caches = Caches::Cold;
    }

    /// Notes that an overhead interrupts the job's reload, which goes on later.
    pub(crate) fn interrupt_reload(&mut self, kind: OverheadKind) {
        self.caches = Caches::Reloading(kind);
    }

    /// Takes the job's interrupted reload, if there is one, which goes on now.
    #[inline(always)]
    pub(crate) fn take_reload(&mut self) -> Option<OverheadKind> {
        let Caches::Reloading(kind) = self.caches else { return None };
        self.caches = Caches::Warm;
        Some(kind)
    }

    /// True if the job was given up, and executes its abort handler.
    #[inline(always)]
    pub(crate) fn hands_back(&self) -> bool {
        self.hands_back
    }

    /// Gives the job up: it goes on with its abort handler, which executes for `cost`. If it `waits` for what it asked
    /// for, it gets that first, or goes on without it if the request `is_withdrawn`.
    pub(crate) fn give_up(&mut self, cost: Work, waits: bool, is_withdrawn: bool) {
        self.hands_back = true;
        self.behaviour.give_up(cost, waits, is_withdrawn);
    }
}
