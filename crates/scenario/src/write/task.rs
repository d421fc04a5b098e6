//! A task as text.

use super::values::{fraction, inline, list, pair, time, times, utility_value, Fields};
use crate::quantity::write_bytes;
use crate::scenario::{Scenario, TaskSpec};
use crate::words::{Arrival, CostModel};
use crate::workload::Workload;
use schedlab_model::{
    AbortHandler, Duration, Instant, OneWord, ResourceId, Step, Suspension, TaskPiece, ThreadClass,
    TimeUtility,
};
use toml_edit::{InlineTable, Table, Value};

pub(super) fn task(scenario: &Scenario, task: &TaskSpec) -> Table {
    let mut table = Table::new();
    times_of(scenario, task, &mut table);
    table.list("affinity", &task.affinity, |cpu| i64::from(*cpu));
    table.optional("priority_point", task.priority_point.map(time));
    table.optional("utility", task.utility.as_ref().map(utility_of));
    table.optional("abort_handler", task.abort_handler.as_ref().map(handler));
    if task.working_set > 0 {
        table.field("working_set", write_bytes(task.working_set));
    }
    table.optional("priority", task.priority.map(i64::from));
    if task.class != ThreadClass::Fifo {
        table.field("class", task.class.name());
    }
    table.optional("processor", task.processor.map(i64::from));
    table.list("pieces", &task.pieces, piece);
    table.optional("cluster", task.cluster.map(i64::from));
    table.optional("supertask", task.supertask.as_ref());
    table.optional("server", task.server.as_ref());
    behaviour(scenario, task, &mut table);
    table
}

fn times_of(scenario: &Scenario, task: &TaskSpec, table: &mut Table) {
    table.field("name", &task.name);
    table.field("wcet", time(task.wcet));
    table.field("period", time(task.period));
    table.unusual("deadline", task.relative_deadline, task.usual_deadline(&scenario.servers));
    table.unusual("join", task.join, Instant::ZERO);
    table.unusual("offset", task.offset, task.join);
    table.unusual("leave", task.leave, Instant::NEVER);
    table.unusual("jitter", task.jitter, Duration::ZERO);
    if let Suspension::Dynamic(bound) = task.suspension {
        table.field("suspension", time(bound));
    }
}

fn behaviour(scenario: &Scenario, task: &TaskSpec, table: &mut Table) {
    match &task.arrival {
        Arrival::Periodic => {}
        Arrival::Sporadic { delay, like } => {
            let mut arrival = inline([("sporadic", time(*delay))]);
            arrival.optional("like", like.as_ref());
            table.field("arrival", arrival);
        }
        Arrival::Listed(points) => table.field("arrival", inline([("at", times(points))])),
    }
    match &task.cost {
        CostModel::Wcet => {}
        CostModel::Fraction(part) => table.field("cost", inline([("fraction", fraction(*part))])),
        CostModel::Uniform(low, high) => table.field("cost", inline([("uniform", times(&[*low, *high]))])),
        CostModel::Listed(costs) => table.field("cost", inline([("list", times(costs))])),
        CostModel::Quantiles { least, points } => {
            let quantiles = list(points, |(share, cost)| pair(fraction(*share), time(*cost)));
            table.field("cost", inline([("least", time(*least)), ("quantiles", quantiles)]));
        }
    }
    table.list("program", &task.program, |step| step_text(scenario, step));
    if task.workload != Workload::default() {
        table.field("workload", task.workload.to_string());
    }
    if task.wcet_may_exceed_deadline {
        table.field("wcet_may_exceed_deadline", true);
    }
}

fn piece(piece: &TaskPiece) -> InlineTable {
    let mut table = inline([("processor", i64::from(piece.cpu.0).into()), ("budget", time(piece.budget))]);
    table.unusual("begin", piece.begin, Duration::ZERO);
    table.field("deadline", time(piece.relative_deadline));
    table
}

fn handler(AbortHandler { cost, utility }: &AbortHandler) -> InlineTable {
    inline([("cost", time(*cost)), ("utility", utility_value(*utility))])
}

fn utility_of(function: &TimeUtility) -> Value {
    let (mut table, termination) = match function {
        TimeUtility::Step { height, termination: None } => return utility_value(*height),
        TimeUtility::Step { height, termination } => {
            (inline([("step", utility_value(*height))]), termination)
        }
        TimeUtility::Linear { height, last, termination } => {
            (inline([("linear", utility_value(*height)), ("last", utility_value(*last))]), termination)
        }
        TimeUtility::Exponential { height, half_life, termination } => {
            let fields = [("exponential", utility_value(*height)), ("half_life", time(*half_life))];
            (inline(fields), termination)
        }
        TimeUtility::Piecewise(points) => {
            let points = list(points, |(at, utility)| pair(time(*at), utility_value(*utility)));
            (inline([("points", points)]), &None::<Duration>)
        }
    };
    table.optional("termination", termination.map(time));
    table.into()
}

/// An abort handler as the field `abort_handler` states it.
pub fn write_abort_handler(stated: &AbortHandler) -> String {
    handler(stated).to_string()
}

/// A time/utility function as the field `utility` states it.
pub fn write_utility(function: &TimeUtility) -> String {
    utility_of(function).to_string()
}

fn step_text(scenario: &Scenario, step: &Step) -> String {
    let name = |resource: &ResourceId| &scenario.resources[resource.index()].name;
    let units = |units: &u32| if *units == 1 { String::new() } else { format!(" {units}") };
    match step {
        Step::Execute(work) => format!("execute {}", OneWord::from(*work)),
        Step::Suspend(length) => format!("suspend {}", OneWord::from(*length)),
        Step::Request(resource, n) => format!("request {}{}", name(resource), units(n)),
        Step::Release(resource, n) => format!("release {}{}", name(resource), units(n)),
        Step::Serve(resource) => format!("serve {}", name(resource)),
        Step::NpEnter => "np_enter".to_owned(),
        Step::NpExit => "np_exit".to_owned(),
    }
}
