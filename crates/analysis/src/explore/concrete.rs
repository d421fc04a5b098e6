//! One schedule: non-preemptive, by fixed job priorities, with given releases and costs.

use super::jobs::JobSpan;
use crate::counter_example::Choice;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A job that completed, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completed {
    /// Index of the job.
    pub job: usize,
    /// Completion of the job, in ns.
    pub completion: u64,
}

/// The schedule of `jobs` with these releases and costs, in the order in which jobs start. A job waits for its task's
/// jobs before it, if `in_order`.
///
/// At each instant, what completes then is complete and what is released then is ready before free processors
/// take the most urgent ready jobs.
pub fn run(jobs: &[JobSpan], choices: &[Choice], processors: usize, in_order: bool) -> Vec<Completed> {
    let mut by_release: Vec<usize> = (0..jobs.len()).collect();
    by_release.sort_by_key(|&job| (choices[job].release, jobs[job].id));
    let mut releases = by_release.into_iter().peekable();
    let mut chains = Chains::new(jobs, in_order);
    let mut ready = BinaryHeap::new();
    let mut running: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    let mut done = Vec::with_capacity(jobs.len());
    loop {
        let release = releases.peek().map(|&job| choices[job].release);
        let completion = running.peek().map(|Reverse((completion, _))| *completion);
        let Some(now) = [release, completion].into_iter().flatten().min() else { return done };
        while let Some(&Reverse((completion, job))) = running.peek().filter(|first| first.0 .0 == now) {
            running.pop();
            done.push(Completed { job, completion });
            ready.extend(chains.complete(job).map(|job| Reverse((jobs[job].priority(), job))));
        }
        while let Some(job) = releases.next_if(|&job| choices[job].release == now) {
            ready.extend(chains.release(job).map(|job| Reverse((jobs[job].priority(), job))));
        }
        while running.len() < processors {
            let Some(Reverse((_, job))) = ready.pop() else { break };
            running.push(Reverse((now.saturating_add(choices[job].cost), job)));
        }
    }
}

/// Jobs that have to wait for others.
struct Chains {
    before: Vec<Option<usize>>,
    after: Vec<Option<usize>>,
    complete: Vec<bool>,
    released: Vec<bool>,
}

impl Chains {
    fn new(jobs: &[JobSpan], in_order: bool) -> Chains {
        let (mut before, mut after) = (vec![None; jobs.len()], vec![None; jobs.len()]);
        if in_order {
            let mut by_id: Vec<usize> = (0..jobs.len()).collect();
            by_id.sort_by_key(|&job| jobs[job].id);
            for pair in by_id.windows(2).filter(|pair| jobs[pair[0]].id.task == jobs[pair[1]].id.task) {
                before[pair[1]] = Some(pair[0]);
                after[pair[0]] = Some(pair[1]);
            }
        }
        Chains { before, after, complete: vec![false; jobs.len()], released: vec![false; jobs.len()] }
    }

    /// The job that becomes ready because `job` is complete.
    fn complete(&mut self, job: usize) -> Option<usize> {
        self.complete[job] = true;
        self.after[job].filter(|&next| self.released[next])
    }

    /// The job itself, if it becomes ready because it is released.
    fn release(&mut self, job: usize) -> Option<usize> {
        self.released[job] = true;
        self.before[job].is_none_or(|before| self.complete[before]).then_some(job)
    }
}
