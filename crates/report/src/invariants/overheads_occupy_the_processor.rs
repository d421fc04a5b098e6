//! Overheads of one processor do not overlap, and no job executes during one.
//!
//! That a job received no service during an overhead shows when it completes, see
//! `completed_jobs_received_their_cost`; here, nothing completes while its processor is in an overhead that
//! began earlier. Inter-processor interrupts are delays and hold no processor.

use super::{Predicate, Violation, Violations};
use crate::scene::Scene;
use schedlab_model::{Instant, OverheadKind};
use schedlab_trace::{about, Record};

pub(super) struct OverheadsOccupyTheProcessor;

impl Predicate for OverheadsOccupyTheProcessor {
    fn concerns(&self, record: &Record) -> bool {
        matches!(record, Record::OverheadBegin { .. } | Record::OverheadEnd { .. } | Record::Complete { .. })
    }

    fn see(&mut self, scene: &Scene, at: Instant, record: &Record, found: &mut Violations) {
        match *record {
            Record::OverheadBegin { cpu, kind, job } => {
                let holds = kind != OverheadKind::Ipi;
                if let Some((open, since)) = scene.cpu(cpu).overhead.filter(|_| holds) {
                    let what = format!(
                        "overhead {} begins on {cpu} during {}, which began at {since}",
                        kind.name(),
                        open.name()
                    );
                    found.add(Violation::new(at, job, cpu, what));
                }
            }
            Record::OverheadEnd { cpu, kind } => {
                let begun = kind == OverheadKind::Ipi
                    || scene.cpu(cpu).overhead.is_some_and(|(open, _)| open == kind);
                if !begun {
                    let what = format!("overhead {} ends on {cpu} without having begun", kind.name());
                    found.add(Violation::new(at, None, cpu, what));
                }
            }
            Record::Complete { job } => {
                let Some(cpu) = scene.job(job).and_then(|live| live.on) else { return };
                if let Some((open, since)) = scene.cpu(cpu).overhead {
                    if at.saturating_since(since) > scene.tolerance {
                        let what = format!("{job} completes on {cpu} during overhead {}", open.name());
                        found.add(Violation::new(at, job, cpu, what));
                    }
                }
            }
            about![
                Arrival, Ready, GiveUp, Abort, Miss, places, urgencies, requests, attempts, quanta, servers,
                tasks, trace
            ] => {}
        }
    }
}
