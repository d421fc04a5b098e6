//! What a policy wants done.

use alloc::vec::Vec;
use schedlab_model::{ClusterId, CpuId, Instant, JobId, Priority, TimerKey, Work};

/// A wish of a policy, other than to look at its links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Give the job this base priority.
    SetPriority(JobId, Priority),
    /// Send [`Event::Timer`](schedlab_model::Event::Timer) with this key at that time; `None` takes the timer back.
    Timer(TimerKey, Option<Instant>),
    /// Send [`Event::BudgetExhausted`](schedlab_model::Event::BudgetExhausted) once the job has received this much
    /// more service; `None` takes the budget back. The dispatcher counts, and never cuts a critical section.
    Budget(JobId, Option<Work>),
    /// Give the job up.
    Abort(JobId),
    /// Let the job run in another cluster from now on.
    Move(JobId, ClusterId),
}

/// What a policy wants the trace to say. It changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Annotation {
    /// The quantum that begins now is granted to a subtask of the job, whose window is [release, deadline).
    Subtask {
        /// Whose quantum.
        cpu: CpuId,
        /// Which job.
        job: JobId,
        /// When the window begins.
        release: Instant,
        /// When it ends.
        deadline: Instant,
    },
    /// The rest of the processor's quantum is wasted.
    Waste {
        /// Which processor.
        cpu: CpuId,
        /// When the quantum ends.
        until: Instant,
    },
}

/// What a policy decided at one instant, in the order in which it is carried out.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    looks: Vec<CpuId>,
    others: Vec<Decision>,
    annotations: Vec<Annotation>,
}

impl Decisions {
    /// Room for the decisions about `processors` processors and `tasks` tasks.
    pub fn with_capacity(processors: usize, tasks: usize) -> Self {
        let mut decisions = Decisions::default();
        decisions.renew(processors, tasks);
        decisions
    }

    /// Forgets everything, and has room for the decisions about so many.
    pub fn renew(&mut self, processors: usize, tasks: usize) {
        self.clear();
        self.looks.reserve(2 * processors);
        self.others.reserve(2 * tasks + processors);
        self.annotations.reserve(2 * processors);
    }

    /// Asks that the link of `cpu` be made true. Asking twice does no harm; twice in a row is once.
    #[inline(always)]
    pub fn look(&mut self, cpu: CpuId) {
        if self.looks.last() != Some(&cpu) {
            self.looks.push(cpu);
        }
    }

    /// Asks for something else.
    pub fn push(&mut self, decision: Decision) {
        self.others.push(decision);
    }

    /// Asks for an entry in the trace.
    pub fn annotate(&mut self, annotation: Annotation) {
        self.annotations.push(annotation);
    }

    /// What the trace is to say.
    #[inline]
    pub fn annotations(&self) -> &[Annotation] {
        &self.annotations
    }

    /// The processors whose links may have changed.
    #[inline]
    pub fn looks(&self) -> &[CpuId] {
        &self.looks
    }

    /// Everything else.
    #[inline]
    pub fn others(&self) -> &[Decision] {
        &self.others
    }

    /// All of it: everything else, what the trace is to say, and the processors.
    #[inline]
    pub fn parts(&self) -> (&[Decision], &[Annotation], &[CpuId]) {
        (&self.others, &self.annotations, &self.looks)
    }

    /// Forgets the processors.
    #[inline]
    pub fn clear_looks(&mut self) {
        self.looks.clear();
    }

    /// Forgets everything.
    #[inline]
    pub fn clear(&mut self) {
        self.looks.clear();
        self.others.clear();
        self.annotations.clear();
    }
}
