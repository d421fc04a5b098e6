//! The systems that a scheduler in the kernel decides by itself, and what it has to know of their tasks.

use crate::backend::native::longest_sections::LongestSections;
use crate::machine::not_native::NotNative;
use schedlab_lab::Prepared;
use schedlab_model::{OrderClass, Overrun, ReleasePoint, Task};
use schedlab_policy::Make;
use schedlab_scx::TaskPlan;

/// What the kernel has to know of a system's tasks.
pub(crate) struct Plans {
    pub plans: Vec<TaskPlan>,
    /// True if a job gives way to one that goes before it.
    pub preemptive: bool,
    /// True if budgets or sections need timers.
    pub timers: bool,
}

/// Time that a section may last beyond twice its length by the program before the kernel breaks it, in ns.
const SECTION_MARGIN: u64 = 10_000_000;

impl Plans {
    /// The plans of the tasks of `prepared`, or why the kernel does not take them.
    pub(crate) fn of(prepared: &Prepared) -> Result<Plans, NotNative> {
        let Make::Clustered { order, preemptive } = &prepared.scheduler.make else {
            return Err(NotNative::Scheduler(prepared.scheduler.name.clone()));
        };
        if prepared.platform.releases == ReleasePoint::Tick {
            return Err(NotNative::Ticks);
        }
        let overruns = prepared.scenario.overruns;
        if overruns == Overrun::Cut {
            return Err(NotNative::Cut);
        }
        if overruns != Overrun::Ignore && !prepared.resources.is_empty() {
            return Err(NotNative::SpinningBudgets);
        }
        let longest = LongestSections::of(&prepared.tasks, prepared.platform.processors().into());
        let class = order.rule.class();
        let plan = |(index, task): (usize, &Task)| {
            let plan = plan(prepared, task, class, overruns)?;
            let longest_section = longest.of_task(index).map(|longest| 2 * longest + SECTION_MARGIN);
            Some(TaskPlan { longest_section, ..plan })
        };
        let plans: Option<Vec<TaskPlan>> = prepared.tasks.iter().enumerate().map(plan).collect();
        let plans = plans.ok_or_else(|| NotNative::Scheduler(prepared.scheduler.name.clone()))?;
        let horizon = prepared.setup().horizon.as_ns();
        if let Some(index) = plans.iter().position(|plan| plan.last_point(horizon).is_none()) {
            return Err(NotNative::Points(prepared.scenario.tasks[index].name.clone()));
        }
        let timers = plans.iter().any(|plan| plan.budget.is_some() || plan.longest_section.is_some());
        Ok(Plans { plans, preemptive: *preemptive, timers })
    }
}

/// The plan of a task under an order of this class, without its sections; none if that is no order by points.
fn plan(prepared: &Prepared, task: &Task, class: OrderClass, overruns: Overrun) -> Option<TaskPlan> {
    let processors = prepared.platform.clusters[task.cluster.index()].cpus.len() as u32;
    let (after, parts) = match class {
        OrderClass::Fixed(key) => (key(task), 0),
        OrderClass::Deadline => (task.relative_deadline.as_ns(), 1),
        OrderClass::AfterArrival(after) => {
            let point = after(task, processors);
            (point.after, u64::from(point.parts))
        }
        OrderClass::FixedOpenTies(_)
        | OrderClass::Pfair { .. }
        | OrderClass::Theorem(_)
        | OrderClass::Unanalysed => return None,
    };
    Some(TaskPlan {
        cluster: u32::from(task.cluster.0),
        after,
        parts,
        separation: task.period.as_ns(),
        budget: (overruns != Overrun::Ignore).then(|| task.wcet.as_ns()),
        demotes: overruns == Overrun::BestEffort,
        relative_deadline: task.relative_deadline.as_ns(),
        longest_section: None,
    })
}
