//! Decisions and annotations of a policy.

use alloc::vec::Vec;
use schedlab_model::{ClusterId, CpuId, Instant, JobId, OverheadKind, Priority, TimerKey, Work};

/// A decision of a policy, other than to look at its links.
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
    /// Let the job run in another cluster.
    Move(JobId, ClusterId),
}

/// An entry that a policy adds to the trace. It changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Annotation {
    /// The quantum that begins now is granted to a subtask of the job, whose window is [release, deadline).
    Subtask {
        /// Processor of the quantum.
        cpu: CpuId,
        /// Job of the subtask.
        job: JobId,
        /// Begin of the window.
        release: Instant,
        /// End of the window.
        deadline: Instant,
    },
    /// The rest of the processor's quantum is wasted.
    Waste {
        /// Processor whose quantum is wasted.
        cpu: CpuId,
        /// End of the quantum.
        until: Instant,
    },
    /// Clients of a budget server have used this much of its budget, without a break up to this instant.
    ServerUse {
        /// Index of the server.
        server: u32,
        /// Budget that was used.
        used: Work,
    },
    /// From this instant on, a budget server has this budget and deadline.
    ServerBudget {
        /// Index of the server.
        server: u32,
        /// Budget that the server has; zero if its rule trusts the costs of jobs.
        left: Work,
        /// Deadline of the server; [`Instant::NEVER`] if it has none.
        absolute_deadline: Instant,
    },
}

/// A move of a job's thread between the run queues of two processors, which may take time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueMove {
    /// Processor that makes the move.
    pub cpu: CpuId,
    /// Job whose thread moves.
    pub job: JobId,
    /// [`OverheadKind::Push`] or [`OverheadKind::Pull`].
    pub kind: OverheadKind,
}

/// Decisions of a policy at one instant, in the order in which they are carried out.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    looks: Vec<CpuId>,
    others: Vec<Decision>,
    annotations: Vec<Annotation>,
    moves: Vec<QueueMove>,
    /// True if moves between run queues are charged.
    takes_moves: bool,
}

impl Decisions {
    /// Room for the decisions about `processors` processors and `tasks` tasks.
    pub fn with_capacity(processors: usize, tasks: usize) -> Self {
        let mut decisions = Decisions::default();
        decisions.renew(processors, tasks);
        decisions
    }

    /// Forgets everything, and makes room for the decisions about `processors` processors and `tasks` tasks.
    pub fn renew(&mut self, processors: usize, tasks: usize) {
        self.clear();
        self.looks.reserve(2 * processors);
        self.others.reserve(2 * tasks + processors);
        self.annotations.reserve(2 * processors);
    }

    /// Asks for a look at `cpu`, where the link may have changed. Asking again has no effect.
    #[inline(always)]
    pub fn look(&mut self, cpu: CpuId) {
        if self.looks.last() != Some(&cpu) {
            self.looks.push(cpu);
        }
    }

    /// Adds a decision other than a look.
    pub fn push(&mut self, decision: Decision) {
        self.others.push(decision);
    }

    /// Chooses whether [`Decisions::take_move`] keeps moves, which engines do that charge them.
    pub fn take_moves(&mut self, takes: bool) {
        self.takes_moves = takes;
    }

    /// Adds a move between run queues, if moves are charged. The policy's links already follow from it.
    pub fn take_move(&mut self, queue_move: QueueMove) {
        if self.takes_moves {
            self.moves.push(queue_move);
        }
    }

    /// Moves between run queues, in the order in which they are made.
    #[inline]
    pub fn moves(&self) -> &[QueueMove] {
        &self.moves
    }

    /// Adds an entry for the trace.
    pub fn annotate(&mut self, annotation: Annotation) {
        self.annotations.push(annotation);
    }

    /// Entries for the trace.
    #[inline]
    pub fn annotations(&self) -> &[Annotation] {
        &self.annotations
    }

    /// The processors whose links may have changed.
    #[inline]
    pub fn looks(&self) -> &[CpuId] {
        &self.looks
    }

    /// Decisions other than looks.
    #[inline]
    pub fn others(&self) -> &[Decision] {
        &self.others
    }

    /// All parts: the other decisions, the entries for the trace, and the processors to look at.
    #[inline]
    pub fn parts(&self) -> (&[Decision], &[Annotation], &[CpuId]) {
        (&self.others, &self.annotations, &self.looks)
    }

    /// Forgets the processors to look at.
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
        self.moves.clear();
    }
}
