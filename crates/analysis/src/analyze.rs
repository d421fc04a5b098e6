//! All that the tests together say of a task set on a platform.

use crate::blocking::Blocking;
use crate::reason::Reason;
use crate::registry::TESTS;
use crate::system::{AnalysedScheduler, System};
use crate::system_error::SystemError;
use crate::verdict::{Answer, Bounds, Guarantee, Test, Verdict};
use schedlab_model::{ClusterId, Duration, Platform, Task, TaskId};

/// What is known of a task set.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Whether all deadlines are met.
    pub hard: Answer,
    /// Whether tardiness is bounded.
    pub soft: Answer,
    /// The same by cluster, with the verdicts that led to it.
    pub clusters: Vec<ClusterAnalysis>,
    /// The best bound on the response time of each task.
    pub response_times: Vec<Option<Duration>>,
    /// The best bound on the tardiness of each task.
    pub tardiness: Vec<Option<Duration>>,
    /// How long each task's jobs are blocked, where jobs share resources and a method is known.
    pub blocking: Option<Blocking>,
    /// The same by further methods.
    pub more_blocking: Vec<Blocking>,
    /// Why blocking is not bounded, where jobs share resources and it is not.
    pub not_bounded: Option<Reason>,
}

/// What is known of the tasks of one cluster.
#[derive(Clone, Debug)]
pub struct ClusterAnalysis {
    /// Which cluster.
    pub cluster: ClusterId,
    /// How many processors it has.
    pub processors: u32,
    /// Its tasks that ever arrive.
    pub tasks: Vec<TaskId>,
    /// Whether all deadlines are met.
    pub hard: Answer,
    /// Whether tardiness is bounded.
    pub soft: Answer,
    /// What each test that applies says.
    pub verdicts: Vec<Verdict>,
}

impl Analysis {
    /// The whole is as good as its worst cluster.
    pub(crate) fn combine_clusters(&mut self) {
        let all = |of: fn(&ClusterAnalysis) -> Answer| {
            self.clusters.iter().map(of).fold(Answer::Schedulable, worse)
        };
        let (hard, soft) = (all(|cluster| cluster.hard), all(|cluster| cluster.soft));
        (self.hard, self.soft) = (hard, soft);
    }

    /// Keeps a bound on a task's response time or tardiness, each of which bounds the other, where it is smaller than
    /// what is known.
    pub(crate) fn keep(&mut self, id: TaskId, relative_deadline: u64, bound: Duration, is_tardiness: bool) {
        let bound = bound.as_ns();
        let response = if is_tardiness { bound.checked_add(relative_deadline) } else { Some(bound) };
        let tardiness = if is_tardiness { bound } else { bound.saturating_sub(relative_deadline) };
        keep_smaller(&mut self.response_times[id.index()], response);
        keep_smaller(&mut self.tardiness[id.index()], Some(tardiness));
    }

    /// The same for tasks whose parameters were made worse than they are, as by accounting for overheads:
    /// what is proved of them still holds, but what is refuted need not fail.
    pub fn of_inflated_tasks(mut self) -> Analysis {
        for cluster in 0..self.clusters.len() {
            self.doubt(cluster, Reason::TasksWereInflated);
        }
        self
    }

    /// With what further tests say of the same tasks: what is known already goes before.
    pub fn and(mut self, mut more: Analysis) -> Analysis {
        for index in 0..self.clusters.len() {
            let known = self.clusters[index].hard;
            if (known, more.clusters[index].hard) == (Answer::Schedulable, Answer::Unschedulable) {
                more.doubt(index, Reason::ProvedOtherwise);
            }
            let (cluster, other) = (&mut self.clusters[index], &mut more.clusters[index]);
            if cluster.hard == Answer::Unknown && other.hard != Answer::Unknown {
                cluster.hard = other.hard;
            }
            if cluster.soft == Answer::Unknown {
                cluster.soft = other.soft;
            }
            cluster.verdicts.append(&mut other.verdicts);
        }
        let responses = self.response_times.iter_mut().zip(&more.response_times);
        for (best, other) in responses.chain(self.tardiness.iter_mut().zip(&more.tardiness)) {
            keep_smaller(best, other.map(Duration::as_ns));
        }
        self.combine_clusters();
        self
    }

    /// Takes back whatever refutes the tasks of a cluster, for this reason.
    pub fn doubt(&mut self, cluster: usize, why: Reason) {
        let doubt = |answer: &mut Answer| {
            let refuted = *answer == Answer::Unschedulable;
            if refuted {
                *answer = Answer::Unknown;
            }
            refuted
        };
        let cluster = &mut self.clusters[cluster];
        doubt(&mut cluster.hard);
        doubt(&mut cluster.soft);
        for verdict in &mut cluster.verdicts {
            if doubt(&mut verdict.answer) {
                verdict.reason = verdict.reason.clone().but(why.clone());
            }
        }
        self.combine_clusters();
    }
}

/// Runs every test that applies to each cluster and combines the answers.
///
/// Each task runs in its [`Task::cluster`]. Overheads are not looked at: inflate the tasks before
/// (see [`crate::overheads`]), then ask for [`Analysis::of_inflated_tasks`]. Releases at ticks count as jitter of one
/// quantum.
pub fn analyze(
    tasks: &[Task],
    platform: &Platform,
    scheduler: &AnalysedScheduler<'_>,
) -> Result<Analysis, SystemError> {
    analyze_by(&TESTS, tasks, platform, scheduler)
}

/// As [`analyze`], by these tests, which need not be in the registry.
pub fn analyze_by(
    tests: &[&Test],
    tasks: &[Task],
    platform: &Platform,
    scheduler: &AnalysedScheduler<'_>,
) -> Result<Analysis, SystemError> {
    let mut analysis = Analysis {
        hard: Answer::Schedulable,
        soft: Answer::Schedulable,
        clusters: Vec::new(),
        response_times: vec![None; tasks.len()],
        tardiness: vec![None; tasks.len()],
        blocking: None,
        more_blocking: Vec::new(),
        not_bounded: None,
    };
    for (index, system) in systems(tasks, platform, scheduler)?.iter().enumerate() {
        let cluster = analyze_cluster(tests, ClusterId(index as u16), system, &mut analysis)?;
        analysis.hard = worse(analysis.hard, cluster.hard);
        analysis.soft = worse(analysis.soft, cluster.soft);
        analysis.clusters.push(cluster);
    }
    Ok(analysis)
}

/// The tasks of each cluster.
pub fn systems(
    tasks: &[Task],
    platform: &Platform,
    scheduler: &AnalysedScheduler<'_>,
) -> Result<Vec<System>, SystemError> {
    let mut members = vec![Vec::new(); platform.clusters.len()];
    for (index, task) in tasks.iter().enumerate() {
        let id = TaskId(index as u32);
        members.get_mut(task.cluster.index()).ok_or(SystemError::NoSuchCluster(id))?.push(id);
    }
    let release_delay = platform.release_delay();
    let system =
        |(ids, cpus): (Vec<TaskId>, usize)| System::new(tasks, ids, cpus as u32, scheduler, release_delay);
    let processors = platform.clusters.iter().map(|cluster| cluster.cpus.len());
    members.into_iter().zip(processors).map(system).collect()
}

fn analyze_cluster(
    tests: &[&Test],
    cluster: ClusterId,
    system: &System,
    analysis: &mut Analysis,
) -> Result<ClusterAnalysis, SystemError> {
    let applicable = tests.iter().filter(|test| (test.applies)(system));
    let verdicts: Vec<Verdict> = applicable.map(|test| (test.run)(system)).collect();
    for verdict in &verdicts {
        keep_best_bounds(verdict, system, analysis);
    }
    let hard = combine(&verdicts, Guarantee::Hard)?;
    let bounded = system.tasks.iter().all(|task| analysis.response_times[task.id.index()].is_some());
    let soft = match combine(&verdicts, Guarantee::Soft)? {
        Answer::Unknown if hard == Answer::Schedulable || bounded => Answer::Schedulable,
        answer @ (Answer::Schedulable | Answer::Unschedulable | Answer::Unknown) => answer,
    };
    Ok(ClusterAnalysis {
        cluster,
        processors: system.processors,
        tasks: system.tasks.iter().map(|task| task.id).collect(),
        hard,
        soft,
        verdicts,
    })
}

/// Evidence either way decides; a test that knows nothing does not count.
fn combine(verdicts: &[Verdict], guarantee: Guarantee) -> Result<Answer, SystemError> {
    let of = || verdicts.iter().filter(|verdict| verdict.guarantee == guarantee);
    let says = |answer| of().find(|verdict| verdict.answer == answer).map(|verdict| verdict.test);
    match (says(Answer::Schedulable), says(Answer::Unschedulable)) {
        (Some(proves), Some(refutes)) => Err(SystemError::Contradiction { proves, refutes }),
        (_, _) => Ok(Answer::strongest(of().map(|verdict| verdict.answer)).unwrap_or(Answer::Unknown)),
    }
}

fn worse(a: Answer, b: Answer) -> Answer {
    match (a, b) {
        (Answer::Unschedulable, _) | (_, Answer::Unschedulable) => Answer::Unschedulable,
        (Answer::Unknown, _) | (_, Answer::Unknown) => Answer::Unknown,
        (Answer::Schedulable, Answer::Schedulable) => Answer::Schedulable,
    }
}

/// Response times bound tardiness and the other way round.
fn keep_best_bounds(verdict: &Verdict, system: &System, analysis: &mut Analysis) {
    let (bounds, is_tardiness) = match &verdict.bounds {
        Bounds::None => return,
        Bounds::ResponseTime(bounds) => (bounds, false),
        Bounds::Tardiness(bounds) => (bounds, true),
    };
    for (task, bound) in system.tasks.iter().zip(bounds) {
        if let Some(bound) = *bound {
            analysis.keep(task.id, task.relative_deadline, bound, is_tardiness);
        }
    }
}

fn keep_smaller(best: &mut Option<Duration>, other: Option<u64>) {
    let other = other.map(Duration::from_ns);
    *best = match (*best, other) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
}
