//! The jobs of a real run's scenario, with the arrivals of the run.
//!
//! The arrivals of sporadic tasks are not the scenario's: a program may release them by events, at any time. The trace
//! records each arrival, whichever way it came, so that simulations of the run take arrivals from there.

use crate::trace::real_run::RealRun;
use schedlab_lab::{PrepareError, Prepared};
use schedlab_model::{Instant, JobId, JobSource, NextJob, Step, TaskId};
use schedlab_trace::Record;
use std::collections::BTreeMap;

/// The scenario's jobs, of which those of sporadic tasks arrive as they did in the run.
pub(crate) struct Arrived {
    /// The jobs as the scenario draws them.
    drawn: Box<dyn JobSource + Send>,
    /// By task: true if its arrivals are the run's.
    sporadic: Vec<bool>,
    /// The arrivals of sporadic tasks in the run.
    arrivals: BTreeMap<JobId, Instant>,
    /// By task: number of its next job.
    next: Vec<u32>,
}

impl Arrived {
    /// The jobs of `prepared` as they arrived in `run`.
    pub(crate) fn of(prepared: &Prepared, run: &RealRun) -> Result<Self, PrepareError> {
        let tasks = prepared.tasks.len();
        let sporadic: Vec<bool> = (0..tasks as u32).map(|task| prepared.is_sporadic(TaskId(task))).collect();
        let mut arrivals = BTreeMap::new();
        for (at, record) in &run.decisions {
            if let Record::Arrival { job, .. } = record {
                if sporadic[job.task.index()] {
                    arrivals.insert(*job, *at);
                }
            }
        }
        Ok(Arrived { drawn: prepared.source()?, next: vec![0; tasks], sporadic, arrivals })
    }
}

impl JobSource for Arrived {
    fn next_job(&mut self, task: TaskId, program: &mut Vec<Step>) -> Option<NextJob> {
        let number = self.next[task.index()];
        self.next[task.index()] += 1;
        let arrival = self.arrivals.get(&JobId::new(task, number)).copied();
        if self.sporadic[task.index()] && arrival.is_none() {
            return None;
        }
        let drawn = self.drawn.next_job(task, program)?;
        let arrival = arrival.unwrap_or(drawn.arrival);
        // The release is as long after the arrival as it was drawn.
        let release = arrival.checked_add(drawn.release - drawn.arrival).unwrap_or(Instant::NEVER);
        Some(NextJob { arrival, release, ..drawn })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_hand;
    use schedlab_model::{Duration, Work};
    use schedlab_scenario::Scenario;

    /// A sporadic task arrives as in the run, and no more often; a periodic one as the scenario says, whatever the run.
    #[test]
    fn sporadic_jobs_arrive_as_in_the_run_and_all_others_as_drawn() {
        let text = "schedlab = 1\nscheduler = \"P-EDF\"\n[platform]\nprocessors = 2\n\
                    [[task]]\nname = \"a\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\n\
                    arrival = \"sporadic\"\njitter = \"2 ms\"\n\
                    [[task]]\nname = \"b\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\n";
        let prepared = Prepared::new(&Scenario::parse("a.toml", text).unwrap()).unwrap();
        let arrival = |task, number, ms: u64| {
            let job = JobId::new(TaskId(task), number);
            (
                Instant::from_ns(ms * 1_000_000),
                Record::Arrival { job, absolute_deadline: Instant::NEVER, cost: Work::ZERO },
            )
        };
        let decisions = vec![arrival(1, 0, 0), arrival(0, 0, 3), arrival(0, 1, 40)];
        let run = by_hand::of(2, 2, decisions, Vec::new(), 0);
        let mut arrived = Arrived::of(&prepared, &run).unwrap();
        let mut drawn = prepared.source().unwrap();
        let mut times = |task| {
            let mut next = || arrived.next_job(TaskId(task), &mut Vec::new());
            [next(), next(), next()]
                .map(|job| job.map(|job| (job.arrival.as_ns() / 1_000_000, job.release - job.arrival)))
        };
        let mut jitter = || {
            let job = drawn.next_job(TaskId(0), &mut Vec::new()).unwrap();
            job.release - job.arrival
        };
        assert_eq!(times(0), [Some((3, jitter())), Some((40, jitter())), None]);
        assert_eq!(times(1), [0, 10, 20].map(|ms| Some((ms, Duration::ZERO))));
    }
}
