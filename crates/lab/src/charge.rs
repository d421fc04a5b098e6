//! What the machine takes from tasks that share processors, as analysis charges it to their costs. Scenarios and
//! batches ask here, and nothing else makes an [`Accounting`] of overheads.

use schedlab_analysis::overheads::jlfp::{self, Accounting, NotInflated};
use schedlab_analysis::overheads::pfair::{self, Continuity};
use schedlab_model::{Duration, Overheads, Statistic, Task};

/// The overheads of a machine under a scheduler.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    whole: Overheads,
    /// Of jobs that nothing takes off their processor, if the scheduler is not preemptive.
    unpreempted: Option<Overheads>,
}

impl Taken {
    /// The overheads `whole` under a scheduler that is preemptive, or not.
    pub(crate) fn new(whole: Overheads, is_preemptive: bool) -> Taken {
        let unpreempted = (!is_preemptive).then(|| jlfp::without_reloads(&whole));
        Taken { whole, unpreempted }
    }

    /// The overheads that `tasks` suffer: without reloading caches, where no job of theirs ever leaves its processor.
    pub(crate) fn by(&self, tasks: &[Task]) -> &Overheads {
        self.unpreempted.as_ref().filter(|_| jlfp::never_leave(tasks)).unwrap_or(&self.whole)
    }
}

/// How overheads enter the costs of jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charging {
    /// By job, under schedulers of fixed job priorities.
    Jobs,
    /// By slot, under Pfair schedulers.
    Pfair(Continuity),
    /// By slot as published, which is no promise ([`pfair::published`]).
    PfairAsPublished,
}

/// Processors whose tasks suffer each other's interrupts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group<'a> {
    pub(crate) overheads: &'a Overheads,
    pub(crate) statistic: Statistic,
    /// How often ticks come.
    pub(crate) quantum: Duration,
    /// How many processors they are.
    pub(crate) processors: u32,
    /// How many tasks the whole machine has.
    pub(crate) machine_tasks: usize,
    /// How much later than by a timer a release may be noticed.
    pub(crate) polled: Duration,
}

impl Group<'_> {
    /// Puts `tasks`, with what the machine takes added to their costs, in place of what `charged` held before.
    pub(crate) fn charge(
        &self,
        tasks: &[Task],
        charging: Charging,
        charged: &mut Vec<Task>,
    ) -> Result<(), NotInflated> {
        let accounting = self.accounting();
        match charging {
            Charging::Jobs => jlfp::inflate_into(tasks, &accounting, charged)?,
            Charging::Pfair(continuity) => *charged = pfair::inflate(tasks, &accounting, continuity)?,
            Charging::PfairAsPublished => *charged = pfair::published(tasks, &accounting)?,
        }
        Ok(())
    }

    fn accounting(&self) -> Accounting<'_> {
        Accounting {
            overheads: self.overheads,
            statistic: self.statistic,
            quantum: self.quantum,
            processors: self.processors,
            machine_tasks: self.machine_tasks,
            // The delay of releases at ticks is accounted for as jitter.
            release_latency: Duration::ZERO,
            polled: self.polled,
            dedicated_interrupts: false,
            switches_in_progress: true,
        }
    }
}
