//! The jobs of a task become ready and complete in order, one at a time.

use super::{Predicate, Violation, Violations};
use crate::scene::{Doing, Scene};
use schedlab_model::{Instant, JobId};
use schedlab_trace::{about, Record};

#[derive(Default)]
pub(super) struct JobsInOrder {
    /// By task: the last job that arrived, and the last one that became ready, as counts.
    last: Vec<[u64; 2]>,
    /// By task: its jobs that became ready and have not ended.
    begun: Vec<Vec<JobId>>,
}

impl JobsInOrder {
    /// Adds a violation unless `job` comes after all that did the same before; `which` is 0 for arriving.
    fn advance(&mut self, job: JobId, which: usize, at: Instant, found: &mut Violations) {
        if job.task.index() >= self.last.len() {
            self.last.resize(job.task.index() + 1, [0; 2]);
        }
        let last = &mut self.last[job.task.index()][which];
        if u64::from(job.number) < *last {
            let does = ["arrives", "becomes ready"][which];
            let what = format!("{job} {does} after {}", JobId::new(job.task, (*last - 1) as u32));
            found.add(Violation::new(at, job, None, what));
        }
        *last = (*last).max(u64::from(job.number) + 1);
    }

    /// Returns the task's jobs that became ready and have not ended.
    fn begun(&mut self, job: JobId) -> &mut Vec<JobId> {
        if job.task.index() >= self.begun.len() {
            self.begun.resize_with(job.task.index() + 1, Vec::new);
        }
        &mut self.begun[job.task.index()]
    }

    fn complete(&mut self, scene: &Scene, at: Instant, job: JobId, found: &mut Violations) {
        self.begun(job).retain(|other| *other != job);
        let what = match scene.job(job).map(|live| live.doing) {
            Some(Doing::Ready | Doing::Suspended(_)) => return,
            Some(Doing::Pending) => format!("{job} completes before it is ready"),
            None => format!("{job} completes but is not there"),
        };
        found.add(Violation::new(at, job, None, what));
    }
}

impl Predicate for JobsInOrder {
    fn concerns(&self, record: &Record) -> bool {
        matches!(record, about![Arrival, Ready, Complete, Abort])
    }

    fn see(&mut self, scene: &Scene, at: Instant, record: &Record, found: &mut Violations) {
        match *record {
            Record::Arrival { job, .. } => self.advance(job, 0, at, found),
            Record::Ready { job, .. } => {
                self.advance(job, 1, at, found);
                if let Some(other) = self.begun(job).iter().find(|other| **other != job) {
                    let what = format!("{job} becomes ready before {other} is done");
                    found.add(Violation::new(at, job, None, what));
                }
                if !scene.is_done(job) {
                    self.begun(job).push(job);
                }
            }
            Record::Complete { job } => self.complete(scene, at, job, found),
            Record::Abort { job } => self.begun(job).retain(|other| *other != job),
            about![GiveUp, Miss, places, urgencies, requests, attempts, machine] => {}
        }
    }
}
