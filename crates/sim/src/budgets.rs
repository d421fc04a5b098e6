//! Budgets of jobs, as set by policies and by the scenario's treatment of overruns.

use schedlab_model::{Overrun, Task, TaskId, Work};

/// The budgets of one task.
#[derive(Clone, Copy, Debug, Default)]
struct Budget {
    /// Rest of the budget that the policy gave the live job; `None` if there is none.
    of_policy: Option<Work>,
    /// Rest of the live job's WCET, if WCETs are enforced.
    of_wcet: Option<Work>,
    /// The WCET of each job and the treatment of overruns, if WCETs are enforced.
    enforced: Option<(Work, Overrun)>,
}

/// Budgets by task. In runs without budgets, each query costs one comparison.
#[derive(Clone, Debug, Default)]
pub(crate) struct Budgets {
    are_used: bool,
    of_task: Vec<Budget>,
}

impl Budgets {
    /// Removes all budgets of policies, and sets the treatment of jobs that exceed their WCETs.
    pub(crate) fn renew(&mut self, tasks: &[Task], overrun: Overrun) {
        let are_used = overrun != Overrun::Ignore;
        let enforced =
            |task: &Task| Some((task.wcet, overrun)).filter(|(wcet, _)| are_used && !wcet.is_zero());
        let budget = |task: &Task| Budget { of_policy: None, of_wcet: None, enforced: enforced(task) };
        self.are_used = are_used;
        self.of_task.clear();
        self.of_task.extend(tasks.iter().map(budget));
    }

    /// Enforces no WCET from now on: others do.
    pub(crate) fn count_nothing(&mut self) {
        for budget in &mut self.of_task {
            (budget.of_wcet, budget.enforced) = (None, None);
        }
    }

    /// True if some job has or had a budget.
    #[inline(always)]
    pub(crate) fn are_used(&self) -> bool {
        self.are_used
    }

    /// Begins a job of `task`: it has no budget from its policy, and its whole WCET.
    #[inline(always)]
    pub(crate) fn begin_job(&mut self, task: TaskId) {
        if self.are_used {
            let budget = &mut self.of_task[task.index()];
            (budget.of_policy, budget.of_wcet) = (None, budget.enforced.map(|(wcet, _)| wcet));
        }
    }

    /// Sets the budget that the policy gives the live job of `task` from now on.
    pub(crate) fn set(&mut self, task: TaskId, budget: Option<Work>) {
        self.are_used |= budget.is_some();
        self.of_task[task.index()].of_policy = budget;
    }

    /// Removes the budgets of the live job of `task`, whose WCET is then not enforced.
    pub(crate) fn forget(&mut self, task: TaskId) {
        let budget = &mut self.of_task[task.index()];
        (budget.of_policy, budget.of_wcet) = (None, None);
    }

    /// Returns how much of `work` the live job of `task` may execute.
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

    /// Deducts the time for which the live job of `task` has executed.
    #[inline(always)]
    pub(crate) fn spend(&mut self, task: TaskId, received: Work) {
        if self.are_used {
            let Budget { of_policy, of_wcet, .. } = &mut self.of_task[task.index()];
            for left in of_policy.iter_mut().chain(of_wcet) {
                *left = Work::from_ns(left.as_ns().saturating_sub(received.as_ns()));
            }
        }
    }

    /// True if nothing is left of one of the budgets of the live job of `task`.
    pub(crate) fn is_exhausted(&self, task: TaskId) -> bool {
        let Budget { of_policy, of_wcet, .. } = self.of_task[task.index()];
        of_policy == Some(Work::ZERO) || of_wcet == Some(Work::ZERO)
    }

    /// Removes the budgets of the live job of `task` of which nothing is left. Returns whether the policy is to be
    /// notified, and the treatment of the overrun if the WCET is used up. A policy that set a budget is notified of
    /// that one alone.
    pub(crate) fn take_exhausted(&mut self, task: TaskId) -> (bool, Option<Overrun>) {
        let budget = &mut self.of_task[task.index()];
        let is_heard = budget.of_policy.is_none_or(|left| left.is_zero());
        budget.of_policy.take_if(|left| left.is_zero());
        let wcet = budget.of_wcet.take_if(|left| left.is_zero());
        (is_heard, wcet.and(budget.enforced).map(|(_, overrun)| overrun))
    }
}
