//! Decisions that stop the world: how the processors of a cluster come to stand still. `architecture.rs` documents
//! their costs.

use super::Engine;
use crate::behaviour::Source;
use crate::deciders::Stop;
use schedlab_lock::LockProtocol;
use schedlab_model::{ClusterId, CpuId, Duration, OverheadKind};
use schedlab_policy::Policy;
use schedlab_trace::Sink;

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// Stops the processors of a cluster that decides, if its decisions stop the world.
    #[inline(always)]
    pub(super) fn stop_world(&mut self, cluster: ClusterId) {
        if self.deciders.stop_the_world() {
            self.stop_all(cluster);
        }
    }

    fn stop_all(&mut self, cluster: ClusterId) {
        if self.deciders.has_decided(cluster, self.now) {
            return;
        }
        for index in 0..self.setup.platform.clusters[cluster.index()].cpus.len() {
            let cpu = self.setup.platform.clusters[cluster.index()].cpus[index];
            let is_here = self.setup.charges.ipi == Duration::ZERO || self.overheads.happened(cpu, self.now);
            match self.deciders.stop_of(cpu) {
                Stop::Heard => {}
                Stop::None | Stop::OnItsWay if is_here => self.come_to_stand(cpu),
                Stop::OnItsWay => {}
                Stop::None => {
                    self.deciders.set_stop(cpu, Stop::OnItsWay);
                    self.call(cpu);
                }
            }
        }
    }

    fn come_to_stand(&mut self, cpu: CpuId) {
        self.deciders.set_stop(cpu, Stop::Heard);
        self.interrupt(cpu, OverheadKind::Scheduling, None);
    }

    /// Handles the interrupt that called `cpu`. Returns true if decisions stop the world.
    pub(super) fn hear_of_stop(&mut self, cpu: CpuId) -> bool {
        if self.deciders.works_on(cpu) {
            self.come_to_stand(cpu);
        }
        self.deciders.stop_the_world()
    }
}
