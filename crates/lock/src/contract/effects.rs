//! Effects of a locking protocol, which the engine carries out.

use alloc::vec::Vec;
use schedlab_model::{ClusterId, JobId, Priority, ResourceId, TaskId};

/// A consequence of a request, a release or an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The waiting job holds the units that it asked for, and goes on.
    Grant(JobId, ResourceId),
    /// The job, which was suspended by a request, may go on, and makes the same request again once it runs. If it may
    /// go on already, and has not run since, its scheduler decides anew.
    AskAgain(JobId),
    /// `holder` is at least as urgent as `from`, which waits for it, until [`Effect::Restore`] or until `from` is
    /// granted. Inheritance is transitive: if `holder` waits in turn, the job for which it waits inherits, too.
    Inherit {
        /// Job that holds the resource.
        holder: JobId,
        /// Job that waits for the resource.
        from: JobId,
    },
    /// Set the job's own priority (before inheritance): boosting and ceilings.
    SetPriority(JobId, Priority),
    /// The job's own priority is its base priority again, and it inherits nothing.
    Restore(JobId),
    /// Enter (`false`) or leave (`true`) a non-preemptive section; sections nest.
    SetPreemptable(JobId, bool),
    /// Let the job run in another cluster.
    Move(JobId, ClusterId),
    /// The ready job may not start, or go on (the SRP's preemption test, donation); if it occupies a processor, it
    /// leaves it.
    Hold(JobId),
    /// The held job may start, or go on.
    Admit(JobId),
    /// The server begins to execute the section for which `client` waits. When it is done, it is released for the
    /// client.
    Serve {
        /// Task of the server.
        server: TaskId,
        /// Job whose section it is.
        client: JobId,
    },
}

/// The effects of one call, in the order in which they are carried out.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    list: Vec<Effect>,
    /// Number of effects at the begin of the list that were taken out.
    taken: usize,
}

impl Effects {
    /// Forgets all effects, and has room for those on `tasks` tasks.
    pub fn renew(&mut self, tasks: usize) {
        self.list.clear();
        self.taken = 0;
        self.list.reserve(4 * tasks + 4);
    }

    /// Adds an effect.
    #[inline]
    pub fn push(&mut self, effect: Effect) {
        if self.is_full() {
            self.make_room();
        }
        self.list.push(effect);
    }

    /// True if room for another effect is to be made first.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.list.len() == self.list.capacity()
    }

    #[cold]
    fn make_room(&mut self) {
        self.list.drain(..core::mem::take(&mut self.taken));
        self.list.reserve(1);
    }

    /// Takes the first effect out. The memory of taken effects is free again when none is left.
    #[inline(always)]
    pub fn pop_first(&mut self) -> Option<&Effect> {
        if self.taken == self.list.len() {
            self.list.clear();
            self.taken = 0;
            return None;
        }
        self.taken += 1;
        Some(&self.list[self.taken - 1])
    }

    /// Takes the only effect out, if it sets whether this live `job` can be preempted, and returns that value.
    #[inline(always)]
    pub fn pop_only_preemptability(&mut self, job: JobId) -> Option<bool> {
        match self.list[..] {
            // A task has one live job. What was written in two parts just now would be waited for if read in one.
            [Effect::SetPreemptable(its, preemptable)] if its.task == job.task && self.taken == 0 => {
                self.list.clear();
                Some(preemptable)
            }
            _ => None,
        }
    }

    /// The effects, in order.
    pub fn as_slice(&self) -> &[Effect] {
        &self.list[self.taken..]
    }

    /// True if there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.taken == self.list.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An effect on preemptability is taken only if it is alone, and of this job's task.
    #[test]
    fn preemptability_is_taken_if_it_is_all() {
        let job = |task| JobId::new(TaskId(task), 3);
        let mut effects = Effects::default();
        assert_eq!(effects.pop_only_preemptability(job(0)), None);
        effects.push(Effect::SetPreemptable(job(0), true));
        assert_eq!(effects.pop_only_preemptability(job(1)), None);
        assert_eq!(effects.pop_only_preemptability(job(0)), Some(true));
        assert!(effects.is_empty());
        effects.push(Effect::Admit(job(0)));
        assert_eq!(effects.pop_only_preemptability(job(0)), None);
        effects.push(Effect::SetPreemptable(job(0), false));
        assert_eq!(effects.pop_only_preemptability(job(0)), None);
        assert_eq!(effects.pop_first(), Some(&Effect::Admit(job(0))));
        assert_eq!(effects.pop_first(), Some(&Effect::SetPreemptable(job(0), false)));
        // It was taken out, though its place is not free yet.
        assert_eq!(effects.pop_only_preemptability(job(0)), None);
    }
}
