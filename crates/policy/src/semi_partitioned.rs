//! Semi-partitioned EDF: tasks execute in pieces, each on its processor by EDF.
//!
//! Which pieces there are is decided off line, for instance by EDF-WM (S. Kato, N. Yamasaki and Y. Ishikawa, *Semi-
//! partitioned scheduling of sporadic task systems on multiprocessors*, ECRTS 2009) or C=D (A. Burns, R. Davis, P. Wang
//! and F. Zhang, *Partitioned EDF scheduling for multiprocessors using a C=D task splitting scheme*, Real-Time Systems
//! 48(1), 2012). At run time both are this one rule:
//!
//! 1. The first piece of a job may begin at its begin after the job's arrival, on its processor, with its deadline.
//! 2. When the job has received the piece's budget, it leaves the processor. Its next piece may begin there and then,
//!    but not before its own begin, which is the deadline of the piece before it if that is in time.
//! 3. Each processor executes the piece of the earliest deadline among those that may begin, ties by job id.
//!
//! To each processor a piece is a sporadic task of its budget, the task's period and the piece's deadline. If EDF meets
//! the deadlines of these on every processor, each piece is done when the next one begins, and the job in time. A job
//! that needs less is complete in one of its pieces, and the others do not happen.
//!
//! A decision takes O(n). A job migrates once less than it has pieces, and each piece preempts at most one job when it
//! begins.
//!
//! Three tasks of cost 6, period 10 on two processors. C=D cuts 4 off the last one, which fits on no processor: C
//! begins with a piece of 4 due after 4, and goes on with 2 on the other processor; by hand from the rules:
//!
//! ```text
//! P0  CCCCAAAAAA
//! P1  BBBBBBCC..
//! ```

use crate::decisions::{Decision, Decisions};
use crate::only_execute;
use crate::scheduler::{Declared, Scheduler, Scope};
use crate::setup::{ClusterSetup, SetupError};
use crate::timer::Timer;
use crate::Policy;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{
    CpuId, Duration, Event, Instant, Invariant, JobId, Jobs, OrderClass, Priority, TaskId, TaskPiece, Theorem,
};

const NAME: &str = "SP-EDF";

/// A task's current job and the piece that it is in.
#[derive(Clone, Debug, Default)]
struct Member {
    pieces: Vec<TaskPiece>,
    live: Option<JobId>,
    arrival: Instant,
    piece: usize,
}

/// Returns the instant `by` after `at`, or the end of time.
fn later(at: Instant, by: Duration) -> Instant {
    at.checked_add(by).unwrap_or(Instant::NEVER)
}

impl Member {
    /// Returns the service that a job has received when its current piece is over.
    fn budget_so_far(&self) -> u64 {
        self.pieces[..=self.piece].iter().fold(0, |sum, piece| sum.saturating_add(piece.budget.as_ns()))
    }

    fn current(&self) -> &TaskPiece {
        &self.pieces[self.piece]
    }

    fn begin(&self) -> Instant {
        later(self.arrival, self.current().begin)
    }

    fn deadline(&self) -> Instant {
        later(self.begin(), self.current().relative_deadline)
    }

    fn is_in_last(&self) -> bool {
        self.piece + 1 == self.pieces.len()
    }
}

/// A policy that executes jobs in pieces.
#[derive(Clone, Debug)]
pub(crate) struct SemiPartitioned {
    /// By task; tasks of other clusters have no pieces.
    members: Vec<Member>,
    /// Tasks whose jobs are in a new piece, which has a budget to be set.
    renewed: Vec<TaskId>,
    cpus: Vec<CpuId>,
    /// By processor of the platform.
    links: Vec<Option<JobId>>,
    /// By processor of the platform: the piece of the earliest deadline.
    earliest: Vec<Option<(Instant, JobId)>>,
    timer: Timer,
}

impl SemiPartitioned {
    /// An idle cluster, or an error if a task has no pieces on its processors or does more than execute.
    pub(crate) fn new(setup: &ClusterSetup<'_>) -> Result<Self, SetupError> {
        only_execute::plain(setup)?;
        let mut members = vec![Member::default(); setup.tasks.len()];
        for (index, task) in setup.tasks.iter().enumerate().filter(|(_, task)| task.cluster == setup.cluster)
        {
            let is_here = |piece: &TaskPiece| setup.cpus.contains(&piece.cpu) && piece.budget.as_ns() > 0;
            if task.pieces.is_empty() || !task.pieces.iter().all(is_here) {
                let why = "no processor: the scheduler executes each task on the processor, or in the pieces, that the \
                           scenario states; allowed: processor, or pieces with budgets above zero";
                return Err(SetupError::NotForTask { task: TaskId(index as u32), why });
            }
            members[index].pieces.clone_from(&task.pieces);
        }
        let processors = usize::from(setup.platform.processors());
        Ok(SemiPartitioned {
            renewed: Vec::with_capacity(members.len()),
            members,
            cpus: setup.cpus.to_vec(),
            links: vec![None; processors],
            earliest: vec![None; processors],
            timer: Timer::default(),
        })
    }
}

impl Policy for SemiPartitioned {
    /// Orders by the absolute deadline of the job. The priority only shows in traces; decisions go by those of pieces.
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        Priority::new(jobs.get(job).absolute_deadline.as_ns().min(Priority::MAX_POINT), job)
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs) {
        match event {
            Event::Ready(job) => {
                let member = &mut self.members[job.task.index()];
                (member.live, member.arrival, member.piece) = (Some(job), jobs.get(job).arrival, 0);
                self.renewed.push(job.task);
            }
            Event::Resumed(job) => self.members[job.task.index()].live = Some(job),
            Event::Completed(job) | Event::Suspended(job) | Event::Aborted(job) => {
                self.members[job.task.index()].live = None;
            }
            Event::BudgetExhausted(job) => {
                let member = &mut self.members[job.task.index()];
                // The budget may be the WCET, whose end is no end of a piece; a job that exceeds it is in its last one.
                let is_over = jobs.get(job).service(now).as_ns() >= member.budget_so_far();
                if member.live == Some(job) && !member.is_in_last() && is_over {
                    member.piece += 1;
                    self.renewed.push(job.task);
                }
            }
            Event::Timer(_) => self.timer.went_off(),
            Event::PriorityChanged(_)
            | Event::Dispatched { .. }
            | Event::Undispatched { .. }
            | Event::Joined(_)
            | Event::Left(_) => {}
        }
    }

    fn decide(&mut self, now: Instant, _: &Jobs, out: &mut Decisions) {
        for task in self.renewed.drain(..) {
            let member = &self.members[task.index()];
            if let Some(job) = member.live.filter(|_| member.pieces.len() > 1) {
                let budget = Some(member.current().budget).filter(|_| !member.is_in_last());
                out.push(Decision::Budget(job, budget));
            }
        }
        self.earliest.fill(None);
        let mut next: Option<Instant> = None;
        for member in &self.members {
            let Some(job) = member.live else { continue };
            let begin = member.begin();
            if begin > now {
                next = Some(next.map_or(begin, |next| next.min(begin)));
                continue;
            }
            let first = &mut self.earliest[member.current().cpu.index()];
            let this = (member.deadline(), job);
            *first = Some(first.map_or(this, |first| first.min(this)));
        }
        for &cpu in &self.cpus {
            let job = self.earliest[cpu.index()].map(|(_, job)| job);
            let link = &mut self.links[cpu.index()];
            if *link != job {
                *link = job;
                out.look(cpu);
            }
        }
        self.timer.set(next, out);
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.links[cpu.index()]
    }

    fn promises(&self) -> &'static [Invariant] {
        &[Invariant::PiecesAreKept]
    }
}

/// `SP-EDF`: semi-partitioned EDF.
pub(crate) fn sp_edf() -> Scheduler {
    let description =
        "a job executes in pieces, each on its processor, where the earliest deadline of a piece goes first";
    let made = Scheduler::of_policy(NAME, Scope::Global, description, |setup| {
        Ok(Box::new(SemiPartitioned::new(setup)?))
    });
    made.declaring(Declared { class: OrderClass::Theorem(Theorem::KeepsPieces), preemptive: true })
}
