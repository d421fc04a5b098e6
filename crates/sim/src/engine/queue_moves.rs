//! Moves of threads between run queues (`SCHED_FIFO`), where they take time.
//!
//! A processor pays for its pushes and pulls one after another, before it follows its own link. The thread that moves
//! may be dispatched where it goes once that is over. The processor from which it was pushed then notifies the other
//! one, which takes an inter-processor interrupt. Moves that several processors make at one instant go on at the same
//! time: no processor waits for the lock of another one's run queue.
//!
//! A (cost 3, from 1 on) is more urgent than C (cost 4), and both begin on P0. So P0 pushes C to P1, which takes 2:
//!
//! ```text
//! P0  CppAAA..
//! P1  ...CCC..
//! ```

use super::Engine;
use crate::behaviour::Source;
use schedlab_lock::LockProtocol;
use schedlab_model::{CpuId, Duration, JobId, Occupant, OverheadKind};
use schedlab_policy::Policy;
use schedlab_trace::Sink;

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// Notes the moves that were just decided, and lets their processors make them.
    pub(super) fn owe_moves(&mut self) {
        for index in 0.. {
            let Some(queue_move) = self.clusters.decisions.moves().get(index).copied() else { break };
            if self.cost_of_move(queue_move.kind).is_zero() {
                continue;
            }
            self.overheads.owe_move(queue_move.cpu, queue_move.kind, queue_move.job);
            let at_once = self.looks_at_once(queue_move.cpu);
            self.request_look(queue_move.cpu, at_once);
        }
    }

    /// Takes the move that `cpu` makes next. A thread whose job is gone by now is not moved any more.
    pub(super) fn next_move(&mut self, cpu: CpuId) -> Option<(OverheadKind, JobId)> {
        while let Some((kind, about)) = self.overheads.next_owed(cpu) {
            let job = about.expect("a move is about a job");
            if self.streams.of(job.task).is_live() && self.jobs.of_task(job.task).id == job {
                return Some((kind, job));
            }
            self.end_move(cpu, job);
        }
        None
    }

    /// Ends a move of the job's thread by `cpu`: the processor where the thread is now may dispatch it.
    pub(super) fn end_move(&mut self, cpu: CpuId, job: JobId) {
        self.overheads.end_move(job.task);
        let cluster = self.processors.cluster_of(cpu);
        for index in 0..self.setup.platform.clusters[cluster.index()].cpus.len() {
            let target = self.setup.platform.clusters[cluster.index()].cpus[index];
            if target != cpu && self.linked(target).is_some_and(|linked| linked.task == job.task) {
                let at_once = self.looks_at_once(target);
                self.request_look(target, at_once);
            }
        }
    }

    /// True if the linked job's thread is still on its way.
    pub(super) fn is_on_its_way(&self, link: Occupant) -> bool {
        self.has_overheads() && link.get().is_some_and(|job| self.overheads.is_moving(job.task))
    }

    /// Returns the time of a push or a pull.
    pub(super) fn cost_of_move(&self, kind: OverheadKind) -> Duration {
        match kind {
            OverheadKind::Push => self.setup.charges.push,
            OverheadKind::Pull => self.setup.charges.pull,
            OverheadKind::Release
            | OverheadKind::Scheduling
            | OverheadKind::ContextSwitch
            | OverheadKind::Tick
            | OverheadKind::Ipi
            | OverheadKind::CacheRelatedPreemption
            | OverheadKind::CacheRelatedMigration
            | OverheadKind::LockAcquire
            | OverheadKind::LockRelease
            | OverheadKind::SyscallEntry
            | OverheadKind::SyscallExit => unreachable!("{} moves no thread", kind.name()),
        }
    }
}
