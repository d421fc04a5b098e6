//! What the engine knows of a task: its jobs to come, and how far the live one is.

use crate::behaviour::Behaviour;
use crate::phase::{Caches, Doing, Phase};
use crate::stream::Stream;
use schedlab_model::{Instant, Job, JobId, Overrun, Work};

/// A task's stream of jobs, and how far its live job has come.
#[derive(Clone, Debug)]
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
    pub phase: Phase,
    pub doing: Doing,
    pub caches: Caches,
    /// The live job unlocked something just now: its next request waits for the decision.
    pub unlocked: bool,
}

impl TaskState {
    /// No job is live.
    pub(crate) fn new(stream: Stream) -> Self {
        TaskState {
            stream,
            behaviour: Behaviour::default(),
            budget: None,
            enforced: None,
            held: 0,
            phase: Phase::Begins,
            doing: Doing::ItsOwn,
            caches: Caches::Warm,
            unlocked: false,
        }
    }

    /// `job`, which arrived then, is live: fills its entry of the job table, too. No task has a budget unless `any_budget`.
    #[inline(always)]
    pub(crate) fn install<const WHOLE: bool>(
        &mut self,
        entry: &mut Job,
        job: JobId,
        arrival: Instant,
        cost: Work,
        any_budget: bool,
    ) {
        self.stream.begin_job();
        if any_budget {
            self.budget = self.enforced.map(|(budget, _)| budget);
        }
        match WHOLE {
            true => self.begin(cost),
            false => self.behaviour.begin_plainly(cost),
        }
        entry.has_successor = self.stream.has_released();
        entry.id = job;
        entry.arrival = arrival;
        entry.absolute_deadline = self.stream.deadline(arrival);
        entry.received = Work::ZERO;
        entry.np_depth = 0;
    }

    /// How long the live job executes at most before something else comes: its next step, or the end of its budget.
    #[inline(always)]
    pub(crate) fn segment(&self) -> Work {
        let left = self.behaviour.left();
        self.budget.map_or(left, |budget| left.min(budget))
    }

    /// A live job that needs `cost` begins with its first step.
    fn begin(&mut self, cost: Work) {
        self.behaviour.begin(cost);
        self.held = 0;
        self.phase = Phase::Begins;
        self.doing = Doing::ItsOwn;
        self.caches = Caches::Warm;
        self.unlocked = false;
    }
}
