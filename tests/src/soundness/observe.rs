//! The longest response times and tardiness of each task, without a trace.

use crate::system::System;
use schedlab_model::{Instant, JobId};
use schedlab_trace::{Record, Sink};
use std::collections::VecDeque;

/// What happened to one task.
#[derive(Clone, Debug, Default)]
pub struct TaskObserved {
    /// Of completed jobs and, as far as it is known, of unfinished ones.
    pub response_time_max: u64,
    /// Likewise.
    pub tardiness_max: u64,
    /// How many jobs were late.
    pub misses: u64,
    /// Arrival and absolute deadline of each unfinished job.
    unfinished: VecDeque<(Instant, Instant)>,
}

/// A fold over the records of a run.
#[derive(Clone, Debug)]
pub struct Observed {
    /// By task.
    pub tasks: Vec<TaskObserved>,
}

impl Observed {
    /// Nothing yet.
    pub fn new(system: &System) -> Self {
        Observed::of(system.tasks.len())
    }

    /// Nothing yet of so many tasks.
    pub fn of(tasks: usize) -> Self {
        Observed { tasks: vec![TaskObserved::default(); tasks] }
    }

    fn task(&mut self, job: JobId) -> &mut TaskObserved {
        &mut self.tasks[job.task.index()]
    }
}

impl TaskObserved {
    fn note(&mut self, (arrival, absolute_deadline): (Instant, Instant), at: Instant) {
        self.response_time_max = self.response_time_max.max((at - arrival).as_ns());
        self.tardiness_max = self.tardiness_max.max(at.saturating_since(absolute_deadline).as_ns());
    }
}

impl Sink for &mut Observed {
    fn record(&mut self, at: Instant, record: Record) {
        match record {
            Record::Arrival { job, absolute_deadline, .. } => {
                self.task(job).unfinished.push_back((at, absolute_deadline));
            }
            Record::Complete { job } => {
                let done = self.task(job).unfinished.pop_front().expect("jobs complete in order");
                self.task(job).note(done, at);
            }
            Record::Miss { job } => self.task(job).misses += 1,
            Record::End => {
                for task in &mut self.tasks {
                    for unfinished in std::mem::take(&mut task.unfinished) {
                        task.note(unfinished, at);
                    }
                }
            }
            _ => {}
        }
    }
}
