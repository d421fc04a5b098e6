//! Budgets: when a job has used up what its policy armed for it, and what becomes of it if that was its WCET.

use crate::behaviour::Next;
use crate::engine::Engine;
use schedlab_lock::LockProtocol;
use schedlab_model::{Band, CpuId, Event, JobId, JobSource, Overrun, Priority, Work};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink};

impl<P: Policy, L: LockProtocol, J: JobSource, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// Jobs that exceed their WCETs are treated as the setup says from now on.
    pub(crate) fn enforce_wcets(&mut self) {
        let overrun = self.setup.overruns;
        if overrun == Overrun::Ignore {
            return;
        }
        self.any_budget = true;
        for (state, task) in self.tasks.iter_mut().zip(&self.setup.tasks) {
            state.enforced = Some((task.wcet, overrun)).filter(|_| !task.wcet.is_zero());
        }
    }

    /// Tells the policy if the job that just executed has no budget left. A critical section is never cut.
    pub(crate) fn check_budget(&mut self, cpu: CpuId) {
        let job = self.cpus[cpu.index()].job.get().expect("someone executed");
        let done = self.next_step(job) == Next::Complete;
        let preemptable = self.jobs.get(job).np_depth == 0;
        let state = &mut self.tasks[job.slot()];
        if state.budget == Some(Work::ZERO) && state.held == 0 && preemptable && !done {
            state.budget = None;
            self.record(Record::Budget { job });
            self.enforce(job);
            let cluster = self.cluster_of(job);
            self.tell(cluster, Event::BudgetExhausted(job));
        }
    }

    /// The job has executed for its WCET.
    fn enforce(&mut self, job: JobId) {
        match self.tasks[job.slot()].enforced {
            None | Some((_, Overrun::Ignore | Overrun::Warn)) => {}
            Some((_, Overrun::Cut)) => {
                // Nothing is left for it to do: it completes at this instant.
                self.tasks[job.slot()].behaviour.cut();
            }
            Some((_, Overrun::BestEffort)) => {
                // Among themselves, jobs in the background go by their deadlines.
                let entry = self.jobs.slot_mut(job.task);
                let point = entry.absolute_deadline.as_ns().min(Priority::MAX_POINT);
                entry.base = Priority::in_band(Band::Background, point, job);
                self.refresh_priority(job);
            }
        }
    }
}
