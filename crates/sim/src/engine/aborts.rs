//! Aborts of jobs: the handler that a job still executes, and its end.
//!
//! If a job that has begun has an abort handler, it goes on with that handler. It still gets the resource for which it
//! waits, unless the protocol withdraws requests. It executes the handler, and leaves its sections, the last first;
//! then it is gone. Other jobs are gone at once. In a live run, the thread of a job that has begun has to be notified
//! and to clean up, so such a job always goes on.

use super::Engine;
use crate::behaviour::{Behaviour, Source};
use crate::phase::Awaits;
use schedlab_lock::LockProtocol;
use schedlab_model::{Event, JobId, JobState, Work};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink};

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// Aborts the job in any state. Does nothing if the job was aborted before.
    pub(super) fn abort(&mut self, job: JobId) {
        if self.jobs.of_task(job.task).id != job || self.jobs.get(job).state == JobState::Absent {
            return;
        }
        if WHOLE && self.progress[job.task.index()].hands_back() {
            return;
        }
        match self.handler_of(job).filter(|_| WHOLE && self.progress[job.task.index()].has_begun()) {
            Some(cost) => self.begin_handler(job, cost),
            None => self.end_abort(job),
        }
    }

    /// Returns the cost of the job's abort handler, if it has one. In a live run the thread reports when the handler
    /// has ended.
    fn handler_of(&self, job: JobId) -> Option<Work> {
        match J::Behaviour::IS_TOLD {
            true => Some(Work::ZERO),
            false => self.setup.tasks[job.task.index()].abort_handler.map(|handler| handler.cost),
        }
    }

    fn begin_handler(&mut self, job: JobId, cost: Work) {
        self.record(Record::GiveUp { job });
        if let Some(cpu) = self.jobs.get(job).scheduled_on {
            self.stop_activity(cpu);
            self.locks.forget_request(cpu);
            self.processors.look_soon(cpu);
        }
        let mut awaits = self.progress[job.task.index()].phase().awaits();
        // In a live run, the thread of a job that may ask again waits for the answer, too.
        let asks = awaits == Awaits::Grant || awaits == Awaits::Nothing && J::Behaviour::IS_TOLD;
        let is_withdrawn = asks && self.withdraw(job);
        if is_withdrawn && awaits == Awaits::Grant {
            awaits = Awaits::Time;
        }
        self.progress[job.task.index()].give_up(cost, awaits == Awaits::Grant, is_withdrawn);
        self.budgets.forget(job.task);
        if J::Behaviour::IS_TOLD {
            self.given_up.tell(job, is_withdrawn);
        }
        if awaits != Awaits::Grant {
            self.jobs.ask_no_more(job);
        }
        if awaits == Awaits::Time {
            self.make_resumed(job);
        }
        let cluster = self.cluster_of(job);
        self.tell(cluster, Event::PriorityChanged(job));
    }
}
