//! The supertasks of a scenario: their weights, and what those guarantee.

use crate::findings::Finding;
use crate::prepared::Prepared;
use schedlab_analysis::supertask::{is_enough, least_weight, Component, ComponentOrder, Demands, Quanta};
use schedlab_analysis::system::Quanta as SystemQuanta;
use schedlab_analysis::{analyze, Answer, Arrivals, Guarantee, Order, Scheduler as Analysed};
use schedlab_model::{
    Alignment, CpuId, Duration, Platform, ReleasePoint, Step, Suspension, Task, TaskId, Work,
};
use schedlab_policy::pfair::{ComponentScheduling, Supertask, Weight};
use schedlab_policy::{Scheduler, DM, EDF, RM};
use schedlab_scenario::{Arrival, ComponentOrder as GivenOrder, Scenario, SupertaskSpec};

/// The name under which verdicts about components are given.
pub const TEST: &str = "supertasks";

const SOURCE: &str = "Holman and Anderson, RTSS 2001, ECRTS 2003, JEC 1(4), 2005";

/// A supertask with its weight.
#[derive(Clone, Debug)]
pub struct WeightedSupertask {
    /// Its name.
    pub name: String,
    /// What the policy is told.
    pub supertask: Supertask,
    /// Why its components' deadlines are not guaranteed; `None` if they are, with the supertask's windows.
    pub doubt: Option<String>,
}

/// The supertasks, if the scheduler knows any. Each computed weight is the least that guarantees the deadlines of the
/// components, or 1 if none is known to.
pub fn supertasks(
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
        GivenOrder::Edf => (EDF, ComponentOrder::Edf),
        GivenOrder::Rm => (RM, ComponentOrder::FixedPriority),
        GivenOrder::Dm => (DM, ComponentOrder::FixedPriority),
    };
    members.sort_by_key(|id| match spec.order {
        GivenOrder::Edf => Duration::ZERO,
        GivenOrder::Rm => tasks[id.index()].period,
        GivenOrder::Dm => tasks[id.index()].relative_deadline,
    });
    let quanta = quanta(platform, spec.scheduling);
    let component =
        |id: &TaskId| component(&tasks[id.index()], &scenario.tasks[id.index()].arrival, platform);
    let demand: Vec<Component> = members.iter().map(component).collect();
    let (weight, why) = match Demands::new(&demand, order, quanta) {
        Err(why) => (spec.weight, Some(why)),
        Ok(demands) => choose(spec.weight, &demands),
    };
    let doubt = members.iter().find_map(|id| obstacle(&tasks[id.index()], &scenario.tasks[id.index()].name));
    WeightedSupertask {
        name: spec.name.clone(),
        supertask: Supertask {
            weight: weight.unwrap_or(Weight::new(1, 1).expect("1 is a weight")),
            order: inner,
            scheduling: spec.scheduling,
            components,
        },
        doubt: doubt.or(why),
    }
}

/// The weight, if one is known to be enough or given, and why it is not known to be enough.
fn choose(given: Option<Weight>, demands: &Demands) -> (Option<Weight>, Option<String>) {
    match given {
        Some(weight) => {
            let why = match is_enough(demands, (weight.quanta(), weight.slots())) {
                Ok(true) => None,
                Ok(false) => Some(format!("a weight of {weight} is too small")),
                Err(error) => Some(error.to_string()),
            };
            (given, why)
        }
        None => match least_weight(demands).map(|(quanta, slots)| Weight::new(quanta, slots)) {
            Ok(Ok(weight)) => (Some(weight), None),
            Ok(Err(error)) => (None, Some(error.to_string())),
            Err(error) => (None, Some(error.to_string())),
        },
    }
}

fn quanta(platform: &Platform, scheduling: ComponentScheduling) -> Quanta {
    let last = CpuId(platform.processors() - 1);
    Quanta {
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

/// What no weight accounts for.
fn obstacle(task: &Task, name: &str) -> Option<String> {
    let shares = |step: &Step| matches!(step, Step::Request(..) | Step::NpEnter);
    if task.suspension != Suspension::None {
        Some(format!("component \"{name}\" suspends itself"))
    } else {
        let has_sections = task.program.iter().any(shares);
        has_sections.then(|| format!("component \"{name}\" has critical or non-preemptive sections"))
    }
}

/// What is known of a scenario with supertasks under a Pfair scheduler.
pub fn findings(prepared: &Prepared) -> Vec<Finding> {
    let mut finding = Finding {
        test: TEST,
        source: SOURCE,
        guarantee: Guarantee::Hard,
        answer: Answer::Unknown,
        reason: String::new(),
        assumptions: [
            "Pfair with supertasks that never suspend; weights add up to at most m",
            "components are sporadic, with release jitter at most",
            "no overheads",
        ]
        .map(str::to_owned)
        .to_vec(),
        response_times: None,
        tardiness: None,
    };
    if !prepared.charged.overheads.are_none() {
        finding.reason = "overheads are not accounted for in the weights of supertasks".to_owned();
        return vec![finding];
    }
    let mut bounds = plain_bounds(prepared);
    for known in prepared.supertasks.iter().filter(|known| known.doubt.is_none()) {
        for id in &known.supertask.components {
            let task = &prepared.tasks[id.index()];
            bounds[id.index()] = Some(task.relative_deadline.min(task.period));
        }
    }
    (finding.answer, finding.reason) = answer(prepared, &bounds);
    let tardiness = |(bound, task): (&Option<Duration>, &Task)| {
        bound.map(|bound| Duration::from_ns(bound.as_ns().saturating_sub(task.relative_deadline.as_ns())))
    };
    finding.tardiness = Some(bounds.iter().zip(&prepared.tasks).map(tardiness).collect());
    finding.response_times = Some(bounds);
    vec![finding]
}

fn answer(prepared: &Prepared, bounds: &[Option<Duration>]) -> (Answer, String) {
    if let Some(known) = prepared.supertasks.iter().find(|known| known.doubt.is_some()) {
        let why = known.doubt.as_deref().unwrap_or_default();
        return (Answer::Unknown, format!("supertask \"{}\": {why}", known.name));
    }
    let late = |at: &usize| bounds[*at].is_none_or(|bound| bound > prepared.tasks[*at].relative_deadline);
    match (0..bounds.len()).find(late) {
        Some(at) => {
            let name = &prepared.scenario.tasks[at].name;
            (Answer::Unknown, format!("a job of \"{name}\", which is in no supertask, may be late"))
        }
        None => (Answer::Schedulable, "each supertask's weight is enough, and all weights fit".to_owned()),
    }
}

/// Bounds on the response times of tasks in no supertask, among supertasks as tasks of their weights.
fn plain_bounds(prepared: &Prepared) -> Vec<Option<Duration>> {
    let mut bounds = vec![None; prepared.tasks.len()];
    let plain: Vec<usize> =
        (0..bounds.len()).filter(|&at| prepared.scenario.tasks[at].supertask.is_none()).collect();
    let mut tasks: Vec<Task> = plain.iter().map(|&at| prepared.tasks[at].clone()).collect();
    let quantum = prepared.platform.quantum.as_ns();
    for known in &prepared.supertasks {
        let weight = known.supertask.weight;
        let times = (weight.quanta().checked_mul(quantum), weight.slots().checked_mul(quantum));
        let (Some(cost), Some(period)) = times else { return bounds };
        tasks.push(Task::implicit(Work::from_ns(cost), Duration::from_ns(period)));
    }
    let periodic = plain.iter().all(|&at| prepared.scenario.tasks[at].arrival == Arrival::Periodic);
    let quanta = SystemQuanta {
        length: prepared.platform.quantum,
        staggered: prepared.platform.alignment == Alignment::Staggered,
        guaranteed: false,
    };
    let arrivals = if periodic { Arrivals::Periodic } else { Arrivals::Sporadic };
    let scheduler = Analysed { order: Order::Pfair(quanta), preemptive: true, ranks: &[], arrivals };
    let Ok(analysis) = analyze(&tasks, &prepared.platform, &scheduler) else { return bounds };
    for (&at, bound) in plain.iter().zip(&analysis.response_times) {
        bounds[at] = *bound;
    }
    bounds
}
