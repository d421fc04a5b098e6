//! The test of Bertogna, Cirinei and Lipari (BCL).
//!
//! M. Bertogna, M. Cirinei and G. Lipari, *Improved schedulability analysis of EDF on multiprocessor
//! platforms*, ECRTS 2005. Between a job's arrival and its deadline, a job that misses it is kept waiting
//! for more than D_k - C_k, by jobs due no later. Task i executes at most
//!
//! ```text
//! W_i = N C_i + min(C_i, max(0, D_k - N T_i)),  N = max(0, floor((D_k - D_i) / T_i) + 1)
//! ```
//!
//! there, if its own jobs are in time. Deadlines are met if for every task k the sum over the others of
//! min(W_i, D_k - C_k) is below m (D_k - C_k), or equal to it while some W_i is positive and at most D_k - C_k.
//! (If m tasks exceeded D_k - C_k, that one would make the sum larger.) Assumes D <= T. Quadratic time.

use super::tasks::{judge, Failure, Finding, GlobalTask, GLOBAL_EDF};
use crate::steps::{CappedWork, Computation, Unwatched, Watch, WorkSum};
use crate::system::System;
use crate::verdict::{Guarantee, Test, Verdict};
use schedlab_model::TaskId;

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "bcl",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: GLOBAL_EDF,
    source: "Bertogna, Cirinei and Lipari, ECRTS 2005",
    cost: "O(n^2)",
    applies: System::is_preemptive_edf_multiprocessor,
    run: |system| run(system, &mut Unwatched),
};

/// Runs the test while `watch` watches.
pub(crate) fn run(system: &System, watch: &mut impl Watch) -> Verdict {
    judge(&TEST, system, |tasks, processors, _| {
        find(tasks, processors, |place| system.tasks[place].id, watch)
    })
}

fn find(
    tasks: &[GlobalTask],
    processors: u64,
    id: impl Fn(usize) -> TaskId,
    watch: &mut impl Watch,
) -> Finding {
    let mut holds = |k: &usize| match watch.wants(Some(id(*k))) {
        true => shown(*k, tasks, processors, &id, watch),
        false => compare(*k, tasks, processors, false, |_, _| {}).holds,
    };
    match (0..tasks.len()).find(|k| !holds(k)) {
        Some(k) => {
            watch.end_with(id(k));
            Finding::Fails(failure(k, tasks, processors))
        }
        None => Finding::Holds,
    }
}

/// Returns the two sides of the condition for a task for which it fails, over the whole sum.
fn failure(k: usize, tasks: &[GlobalTask], processors: u64) -> Failure {
    let within = tasks[k].relative_deadline;
    let found = compare(k, tasks, processors, true, |_, _| {});
    let (demand, room) = (found.sum.into(), found.room.into());
    match found.some_small {
        true => Failure::Room { task: k, within, demand, room },
        false => Failure::RoomReached { task: k, within, demand, room },
    }
}

/// Returns whether the condition holds for k, and shows the sum.
fn shown(
    k: usize,
    tasks: &[GlobalTask],
    processors: u64,
    id: &impl Fn(usize) -> TaskId,
    watch: &mut impl Watch,
) -> bool {
    let (within, cap) = (tasks[k].relative_deadline, tasks[k].relative_deadline - tasks[k].cost);
    let mut terms = Vec::with_capacity(tasks.len());
    let found = compare(k, tasks, processors, true, |i, Workload { jobs, carried }| {
        let cost = tasks[i].cost;
        let work = jobs * cost + carried;
        terms.push(CappedWork { task: id(i), jobs, cost, carried, work, counted: work.min(cap) });
    });
    let Compared { sum, room, some_small: may_be_equal, holds } = found;
    let of = id(k);
    watch.add(Computation::Work(WorkSum {
        of,
        within,
        cap,
        processors,
        terms,
        sum,
        room,
        may_be_equal,
        holds,
    }));
    holds
}

/// The two sides of the condition.
struct Compared {
    sum: u64,
    room: u64,
    some_small: bool,
    holds: bool,
}

/// Evaluates the condition for k, and gives `each` task's work. Unless it is to be `whole`, the sum ends where it is
/// known to be too large.
fn compare(
    k: usize,
    tasks: &[GlobalTask],
    processors: u64,
    whole: bool,
    mut each: impl FnMut(usize, Workload),
) -> Compared {
    let window = tasks[k].relative_deadline;
    let cap = window - tasks[k].cost;
    let room = processors * cap;
    let (mut sum, mut some_small) = (0, false);
    for (i, task) in tasks.iter().enumerate() {
        if i != k {
            let workload = workload(task, window);
            let work = workload.jobs * task.cost + workload.carried;
            sum += work.min(cap);
            some_small |= 0 < work && work <= cap;
            each(i, workload);
        }
        if sum > room && !whole {
            break;
        }
    }
    Compared { sum, room, some_small, holds: sum < room || sum == room && some_small }
}

/// Jobs of a task in a window, and the work that is carried in.
struct Workload {
    jobs: u64,
    carried: u64,
}

/// Returns the work within a window of the jobs that are due in it, if they are in time and one may be due at its end.
fn workload(task: &GlobalTask, window: u64) -> Workload {
    let jobs = match window.checked_sub(task.relative_deadline) {
        Some(rest) => rest / task.period + 1,
        None => 0,
    };
    let carried = window.saturating_sub(jobs * task.period).min(task.cost);
    Workload { jobs, carried }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(rows: &[[u64; 3]], processors: u64) -> bool {
        let task =
            |&[cost, period, relative_deadline]: &[u64; 3]| GlobalTask { cost, period, relative_deadline };
        let tasks: Vec<_> = rows.iter().map(task).collect();
        find(&tasks, processors, |_| TaskId(0), &mut Unwatched) == Finding::Holds
    }

    /// `bcl-accepts` and `gedf-all-reject` of the published examples.
    #[test]
    fn accepts_and_rejects_as_published() {
        assert!(holds(&[[20, 30, 30], [20, 30, 30], [5, 30, 30]], 2));
        assert!(!holds(&[[2, 3, 3]; 3], 2));
    }

    /// Two others fill the room exactly; it takes a small third one for the equality to be harmless.
    #[test]
    fn equality_needs_a_small_task() {
        // Room 5; one other executes 10 > 5, one exactly 5: sum 10 = 2 * 5, and the latter is small enough.
        assert!(holds(&[[5, 10, 10], [10, 100, 100], [5, 100, 100]][..1], 2));
        assert!(holds_for(&rows(&[[5, 10, 10], [10, 100, 10], [5, 100, 10]]), 2));
        assert!(!holds_for(&rows(&[[5, 10, 10], [10, 100, 10], [6, 100, 10]]), 2));
        // One that executes nothing takes nothing from the others.
        assert!(!holds_for(&rows(&[[5, 10, 10], [10, 100, 10], [6, 100, 10], [0, 100, 10]]), 2));
    }

    /// Whether the condition holds for the first task, by the sum that ends early and by the whole one.
    fn holds_for(tasks: &[GlobalTask], processors: u64) -> bool {
        let found = [false, true].map(|whole| compare(0, tasks, processors, whole, |_, _| {}).holds);
        assert_eq!(found[0], found[1]);
        found[0]
    }

    fn rows(rows: &[[u64; 3]]) -> Vec<GlobalTask> {
        let task =
            |&[cost, period, relative_deadline]: &[u64; 3]| GlobalTask { cost, period, relative_deadline };
        rows.iter().map(task).collect()
    }

    #[test]
    fn workload_counts_whole_jobs_and_one_carried_in() {
        let task = GlobalTask { cost: 2, period: 5, relative_deadline: 4 };
        let expected = [0, 1, 2, 2, 2, 2, 3, 4, 4, 4, 4, 5, 6, 6];
        for (window, expected) in expected.into_iter().enumerate() {
            let Workload { jobs, carried } = workload(&task, window as u64);
            assert_eq!(jobs * task.cost + carried, expected, "{window}");
        }
    }
}
