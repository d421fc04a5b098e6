//! Evidence against a scenario: jobs under which the simulator misses a deadline.
//!
//! A test that refutes a system asserts that some jobs exist which make one late. Before the answer is "unschedulable",
//! such jobs are looked for and simulated: those that the test itself names, or those of the worst cases of the
//! literature (all tasks arrive together, first jobs as late as their jitter allows, perhaps just after a job that
//! cannot be preempted). They arrive only as the scenario allows: its periods, offsets, lists, longest delays of
//! sporadic jobs, and times when tasks leave hold here too. Costs are anywhere up to the WCET, whatever a simulation
//! would draw.
//!
//! Where no test decides, the scenario's own run may: a deadline that it misses refutes the scenario ([`LateJob`]).
//!
//! If the search finds no late job, the answer becomes unknown, with the test's result as its reason. This also happens
//! to tasks that the scheduler refuses, such as an overload under Pfair.
//!
//! The search is bounded by a number of jobs, never by seconds.

mod arrivals;
mod jobs;
mod own_run;

use crate::prepare::prepared::Prepared;
use crate::prepare::priority_points::latest_horizon;
pub use jobs::ListedJob;
use jobs::{early, Pattern, Planned};
pub(crate) use own_run::first_late as first_late_of_own_run;
pub use own_run::LateJob;
use schedlab_analysis::explore::CounterExample;
use schedlab_analysis::{Analysis, Answer, ClusterAnalysis, Reason};
use schedlab_model::{ClusterId, Duration, Instant, JobId};
use schedlab_policy::Policy;
use schedlab_sim::{simulate, Setup};
use schedlab_trace::{Record, Sink};

/// Largest number of jobs that one search for a late job simulates.
const MOST_JOBS: u64 = 1 << 17;

/// Limit in place of [`MOST_JOBS`] for a policy of which nothing is known: it may be slow, and may give up jobs before
/// they are late.
const MOST_JOBS_OF_ANYTHING: u64 = 1 << 11;

/// Largest number of jobs of a counter-example that are listed.
const MOST_LISTED: usize = 10_000;

/// A late job in a schedule that the simulator produced, with the jobs that lead to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The cluster that the late job refutes.
    pub cluster: ClusterId,
    /// The arrivals and the costs of the cluster's jobs, in words.
    pub rule: String,
    /// The late job: the one with the earliest deadline.
    pub late: JobId,
    /// The late job's absolute deadline.
    pub absolute_deadline: Instant,
    /// The late job's tardiness; `None` if it is not known.
    pub late_by: Option<Duration>,
    /// The jobs that arrive up to the late job's deadline, by arrival; empty if there are too many to list.
    pub jobs: Vec<ListedJob>,
}

/// Simulates a late job for each cluster that is refuted. Where the search finds none, the answer becomes unknown.
pub(crate) fn bear_out(prepared: &Prepared, found: &mut Analysis) -> Vec<Evidence> {
    let mut evidence = Vec::new();
    for index in 0..found.clusters.len() {
        let cluster = &found.clusters[index];
        if cluster.hard != Answer::Unschedulable && cluster.soft != Answer::Unschedulable {
            continue;
        }
        match search(prepared, cluster) {
            Search::Found(late) => {
                found.refute(index);
                evidence.push(late);
            }
            Search::Refused => found.doubt(index, Reason::NeverScheduled),
            Search::Nothing => {
                let jobs = most_jobs(prepared);
                found.doubt(index, Reason::NoMissSimulated { jobs });
            }
        }
    }
    evidence
}

/// Presents a late job of the scenario's own run as evidence against its cluster.
pub(crate) fn of_own_run(prepared: &Prepared, late: LateJob) -> Evidence {
    Evidence {
        cluster: prepared.tasks[late.id.task.index()].cluster,
        rule: OWN_RUN.to_owned(),
        late: late.id,
        absolute_deadline: late.absolute_deadline,
        late_by: late.by,
        jobs: Vec::new(),
    }
}

/// Words for the arrivals of the scenario's own run, where no worse arrivals were looked for.
const OWN_RUN: &str = "in the scenario's own run, as it is simulated";

fn most_jobs(prepared: &Prepared) -> u64 {
    if prepared.is_unanalysed() {
        MOST_JOBS_OF_ANYTHING
    } else {
        MOST_JOBS
    }
}

enum Search {
    Found(Evidence),
    Nothing,
    /// The scheduler or the locking protocol refuses the tasks, so there is no schedule.
    Refused,
}

fn search(prepared: &Prepared, cluster: &ClusterAnalysis) -> Search {
    if !prepared.resources.is_empty() && prepared.locks().is_err() {
        return Search::Refused;
    }
    let named = cluster.verdicts.iter().filter_map(|verdict| verdict.counter_example.as_ref());
    let named = named.map(|example| (Planned::listed(prepared, example), until_due(example)));
    let patterns = Pattern::all(prepared, cluster);
    let tried = named.chain(patterns.iter().flat_map(|pattern| {
        let plan = Planned::by_pattern(prepared, pattern);
        horizons(prepared, cluster).map(move |horizon| (plan.clone(), horizon))
    }));
    for (plan, horizon) in tried {
        let Ok(policies) = prepared.policies() else { return Search::Refused };
        if let Some(late) = first_late(prepared, policies, &plan, horizon, cluster) {
            let due = plan.absolute_deadline(late).min(horizon);
            let (rule, jobs) = (plan.rule().to_owned(), plan.list(due, MOST_LISTED));
            return Search::Found(Evidence {
                cluster: cluster.cluster,
                rule,
                late,
                absolute_deadline: due,
                late_by: None,
                jobs,
            });
        }
    }
    Search::Nothing
}

fn until_due(example: &CounterExample) -> Instant {
    Instant::from_ns(example.due.saturating_add(1))
}

/// Ends of the simulations to try, each later than the one before, because most misses come early.
fn horizons<'a>(prepared: &'a Prepared, cluster: &ClusterAnalysis) -> impl Iterator<Item = Instant> + 'a {
    let members = cluster.tasks.clone();
    let early = early(prepared);
    let begin = members.iter().map(|id| {
        let jitter = prepared.tasks[id.index()].jitter.as_ns();
        early[id.index()].at(0).unwrap_or(0).saturating_add(jitter)
    });
    let begin = begin.max().unwrap_or(0);
    let most = most_jobs(prepared);
    [64u64, 2048, most].into_iter().map(move |jobs| {
        // The time in which `jobs` jobs arrive; at least one job of each task.
        let rate: u128 =
            members.iter().map(|id| (1 << 64) / u128::from(prepared.tasks[id.index()].period.as_ns())).sum();
        let longest = members.iter().map(|id| {
            let task = &prepared.tasks[id.index()];
            task.period.as_ns().max(task.relative_deadline.as_ns())
        });
        let time_of = |jobs: u64| ((u128::from(jobs) << 64) / rate.max(1)).min(1 << 61) as u64;
        let span = match jobs {
            64 => time_of(jobs).max(longest.max().unwrap_or(0)).min(time_of(MOST_JOBS)),
            _ => time_of(jobs),
        };
        Instant::from_ns(begin.saturating_add(span).saturating_add(1)).min(latest_horizon(prepared))
    })
}

/// The late job with the earliest deadline, if the schedule up to `horizon` has one.
fn first_late(
    prepared: &Prepared,
    policies: Vec<Box<dyn Policy>>,
    plan: &Planned,
    horizon: Instant,
    cluster: &ClusterAnalysis,
) -> Option<JobId> {
    let setup = Setup { horizon, ..prepared.setup() };
    let mut misses = Misses { all: Vec::new() };
    // Other clusters matter only where tasks of several share a resource.
    let source = plan.source(if prepared.resources.is_empty() { Some(&cluster.tasks) } else { None });
    simulate(setup, policies, prepared.locks_if_shared().ok()?, source, &mut misses);
    let of_cluster = misses.all.into_iter().filter(|job| cluster.tasks.contains(&job.task));
    of_cluster.min_by_key(|job| (plan.absolute_deadline(*job), *job))
}

/// Collects the jobs that were late.
struct Misses {
    all: Vec<JobId>,
}

impl Sink for &mut Misses {
    fn record(&mut self, _: Instant, record: Record) {
        if let Record::Miss { job } = record {
            self.all.push(job);
        }
    }
}
