//! Terms of bounds on response times, task by task: which tasks delay a job, and by how much.
//!
//! The terms are those of the analyses themselves, so they add up to the bound: fixed points of response-time analysis
//! on one processor (see [`crate::uniprocessor::response_time`]), the worst schedule of EDF on one ([`edf`]), and on
//! several an m-th of the work that tasks execute in a window (Bertogna and Cirinei under EDF, Guan et al. under fixed
//! priorities). The time by which a bound is rounded is given to the tasks in turn, so that the sum stays exact.

mod busy_window;
mod delay;
mod demand;
mod edf;

pub use busy_window::in_busy_window;
pub use delay::Delay;
pub use demand::{tightest, Tightest};

use crate::multiprocessor::{bertogna_cirinei_edf, guan};
use crate::system::System;

/// Returns the delay of a job of the task at place `index` of `system.tasks`, if an analysis gives it by task.
pub fn of(system: &System, index: usize) -> Option<Delay> {
    if system.needs_blocking() {
        return None;
    }
    if system.is_preemptive_edf_uniprocessor() {
        return edf::worst(system, index);
    }
    if !system.is_preemptive_edf_multiprocessor() && !system.is_preemptive_fp_multiprocessor() {
        return None;
    }
    let (response, work) = match system.is_preemptive_edf() {
        true => bertogna_cirinei_edf::work_by_task(system, index)?,
        false => guan::work_by_task(system, index)?,
    };
    let own = &system.tasks[index];
    let by = shared_out(&work, system.processors.into());
    let delayed: u64 = by.iter().sum();
    let ids = system.tasks.iter().map(|task| task.id);
    (response == own.pending_cost() + delayed).then(|| Delay {
        bound: response,
        jitter: own.jitter,
        by: ids.zip(by).filter(|(_, length)| *length > 0).collect(),
    })
}

/// Divides floor(sum of work / m) among tasks: each gets the part that its work adds to the sum of those before it.
fn shared_out(work: &[u64], processors: u64) -> Vec<u64> {
    let mut sum = 0;
    let of = |work: &u64| {
        let before = sum / processors;
        sum += work;
        sum / processors - before
    };
    work.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::AnalysedScheduler;
    use crate::AnalysedOrder;
    use schedlab_model::{Duration, Task, TaskId, Work};

    fn delays(
        tasks: &[(u64, u64)],
        processors: u32,
        scheduler: &AnalysedScheduler<'_>,
    ) -> Vec<Option<Delay>> {
        let task =
            |&(cost, period): &(u64, u64)| Task::implicit(Work::from_ns(cost), Duration::from_ns(period));
        let tasks: Vec<Task> = tasks.iter().map(task).collect();
        let system = System::global(&tasks, processors, scheduler).unwrap();
        (0..tasks.len()).map(|index| of(&system, index)).collect()
    }

    fn delay(bound: u64, by: &[(u32, u64)]) -> Option<Delay> {
        Some(Delay { bound, jitter: 0, by: by.iter().map(|(id, length)| (TaskId(*id), *length)).collect() })
    }

    /// Three jobs of 4 on two processors: 8 units of the others, half of which delay; capped at R - C + 1 = 5 each they
    /// are 4 and 4.
    #[test]
    fn global_edf_waits_for_its_share_of_each_other_task() {
        let found = delays(&[(4, 20); 3], 2, &AnalysedScheduler::EDF);
        assert_eq!(found[0], delay(8, &[(1, 2), (2, 2)]));
        assert_eq!(found[2], delay(8, &[(0, 2), (1, 2)]));
    }

    /// By hand: the third of three jobs of 4 waits for half of the first two's work; those have a processor each.
    #[test]
    fn global_fixed_priorities_wait_for_the_more_urgent() {
        let scheduler = AnalysedScheduler {
            order: AnalysedOrder::FixedPriority,
            ranks: &[0, 1, 2],
            ..AnalysedScheduler::EDF
        };
        let found = delays(&[(4, 20); 3], 2, &scheduler);
        assert_eq!(found[0], delay(4, &[]));
        let third = found[2].clone().unwrap();
        assert_eq!(third.bound, 4 + third.by.iter().map(|(_, length)| length).sum::<u64>());
        assert!(third.by.iter().all(|(id, _)| id.0 < 2) && third.bound >= 8, "{third:?}");
    }

    #[test]
    fn thirds_are_not_lost() {
        assert_eq!(shared_out(&[1, 1, 1, 2], 3), [0, 0, 1, 0]);
        assert_eq!(shared_out(&[5, 0, 4], 1), [5, 0, 4]);
    }
}
