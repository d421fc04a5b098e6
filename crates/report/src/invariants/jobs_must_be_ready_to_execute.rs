//! A job executes only between becoming ready and completing, and not while suspended.
//!
//! Execution after the completion is the concern of `completed_jobs_dont_execute`.

use super::patience::Patience;
use super::{Predicate, Violation, Violations};
use crate::context::Context;
use crate::scene::{Doing, Scene};
use schedlab_model::{Instant, JobId};
use schedlab_trace::{about, Record};

pub(super) struct JobsMustBeReadyToExecute {
    early: Patience<JobId>,
}

impl JobsMustBeReadyToExecute {
    pub(super) fn new(context: &Context) -> Self {
        JobsMustBeReadyToExecute { early: Patience::new(context.tolerance) }
    }
}

impl Predicate for JobsMustBeReadyToExecute {
    fn concerns(&self, record: &Record) -> bool {
        matches!(record, Record::Dispatch { .. } | Record::Ready { .. } | Record::Resume { .. })
    }

    fn see(&mut self, scene: &Scene, at: Instant, record: &Record, found: &mut Violations) {
        match *record {
            Record::Dispatch { cpu, job } if !scene.is_done(job) => {
                let state = match scene.job(job).map(|live| live.doing) {
                    Some(Doing::Ready) => return,
                    Some(Doing::Suspended(_)) => "while it is suspended",
                    Some(Doing::Pending) => "before it is ready",
                    None => "before it has arrived",
                };
                let what = format!("{job} is dispatched on {cpu} {state}");
                self.early.suspect(job, Violation::new(at, job, cpu, what), found);
            }
            Record::Ready { job, .. } | Record::Resume { job } => self.early.clear(job, at, found),
            about![
                Arrival, GiveUp, Abort, Complete, Miss, Link, Dispatch, Preempt, Suspend, Move, urgencies,
                requests, attempts, machine
            ] => {}
        }
    }

    fn over(&mut self, _: &Scene, _: bool, found: &mut Violations) {
        self.early.elapse(Instant::NEVER, found);
    }
}
