//! Checks of the values of one task.

use crate::error::Problem;
use crate::fault::OfPart;
use crate::quantity::{Millionths, LARGEST_WORKING_SET, LONGEST};
use crate::scenario::{Scenario, TaskSpec};
use crate::words::{Arrival, CostModel, DeadlineRule, Priorities};
use schedlab_model::{Instant, Overrun, Task, Work};
use schedlab_policy::Needs;

/// Checks everything of a task but its name and its program.
pub(super) fn task(scenario: &Scenario, task: &TaskSpec, faults: &mut OfPart<'_>) {
    let (wcet, period, deadline) = (task.wcet, task.period, task.relative_deadline);
    for (field, length) in [("wcet", wcet.at_unit_speed()), ("period", period)] {
        faults.positive(field, length);
    }
    // The client of a budget server may have no deadline; what stands for none is longer than a year.
    if deadline != Task::NO_DEADLINE || task.server.is_none() {
        faults.positive("deadline", deadline);
    }
    if wcet.at_unit_speed() > deadline && !task.wcet_may_exceed_deadline {
        let why = format!("is more than the relative deadline of {deadline}");
        let allowed = format!(
            "at most {deadline}, or wcet_may_exceed_deadline = true for a task that is meant to be late"
        );
        faults.refuse("wcet", wcet, why, allowed);
    }
    let (breaks, limit) = match scenario.deadlines {
        _ if deadline == Task::NO_DEADLINE => (false, ""),
        DeadlineRule::Arbitrary => (false, ""),
        DeadlineRule::Constrained => (deadline > period, "at most "),
        DeadlineRule::Implicit => (deadline != period, ""),
    };
    if breaks {
        let why = format!("breaks the rule for deadlines of this scenario, the period being {period}");
        faults.refuse("deadline", deadline, why, format!("{limit}{period}"));
    }
    lifetime(scenario, task, faults);
    arrival(scenario, task, faults);
    cost(task, faults);
    workload(scenario, task, faults);
    if task.working_set > LARGEST_WORKING_SET {
        faults.refuse("working_set", task.working_set, "is too large", "at most 1024 GiB");
    }
}

/// The smallest working set that a workload uses: two integers for BACKTEST.
const LEAST_DATA: u64 = 64;

fn workload(scenario: &Scenario, task: &TaskSpec, faults: &mut OfPart<'_>) {
    if task.workload.needs_working_set() && task.working_set < LEAST_DATA {
        let why =
            format!("is on data, and the working set of \"{}\" is {} bytes", task.name, task.working_set);
        faults.refuse(
            "workload",
            task.workload,
            why,
            format!("a working_set of at least {LEAST_DATA} bytes"),
        );
    }
    if task.workload.program().is_none() {
        return;
    }
    if scenario.overruns != Overrun::Cut {
        let why = "is one program over many jobs, which nothing ends";
        faults.refuse("workload", task.workload, why, "overruns = \"cut\"");
    }
    if !task.program.is_empty() {
        let why = "is one program over many jobs, and each job has a program";
        faults.refuse("workload", task.workload, why, "one of the two");
    }
}

fn lifetime(scenario: &Scenario, task: &TaskSpec, faults: &mut OfPart<'_>) {
    if task.offset < task.join {
        let why = format!("is before the task joins at {}", task.join);
        faults.refuse("offset", task.offset, why, format!("at least {}", task.join));
    }
    if task.leave <= task.join {
        let why = format!("is not after the task joins at {}", task.join);
        faults.refuse("leave", task.leave, why, format!("more than {}", task.join));
    }
    let bounded = |at: Instant| at.as_ns() <= LONGEST.as_ns();
    let times = [("offset", task.offset), ("join", task.join), ("jitter", Instant::ZERO + task.jitter)];
    for (field, at) in times {
        if !bounded(at) {
            faults.refuse(field, at, "is too late", "at most a year");
        }
    }
    if task.period.as_ns() > 0 {
        let jobs = scenario.horizon.as_ns() / task.period.as_ns();
        if jobs >= u64::from(u32::MAX) {
            let why = format!("gives {jobs} jobs up to the horizon of {}", scenario.horizon);
            let allowed = format!("fewer than {} jobs: a longer period or a shorter horizon", u32::MAX);
            faults.refuse("period", task.period, why, allowed);
        }
    }
}

/// Checks the parameters that the scheduler needs of a task besides the usual ones.
pub(super) fn needed(scenario: &Scenario, task: &TaskSpec, needs: Needs, faults: &mut OfPart<'_>) {
    let name = &scenario.scheduler.name;
    match needs {
        Needs::Priority if scenario.scheduler.priorities == Priorities::Given && task.priority.is_none() => {
            let allowed = format!(
                "a whole number from 0 to {}, since the scheduler is {name}, or a rule such as priorities = \"DM\" in [scheduler]",
                u32::MAX
            );
            faults.add("priority", Problem::missing(allowed));
        }
        Needs::Point if task.priority_point.is_none() => {
            let allowed = format!("a time such as \"5 ms\", 0 or more, since the scheduler is {name}");
            faults.add("priority_point", Problem::missing(allowed));
        }
        Needs::Nothing | Needs::Priority | Needs::Point => {}
    }
}

fn arrival(scenario: &Scenario, task: &TaskSpec, faults: &mut OfPart<'_>) {
    let times = match &task.arrival {
        Arrival::Periodic | Arrival::Sporadic { like: None, .. } => return,
        Arrival::Sporadic { delay, like: Some(name) } => {
            let own = Arrival::Sporadic { delay: *delay, like: None };
            if !scenario.tasks.iter().any(|other| other.name == *name && other.arrival == own) {
                let allowed = format!("a task with arrival = {{ sporadic = \"{delay}\" }}");
                faults.refuse("arrival", format!("\"{name}\""), "has no such delays", allowed);
            }
            return;
        }
        Arrival::Listed(times) => times,
    };
    let allowed = "times that rise by at least the period, the first not before the offset";
    match times.first() {
        None => faults.refuse("arrival", "the list", "has no time", allowed),
        Some(first) if *first < task.offset => {
            faults.refuse("arrival", first, format!("is before the offset of {}", task.offset), allowed);
        }
        Some(_) => {}
    }
    for pair in times.windows(2) {
        if pair[0].checked_add(task.period).is_none_or(|earliest| pair[1] < earliest) {
            let why = format!("is less than a period of {} after {}", task.period, pair[0]);
            faults.refuse("arrival", pair[1], why, allowed);
            return;
        }
    }
}

fn cost(task: &TaskSpec, faults: &mut OfPart<'_>) {
    let known: Vec<Work>;
    let costs: &[Work] = match &task.cost {
        CostModel::Wcet | CostModel::Fraction(_) => return,
        CostModel::Uniform(low, high) => {
            if low > high {
                let allowed = "a smallest cost that is not above the largest";
                faults.refuse("cost", low, format!("is above the largest cost of {high}"), allowed);
            }
            &[*low, *high]
        }
        CostModel::Listed(list) => list,
        CostModel::Quantiles { least, points } => {
            known = [*least].into_iter().chain(points.iter().map(|(_, cost)| *cost)).collect();
            let falls = |pair: &&[(Millionths, Work)]| pair[0].0 >= pair[1].0;
            if let Some(pair) = points.windows(2).find(falls) {
                let why = format!("is not above the share before it, {}", pair[0].0);
                faults.refuse("cost", pair[1].0, why, "quantiles whose shares rise");
            }
            if let Some(pair) = known.windows(2).find(|pair| pair[0] > pair[1]) {
                let why = format!("is below the cost before it, {}", pair[0]);
                faults.refuse("cost", pair[1], why, "quantiles whose costs do not fall");
            }
            &known
        }
    };
    let allowed = format!("costs above zero and at most the wcet of {}", task.wcet);
    if costs.is_empty() {
        faults.refuse("cost", "the list", "has no cost", allowed.as_str());
    }
    for cost in costs.iter().filter(|cost| cost.is_zero() || **cost > task.wcet).take(1) {
        faults.refuse("cost", cost, "is zero or above the wcet", allowed.as_str());
    }
}
