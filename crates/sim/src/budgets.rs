//! What jobs may still execute, as policies and the scenario say.

use schedlab_model::{Overrun, Task, TaskId, Work};

/// What is known of one task.
#[derive(Clone, Copy, Debug, Default)]
struct Budget {
    /// What is left of the budget of its live job.
    left: Option<Work>,
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
        let budget = |task: &Task| Budget { left: None, enforced: enforced(task) };
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
            budget.left = budget.enforced.map(|(budget, _)| budget);
        }
    }

    /// The live job of `task` has this budget from now on.
    pub(crate) fn set(&mut self, task: TaskId, budget: Option<Work>) {
        self.are_used |= budget.is_some();
        self.of_task[task.index()].left = budget;
    }

    /// How much of `work` the live job of `task` may execute.
    #[inline(always)]
    pub(crate) fn limit(&self, task: TaskId, work: Work) -> Work {
        match self.are_used {
            true => self.of_task[task.index()].left.map_or(work, |left| work.min(left)),
            false => work,
        }
    }

    /// The live job of `task` has executed for so long.
    #[inline(always)]
    pub(crate) fn spend(&mut self, task: TaskId, received: Work) {
        if self.are_used {
            if let Some(left) = &mut self.of_task[task.index()].left {
                *left = Work::from_ns(left.as_ns().saturating_sub(received.as_ns()));
            }
        }
    }

    /// True if nothing is left of the budget of the live job of `task`.
    pub(crate) fn is_exhausted(&self, task: TaskId) -> bool {
        self.of_task[task.index()].left == Some(Work::ZERO)
    }

    /// What happens to jobs of `task` that have executed for their WCET.
    pub(crate) fn overrun(&self, task: TaskId) -> Overrun {
        self.of_task[task.index()].enforced.map_or(Overrun::Ignore, |(_, overrun)| overrun)
    }
}
