//! A job that has started keeps its link until it completes, suspends or moves.
//!
//! Judged when an instant is over. A job starts when it is dispatched, and again after each suspension. Under DPCP and
//! DFLP it moves to a resource's processor and back: it starts again there.

use super::{Predicate, Violation, Violations};
use crate::scene::Scene;
use schedlab_model::{CpuId, Instant, JobId};
use schedlab_trace::{about, Record};

#[derive(Default)]
pub(super) struct NonPreemptive {
    /// By task: the job that has started, and its processor.
    started: Vec<Option<(JobId, CpuId)>>,
    /// Jobs that may have lost their link in this instant.
    doubtful: Vec<(JobId, CpuId)>,
}

impl NonPreemptive {
    fn start(&mut self, job: JobId, cpu: CpuId) {
        if job.task.index() >= self.started.len() {
            self.started.resize(job.task.index() + 1, None);
        }
        let started = &mut self.started[job.task.index()];
        if started.is_none_or(|(known, _)| known != job) {
            *started = Some((job, cpu));
        }
    }

    fn stop(&mut self, job: JobId) {
        if let Some(started) = self.started.get_mut(job.task.index()) {
            started.take_if(|(known, _)| *known == job);
        }
    }

    fn started_at(&self, job: JobId) -> Option<CpuId> {
        let (known, cpu) = (*self.started.get(job.task.index())?)?;
        (known == job).then_some(cpu)
    }
}

impl Predicate for NonPreemptive {
    fn see(&mut self, scene: &Scene, _: Instant, record: &Record, _: &mut Violations) {
        match *record {
            Record::Dispatch { cpu, job } => self.start(job, cpu),
            Record::Suspend { job, .. }
            | Record::Complete { job }
            | Record::Abort { job }
            | Record::Move { job, .. } => self.stop(job),
            Record::Link { cpu, .. } => {
                let before = scene.cpu(cpu).linked;
                let held = before.filter(|job| self.started_at(*job) == Some(cpu));
                self.doubtful.extend(held.map(|job| (job, cpu)));
            }
            about![Arrival, Ready, GiveUp, Miss, Preempt, Resume, urgencies, requests, attempts, machine] => {
            }
        }
    }

    fn instant_over(&mut self, scene: &Scene, found: &mut Violations) {
        for (job, cpu) in core::mem::take(&mut self.doubtful) {
            if scene.cpu(cpu).linked != Some(job) && self.started_at(job) == Some(cpu) {
                let what =
                    format!("{job} has started on {cpu} and lost its link before it completed or suspended");
                found.add(Violation::new(scene.now, job, cpu, what));
            }
        }
    }
}
