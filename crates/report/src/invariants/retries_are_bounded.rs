//! An operation on a lock-free object fails only because others change the object within it.
//!
//! U. Devi, H. Leontyev and J. Anderson, *Efficient synchronization under global EDF scheduling on multiprocessors*,
//! ECRTS 2006: a bound on retries counts the operations that may come between, and these follow from how many jobs are
//! pending. Here those are counted that did overlap it. So each bound on how many may overlap bounds the retries of the
//! trace, too.

use super::{Predicate, Violation, Violations};
use crate::context::Context;
use crate::scene::Scene;
use schedlab_model::{Instant, JobId, ResourceId};
use schedlab_trace::{about, Record};

/// An operation that is in progress.
struct Operation {
    job: JobId,
    resource: ResourceId,
    /// Number of operations of other jobs that have overlapped it.
    beside: u64,
    /// Number of its attempts that have failed.
    failed: u64,
}

pub(super) struct RetriesAreBounded {
    /// By resource: the most attempts that one operation makes fail.
    fails: Vec<u32>,
    open: Vec<Operation>,
}

impl RetriesAreBounded {
    pub(super) fn new(context: &Context) -> Self {
        RetriesAreBounded { fails: context.fails.clone(), open: Vec::new() }
    }

    fn begin(&mut self, job: JobId, resource: ResourceId) {
        // What an aborted job has begun may have its effect until its task goes on.
        self.open.retain(|other| other.job.task != job.task);
        let mut beside = 0;
        for other in self.open.iter_mut().filter(|other| other.resource == resource) {
            other.beside += 1;
            beside += 1;
        }
        self.open.push(Operation { job, resource, beside, failed: 0 });
    }

    fn fail(&mut self, at: Instant, job: JobId, resource: ResourceId, found: &mut Violations) {
        let fails = self.fails.get(resource.index()).copied().unwrap_or(1);
        let is_it = |one: &&mut Operation| one.job == job && one.resource == resource;
        let Some(one) = self.open.iter_mut().find(is_it) else {
            let what = format!("{job} tries {resource} again without having tried it");
            return found.add(Violation::new(at, job, None, what));
        };
        one.failed += 1;
        if one.failed > one.beside.saturating_mul(fails.into()) {
            let (failed, beside) = (one.failed, one.beside);
            let what = format!(
                "{failed} attempts of {job} on {resource} failed, beside {beside} operations that fail {fails} each"
            );
            found.add(Violation::new(at, job, None, what));
        }
    }
}

impl Predicate for RetriesAreBounded {
    fn concerns(&self, record: &Record) -> bool {
        matches!(record, about![attempts, Complete])
    }

    fn see(&mut self, _: &Scene, at: Instant, record: &Record, found: &mut Violations) {
        match *record {
            Record::Attempt { job, resource } => self.begin(job, resource),
            Record::Retry { job, resource } => self.fail(at, job, resource, found),
            Record::Commit { job, .. } | Record::Complete { job } => self.open.retain(|one| one.job != job),
            about![Arrival, Ready, GiveUp, Abort, Miss, places, urgencies, requests, machine] => {}
        }
    }
}
