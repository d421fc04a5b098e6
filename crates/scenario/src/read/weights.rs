//! Reads `weights = [{ at, wcet, period }]`: a weight change is a leave and a join with the new weight.
//!
//! A Pfair task may leave once its lag is not negative for certain: if light, at d + b of its last subtask, if heavy at
//! that one's group deadline (A. Srinivasan, J. Anderson, "Fair scheduling of dynamic task systems on multiprocessors",
//! J. Systems and Software 77, 2005). Jobs are not cut: the last subtask is that of the last job that arrived before
//! the change, its b is 0, and both instants are the end of its windows. That is not after the task's next arrival
//! would have been, where it joins again.

use crate::document::{duration, positive, Value};
use crate::field;
use crate::quantity::POSITIVE;
use crate::scenario::TaskSpec;
use crate::words::Arrival;
use schedlab_model::{Duration, Instant, Work};

/// Splits a task at its changes of weight: one task up to the first change, and one after each. Empty if something is
/// wrong.
pub(super) fn changed(task: TaskSpec, list: &Value<'_, '_>) -> Option<Vec<TaskSpec>> {
    let items =
        list.items("a list of changes, such as [{ at = \"40 ms\", wcet = \"2 ms\", period = \"5 ms\" }]")?;
    if items.is_empty() {
        return list.refused("names no change", "one change or more, or no weights");
    }
    let is_in_group = task.supertask.is_some() || task.server.is_some();
    let bars = task.arrival != Arrival::Periodic || task.jitter > Duration::ZERO || is_in_group;
    if bars || !task.program.is_empty() {
        return list.refused(
            "are changes of a task with other arrivals, jitter, a supertask, a server or a program",
            "a periodic task of its own, without program or jitter",
        );
    }
    let name = task.name.clone();
    let mut parts = vec![task];
    for item in &items {
        let next = next(parts.last_mut().expect("the task is the first part"), &name, item)?;
        parts.push(next);
    }
    Some(parts)
}

/// Ends `task` at the change that `item` describes; what it is from then on.
fn next(task: &mut TaskSpec, name: &str, item: &Value<'_, '_>) -> Option<TaskSpec> {
    let table = item.table(&[&field::WEIGHT_CHANGE], "a table with at, wcet and period")?;
    let at = table.needed("at", "when the change is", duration);
    let wcet = table.needed("wcet", POSITIVE, positive);
    let period = table.needed("period", POSITIVE, positive);
    let (at, wcet, period) = (Instant::ZERO + at?, wcet?, period?);
    if at <= task.offset || at >= task.leave {
        let allowed = "after the first arrival with the former weight, before the task leaves";
        return item.refused("is a change while the task is not there", allowed);
    }
    let former = task.period.as_ns();
    let last =
        task.offset + Duration::from_ns((at - task.offset).as_ns().saturating_sub(1) / former * former);
    let join = Instant::from_ns(last.as_ns().saturating_add(former));
    let after = TaskSpec {
        name: format!("{name} (from {at})"),
        wcet: Work::done_in(wcet),
        period,
        relative_deadline: period,
        join,
        offset: join,
        ..task.clone()
    };
    // Just after its last arrival, so that its windows' end is known.
    task.leave = last + Duration::from_ns(1);
    Some(after)
}
