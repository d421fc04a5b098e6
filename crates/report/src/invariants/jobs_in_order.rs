//! The jobs of a task become ready and complete in order, one at a time.

use super::{Found, Predicate, Violation};
use crate::scene::{Doing, Scene};
use schedlab_model::{Instant, JobId};
use schedlab_trace::Record;

#[derive(Default)]
pub(super) struct JobsInOrder {
    /// The last job of each task that arrived and that became ready, as a count.
    last: Vec<[u64; 2]>,
}

impl JobsInOrder {
    /// Objects unless `job` comes after all that did the same before; `which` is 0 for arriving.
    fn advance(&mut self, job: JobId, which: usize, at: Instant, found: &mut Found) {
        if job.slot() >= self.last.len() {
            self.last.resize(job.slot() + 1, [0; 2]);
        }
        let last = &mut self.last[job.slot()][which];
        if u64::from(job.number) < *last {
            let does = ["arrives", "becomes ready"][which];
            let what = format!("{job} {does} after {}", JobId::new(job.task, (*last - 1) as u32));
            found.add(Violation::new(at, job, None, what));
        }
        *last = (*last).max(u64::from(job.number) + 1);
    }
}

impl Predicate for JobsInOrder {
    fn see(&mut self, scene: &Scene, at: Instant, record: &Record, found: &mut Found) {
        match *record {
            Record::Arrival { job, .. } => self.advance(job, 0, at, found),
            Record::Ready { job, .. } => {
                self.advance(job, 1, at, found);
                let mut live = scene.tasks.get(job.slot()).into_iter().flat_map(|task| &task.jobs);
                if let Some(other) = live.find(|live| live.id != job && live.doing != Doing::Pending) {
                    let what = format!("{job} becomes ready before {} is done", other.id);
                    found.add(Violation::new(at, job, None, what));
                }
            }
            Record::Complete { job } => match scene.job(job).map(|live| live.doing) {
                Some(Doing::Ready | Doing::Suspended(_)) => {}
                Some(Doing::Pending) => {
                    found.add(Violation::new(at, job, None, format!("{job} completes before it is ready")));
                }
                None => {
                    found.add(Violation::new(at, job, None, format!("{job} completes but is not there")));
                }
            },
            _ => {}
        }
    }
}
