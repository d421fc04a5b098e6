//! Pushes and pulls: moves of waiting threads between run queues.
//!
//! The model writes each move down for the engine, which may charge it to the processor that makes it: a push to the
//! one from whose queue the thread goes (`push_rt_task`), a pull to the one that gets the thread (`pull_rt_task`).
//! The processor to which a thread goes when it wakes up is chosen by neither (`select_task_rq_rt`).

use super::queues::LocalCpu;
use super::SchedFifo;
use schedlab_model::OverheadKind;

impl SchedFifo {
    /// Pushes waiting threads of the processor to others that run less urgent ones.
    pub(super) fn push_all(&mut self, place: LocalCpu) {
        while let Some(thread) = self.queues.first_waiting(place) {
            let urgency = self.queues.urgency(thread);
            if urgency < self.queues.running(place) {
                self.to_schedule.insert(place.into());
                return;
            }
            let Some(target) = self.queues.least_urgent_cpu(thread, urgency) else { return };
            self.queues.remove(thread);
            self.queues.append(thread, urgency, target);
            self.moves.push((place, thread, OverheadKind::Push));
            self.to_schedule.insert(target.into());
        }
    }

    /// Pulls threads that wait elsewhere and are more urgent than the processor's own; true if there were any.
    pub(super) fn pull(&mut self, place: LocalCpu) -> bool {
        let mut pulled = false;
        for source in (0..self.cpus.len() as LocalCpu).filter(|source| *source != place) {
            let Some(thread) = self.queues.first_waiting(source) else { continue };
            let urgency = self.queues.urgency(thread);
            // One that is about to preempt there stays.
            if urgency < self.queues.most_urgent(place) && urgency >= self.queues.running(source) {
                self.queues.remove(thread);
                self.queues.append(thread, urgency, place);
                self.moves.push((place, thread, OverheadKind::Pull));
                pulled = true;
            }
        }
        pulled
    }
}
