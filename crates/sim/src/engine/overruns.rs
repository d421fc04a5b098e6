//! Budgets that are used up: notification of policies, and the treatment of jobs that exceed their WCETs.

use super::Engine;
use crate::behaviour::{Next, Source};
use schedlab_lock::LockProtocol;
use schedlab_model::{Band, CpuId, Event, JobId, Overrun, Priority, Work};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink};

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// Sets a budget of `job` for its policy, or removes it.
    pub(super) fn set_budget(&mut self, job: JobId, budget: Option<Work>) {
        assert!(budget != Some(Work::ZERO), "a budget of {job} is positive");
        let scheduled_on = self.jobs.get(job).scheduled_on;
        let running = scheduled_on.filter(|cpu| self.processors.is_executing(*cpu));
        if let Some(cpu) = running {
            self.account(cpu);
        }
        self.budgets.set(job.task, budget);
        if let Some(cpu) = running {
            self.go_on(cpu);
        }
    }

    /// Notifies the policy if the job that just executed has no budget left. No budget ends within a section or an
    /// attempt.
    pub(super) fn check_budget(&mut self, cpu: CpuId) {
        let job = self.processors.busy_with(cpu);
        let done = self.next_step(job) == Next::Complete;
        let preemptable = self.jobs.get(job).np_depth == 0;
        let is_in_section = self.progress[job.task.index()].is_in_section();
        if self.budgets.is_exhausted(job.task) && !is_in_section && preemptable && !done {
            let (is_heard, overrun) = self.budgets.take_exhausted(job.task);
            self.record(Record::Budget { job });
            if let Some(overrun) = overrun {
                self.enforce(job, overrun);
            }
            if is_heard {
                let cluster = self.cluster_of(job);
                self.tell(cluster, Event::BudgetExhausted(job));
            }
        }
    }

    /// Treats a job that has executed for its WCET as the setup demands.
    pub(crate) fn enforce(&mut self, job: JobId, overrun: Overrun) {
        match overrun {
            Overrun::Ignore | Overrun::Warn => {}
            Overrun::Cut => {
                // The job has nothing left to do, so it completes at this instant.
                self.progress[job.task.index()].cut();
            }
            Overrun::BestEffort => {
                // Jobs in the background are ordered by their deadlines among themselves.
                let point = self.jobs.get(job).absolute_deadline.as_ns().min(Priority::MAX_POINT);
                self.set_base_priority(job, Priority::in_band(Band::Background, point, job));
            }
        }
    }
}
