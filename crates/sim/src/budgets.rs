//! What jobs may still execute, as policies and the scenario say.

use schedlab_model::{Overrun, Task, TaskId, Work};

/// What is known of one task.
#[derive(Clone, Copy, Debug, Default)]
struct Budget {
    /// What is left of the budget that the policy gave its live job.
    of_policy: Option<Work>,
    /// What is left of its live job's WCET, if that is enforced.
    of_wcet: Option<Work>,
    /// What each of its jobs may execute, and what happens beyond that.
    enforced: Option<(Work, Overrun)>,
}

/// By task. Runs without budgets pay for one comparison where they ask.
#[derive(Clone, Debug, Default)]
pub(crate) struct Budgets {
    are_used: bool,
    of_task: Vec<Budget>,
}

impl Budgets {
    /// Jobs that exceed their WCETs are treated so; policies have armed no budget.
    pub(crate) fn renew(&mut self, tasks: &[Task], overrun: Overrun) {
        let are_used = overrun != Overrun::Ignore;
        let enforced =
            |task: &Task| Some((task.wcet, overrun)).filter(|(wcet, _)| are_used && !wcet.is_zero());
        let budget = |task: &Task| Budget { of_policy: None, of_wcet: None, enforced: enforced(task) };
        self.are_used = are_used;
        self.of_task.clear();
        self.of_task.extend(tasks.iter().map(budget));
    }

    /// True if some job has or had a budget.
    #[inline(always)]
    pub(crate) fn are_used(&self) -> bool {
        self.are_used
    }

    /// A job of `task` begins.
    #[inline(always)]
    pub(crate) fn begin_job(&mut self, task: TaskId) {
        if self.are_used {
            let budget = &mut self.of_task[task.index()];
            (budget.of_policy, budget.of_wcet) = (None, budget.enforced.map(|(wcet, _)| wcet));
        }
    }

    /// The policy gives the live job of `task` this budget from now on.
    pub(crate) fn set(&mut self, task: TaskId, budget: Option<Work>) {
        self.are_used |= budget.is_some();
        self.of_task[task.index()].of_policy = budget;
    }

    /// The live job of `task` has no budget any more, and its WCET is not enforced.
    pub(crate) fn forget(&mut self, task: TaskId) {
        let budget = &mut self.of_task[task.index()];
        (budget.of_policy, budget.of_wcet) = (None, None);
    }

    /// How much of `work` the live job of `task` may execute.
    #[inline(always)]
    pub(crate) fn limit(&self, task: TaskId, work: Work) -> Work {
        match self.are_used {
            true => {
                let Budget { of_policy, of_wcet, .. } = self.of_task[task.index()];
                of_policy.into_iter().chain(of_wcet).fold(work, Work::min)
            }
            false => work,
        }
    }

    /// The live job of `task` has executed for so long.
    #[inline(always)]
    pub(crate) fn spend(&mut self, task: TaskId, received: Work) {
        if self.are_used {
            let Budget { of_policy, of_wcet, .. } = &mut self.of_task[task.index()];
            for left in of_policy.iter_mut().chain(of_wcet) {
                *left = Work::from_ns(left.as_ns().saturating_sub(received.as_ns()));
            }
        }
    }

    /// True if nothing is left of a budget of the live job of `task`.
    pub(crate) fn is_exhausted(&self, task: TaskId) -> bool {
        let Budget { of_policy, of_wcet, .. } = self.of_task[task.index()];
        of_policy == Some(Work::ZERO) || of_wcet == Some(Work::ZERO)
    }

    /// Takes away the budgets of the live job of `task` of which nothing is left. Says whether the policy hears of it,
    /// and what happens to the job if its WCET is one. A policy that armed a budget hears of that one alone.
    pub(crate) fn take_exhausted(&mut self, task: TaskId) -> (bool, Option<Overrun>) {
        let budget = &mut self.of_task[task.index()];
        let is_heard = budget.of_policy.is_none_or(|left| left.is_zero());
        budget.of_policy.take_if(|left| left.is_zero());
        let wcet = budget.of_wcet.take_if(|left| left.is_zero());
        (is_heard, wcet.and(budget.enforced).map(|(_, overrun)| overrun))
    }
}
