//! Requests to look: a processor whose link may have changed looks at once, or after an inter-processor interrupt.

use super::Engine;
use crate::behaviour::Source;
use crate::timers::Kind;
use schedlab_lock::LockProtocol;
use schedlab_model::{CpuId, Duration};
use schedlab_policy::Policy;
use schedlab_trace::Sink;

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// True if `cpu` may look at its link at once, without an inter-processor interrupt.
    #[inline(always)]
    pub(super) fn looks_at_once(&self, cpu: CpuId) -> bool {
        !self.has_overheads()
            || self.setup.charges.ipi == Duration::ZERO
            || self.overheads.happened(cpu, self.now)
            || self.deciders.stop_the_world()
    }

    /// Requests a look of `cpu` at its changed link: now, or by an inter-processor interrupt.
    #[inline]
    pub(super) fn request_look(&mut self, cpu: CpuId, at_once: bool) {
        if at_once {
            self.processors.look_soon(cpu);
        } else {
            self.call(cpu);
        }
    }

    /// Sends an inter-processor interrupt to `cpu`, unless one is on its way.
    pub(super) fn call(&mut self, cpu: CpuId) {
        if self.overheads.call(cpu) {
            self.timers.push(self.now + self.setup.charges.ipi, Kind::Look, cpu.0.into());
        }
    }
}
