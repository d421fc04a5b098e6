//! Effects that a locking protocol wants.

use super::Engine;
use crate::behaviour::Source;
use schedlab_lock::{Effect, LockProtocol};
use schedlab_policy::Policy;
use schedlab_trace::Sink;

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    pub(super) fn apply_effect(&mut self, effect: Effect) {
        match effect {
            Effect::Grant(job, _) => self.grant(job),
            Effect::AskAgain(job) => self.go_on_to_ask(job),
            Effect::Inherit { holder, from } => self.inherit(holder, from),
            Effect::SetPriority(job, priority) => self.set_own_priority(job, priority),
            Effect::Restore(job) => self.restore_priority(job),
            Effect::SetPreemptable(job, preemptable) => {
                self.set_preemptable(job, preemptable);
            }
            Effect::Move(job, cluster) => self.move_job(job, cluster),
            Effect::Serve { server, client } => self.serve(server, client),
            Effect::Hold(job) => self.hold(job),
            Effect::Admit(job) => self.admit(job),
        }
    }
}
