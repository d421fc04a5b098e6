//! The systems that a scheduler in the kernel decides by itself, and what it has to know of their tasks.

use schedlab_lab::Prepared;
use schedlab_model::{OrderClass, Overrun, ReleasePoint, Step, Task};
use schedlab_policy::Make;
use schedlab_scx::TaskPlan;
use std::fmt;

/// The reason why a system is not one that the kernel can decide by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotNative {
    /// The scheduler has no clusters whose jobs are ordered by one point each.
    Scheduler(String),
    /// Tasks share resources.
    Resources,
    /// Jobs that exceed their WCETs are to be ended.
    Cut,
    /// Arrivals are noticed at ticks.
    Ticks,
    /// The priority point of a job of this task may be too large for the kernel.
    Points(String),
    /// An engine was given to decide.
    Engine,
}

impl fmt::Display for NotNative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotNative::Scheduler(name) => {
                write!(f, "{name} (it takes orders by priority point, preemptive or not, on clusters)")
            }
            NotNative::Resources => {
                write!(f, "resources that tasks share (it takes non-preemptive sections)")
            }
            NotNative::Cut => write!(f, "overruns = \"cut\" (it takes ignore, warn and best-effort)"),
            NotNative::Ticks => write!(f, "releases at ticks (it takes timers)"),
            NotNative::Points(task) => {
                write!(
                    f,
                    "priority points of task \"{task}\" above 2^53 - 1 by the end of the run (104 days)"
                )
            }
            NotNative::Engine => write!(f, "an engine that decides"),
        }
    }
}

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
        if !prepared.resources.is_empty() {
            return Err(NotNative::Resources);
        }
        if prepared.platform.releases == ReleasePoint::Tick {
            return Err(NotNative::Ticks);
        }
        let demotes = match prepared.scenario.overruns {
            Overrun::Ignore | Overrun::Warn => false,
            Overrun::BestEffort => true,
            Overrun::Cut => return Err(NotNative::Cut),
        };
        let class = order.rule.class();
        let plan = |task: &Task| plan(prepared, task, class, demotes);
        let plans: Option<Vec<TaskPlan>> = prepared.tasks.iter().map(plan).collect();
        let plans = plans.ok_or_else(|| NotNative::Scheduler(prepared.scheduler.name.clone()))?;
        let horizon = prepared.setup().horizon.as_ns();
        if let Some(index) = plans.iter().position(|plan| plan.last_point(horizon).is_none()) {
            return Err(NotNative::Points(prepared.scenario.tasks[index].name.clone()));
        }
        let timers = plans.iter().any(|plan| plan.budget.is_some() || plan.longest_section.is_some());
        Ok(Plans { plans, preemptive: *preemptive, timers })
    }
}

/// The plan of a task under an order of this class; none if that is no order by points.
fn plan(prepared: &Prepared, task: &Task, class: OrderClass, demotes: bool) -> Option<TaskPlan> {
    let processors = prepared.platform.clusters[task.cluster.index()].cpus.len() as u32;
    let (after, parts) = match class {
        OrderClass::Fixed(key) => (key(task), 0),
        OrderClass::Deadline => (task.relative_deadline.as_ns(), 1),
        OrderClass::AfterArrival(after) => {
            let point = after(task, processors);
            (point.after, u64::from(point.parts))
        }
        OrderClass::FixedOpenTies(_) | OrderClass::Pfair { .. } | OrderClass::Unanalysed => return None,
    };
    Some(TaskPlan {
        cluster: u32::from(task.cluster.0),
        after,
        parts,
        separation: task.period.as_ns(),
        budget: demotes.then(|| task.wcet.as_ns()),
        demotes,
        relative_deadline: task.relative_deadline.as_ns(),
        longest_section: longest_section(&task.program).map(|longest| 2 * longest + SECTION_MARGIN),
    })
}

/// The longest execution in a non-preemptive section of a program, in ns; none if it has no such section.
fn longest_section(program: &[Step]) -> Option<u64> {
    let (mut depth, mut inside, mut longest) = (0_u32, 0, None);
    for step in program {
        match step {
            Step::NpEnter => depth += 1,
            Step::NpExit => {
                depth = depth.saturating_sub(1);
                longest = longest.max(Some(inside));
                if depth == 0 {
                    inside = 0;
                }
            }
            Step::Execute(work) if depth > 0 => inside += work.as_ns(),
            Step::Execute(_) | Step::Request(..) | Step::Release(..) | Step::Suspend(_) | Step::Serve(_) => {}
        }
    }
    longest
}
