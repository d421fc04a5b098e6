//! What the engine knows of a task: its jobs to come, and how far the live one is.

use crate::behaviour::Behaviour;
use crate::stream::Stream;
use schedlab_model::{Duration, Instant, JobId, OverheadKind, Overrun, Work};

/// A task's stream of jobs, and how far its live job has come.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskState {
    /// Its jobs.
    pub stream: Stream,
    /// What the live job does.
    pub behaviour: Behaviour,
    /// What is left of the budget that the policy armed.
    pub budget: Option<Work>,
    /// What each job may execute, and what happens beyond that.
    pub enforced: Option<(Work, Overrun)>,
    /// How many requests the live job holds.
    pub held: u32,
    /// The live job was preempted, so its working set may be gone.
    pub was_preempted: bool,
    /// What is left of a reload that an overhead interrupted.
    pub reload_left: Option<(OverheadKind, Duration)>,
    /// When the live job's self-suspension ends.
    pub resumes_at: Option<Instant>,
    /// The live job waits for a grant without giving up its processor.
    pub spinning: bool,
    /// The live job asked for what it waits for, and asks again then: its quantum will have ended.
    pub asks_at: Option<Instant>,
    /// The live job's section is an attempt on a lock-free object.
    pub attempts: bool,
    /// Whose section the live job of a server executes, and the units that it asked for.
    pub serves: Option<(JobId, u32)>,
    /// The live job is ready, but a locking protocol does not let it start.
    pub gated: bool,
    /// The policy was told that the live job is ready.
    pub announced: bool,
    /// The live job unlocked something just now: its next request waits for the decision.
    pub unlocked: bool,
}

impl TaskState {
    /// A live job that needs `cost` begins with its first step.
    pub(crate) fn begin(&mut self, cost: Work) {
        self.behaviour.begin(cost);
        self.held = 0;
        self.was_preempted = false;
        self.reload_left = None;
        self.resumes_at = None;
        self.spinning = false;
        self.asks_at = None;
        self.attempts = false;
        self.serves = None;
        self.gated = false;
        self.announced = false;
        self.unlocked = false;
    }
}
