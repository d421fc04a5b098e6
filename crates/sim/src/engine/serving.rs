//! Servers: tasks that execute the sections of other tasks' jobs.
//!
//! A server's job is a busy period: it arrives with the first request and is complete when no section is left. So a
//! server without requests suspends itself, and its windows, like those of any task whose job comes late, shift. Its
//! jobs have no deadline; their requests have delays. The trace shows the server's job as holder.

use super::Engine;
use crate::behaviour::{section, Behaviour, Source};
use crate::locks::Locking;
use schedlab_lock::{LockProtocol, Section};
use schedlab_model::{Instant, JobId, JobState, Step, TaskId, Work};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink};

/// Returns the part of a job's cost that servers do not execute for it.
pub(crate) fn own_cost(locks: &Locking<impl LockProtocol>, steps: &[Step], cost: Work) -> Work {
    let mut own = cost;
    for (index, step) in steps.iter().enumerate() {
        if matches!(step, Step::Request(resource, _) if locks.server_of(*resource).is_some()) {
            own -= section(&steps[index..]).2;
        }
    }
    own
}

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// True if the protocol lets the task execute the sections of other tasks.
    pub(super) fn is_server(&self, task: TaskId) -> bool {
        let program = &self.setup.tasks[task.index()].program;
        let mine = |step: &Step| matches!(step, Step::Serve(resource) if self.locks.server_of(*resource) == Some(task));
        program.iter().any(mine)
    }

    /// Lets the server begin the section for which `client` waits.
    pub(super) fn serve(&mut self, server: TaskId, client: JobId) {
        let (resource, units, length) = self.progress[client.task.index()].behaviour().served();
        if !self.streams.of(server).is_live() {
            self.wake_server(server);
        }
        let job = self.jobs.of_task(server).id;
        self.progress[server.index()].serve(resource, length);
        self.locks.serve(server, client, units);
        self.jobs.set_holder(resource, Some(job));
        self.record(Record::Acquire { job, resource, units });
    }

    /// Begins a new busy period of the server.
    fn wake_server(&mut self, server: TaskId) {
        let job = JobId::new(server, self.streams.of_mut(server).count());
        self.progress[server.index()].begin_serving();
        self.record(Record::Arrival { job, absolute_deadline: Instant::NEVER, cost: Work::ZERO });
        self.begin_job(job, self.now, Work::ZERO);
        self.jobs.lift_deadline(job);
    }

    /// Ends a section that the server's job has executed: its client goes on after it, and the next client's turn may
    /// come.
    pub(super) fn end_service(&mut self, job: JobId, section_of_client: Section) {
        let Section { job: client, resource, units } = section_of_client;
        self.jobs.set_holder(resource, None);
        self.record(Record::Release { job, resource, units });
        self.progress[job.task.index()].end_service();
        self.end_section(section_of_client);
        let live = self.jobs.of_task(client.task);
        if live.id == client && live.state == JobState::Suspended {
            self.progress[client.task.index()].skip_served();
            self.jobs.ask_no_more(client);
            self.make_resumed(client);
        }
    }
}
