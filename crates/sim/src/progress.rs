//! How far the live job of a task has come.

use crate::behaviour::Behaviour;
use crate::phase::{Caches, Doing, Phase};
use schedlab_model::Work;

/// What the engine knows of a live job besides what policies may read. It lies in one cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Progress {
    /// What the job does.
    pub behaviour: Behaviour,
    /// How many requests it holds.
    pub held: u32,
    pub phase: Phase,
    pub doing: Doing,
    pub caches: Caches,
    /// It unlocked something just now: its next request waits for the decision.
    pub unlocked: bool,
    /// It was given up, and executes its abort handler.
    pub hands_back: bool,
}

const _: () = assert!(size_of::<Progress>() == 64, "it lies in one cache line");

impl Progress {
    /// No job is live.
    pub(crate) fn new() -> Self {
        Progress {
            behaviour: Behaviour::default(),
            held: 0,
            phase: Phase::Begins,
            doing: Doing::ItsOwn,
            caches: Caches::Unloaded,
            unlocked: false,
            hands_back: false,
        }
    }

    /// True if it has had a processor.
    pub(crate) fn has_begun(&self) -> bool {
        self.caches != Caches::Unloaded
    }

    /// True if it is in a section, or in an attempt on a lock-free object: neither is ever cut.
    #[inline(always)]
    pub(crate) fn is_in_section(&self) -> bool {
        self.held > 0 || self.doing == Doing::Attempt
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
}
