//! The inheritance relation: which job is as urgent as which other.
//!
//! L. Sha, R. Rajkumar and J. P. Lehoczky, "Priority inheritance protocols: an approach to real-time
//! synchronization", IEEE Transactions on Computers 39(9), 1990. A waiting job has an edge to the job it
//! waits for; a job's effective priority is the highest of its own and of all that reach it by edges.

use alloc::vec::Vec;
use schedlab_model::{JobId, Priority};

/// Edges and own priorities, by task.
#[derive(Clone, Debug, Default)]
pub struct Inheritance {
    /// By waiter: the job for which it waits.
    holder: Vec<Option<JobId>>,
    /// By waiter: the job of the task that waits.
    waiter: Vec<JobId>,
    /// By job: its priority without inheritance, where that differs from its base priority.
    own: Vec<Option<Priority>>,
}

impl Inheritance {
    /// Forgets all edges, and sets the number of tasks.
    pub fn renew(&mut self, tasks: usize) {
        self.holder.clear();
        self.holder.resize(tasks, None);
        self.waiter.clear();
        self.waiter.resize(tasks, JobId::default());
        self.own.clear();
        self.own.resize(tasks, None);
    }

    /// Lets `holder` inherit from `from`. A job waits for one job at a time, so a former edge is removed.
    pub fn inherit(&mut self, holder: JobId, from: JobId) {
        self.holder[from.task.index()] = Some(holder);
        self.waiter[from.task.index()] = from;
    }

    /// Notes that `job` waits no longer, and returns the job for which it waited.
    pub fn stop_waiting(&mut self, job: JobId) -> Option<JobId> {
        self.holder[job.task.index()].take()
    }

    /// Resets `job` to its base priority, without inheritance.
    pub fn restore(&mut self, job: JobId) {
        self.own[job.task.index()] = None;
        for edge in &mut self.holder {
            if *edge == Some(job) {
                *edge = None;
            }
        }
    }

    /// Sets the own priority of `job`.
    pub fn set_own(&mut self, job: JobId, priority: Priority) {
        self.own[job.task.index()] = Some(priority);
    }

    /// Returns the job for which `job` waits.
    pub fn waits_for(&self, job: JobId) -> Option<JobId> {
        self.holder[job.task.index()]
    }

    /// The effective priority of `job`, given its base priority and the effective ones of the others.
    pub fn effective(
        &self,
        job: JobId,
        base: Priority,
        effective_of: impl Fn(JobId) -> Priority,
    ) -> Priority {
        let own = self.own[job.task.index()].unwrap_or(base);
        let heirs = self.holder.iter().enumerate().filter(|(_, holder)| **holder == Some(job));
        heirs.fold(own, |highest, (task, _)| highest.higher_of(effective_of(self.waiter[task])))
    }
}
