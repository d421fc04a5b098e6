//! A job of a split task executes each piece on the piece's processor, not before its begin, and within its budget.
//!
//! By the service that a job has received when it begins to occupy a processor, and when it leaves it: that says in
//! which piece it is. The last piece has no limit, because a job may exceed its WCET there.

use super::{Predicate, Violation, Violations};
use crate::context::Context;
use crate::scene::{LiveJob, Scene};
use schedlab_model::{CpuId, Duration, Instant, JobId, TaskPiece};
use schedlab_trace::Record;

pub(super) struct PiecesAreKept {
    /// By task.
    pieces: Vec<Vec<TaskPiece>>,
    tolerance: Duration,
}

impl PiecesAreKept {
    pub(super) fn new(context: &Context) -> Self {
        PiecesAreKept { pieces: context.pieces.clone(), tolerance: context.tolerance }
    }

    /// Says what is wrong with a job on `cpu` that has received so much service, and begins to execute or ends.
    fn fault(
        &self,
        (live, at): (&LiveJob, Instant),
        cpu: CpuId,
        service: u64,
        begins: bool,
    ) -> Option<String> {
        let pieces = self.pieces.get(live.id.task.index()).filter(|pieces| !pieces.is_empty())?;
        let (job, tolerance) = (live.id, self.tolerance.as_ns());
        let mut before = 0u64;
        for (index, piece) in pieces.iter().enumerate() {
            let after = before.saturating_add(piece.budget.as_ns());
            if piece.cpu != cpu {
                before = after;
                continue;
            }
            let number = index + 1;
            let is_last = number == pieces.len();
            let begin = live.arrival.checked_add(piece.begin).unwrap_or(Instant::NEVER);
            if service.saturating_add(tolerance) < before {
                return Some(format!(
                    "{job} is on {cpu} in piece {number} with {service} ns of the {before} before it"
                ));
            }
            if !is_last && service > after.saturating_add(tolerance) {
                return Some(format!(
                    "{job} is on {cpu} with {service} ns of the {after} up to the end of piece {number}"
                ));
            }
            if begins && at.as_ns().saturating_add(tolerance) < begin.as_ns() {
                return Some(format!("{job} begins piece {number} on {cpu} before {begin}"));
            }
            return None;
        }
        Some(format!("{job} is on {cpu}, which has no piece of it"))
    }
}

impl Predicate for PiecesAreKept {
    fn concerns(&self, record: &Record) -> bool {
        matches!(
            record,
            Record::Dispatch { .. }
                | Record::Preempt { .. }
                | Record::Complete { .. }
                | Record::Suspend { .. }
        )
    }

    fn see(&mut self, scene: &Scene, at: Instant, record: &Record, found: &mut Violations) {
        let (job, cpu): (JobId, Option<CpuId>) =
            if let Record::Dispatch { cpu, job } | Record::Preempt { cpu, job } = *record {
                (job, Some(cpu))
            } else if let Record::Complete { job } | Record::Suspend { job, .. } = *record {
                (job, None)
            } else {
                return;
            };
        let Some(live) = scene.job(job) else { return };
        let Some(cpu) = cpu.or(live.on) else { return };
        let service = scene.service(live, at).as_ns();
        let begins = matches!(record, Record::Dispatch { .. });
        if let Some(what) = self.fault((live, at), cpu, service, begins) {
            found.add(Violation::new(at, job, cpu, what));
        }
    }
}
