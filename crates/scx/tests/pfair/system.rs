//! Small random systems, whose jobs come late, end early, need more than their WCETs and suspend themselves.

use crate::in_c::Numbers;
use schedlab_model::{
    ClusterId, Duration, Instant, JobSource, NextJob, Overrun, Platform, Step, Task, TaskId, Work,
};
use schedlab_policy::pfair::Affinity;
use schedlab_policy::{find, ClusterSetup};
use schedlab_sim::{simulate, Charges, NoLocks, Setup};
use schedlab_trace::{Record, Timeline};

/// Length of a quantum, in ns; no multiple of the numbers of processors.
pub const QUANTUM: u64 = 1_000;

/// The rough edges of a system's jobs.
#[derive(Clone, Copy, Debug)]
pub struct Rough {
    /// Jobs come later than they may, and with jitter.
    pub late: bool,
    /// Jobs end before their WCETs, also within quanta.
    pub early: bool,
    /// Jobs suspend themselves.
    pub suspend: bool,
    /// Jobs need more than their WCETs.
    pub overrun: bool,
}

/// A system of which all jobs are known.
pub struct System {
    pub scheduler: &'static str,
    pub processors: u16,
    pub affinity: Affinity,
    pub tasks: Vec<Task>,
    /// By task: its jobs, with their programs.
    jobs: Vec<Vec<(NextJob, Vec<Step>)>>,
    pub horizon: Instant,
}

/// Jobs that are known.
struct Known<'a> {
    jobs: &'a [Vec<(NextJob, Vec<Step>)>],
    drawn: Vec<usize>,
}

impl JobSource for Known<'_> {
    fn next_job(&mut self, task: TaskId, program: &mut Vec<Step>) -> Option<NextJob> {
        let (next, steps) = self.jobs[task.index()].get(self.drawn[task.index()])?;
        self.drawn[task.index()] += 1;
        program.extend_from_slice(steps);
        Some(*next)
    }
}

impl System {
    /// A system whose tasks load the processors in full, or nearly so.
    pub fn random(
        scheduler: &'static str,
        affinity: Affinity,
        slots: u64,
        rough: Rough,
        numbers: &mut Numbers,
    ) -> System {
        let processors = 1 + (numbers.next() % 4) as u16;
        // The load in 60ths of a quantum.
        let (mut left, mut tasks) = (u64::from(processors) * 60, Vec::new());
        while left > 0 && tasks.len() < 12 {
            let period = [1, 2, 3, 4, 5, 6, 10, 12, 15, 20][(numbers.next() % 10) as usize];
            let most = (left * period / 60).min(period);
            if most == 0 {
                // Too little is left for this period.
                left -= 1;
                continue;
            }
            let quanta = 1 + numbers.next() % most;
            left -= quanta * 60 / period;
            let wcet = Work::from_ns(quanta * QUANTUM);
            tasks.push(Task::implicit(wcet, Duration::from_ns(period * QUANTUM)));
        }
        let horizon = Instant::from_ns(slots * QUANTUM);
        let jobs = tasks.iter().map(|task| jobs(task, horizon, rough, numbers)).collect();
        System { scheduler, processors, affinity, tasks, jobs, horizon }
    }

    /// Simulates the system, and returns what happens.
    pub fn simulate(&self) -> Vec<(Instant, Record)> {
        let platform = Platform { quantum: Duration::from_ns(QUANTUM), ..Platform::global(self.processors) };
        let setup = ClusterSetup {
            cluster: ClusterId(0),
            cpus: &platform.clusters[0].cpus,
            platform: &platform,
            tasks: &self.tasks,
            affinity: self.affinity,
            supertasks: &[],
            throttling: None,
        };
        let policy = find(self.scheduler).unwrap().policy(&setup).unwrap();
        let source = Known { jobs: &self.jobs, drawn: vec![0; self.tasks.len()] };
        let charges = Charges::default();
        let (tasks, platform, horizon) = (self.tasks.clone(), platform.clone(), self.horizon);
        let setup = Setup { tasks, platform, charges, overruns: Overrun::Warn, horizon };
        let mut timeline = Timeline::default();
        simulate(setup, vec![policy], NoLocks, source, &mut timeline);
        timeline.records
    }

    /// Arrival and release of a job by its number, if it comes.
    pub fn job(&self, task: usize, number: u32) -> Option<NextJob> {
        self.jobs[task].get(number as usize).map(|(job, _)| *job)
    }
}

/// The jobs of a task that arrive before `horizon`.
fn jobs(task: &Task, horizon: Instant, rough: Rough, numbers: &mut Numbers) -> Vec<(NextJob, Vec<Step>)> {
    let (mut arrival, mut released, mut jobs) = (Instant::ZERO, Instant::ZERO, Vec::new());
    let wcet = task.wcet.as_ns();
    while arrival < horizon {
        let jitter = if rough.late && numbers.next() % 4 == 0 { numbers.next() % 1_500 } else { 0 };
        // Releases keep the order of the jobs, as threads have them.
        released = released.max(arrival + Duration::from_ns(jitter));
        let most = if rough.overrun && numbers.next() % 8 == 0 { wcet + 2 * QUANTUM } else { wcet };
        let cost = if rough.early && numbers.next() % 3 == 0 { 2 + numbers.next() % most } else { most };
        let mut steps = Vec::new();
        if rough.suspend && numbers.next() % 4 == 0 {
            let first = 1 + numbers.next() % (cost - 1);
            steps.push(Step::Execute(Work::from_ns(first)));
            steps.push(Step::Suspend(Duration::from_ns(1 + numbers.next() % 2_500)));
            steps.push(Step::Execute(Work::from_ns(cost - first)));
        }
        jobs.push((NextJob { arrival, release: released, cost: Work::from_ns(cost) }, steps));
        let late = if rough.late && numbers.next() % 3 == 0 { numbers.next() % 3_000 } else { 0 };
        arrival += task.period + Duration::from_ns(late);
    }
    jobs
}
