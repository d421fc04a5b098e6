//! Costs of decisions if processors share a queue: two architectures and their locks (chronos-scalability-2011).
//!
//! *Concurrent*: a processor that schedules, or makes a released job ready, holds the lock of its cluster's queue
//! meanwhile. It spins until those that came before it have given the lock back, and until it is handed over.
//!
//! *Stop the world*: each decision of a cluster stops all its processors, the one where the event was at once, the
//! others an inter-processor interrupt later. When all stand still, the first of them reads the descriptors of as many
//! jobs as there are processors, or of all ready ones if they are fewer, and chooses. It then goes on. The others
//! take their parts of the schedule one after another, in the order in which they came to stand still.
//!
//! Two processors decide at 0. Scheduling takes 2, a hand-over of the MCS lock 1, reading a descriptor 1:
//!
//! ```text
//! concurrent      P0  ssAAA....
//!                 P1  sssssBBB.
//! stop the world  P0  ssssAAA..
//!                 P1  sssssBBB.
//! ```
//!
//! The queue has a lock of its own under stop-the-world, too, if that is charged. A processor that makes a released job
//! ready holds it meanwhile, and others that release a job wait for it, and stand still later. The processor that
//! chooses holds it, too, but never waits: all others stand still. Two jobs are released at 0, which takes 2; a
//! hand-over of the queue's lock takes 1. Choosing takes 1, and a hand-over of the schedule's lock 1:
//!
//! ```text
//! without the lock  P0  rrsAAA
//!                   P1  rrssBB
//! with it           P0  rrssssAAA
//!                   P1  rrrrrssBB
//! ```
//!
//! Events until all stand still, including those of that very instant, are part of that decision. A later event stops
//! the world once more.

use super::Engine;
use crate::behaviour::Source;
use crate::processors::Activity;
use schedlab_lock::LockProtocol;
use schedlab_model::{Architecture, ClusterId, CpuId, Deciding, Duration, JobState, OverheadKind};
use schedlab_policy::Policy;
use schedlab_trace::Sink;

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// Begins scheduling, or making a released job ready, on `cpu`, and sets its end.
    pub(super) fn begin_deciding(&mut self, cpu: CpuId, kind: OverheadKind) {
        let Some(known) = self.deciders.deciding() else {
            let cluster = self.processors.cluster_of(cpu);
            return self.processors.end_at(cpu, self.now + self.taken(kind, cluster));
        };
        let cluster = self.processors.cluster_of(cpu);
        match (known.architecture, kind) {
            (Architecture::StopTheWorld, OverheadKind::Scheduling) => self.stand_still(cpu, cluster, known),
            _ if self.locks_queue(kind) => match self.deciders.queue_up(cluster, cpu) {
                true => self.processors.end_at(cpu, self.now + self.taken(kind, cluster)),
                false => self.processors.end_never(cpu),
            },
            (Architecture::Concurrent | Architecture::StopTheWorld, _) => {
                self.processors.end_at(cpu, self.now + self.taken(kind, cluster));
            }
        }
    }

    /// True if a processor holds the lock of its cluster's queue for all of an overhead of this kind.
    fn locks_queue(&self, kind: OverheadKind) -> bool {
        let Some(known) = self.deciders.deciding() else { return false };
        match known.architecture {
            Architecture::Concurrent => true,
            // A processor that chooses for all finds the lock free: no other is about to make a job ready.
            Architecture::StopTheWorld => kind == OverheadKind::Release && known.queue.is_some(),
        }
    }

    /// Ends what `begin_deciding` began on `cpu`. If that held a lock, the next waiter gets it.
    pub(super) fn end_deciding(&mut self, cpu: CpuId, ended: OverheadKind) {
        let Some(known) = self.deciders.deciding().filter(|_| self.locks_queue(ended)) else { return };
        let cluster = self.processors.cluster_of(cpu);
        let Some((next, waiters)) = self.deciders.give_back(cluster, cpu) else { return };
        let Activity::Overhead(kind) = self.processors.activity(next) else {
            unreachable!("{next} waits for the lock of its queue")
        };
        self.processors
            .end_at(next, self.now + known.queue_hand_over_among(waiters) + self.taken(kind, cluster));
    }

    /// Returns the time to choose a job of `cluster`, by how many are ready if that matters.
    fn scheduling(&self, cluster: ClusterId) -> Duration {
        let by_ready = &self.setup.charges.scheduling_by_ready;
        let Some(last) = by_ready.len().checked_sub(1) else { return self.setup.charges.scheduling };
        by_ready[self.ready_jobs(cluster, last)]
    }

    /// Counts the ready jobs of `cluster`, those that execute included, up to `most`.
    fn ready_jobs(&self, cluster: ClusterId, most: usize) -> usize {
        let is_ready = |job: &&schedlab_model::Job| job.state == JobState::Ready && job.cluster == cluster;
        self.jobs.live().filter(is_ready).take(most).count()
    }

    /// Returns the time for which the lock of the queue of `cluster` is held, or the time to choose, without reading
    /// descriptors.
    fn taken(&self, kind: OverheadKind, cluster: ClusterId) -> Duration {
        match kind {
            OverheadKind::Release => self.setup.charges.release,
            OverheadKind::Scheduling => self.scheduling(cluster),
            OverheadKind::ContextSwitch
            | OverheadKind::Tick
            | OverheadKind::Ipi
            | OverheadKind::CacheRelatedPreemption
            | OverheadKind::CacheRelatedMigration
            | OverheadKind::LockAcquire
            | OverheadKind::LockRelease
            | OverheadKind::SyscallEntry
            | OverheadKind::SyscallExit
            | OverheadKind::Push
            | OverheadKind::Pull => unreachable!("no decision takes {}", kind.name()),
        }
    }

    /// Makes `cpu` stand still; if it is the last of its cluster, sets the times at which all go on.
    fn stand_still(&mut self, cpu: CpuId, cluster: ClusterId, known: Deciding) {
        let processors = self.setup.platform.clusters[cluster.index()].cpus.len();
        if !self.deciders.stand(cluster, cpu, (processors, self.now)) {
            return self.processors.end_never(cpu);
        }
        let read = self.ready_jobs(cluster, processors);
        let mut end = self.now + self.scheduling(cluster) + known.access * read as u64;
        self.deciders.release(cluster, |before, cpu| {
            if before > 0 {
                end += known.hand_over_among(processors - before);
            }
            self.processors.end_at(cpu, end);
        });
    }

    /// Returns the time to switch to a job on `cpu`, which is longer if its task is pulled from another processor.
    pub(super) fn switching(&self, cpu: CpuId, last: Option<CpuId>) -> Duration {
        let pulled = last.is_some_and(|last| last != cpu);
        let migration = self.setup.charges.deciding.filter(|_| pulled).map(|known| known.migration);
        self.setup.charges.context_switch + migration.unwrap_or(Duration::ZERO)
    }
}
