//! The worst schedule of EDF on one processor: which tasks execute between the arrival and the completion of the
//! slowest job.
//!
//! M. Spuri, *Analysis of deadline scheduled real-time systems*, INRIA RR-2772, 1996: the slowest job of a task is one
//! whose absolute deadline d lies in a busy period that all other tasks begin together.
//! [`critical`](crate::uniprocessor::edf_response_time::critical) says which d that is; here the jobs that are due by
//! then are scheduled, which takes a heap operation for each.

use super::delay::Delay;
use crate::budget::Budget;
use crate::steps::Unwatched;
use crate::system::System;
use crate::uniprocessor::edf_response_time::{critical, JobStream};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Most jobs of a busy period that is split by task.
const MOST_JOBS: usize = 1 << 16;

/// Budget for finding the slowest jobs.
const TERMS: u64 = 1 << 24;

/// Returns the delay of the slowest job of the task at place `index`.
pub(super) fn worst(system: &System, index: usize) -> Option<Delay> {
    let streams = JobStream::all(system);
    let found = critical(&streams, &mut Budget::of(TERMS), &mut Unwatched).ok()?;
    let (response, due) = found[index];
    let bound = u64::try_from(response).ok()?;
    let Some(due) = due else {
        let jitter = system.tasks[index].jitter;
        return Some(Delay { bound, jitter, by: Vec::new() });
    };
    let arrival = due - i128::from(streams[index].relative_deadline);
    let executed = schedule(&jobs(&streams, index, due)?, arrival.max(0) as u128, streams.len());
    let jitter = (-arrival).max(0) as u64;
    let total: u128 = executed.iter().sum();
    // The busy period may end before: then this schedule is not the one that the bound is about.
    if total + u128::from(jitter) != response {
        return None;
    }
    let ids = system.tasks.iter().map(|task| task.id);
    let own = u128::from(streams[index].cost);
    let less_own = |(place, length): (usize, u128)| if place == index { length - own } else { length };
    let by = ids.zip(executed.into_iter().enumerate().map(less_own));
    Some(Delay {
        bound,
        jitter,
        by: by.filter(|(_, length)| *length > 0).map(|(id, length)| (id, length as u64)).collect(),
    })
}

struct Job {
    release: u128,
    /// Key of the order: by deadline; among equal deadlines the slowest job comes last.
    key: (i128, bool),
    task: usize,
    cost: u128,
}

/// The jobs that are due up to `due`, by release. One of them is of the task at `index` and due exactly then. `None` if
/// there are too many jobs.
fn jobs(streams: &[JobStream], index: usize, due: i128) -> Option<Vec<Job>> {
    let mut jobs = Vec::new();
    for (task, stream) in streams.iter().enumerate() {
        let period = i128::from(stream.period);
        let first = i128::from(stream.relative_deadline) - i128::from(stream.jitter);
        let Some(count) = due.checked_sub(first).filter(|rest| *rest >= 0).map(|rest| rest / period + 1)
        else {
            continue;
        };
        if jobs.len() as i128 + count > MOST_JOBS as i128 {
            return None;
        }
        // The others begin together; the slowest job's task is as late as its deadline is.
        let last = if task == index { due } else { first + (count - 1) * period };
        for back in 0..count {
            let absolute_deadline = last - back * period;
            let arrival = absolute_deadline - i128::from(stream.relative_deadline);
            let is_slowest = task == index && back == 0;
            let release = arrival.max(0) as u128;
            jobs.push(Job { release, key: (absolute_deadline, is_slowest), task, cost: stream.cost.into() });
        }
    }
    jobs.sort_by_key(|job| job.release);
    Some(jobs)
}

/// Returns how long each task executes from `from` on, until the slowest job completes or the processor idles.
fn schedule(jobs: &[Job], from: u128, tasks: usize) -> Vec<u128> {
    let mut executed = vec![0; tasks];
    let mut left: Vec<u128> = jobs.iter().map(|job| job.cost).collect();
    let mut ready = BinaryHeap::new();
    let (mut now, mut next) = (0, 0);
    loop {
        while next < jobs.len() && jobs[next].release <= now {
            ready.push(Reverse((jobs[next].key, next)));
            next += 1;
        }
        let Some(Reverse((_, job))) = ready.peek().copied() else {
            // Idle: what is executed later is another busy period.
            return executed;
        };
        let end = now + left[job];
        let until = jobs.get(next).map_or(end, |later| end.min(later.release));
        executed[jobs[job].task] += until.max(from) - now.max(from);
        left[job] -= until - now;
        now = until;
        if left[job] == 0 {
            let (_, is_slowest) = jobs[job].key;
            if is_slowest {
                return executed;
            }
            ready.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::AnalysedScheduler;
    use schedlab_model::{Duration, Task, TaskId, Work};

    fn delays(tasks: &[(u64, u64, u64, u64)]) -> Vec<Delay> {
        let task = |&(cost, period, relative_deadline, jitter): &(u64, u64, u64, u64)| Task {
            jitter: Duration::from_ns(jitter),
            ..Task::constrained(
                Work::from_ns(cost),
                Duration::from_ns(period),
                Duration::from_ns(relative_deadline),
            )
        };
        let tasks: Vec<Task> = tasks.iter().map(task).collect();
        let system = System::global(&tasks, 1, &AnalysedScheduler::EDF).unwrap();
        (0..tasks.len()).map(|index| worst(&system, index).unwrap()).collect()
    }

    /// (2, 5) and (4, 7): the first's slowest job arrives at 2 and waits for 2 of the second's 4; the second's waits
    /// for one job of the first.
    #[test]
    fn a_later_job_waits_for_what_is_left() {
        let by = |id, length| vec![(TaskId(id), length)];
        let found = delays(&[(2, 5, 5, 0), (4, 7, 7, 0)]);
        assert_eq!(found[0], Delay { bound: 4, jitter: 0, by: by(1, 2) });
        assert_eq!(found[1], Delay { bound: 6, jitter: 0, by: by(0, 2) });
    }

    /// A job that is released 3 late, due at 4, ends at 2.
    #[test]
    fn jitter_is_told_apart() {
        let found = delays(&[(2, 10, 4, 3), (3, 20, 20, 0)]);
        assert_eq!(found[0], Delay { bound: 5, jitter: 3, by: Vec::new() });
        assert_eq!(found[1], Delay { bound: 5, jitter: 0, by: vec![(TaskId(0), 2)] });
    }

    /// Parts add up for every task of many sets, and nothing is left untold.
    #[test]
    fn parts_add_up() {
        let mut state = 7u64;
        let mut below = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        let (mut told, mut delayed) = (0, 0);
        for _ in 0..400 {
            let mut set = Vec::new();
            for _ in 0..2 + below(3) {
                let period = 4 + below(12);
                let cost = 1 + below(period / 3);
                set.push((cost, period, cost + below(2 * period), below(4)));
            }
            let load: f64 = set.iter().map(|(cost, period, ..)| *cost as f64 / *period as f64).sum();
            // A busy period without idle time need not end.
            if load > 0.999 {
                continue;
            }
            for (found, (cost, ..)) in delays(&set).iter().zip(&set) {
                let sum: u64 = found.by.iter().map(|(_, length)| length).sum();
                assert_eq!(found.bound, cost + found.jitter + sum, "{set:?}");
                (told, delayed) = (told + 1, delayed + u32::from(sum > 0));
            }
        }
        assert!(told > 500 && delayed > 400, "{told} {delayed}");
    }
}
