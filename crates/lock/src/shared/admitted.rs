//! The common base of protocols with a stage before the queues: a job issues an outermost request only once it is
//! admitted, and is suspended until then.

use super::queued::{Queued, Rules};
use crate::contract::{Effect, LockProtocol, Reply, Section, Turn};
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{Event, JobId, Jobs, ResourceId, TaskId};

/// Rule by which jobs may ask.
pub(crate) trait Admission: Send {
    /// True if `job` may issue an outermost request now.
    fn may_ask(&self, job: JobId, jobs: &Jobs) -> bool;

    /// Notes that `job` issues an outermost request.
    fn asks(&mut self, job: JobId, jobs: &Jobs);

    /// Notes that the outermost request of `job` is complete, because it was released.
    fn completes(&mut self, job: JobId, turn: &mut Turn<'_>);

    /// Notes `event`, after which other jobs may be allowed to ask.
    fn notes(&mut self, event: Event, turn: &mut Turn<'_>);
}

/// Mutexes with queues under `R`, for jobs that `A` admits.
#[allow(missing_debug_implementations, reason = "its parts' orders need not have one")]
pub(crate) struct Admitted<A, R: Rules> {
    admission: A,
    line: Queued<R>,
    /// By task: depth to which its job's requests nest.
    depth: Vec<u32>,
    /// By task: the resource for which its job asks as soon as it may.
    wanted: Vec<Option<ResourceId>>,
}

impl<A: Admission, R: Rules> Admitted<A, R> {
    /// Admission before `line`, when no job asks yet.
    pub(crate) fn before(line: Queued<R>, admission: A, tasks: usize) -> Self {
        Admitted { admission, line, depth: vec![0; tasks], wanted: vec![None; tasks] }
    }

    /// Issues the requests of all jobs that may ask now.
    fn let_ask(&mut self, turn: &mut Turn<'_>) {
        for task in 0..self.wanted.len() {
            let Some(resource) = self.wanted[task] else { continue };
            let job = turn.jobs.of_task(TaskId(task as u32)).id;
            if self.admission.may_ask(job, turn.jobs) {
                self.wanted[task] = None;
                self.admission.asks(job, turn.jobs);
                if self.line.request(Section { job, resource, units: 1 }, turn) == Reply::Granted {
                    turn.out.push(Effect::Grant(job, resource));
                }
            }
        }
    }
}

impl<A: Admission, R: Rules> LockProtocol for Admitted<A, R> {
    fn request(&mut self, section: Section, turn: &mut Turn<'_>) -> Reply {
        let job = section.job;
        let depth = &mut self.depth[job.task.index()];
        *depth += 1;
        if *depth == 1 {
            if !self.admission.may_ask(job, turn.jobs) {
                self.wanted[job.task.index()] = Some(section.resource);
                return Reply::Suspend;
            }
            self.admission.asks(job, turn.jobs);
        }
        self.line.request(section, turn)
    }

    fn release(&mut self, section: Section, turn: &mut Turn<'_>) {
        let job = section.job;
        self.line.release(section, turn);
        self.depth[job.task.index()] -= 1;
        if self.depth[job.task.index()] == 0 {
            self.admission.completes(job, turn);
            self.let_ask(turn);
        }
    }

    fn note(&mut self, event: Event, turn: &mut Turn<'_>) {
        self.line.note(event, turn);
        if let Event::Completed(job) | Event::Aborted(job) = event {
            self.depth[job.task.index()] = 0;
            self.wanted[job.task.index()] = None;
        }
        self.admission.notes(event, turn);
        if matches!(event, Event::Ready(_) | Event::Completed(_) | Event::Aborted(_)) {
            self.let_ask(turn);
        }
    }
}
