//! A constant bandwidth server beside an EDF task: L. Abeni and G. Buttazzo, "Integrating multimedia applications in
//! hard real-time systems", RTSS 1998.
//!
//! The server (budget Q, period P) gives the jobs of one task its own deadline. A job that arrives while the server is
//! idle keeps budget c and deadline d if c < (d - now) Q/P, and otherwise gets a full budget and the deadline now + P.
//! A budget that is used up is filled at once, and the deadline moves by P.

use crate::support::*;
use schedlab_model::*;
use schedlab_policy::pfair::Affinity;
use schedlab_policy::{find, ClusterSetup, Clustered, Decision, Decisions, Make, Policy};
use schedlab_sim::{simulate, NoLocks, Setup};
use schedlab_trace::Timeline;

struct Cbs {
    edf: Clustered,
    served: TaskId,
    budget: Work,
    period: Duration,
    left: Work,
    absolute_deadline: Instant,
    armed_at: Work,
    changed: Option<JobId>,
}

impl Cbs {
    fn refill(&mut self, absolute_deadline: Instant) {
        self.left = self.budget;
        self.absolute_deadline = absolute_deadline;
    }
}

impl Policy for Cbs {
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        self.edf.priority(job, jobs)
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs) {
        self.edf.note(now, event, jobs);
        match event {
            Event::Ready(job) if job.task == self.served => {
                let ahead = self.absolute_deadline.saturating_since(now).as_ns() * self.budget.as_ns();
                if self.left.as_ns() * self.period.as_ns() >= ahead {
                    self.refill(now + self.period);
                }
                self.armed_at = Work::ZERO;
                self.changed = Some(job);
            }
            Event::BudgetExhausted(job) => {
                self.armed_at = jobs.get(job).service(now);
                self.refill(self.absolute_deadline + self.period);
                self.changed = Some(job);
            }
            Event::Completed(job) if job.task == self.served => {
                let used = jobs.get(job).received - self.armed_at;
                self.left -= used;
            }
            _ => {}
        }
    }

    fn decide(&mut self, now: Instant, jobs: &Jobs, out: &mut Decisions) {
        if let Some(job) = self.changed.take() {
            out.push(Decision::SetPriority(job, Priority::new(self.absolute_deadline.as_ns(), job)));
            out.push(Decision::Budget(job, Some(self.left)));
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

/// Jobs at given times with given costs.
struct Listed(Vec<Vec<(u64, u64)>>);

impl JobSource for Listed {
    fn next_job(&mut self, task: TaskId, _: &mut Vec<Step>) -> Option<NextJob> {
        let jobs = &mut self.0[task.index()];
        (!jobs.is_empty()).then(|| jobs.remove(0)).map(|(at, cost)| {
            let arrival = Instant::from_ns(at);
            NextJob { arrival, release: arrival, cost: Work::from_ns(cost) }
        })
    }
}

/// Where jobs of the served task may execute for `wcet`, and more than that is treated so.
fn simulate_cbs(jobs: Vec<Vec<(u64, u64)>>, horizon: u64, (wcet, overruns): (u64, Overrun)) -> Timeline {
    let platform = Platform::global(1);
    let tasks = vec![task(4, 7, 7), task(wcet, 8, 1000)];
    let cluster = ClusterSetup {
        cluster: ClusterId(0),
        cpus: &[CpuId(0)],
        platform: &platform,
        tasks: &tasks,
        affinity: Affinity::default(),
        supertasks: &[],
        throttling: None,
    };
    let Make::Clustered { order, .. } = find("G-EDF").unwrap().make else { unreachable!() };
    let policy = Cbs {
        edf: Clustered::new(order, true, &cluster),
        served: TaskId(1),
        budget: Work::from_ns(3),
        period: Duration::from_ns(8),
        left: Work::ZERO,
        absolute_deadline: Instant::ZERO,
        armed_at: Work::ZERO,
        changed: None,
    };
    let mut timeline = Timeline::default();
    let setup = Setup { overruns, ..ideal(tasks, platform, horizon) };
    simulate(setup, vec![policy], NoLocks, Listed(jobs), &mut timeline);
    timeline
}

/// A periodic task (4,7) and a server (3,8), as in the book's example; requests of 4 at 3 and of 3 at 13. The first
/// request gets the deadline 11 and, its budget used up at 7, the deadline 19 behind the periodic job's 14. At 13 the
/// budget left (2) is below (19 - 13) 3/8, so the second keeps the deadline 19 until the budget is used up at 15.
#[test]
fn a_request_that_exceeds_its_budget_is_postponed_not_preferred() {
    let periodic = (0..4).map(|k| (7 * k, 4)).collect();
    let timeline = simulate_cbs(vec![periodic, vec![(3, 4), (13, 3)]], 28, (100, Overrun::Ignore));
    assert_eq!(draw(&timeline, 1, 24), "AAAABBBAAAAB.BBAAAAB.AAA");
    assert!(misses(&timeline).is_empty());
}

/// The same, where jobs that exceed their WCETs are cut: a budget of 3 that is used up cuts no job. A WCET of 3 cuts
/// the first request at 7, where its budget is used up, too. The second one then has the deadline 21, as has the
/// periodic job of 14, which goes first.
#[test]
fn a_wcet_cuts_a_job_and_a_budget_of_the_policy_does_not() {
    let jobs = || vec![(0..4).map(|k| (7 * k, 4)).collect(), vec![(3, 4), (13, 3)]];
    let of = |wcet| draw(&simulate_cbs(jobs(), 28, (wcet, Overrun::Cut)), 1, 24);
    assert_eq!(of(4), "AAAABBBAAAAB.BBAAAAB.AAA");
    assert_eq!(of(3), "AAAABBBAAAA..BAAAABB.AAA");
}

/// The budget is what the policy armed: that a job exceeds its WCET before is no end of it.
#[test]
fn a_policy_with_a_budget_hears_of_no_other() {
    let jobs = vec![(0..4).map(|k| (7 * k, 4)).collect(), vec![(3, 4), (13, 3)]];
    assert_eq!(draw(&simulate_cbs(jobs, 28, (2, Overrun::Warn)), 1, 24), "AAAABBBAAAAB.BBAAAAB.AAA");
}
