//! How far the live job of a task has come. Its phase changes here alone:
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
//! Another change is a bug of the engine, or of a locking protocol: it panics.

use crate::behaviour::{Behaviour, Script};
use crate::phase::{Awaits, Caches, Doing, Phase};
use schedlab_model::{Instant, OverheadKind, ResourceId, Step, Work};

/// What the engine knows of a live job besides what policies may read. It lies in one cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Progress<B> {
    /// What the job does.
    behaviour: B,
    /// How many requests it holds.
    held: u32,
    phase: Phase,
    doing: Doing,
    caches: Caches,
    /// It unlocked something just now: its next request waits for the decision.
    unlocked: bool,
    /// It was given up, and executes its abort handler.
    hands_back: bool,
}

const _: () = assert!(size_of::<Progress<Script>>() == 64, "it lies in one cache line");

impl<B: Behaviour> Progress<B> {
    /// No job is live.
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

    /// No job is live, nor was one.
    pub(crate) fn renew(&mut self) {
        let mut behaviour = core::mem::take(&mut self.behaviour);
        behaviour.renew();
        *self = Progress { behaviour, ..Progress::new() };
    }

    /// A job that needs `cost` begins with its first step, if it has steps.
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

    /// The job was given up and is gone: nothing wakes it.
    pub(crate) fn end(&mut self) {
        self.phase = Phase::Begins;
        self.hands_back = false;
    }
}

/// What it does, step by step.
impl<B: Behaviour> Progress<B> {
    /// What it does: its changes are here.
    #[inline(always)]
    pub(crate) fn behaviour(&self) -> &B {
        &self.behaviour
    }

    /// What a live run's thread tells it does next.
    pub(crate) fn tell(&mut self, behaviour: B) {
        self.behaviour = behaviour;
    }

    /// These steps were written for the next job: see [`Behaviour::exchange`].
    #[inline(always)]
    pub(crate) fn exchange(&mut self, steps: &mut Vec<Step>, repeat: bool) {
        self.behaviour.exchange(steps, repeat);
    }

    /// A job that needs `cost` begins, in a run in which jobs just execute.
    #[inline(always)]
    pub(crate) fn begin_plainly(&mut self, cost: Work) {
        self.behaviour.begin_plainly(cost);
    }

    /// It has executed for so long.
    #[inline(always)]
    pub(crate) fn receive(&mut self, received: Work) {
        self.behaviour.receive(received);
    }

    /// It goes on to its next step.
    #[inline]
    pub(crate) fn advance(&mut self) {
        self.behaviour.advance();
    }

    /// It goes on to its next step if its execution has ended. False if there is none.
    #[inline]
    pub(crate) fn end_execution(&mut self) -> bool {
        self.behaviour.end_execution()
    }

    /// Its execution has ended: see [`Behaviour::end_step`].
    #[inline(always)]
    pub(crate) fn end_step(&mut self) -> Option<Step> {
        self.behaviour.end_step()
    }

    /// Its current step begins: what is to be executed of it.
    #[inline(always)]
    pub(crate) fn begin_step(&mut self) -> Work {
        self.behaviour.begin_step()
    }

    /// Nothing is left for it to do.
    pub(crate) fn cut(&mut self) {
        self.behaviour.cut();
    }
}

/// What it waits for.
impl<B: Behaviour> Progress<B> {
    #[inline(always)]
    pub(crate) fn phase(&self) -> Phase {
        self.phase
    }

    /// The policy is about to hear of the job; false if a protocol holds it.
    #[inline(always)]
    pub(crate) fn start(&mut self) -> bool {
        let starts = self.phase == Phase::Begins;
        if starts {
            self.phase = Phase::GoesOn;
        }
        starts
    }

    /// It suspends itself until then.
    pub(crate) fn sleep_until(&mut self, at: Instant) {
        self.change(self.phase == Phase::GoesOn, Phase::Sleeps(at));
    }

    /// It suspends itself until something that schedlab does not know happens.
    pub(crate) fn wait_elsewhere(&mut self) {
        self.change(self.phase == Phase::GoesOn, Phase::WaitsElsewhere);
    }

    /// It asks for what its current step says. True if it has done so before.
    pub(crate) fn ask(&mut self) -> bool {
        let again = self.phase == Phase::AsksAgain;
        self.change(again || self.phase == Phase::GoesOn, Phase::GoesOn);
        again
    }

    /// It waits without a processor for what it asked for.
    pub(crate) fn await_grant(&mut self) {
        self.change(self.phase == Phase::GoesOn, Phase::AwaitsGrant);
    }

    /// It waits on its processor for what it asked for.
    pub(crate) fn spin(&mut self) {
        self.change(self.phase == Phase::GoesOn, Phase::Spins);
    }

    /// The same until then.
    pub(crate) fn spin_until(&mut self, at: Instant) {
        self.change(self.phase == Phase::GoesOn, Phase::SpinsUntil(at));
    }

    /// It has spun until then, and asks again.
    pub(crate) fn turn_to_ask(&mut self) {
        self.change(matches!(self.phase, Phase::SpinsUntil(_)), Phase::AsksAgain);
    }

    /// It holds what it has spun for.
    pub(crate) fn stop_spinning(&mut self) {
        self.change(self.phase.is_spinning(), Phase::GoesOn);
    }

    /// It may execute again: what it waited for has happened, or it waits no longer.
    pub(crate) fn wake(&mut self) {
        self.change(self.phase.awaits() != Awaits::Nothing, Phase::GoesOn);
    }

    /// A locking protocol does not let it start, or go on. True if the policy has heard of it.
    pub(crate) fn hold(&mut self) -> bool {
        let is_announced = self.phase == Phase::GoesOn;
        self.change(is_announced || self.phase == Phase::Begins, Phase::Held { is_announced });
        is_announced
    }

    /// It is held no longer: whether the policy has heard of it. `None` if it was not held.
    pub(crate) fn admit(&mut self) -> Option<bool> {
        let Phase::Held { is_announced } = self.phase else { return None };
        self.phase = Phase::GoesOn;
        Some(is_announced)
    }

    /// The next phase, which comes after this one only if it `may`.
    fn change(&mut self, may: bool, next: Phase) {
        assert!(may, "a job that {:?} is to be one that {next:?}", self.phase);
        self.phase = next;
    }
}

/// Its sections, and what its steps stand for.
impl<B: Behaviour> Progress<B> {
    /// True if it holds something.
    pub(crate) fn holds(&self) -> bool {
        self.held > 0
    }

    /// True if it is in a section, or in an attempt on a lock-free object: neither is ever cut.
    #[inline(always)]
    pub(crate) fn is_in_section(&self) -> bool {
        self.held > 0 || self.doing == Doing::Attempt
    }

    #[inline(always)]
    pub(crate) fn doing(&self) -> Doing {
        self.doing
    }

    /// It holds what it asked for, and its next step comes: what is to be executed of it.
    #[inline(always)]
    pub(crate) fn enter_section(&mut self) -> Work {
        self.held += 1;
        self.behaviour.advance();
        self.behaviour.left()
    }

    /// It has given back what it held, and its next step comes: what is to be executed of it.
    #[inline(always)]
    pub(crate) fn leave_section(&mut self) -> Work {
        self.held -= 1;
        self.behaviour.advance();
        self.behaviour.left()
    }

    /// What it asked for is a lock-free object: it begins its operation.
    pub(crate) fn begin_attempt(&mut self) {
        self.doing = Doing::Attempt;
        self.behaviour.advance();
    }

    /// Its operation on a lock-free object is done.
    pub(crate) fn end_attempt(&mut self) {
        self.doing = Doing::ItsOwn;
        self.behaviour.advance();
    }

    /// Its operation on a lock-free object starts anew. In a live run the object itself says so, to the thread.
    pub(crate) fn retry(&mut self) {
        self.behaviour.script().retry();
    }

    /// It is a server's, and executes one more section, of that length.
    pub(crate) fn serve(&mut self, resource: ResourceId, length: Work) {
        self.doing = Doing::Section;
        self.behaviour.script().serve(resource, length);
    }

    /// It is a server's, and begins a busy period: it has no section yet.
    pub(crate) fn begin_serving(&mut self) {
        self.behaviour.script().clear();
    }

    /// A server executes its section for it: the steps from its request on.
    pub(crate) fn served(&mut self) -> &[Step] {
        self.behaviour.script().rest()
    }

    /// A server has executed its section, which has so many steps.
    pub(crate) fn skip_served(&mut self, steps: usize) {
        self.behaviour.script().skip(steps);
    }

    /// It is a server's, and has executed a section.
    pub(crate) fn end_service(&mut self) {
        self.doing = Doing::ItsOwn;
        self.behaviour.script().end_service();
    }

    /// It unlocked something at this instant.
    #[inline(always)]
    pub(crate) fn unlock(&mut self) {
        self.unlocked = true;
    }

    /// It executes, or its next request waits for a decision: whether it unlocked something before at this instant.
    #[inline(always)]
    pub(crate) fn take_unlocked(&mut self) -> bool {
        core::mem::take(&mut self.unlocked)
    }
}

/// Its working set, and its end before its time.
impl<B: Behaviour> Progress<B> {
    /// True if it has had a processor.
    pub(crate) fn has_begun(&self) -> bool {
        self.caches != Caches::Unloaded
    }

    /// It loads its working set: what was left of it.
    #[inline(always)]
    pub(crate) fn load(&mut self) -> Caches {
        core::mem::replace(&mut self.caches, Caches::Warm)
    }

    /// It was preempted: its working set may be lost.
    #[inline(always)]
    pub(crate) fn unload(&mut self) {
        self.caches = Caches::Cold;
    }

    /// An overhead interrupts its reload, which goes on later.
    pub(crate) fn interrupt_reload(&mut self, kind: OverheadKind) {
        self.caches = Caches::Reloading(kind);
    }

    /// Its reload goes on, if one was interrupted.
    #[inline(always)]
    pub(crate) fn take_reload(&mut self) -> Option<OverheadKind> {
        let Caches::Reloading(kind) = self.caches else { return None };
        self.caches = Caches::Warm;
        Some(kind)
    }

    /// True if it was given up, and executes its abort handler.
    #[inline(always)]
    pub(crate) fn hands_back(&self) -> bool {
        self.hands_back
    }

    /// It is given up, and goes on with its abort handler, which executes for `cost`. If it `waits` for what it asked
    /// for, it gets that first; it goes on without if that `is_withdrawn`.
    pub(crate) fn give_up(&mut self, cost: Work, waits: bool, is_withdrawn: bool) {
        self.hands_back = true;
        self.behaviour.give_up(cost, waits, is_withdrawn);
    }
}
