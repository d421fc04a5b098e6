//! EDF that gives a job up at its absolute deadline, by one timer per task.

use crate::support::*;
use schedlab_model::*;
use schedlab_policy::{Decision, Decisions, Policy};
use schedlab_sim::{simulate, NoLocks};
use schedlab_trace::{Record, Timeline};

struct Aborting {
    edf: Box<dyn Policy>,
    timers: Vec<(TimerKey, Option<Instant>)>,
    late: Vec<JobId>,
}

impl Policy for Aborting {
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        self.edf.priority(job, jobs)
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs) {
        self.edf.note(now, event, jobs);
        match event {
            Event::Ready(job) => {
                self.timers.push((TimerKey(job.task.0), Some(jobs.get(job).absolute_deadline)));
            }
            Event::Completed(job) => self.timers.push((TimerKey(job.task.0), None)),
            Event::Timer(key) => self.late.push(jobs.of_task(TaskId(key.0)).id),
            _ => {}
        }
    }

    fn decide(&mut self, now: Instant, jobs: &Jobs, out: &mut Decisions) {
        for (key, at) in self.timers.drain(..) {
            out.push(Decision::Timer(key, at));
        }
        for job in self.late.drain(..) {
            out.push(Decision::Abort(job));
        }
        self.edf.decide(now, jobs, out);
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.edf.linked(cpu)
    }

    fn promises(&self) -> &'static [Invariant] {
        self.edf.promises()
    }
}

/// The domino effect is broken: B is given up at its deadline, running or not, and the others are in time.
#[test]
fn a_late_job_is_given_up_and_its_processor_freed() {
    let mut tasks = vec![task(3, 100, 3), task(4, 100, 5), task(2, 100, 7)];
    tasks[0].leave = Instant::from_ns(50);
    let platform = Platform::global(1);
    let setup = ideal(tasks, platform, 20);
    let edf = policies("G-EDF", &setup.platform, &setup.tasks).remove(0);
    let (source, mut timeline) = (periodic(&setup.tasks), Timeline::default());
    let policy = Aborting { edf, timers: Vec::new(), late: Vec::new() };
    let summary = simulate(setup, vec![policy], NoLocks, source, &mut timeline);
    assert_eq!(draw(&timeline, 1, 10), "AAABBCC...");
    let aborted = Record::Abort { job: JobId::new(TaskId(1), 0) };
    assert!(timeline.records.contains(&(Instant::from_ns(5), aborted)));
    assert_eq!((summary.jobs_completed, summary.jobs_missed), (2, 1));
}

/// A job that waits behind its aborted predecessor starts at that very instant.
#[test]
fn the_next_job_of_the_task_takes_over() {
    let setup = ideal(vec![task(9, 4, 4)], Platform::global(1), 9);
    let edf = policies("G-EDF", &setup.platform, &setup.tasks).remove(0);
    let (source, mut timeline) = (periodic(&setup.tasks), Timeline::default());
    simulate(setup, vec![Aborting { edf, timers: vec![], late: vec![] }], NoLocks, source, &mut timeline);
    let dispatched: Vec<_> =
        timeline.records.iter().filter(|(_, r)| matches!(r, Record::Dispatch { .. })).collect();
    assert_eq!(dispatched.iter().map(|(at, _)| at.as_ns()).collect::<Vec<_>>(), [0, 4, 8]);
}
