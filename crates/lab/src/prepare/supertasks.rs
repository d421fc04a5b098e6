//! The supertasks of a scenario with their weights.

use crate::reason::Reason;
use schedlab_analysis::supertask::{
    is_enough, least_weight, Component, ComponentRule, Demands, ServerQuanta,
};
use schedlab_model::{CpuId, Duration, Platform, ReleasePoint, Step, Suspension, Task, TaskId};
use schedlab_policy::pfair::{ComponentScheduling, Supertask, Weight};
use schedlab_policy::{Scheduler, DM, EDF, RM};
use schedlab_scenario::{Arrival, ComponentOrder, Scenario, SupertaskSpec};

/// A supertask with its weight and what the weight guarantees.
#[derive(Clone, Debug)]
pub struct WeightedSupertask {
    /// The supertask's name.
    pub name: String,
    /// The supertask as the policy gets it.
    pub supertask: Supertask,
    /// Bounds on response times by component; valid if there is no doubt.
    pub response_times: Vec<Duration>,
    /// The reason why the components' deadlines are not guaranteed; `None` if they are, provided that the supertask
    /// executes within its windows.
    pub doubt: Option<Reason>,
}

/// Returns the supertasks with their weights; none if the scheduler knows no quanta. Each computed weight is the least
/// that guarantees the components' deadlines, or 1 if none is known to.
pub(crate) fn supertasks(
    scenario: &Scenario,
    tasks: &[Task],
    platform: &Platform,
    scheduler: &Scheduler,
) -> Vec<WeightedSupertask> {
    if scheduler.quanta.is_none() {
        return Vec::new();
    }
    scenario.supertasks.iter().map(|spec| weighted(spec, scenario, tasks, platform)).collect()
}

fn weighted(
    spec: &SupertaskSpec,
    scenario: &Scenario,
    tasks: &[Task],
    platform: &Platform,
) -> WeightedSupertask {
    let is_inside = |id: &TaskId| scenario.tasks[id.index()].supertask.as_deref() == Some(&spec.name);
    let mut members: Vec<TaskId> = (0..tasks.len() as u32).map(TaskId).filter(is_inside).collect();
    let components = members.clone();
    let (inner, order) = match spec.order {
        ComponentOrder::Edf => (EDF, ComponentRule::Edf),
        ComponentOrder::Rm => (RM, ComponentRule::FixedPriority),
        ComponentOrder::Dm => (DM, ComponentRule::FixedPriority),
    };
    members.sort_by_key(|id| match spec.order {
        ComponentOrder::Edf => Duration::ZERO,
        ComponentOrder::Rm => tasks[id.index()].period,
        ComponentOrder::Dm => tasks[id.index()].relative_deadline,
    });
    let quanta = quanta(platform, spec.scheduling);
    let component =
        |id: &TaskId| component(&tasks[id.index()], &scenario.tasks[id.index()].arrival, platform);
    let response_time = |id| Duration::from_ns(component(id).guaranteed_response(order));
    let response_times = components.iter().map(response_time).collect();
    let demand: Vec<Component> = members.iter().map(component).collect();
    let (weight, why) = match Demands::new(&demand, order, quanta) {
        Err(why) => (spec.weight, Some(Reason::OfTest(why))),
        Ok(demands) => choose(spec.weight, &demands),
    };
    let doubt = members.iter().find_map(|id| obstacle(&tasks[id.index()], *id));
    WeightedSupertask {
        name: spec.name.clone(),
        supertask: Supertask {
            weight: weight.unwrap_or(Weight::new(1, 1).expect("1 is a weight")),
            order: inner,
            scheduling: spec.scheduling,
            components,
        },
        response_times,
        doubt: doubt.or(why),
    }
}

/// Returns the weight that is given or computed, if any, and the reason why it is not known to be enough.
fn choose(given: Option<Weight>, demands: &Demands) -> (Option<Weight>, Option<Reason>) {
    match given {
        Some(weight) => {
            let why = match is_enough(demands, (weight.quanta(), weight.slots())) {
                Ok(true) => None,
                Ok(false) => Some(Reason::SmallWeight { weight: weight.to_string() }),
                Err(error) => Some(Reason::NoWeight { error: error.to_string() }),
            };
            (given, why)
        }
        None => match least_weight(demands).map(|(quanta, slots)| Weight::new(quanta, slots)) {
            Ok(Ok(weight)) => (Some(weight), None),
            Ok(Err(error)) => (None, Some(Reason::NoWeight { error: error.to_string() })),
            Err(error) => (None, Some(Reason::NoWeight { error: error.to_string() })),
        },
    }
}

fn quanta(platform: &Platform, scheduling: ComponentScheduling) -> ServerQuanta {
    let last = CpuId(platform.processors() - 1);
    ServerQuanta {
        quantum: platform.quantum.as_ns(),
        delay: platform.quantum_offset(last).as_ns(),
        quantum_based: scheduling == ComponentScheduling::QuantumBased,
    }
}

fn component(task: &Task, arrival: &Arrival, platform: &Platform) -> Component {
    let noticed_late = match platform.releases {
        ReleasePoint::Timer => 0,
        ReleasePoint::Tick => platform.quantum.as_ns(),
    };
    let offset = task.offset.as_ns().checked_rem(platform.quantum.as_ns());
    Component {
        cost: task.wcet.as_ns().saturating_add(task.suspension_bound().as_ns()),
        period: task.period.as_ns(),
        relative_deadline: task.relative_deadline.as_ns(),
        jitter: task.jitter.as_ns().saturating_add(noticed_late),
        at_boundaries: *arrival == Arrival::Periodic && offset == Some(0),
    }
}

/// Returns a property of the component that no weight accounts for, as a reason; `None` if it has none.
fn obstacle(task: &Task, id: TaskId) -> Option<Reason> {
    let shares = |step: &Step| matches!(step, Step::Request(..) | Step::NpEnter);
    if task.suspension != Suspension::None {
        Some(Reason::SuspendingComponent(id))
    } else {
        let has_sections = task.program.iter().any(shares);
        has_sections.then_some(Reason::SectionsOfComponent(id))
    }
}
