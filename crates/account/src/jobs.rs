//! Jobs of a real run, with their times, costs and outcomes.

pub(crate) mod arrived;
pub(crate) mod covered;
pub(crate) mod job;
pub(crate) mod late_release;
pub(crate) mod misses;
pub(crate) mod overlong;
pub(crate) mod possible;
pub(crate) mod reconstructed;
pub(crate) mod services;
pub(crate) mod simulated;
pub(crate) mod taken;

use crate::jobs::covered::Covered;
use crate::jobs::services::Services;
use crate::trace::real_run::RealRun;
use crate::trace::spans::{dispatched, stretches};
use schedlab_lab::{PrepareError, Prepared};
use schedlab_model::{ClusterId, CpuId, Duration, Instant, JobId, TaskId};
use schedlab_trace::{about, Record};
use std::collections::BTreeMap;

/// A job of the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ran {
    /// Cost of the job, in ns.
    pub cost: u64,
    /// Arrival of the job.
    pub arrival: Instant,
    /// Earliest time at which the job could be ready, as the scenario has it.
    pub release: Instant,
    /// Time at which the job was ready; `None` if it never was.
    pub ready: Option<Instant>,
    /// Absolute deadline of the job.
    pub absolute_deadline: Instant,
    /// Last time before at which the job's processors were idle.
    pub busy_since: Instant,
    /// Time at which the job was complete or given up, or the run ended.
    pub until: Instant,
    /// Time at which the job had left: its abort handler was done, too.
    pub gone: Instant,
    /// True if the job was completed.
    pub complete: bool,
    /// True if the job was given up.
    pub is_given_up: bool,
    /// True if the job missed its deadline.
    pub missed: bool,
}

/// A job that executed for longer than its cost.
pub(crate) struct Slow {
    /// Id of the job.
    pub job: JobId,
    /// Begin of the job's execution.
    pub from: Instant,
    /// End of the job's execution.
    pub to: Instant,
    /// Time beyond the job's cost, in ns.
    pub extra: u64,
}

/// Time for which a job executed.
pub(crate) struct Executed {
    /// End of the task's last job.
    since: Instant,
    /// Execution time, in ns.
    pub ns: u64,
}

/// All jobs of a run.
pub(crate) struct Jobs(BTreeMap<JobId, Ran>);

/// Returns the group of a job. Jobs of one group wait for each other: those of a cluster, or all if there is something
/// to lock.
pub(crate) fn group_of(prepared: &Prepared, job: JobId) -> ClusterId {
    let cluster = prepared.tasks[job.task.index()].cluster;
    if prepared.resources.is_empty() {
        cluster
    } else {
        ClusterId(0)
    }
}

/// The group of a processor.
pub(crate) fn group_of_cpu(prepared: &Prepared, cpu: CpuId) -> ClusterId {
    if prepared.resources.is_empty() {
        prepared.platform.cluster_of(cpu)
    } else {
        ClusterId(0)
    }
}

impl Ran {
    /// Returns how much later than its deadline the job ended, in ns.
    pub(crate) fn tardiness(&self) -> u64 {
        self.until.saturating_since(self.absolute_deadline).as_ns()
    }
}

impl Jobs {
    /// Returns the jobs of `run`. Its records do not contain their costs, so each task draws its jobs as its thread has
    /// done.
    pub(crate) fn of(prepared: &Prepared, run: &RealRun) -> Result<Self, PrepareError> {
        let mut source = prepared.source()?;
        // A server's job executes as many sections as others ask for: no cost bounds it.
        let services = Services::of(prepared);
        let mut program = Vec::new();
        let mut jobs = BTreeMap::new();
        // By group: how many jobs are there, and since when at least one.
        let mut pending: BTreeMap<ClusterId, (usize, Instant)> = BTreeMap::new();
        for (at, record) in &run.decisions {
            match *record {
                Record::Arrival { job, absolute_deadline, .. } => {
                    program.clear();
                    let drawn = source.next_job(job.task, &mut program);
                    let cost = drawn.map_or(0, |drawn| drawn.cost.as_ns());
                    let jitter = drawn.map_or(Duration::ZERO, |drawn| drawn.release - drawn.arrival);
                    let (count, since) = pending.entry(group_of(prepared, job)).or_default();
                    if *count == 0 {
                        *since = *at;
                    }
                    *count += 1;
                    let ran = Ran {
                        cost: if services.serves(job.task) { u64::MAX } else { cost },
                        arrival: *at,
                        release: at.checked_add(jitter).unwrap_or(Instant::NEVER),
                        ready: None,
                        absolute_deadline,
                        busy_since: *since,
                        until: run.end(),
                        gone: run.end(),
                        complete: false,
                        is_given_up: false,
                        missed: false,
                    };
                    jobs.insert(job, ran);
                }
                Record::Complete { job } | Record::Abort { job } => {
                    let (count, _) = pending.entry(group_of(prepared, job)).or_default();
                    *count = count.saturating_sub(1);
                    if let Some(ran) = jobs.get_mut(&job) {
                        (ran.until, ran.gone) = (*at, *at);
                        ran.complete = matches!(record, Record::Complete { .. });
                        ran.is_given_up = !ran.complete;
                        if ran.is_given_up && prepared.scheduler.accrues_utility() {
                            let length = prepared.tasks[job.task.index()].termination();
                            ran.until = ran.until.min(ran.arrival.checked_add(length).unwrap_or(*at));
                        }
                    }
                }
                Record::Miss { job } => {
                    if let Some(ran) = jobs.get_mut(&job) {
                        ran.missed = true;
                    }
                }
                Record::Ready { job, .. } => {
                    if let Some(ran) = jobs.get_mut(&job) {
                        ran.ready.get_or_insert(*at);
                    }
                }
                about![GiveUp, places, urgencies, requests, attempts, machine] => {}
            }
        }
        Ok(Jobs(jobs))
    }

    /// Returns the job `job`. Panics if the run had no such job.
    pub(crate) fn get(&self, job: JobId) -> &Ran {
        &self.0[&job]
    }

    /// Each job, by task and number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&JobId, &Ran)> {
        self.0.iter()
    }

    /// By job: the time for which the kernel ran its thread, without the time for which it spun; since its task's last
    /// job.
    pub(crate) fn executed(&self, run: &RealRun) -> BTreeMap<JobId, Executed> {
        let by_task: Vec<_> = run.executed().into_iter().map(Covered::of).collect();
        let spun = spun(run);
        let mut before: BTreeMap<TaskId, Instant> = BTreeMap::new();
        let one = |(id, ran): (&JobId, &Ran)| {
            let since = before.insert(id.task, ran.gone).unwrap_or(Instant::ZERO);
            let length =
                |(from, to): &(Instant, Instant)| by_task[id.task.index()].within(*from, *to).as_ns();
            let spun: u64 = spun.get(id).into_iter().flatten().map(length).sum();
            (*id, Executed { since, ns: length(&(since, ran.until)).saturating_sub(spun) })
        };
        self.0.iter().map(one).collect()
    }

    /// Jobs that executed for longer than their costs.
    pub(crate) fn slow(&self, run: &RealRun) -> Vec<Slow> {
        let slow = |(job, executed): (JobId, Executed)| {
            let ran = &self.0[&job];
            let extra = executed.ns.saturating_sub(ran.cost);
            (extra > 0).then_some(Slow { job, from: executed.since, to: ran.until, extra })
        };
        self.executed(run).into_iter().filter_map(slow).collect()
    }
}

impl Jobs {
    /// Jobs that missed their deadlines under a utility-accrual scheduler, each with whether the decisions had let it
    /// execute for less than its cost by then.
    pub(crate) fn passed_over(&self, prepared: &Prepared, run: &RealRun) -> BTreeMap<JobId, bool> {
        if !prepared.scheduler.accrues_utility() {
            return BTreeMap::new();
        }
        let by = |ran: &Ran| ran.until.min(ran.absolute_deadline);
        let given = given(run, |job| self.0.get(&job).map_or(run.end(), by));
        let got = |job: &JobId| given.get(job).copied().unwrap_or(0);
        let missed = self.0.iter().filter(|(_, ran)| ran.missed);
        missed.map(|(job, ran)| (*job, got(job) < ran.cost)).collect()
    }

    /// Returns the jobs that were given more quanta than their costs fill, and how much more, if quanta drive the
    /// scheduler. What a job loses in one quantum costs it another whole one.
    pub(crate) fn needing_quanta(&self, prepared: &Prepared, run: &RealRun) -> Vec<Slow> {
        if prepared.scheduler.quanta.is_none() || prepared.platform.quantum.is_zero() {
            return Vec::new();
        }
        let quantum = prepared.platform.quantum.as_ns();
        let given = given(run, |_| run.end());
        let extra = |(id, job): (&JobId, &Ran)| {
            // A decision may be a little late: less than an eighth of a quantum is none.
            let quanta = (given.get(id).copied().unwrap_or(0) + quantum * 7 / 8) / quantum;
            let extra = quanta.saturating_sub(job.cost.div_ceil(quantum)) * quantum;
            (extra > 0).then_some(Slow { job: *id, from: job.arrival, to: job.until, extra })
        };
        self.0.iter().filter_map(extra).collect()
    }
}

/// By job: the time for which decisions let it execute, in ns, at most until `until`.
fn given(run: &RealRun, until: impl Fn(JobId) -> Instant) -> BTreeMap<JobId, u64> {
    let mut given: BTreeMap<JobId, u64> = BTreeMap::new();
    for (job, _, (from, to)) in dispatched(run) {
        *given.entry(job).or_default() += to.min(until(job)).saturating_since(from).as_ns();
    }
    given
}

/// By job: the intervals in which it waited for a resource without giving up its processor, whether it was preempted
/// meanwhile or not.
fn spun(run: &RealRun) -> BTreeMap<JobId, Vec<(Instant, Instant)>> {
    let mut spun: BTreeMap<JobId, Vec<_>> = BTreeMap::new();
    let begins = |record: &Record| matches!(record, about![Spin, Delay]);
    let ends = |record: &Record| matches!(record, about![Acquire, Abort]);
    for (job, _, stretch) in stretches(run, begins, ends) {
        spun.entry(job).or_default().push(stretch);
    }
    spun
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::by_hand::{one_task, ran, OWN};
    use schedlab_model::Work;
    use schedlab_scenario::Scenario;

    /// A run of one task of 2 ms each 10 ms; the engine does not know what its jobs cost. The first executes for
    /// exactly that, with a break; the second for half a millisecond more.
    #[test]
    fn a_job_that_executes_for_its_cost_is_not_slow() {
        let text = "schedlab = 1\nscheduler = \"P-EDF\"\n[platform]\nprocessors = 1\n\
                    [[task]]\nname = \"a\"\nwcet = \"2 ms\"\nperiod = \"10 ms\"\n";
        let prepared = Prepared::new(&Scenario::parse("a.toml", text).unwrap()).unwrap();
        let at = |us: u64| Instant::from_ns(us * 1_000);
        let job = |number| JobId::new(TaskId(0), number);
        let arrival = |number, deadline| Record::Arrival {
            job: job(number),
            absolute_deadline: at(deadline),
            cost: Work::ZERO,
        };
        let run = one_task(
            vec![
                (at(0), arrival(0, 10_000)),
                (at(2_200), Record::Complete { job: job(0) }),
                (at(10_000), arrival(1, 20_000)),
                (at(12_500), Record::Complete { job: job(1) }),
                (at(20_000), Record::End),
            ],
            [ran(OWN, 0, 1_000), ran(OWN, 1_200, 2_200), ran(OWN, 10_000, 12_500)].concat(),
            0,
        );
        let jobs = Jobs::of(&prepared, &run).unwrap();
        let slow: Vec<_> = jobs.slow(&run).iter().map(|slow| (slow.job, slow.extra)).collect();
        assert_eq!(slow, [(job(1), 500_000)]);
        let ran: Vec<_> = jobs.iter().map(|(_, ran)| (ran.arrival, ran.busy_since, ran.complete)).collect();
        assert_eq!(ran, [(at(0), at(0), true), (at(10_000), at(10_000), true)]);
    }

    /// A task of 1.6 ms each 10 ms under `scheduler`, with quanta of 1 ms.
    pub(crate) fn one_task_under(scheduler: &str) -> Prepared {
        let text = format!(
            "schedlab = 1\nscheduler = \"{scheduler}\"\n[platform]\nprocessors = 1\nquantum = \"1 ms\"\n\
             [[task]]\nname = \"a\"\nwcet = \"1600 us\"\nperiod = \"10 ms\"\n"
        );
        Prepared::new(&Scenario::parse("a.toml", &text).unwrap()).unwrap()
    }

    /// Its first job is given two quanta, less what comes before the first, and a part of a third.
    pub(crate) fn given_three_quanta() -> RealRun {
        let at = |us: u64| Instant::from_ns(us * 1_000);
        let (job, cpu) = (JobId::new(TaskId(0), 0), CpuId(0));
        one_task(
            vec![
                (at(0), Record::Arrival { job, absolute_deadline: at(10_000), cost: Work::ZERO }),
                (at(20), Record::Dispatch { cpu, job }),
                (at(2_040), Record::Preempt { cpu, job }),
                (at(5_000), Record::Dispatch { cpu, job }),
                (at(5_140), Record::Complete { job }),
                (at(9_000), Record::End),
            ],
            Vec::new(),
            0,
        )
    }

    /// A job of 1.6 ms fills two quanta of 1 ms. It loses half a millisecond of the second, and is given a third.
    #[test]
    fn a_job_that_lost_part_of_a_quantum_needs_another() {
        let run = given_three_quanta();
        let more = |scheduler| {
            let prepared = one_task_under(scheduler);
            let jobs = Jobs::of(&prepared, &run).unwrap();
            jobs.needing_quanta(&prepared, &run).iter().map(|slow| slow.extra).collect::<Vec<_>>()
        };
        assert_eq!(more("PD2"), [1_000_000]);
        assert!(more("P-EDF").is_empty(), "without quanta nothing is rounded");
    }
}
