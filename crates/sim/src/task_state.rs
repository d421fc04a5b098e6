//! What the engine knows of a task: its jobs to come, and how far the live one is.

use crate::behaviour::Behaviour;
use crate::stream::Stream;
use schedlab_model::{Duration, Instant, Job, JobId, OverheadKind, Overrun, Work};

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
    /// No job is live.
    pub(crate) fn new(stream: Stream) -> Self {
        TaskState {
            stream,
            behaviour: Behaviour::default(),
            budget: None,
            enforced: None,
            held: 0,
            was_preempted: false,
            reload_left: None,
            resumes_at: None,
            spinning: false,
            asks_at: None,
            attempts: false,
            serves: None,
            gated: false,
            announced: false,
            unlocked: false,
        }
    }

    /// `job`, which arrived then, is live: fills its entry of the job table, too. Nobody has a budget unless `any_budget`.
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

    /// A live job that needs `cost` begins with its first step.
    fn begin(&mut self, cost: Work) {
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
