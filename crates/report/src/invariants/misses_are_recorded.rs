//! A miss is recorded exactly for the jobs that were not complete at their absolute deadline.
//!
//! A completion exactly at the deadline is in time. A miss is settled at the job's completion, its abort
//! or the end of the trace, and its record stands in that instant or, on real machines, earlier. A job that is given
//! up before its deadline, or whose deadline is the end of the trace, may be recorded as a miss or not.

use super::{Predicate, Violation, Violations};
use crate::scene::{LiveJob, Scene};
use schedlab_model::{Instant, JobId};
use schedlab_trace::{about, Record};
use std::collections::BTreeSet;

/// Record that a job ought to have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Due {
    Miss,
    NoMiss,
    Either,
}

#[derive(Default)]
pub(super) struct MissesAreRecorded {
    /// Jobs whose miss was recorded and is not settled.
    recorded: BTreeSet<JobId>,
    /// Jobs that were settled in this instant.
    settled: Vec<(JobId, Instant, Due)>,
}

impl MissesAreRecorded {
    fn settle(&mut self, scene: &Scene, live: &LiveJob, at: Instant, otherwise: Due) {
        let (deadline, tolerance) = (live.absolute_deadline, scene.tolerance);
        let due = if at.saturating_since(deadline) > tolerance {
            Due::Miss
        } else if at <= deadline && deadline.saturating_since(at) >= tolerance {
            otherwise
        } else {
            Due::Either
        };
        self.settled.push((live.id, deadline, due));
    }

    fn judge(&mut self, now: Instant, found: &mut Violations) {
        for (job, deadline, due) in self.settled.drain(..) {
            let what = match (due, self.recorded.remove(&job)) {
                (Due::Miss, false) => {
                    format!("{job} missed its deadline {deadline}, but no miss is recorded")
                }
                (Due::NoMiss, true) => {
                    format!("a miss of {job} is recorded, which met its deadline {deadline}")
                }
                _ => String::new(),
            };
            if !what.is_empty() {
                found.add(Violation::new(now, job, None, what));
            }
        }
    }
}

impl Predicate for MissesAreRecorded {
    fn concerns(&self, record: &Record) -> bool {
        matches!(record, Record::Miss { .. } | Record::Complete { .. } | Record::Abort { .. } | Record::End)
    }

    fn see(&mut self, scene: &Scene, at: Instant, record: &Record, found: &mut Violations) {
        match *record {
            Record::Miss { job } => {
                let known =
                    scene.job(job).is_some() || self.settled.iter().any(|(settled, _, _)| *settled == job);
                let twice = self.recorded.contains(&job);
                if !known || twice {
                    let what = if twice { "again" } else { "but it is not there" };
                    found.add(Violation::new(at, job, None, format!("a miss of {job} is recorded {what}")));
                } else {
                    self.recorded.insert(job);
                }
            }
            Record::Complete { job } | Record::Abort { job } => {
                let otherwise = if let Record::Abort { .. } = record { Due::Either } else { Due::NoMiss };
                if let Some(live) = scene.job(job) {
                    self.settle(scene, live, at, otherwise);
                }
            }
            Record::End => {
                for live in scene.tasks.iter().flat_map(|task| &task.jobs) {
                    let otherwise = if at == live.absolute_deadline { Due::Either } else { Due::NoMiss };
                    self.settle(scene, live, at, otherwise);
                }
            }
            about![
                Arrival, Ready, GiveUp, Lost, Run, places, urgencies, requests, attempts, quanta, overheads,
                servers, tasks
            ] => {}
        }
    }

    fn instant_over(&mut self, scene: &Scene, found: &mut Violations) {
        if !self.settled.is_empty() {
            self.judge(scene.now, found);
        }
    }
}
