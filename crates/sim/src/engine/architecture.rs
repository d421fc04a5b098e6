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
            (Architecture::Concurrent, _) => match self.deciders.queue_up(cluster, cpu) {
                true => self.processors.end_at(cpu, self.now + self.taken(kind, cluster)),
                false => self.processors.end_never(cpu),
            },
            (Architecture::StopTheWorld, OverheadKind::Scheduling) => self.stand_still(cpu, cluster, known),
            (Architecture::StopTheWorld, _) => {
                self.processors.end_at(cpu, self.now + self.taken(kind, cluster));
            }
        }
    }

    /// Ends what `begin_deciding` began on `cpu`. If that held a lock, the next waiter gets it.
    pub(super) fn end_deciding(&mut self, cpu: CpuId) {
        let Some(known) = self.deciders.deciding() else { return };
        if known.architecture != Architecture::Concurrent {
            return;
        }
        let cluster = self.processors.cluster_of(cpu);
        let Some((next, waiters)) = self.deciders.give_back(cluster, cpu) else { return };
        let Activity::Overhead(kind) = self.processors.activity(next) else {
            unreachable!("{next} waits for the lock of its queue")
        };
        self.processors.end_at(next, self.now + known.hand_over_among(waiters) + self.taken(kind, cluster));
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
            | OverheadKind::SyscallExit => unreachable!("no decision takes {}", kind.name()),
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
