//! No job is on two processors at once, and no processor has two jobs.

use super::patience::Patience;
use super::{Predicate, Violation, Violations};
use crate::context::Context;
use crate::scene::Scene;
use schedlab_model::{CpuId, Instant, JobId};
use schedlab_trace::{about, Record};

pub(super) struct OneProcessorAtATime {
    /// Jobs that have yet to leave a processor.
    overlaps: Patience<(JobId, CpuId)>,
}

impl OneProcessorAtATime {
    pub(super) fn new(context: &Context) -> Self {
        OneProcessorAtATime { overlaps: Patience::new(context.tolerance) }
    }
}

impl Predicate for OneProcessorAtATime {
    fn concerns(&self, record: &Record) -> bool {
        matches!(record, about![Dispatch, Preempt, Suspend, Complete, Abort])
    }

    fn see(&mut self, scene: &Scene, at: Instant, record: &Record, found: &mut Violations) {
        match *record {
            Record::Dispatch { cpu, job } => {
                if let Some(occupant) = scene.cpu(cpu).occupant {
                    let what = format!("{job} is dispatched on {cpu}, which {occupant} has not left");
                    self.overlaps.suspect((occupant, cpu), Violation::new(at, job, cpu, what), found);
                }
                if let Some(other) = scene.job(job).and_then(|live| live.on).filter(|other| *other != cpu) {
                    let what = format!("{job} is dispatched on {cpu} while it is on {other}");
                    self.overlaps.suspect((job, other), Violation::new(at, job, cpu, what), found);
                }
            }
            Record::Preempt { cpu, job } => self.overlaps.clear((job, cpu), at, found),
            Record::Suspend { job, .. } | Record::Complete { job } | Record::Abort { job } => {
                if let Some(cpu) = scene.job(job).and_then(|live| live.on) {
                    self.overlaps.clear((job, cpu), at, found);
                }
            }
            about![
                Arrival, Ready, GiveUp, Miss, Link, Resume, Move, urgencies, requests, attempts, machine
            ] => {}
        }
    }

    fn over(&mut self, _: &Scene, _: bool, found: &mut Violations) {
        self.overlaps.elapse(Instant::NEVER, found);
    }
}
