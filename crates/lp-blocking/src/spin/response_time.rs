//! Response times under partitioned fixed priorities with FIFO spin locks, without inflating costs.

use super::greedy::Greedy;
use super::Spinning;
use schedlab_analysis::blocking::Sharing;

/// A bound on each task's response time that the bound on its blocking is consistent with; `None` if some task's
/// exceeds its deadline.
///
/// Blocking counts jobs by the other tasks' response times, so all are raised together from their costs until nothing
/// changes. Assumes constrained deadlines and no jitter.
pub fn bounds(sharing: &Sharing, spinning: Spinning, greedy: &mut Greedy) -> Option<Vec<u64>> {
    greedy.read(sharing);
    let tasks = sharing.tasks();
    let mut responses: Vec<u64> = tasks.iter().map(|task| task.cost).collect();
    if tasks.iter().any(|task| task.relative_deadline > task.period || task.cost > task.relative_deadline) {
        return None;
    }
    loop {
        let mut changed = false;
        for at in 0..tasks.len() {
            let own = &tasks[at];
            let blocking = greedy.bound(sharing, &responses, at, spinning);
            let above = tasks.iter().filter(|task| task.cluster == own.cluster && task.level < own.level);
            let interference =
                above.map(|task| responses[at].div_ceil(task.period).saturating_mul(task.cost));
            let next = interference.fold(own.cost.saturating_add(blocking), u64::saturating_add);
            if next > own.relative_deadline {
                return None;
            }
            // Never down: all terms grow with response times, so the least fixed point is approached from below.
            changed |= next > responses[at];
            responses[at] = responses[at].max(next);
        }
        if !changed {
            return Some(responses);
        }
    }
}
