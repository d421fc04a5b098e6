//! Combined results of all tests for a task set on a platform.

use crate::blocking::Blocking;
use crate::reason::Reason;
use crate::registry::TESTS;
use crate::steps::Show;
use crate::system::{AnalysedScheduler, System};
use crate::system_error::SystemError;
use crate::verdict::{bounds_prove, Answer, Bounds, Guarantee, TaskBounds, Test, Verdict};
use schedlab_model::{ClusterId, Duration, Platform, Task, TaskId};

/// Result of analysing one task set.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Verdict on all deadlines.
    pub hard: Answer,
    /// Verdict on bounded tardiness.
    pub soft: Answer,
    /// Results by cluster, with the verdicts of all tests.
    pub clusters: Vec<ClusterAnalysis>,
    /// The best bound on the response time of each task.
    pub response_times: Vec<Option<Duration>>,
    /// The best bound on the tardiness of each task.
    pub tardiness: Vec<Option<Duration>>,
    /// Blocking of each task, where jobs share resources and a method is known.
    pub blocking: Option<Blocking>,
    /// Blocking of each task by further methods.
    pub more_blocking: Vec<Blocking>,
    /// Reason why blocking is not bounded, where jobs share resources and no bound is known.
    pub not_bounded: Option<Reason>,
}

/// Result of analysing the tasks of one cluster.
#[derive(Clone, Debug)]
pub struct ClusterAnalysis {
    /// The cluster.
    pub cluster: ClusterId,
    /// Number of processors of the cluster.
    pub processors: u32,
    /// Tasks of the cluster that ever arrive.
    pub tasks: Vec<TaskId>,
    /// Verdict on all deadlines of the cluster's tasks.
    pub hard: Answer,
    /// Verdict on bounded tardiness of the cluster's tasks.
    pub soft: Answer,
    /// Verdicts of all tests that apply.
    pub verdicts: Vec<Verdict>,
}

impl Analysis {
    /// Decides each cluster by the first of its verdicts that has a definite answer. If there is none, the least bounds
    /// on the tasks' tardiness decide, whichever tests they come from. A cluster that meets its deadlines also bounds
    /// tardiness. The whole analysis is as good as its worst cluster.
    pub(crate) fn conclude(&mut self) {
        (self.hard, self.soft) = (Answer::Schedulable, Answer::Schedulable);
        for cluster in &mut self.clusters {
            let decide = |guarantee| {
                let of_it = cluster.verdicts.iter().filter(|verdict| verdict.guarantee == guarantee);
                let known = of_it.map(|verdict| verdict.answer).find(|answer| *answer != Answer::Unknown);
                let bounds = cluster.tasks.iter().map(|id| self.tardiness[id.index()]);
                known.unwrap_or(match bounds_prove(guarantee, bounds) {
                    true => Answer::Schedulable,
                    false => Answer::Unknown,
                })
            };
            cluster.hard = decide(Guarantee::Hard);
            cluster.soft = match (cluster.hard, decide(Guarantee::Soft)) {
                (Answer::Schedulable, _) => Answer::Schedulable,
                (Answer::Unschedulable | Answer::Unknown, soft) => soft,
            };
            (self.hard, self.soft) = (worse(self.hard, cluster.hard), worse(self.soft, cluster.soft));
        }
    }

    /// Keeps those bounds of a task that are smaller than its bounds so far.
    fn keep(&mut self, id: TaskId, bounds: TaskBounds) {
        keep_smaller(&mut self.response_times[id.index()], bounds.response_time);
        keep_smaller(&mut self.tardiness[id.index()], Some(bounds.tardiness));
    }

    /// Adds the verdict of a test for the cluster at place `index`, whose tasks are among `tasks`.
    pub(crate) fn hear(&mut self, index: usize, verdict: Verdict, tasks: &[Task]) {
        for (place, id) in self.clusters[index].tasks.clone().into_iter().enumerate() {
            if let Some(bounds) = verdict.bounds_of(place, tasks[id.index()].relative_deadline) {
                self.keep(id, bounds);
            }
        }
        self.clusters[index].verdicts.push(verdict);
    }

    /// Transfers this analysis to the tasks `given`, of which the analysed tasks are a worse version, as by accounting
    /// for overheads. Proofs for the analysed tasks hold for the given ones, but refutations do not. A response time is
    /// longer by what was taken from the relative deadline: an arrival may be noticed so much later.
    #[must_use]
    pub fn of_inflated_tasks(mut self, given: &[Task], analysed: &[Task]) -> Analysis {
        let lengthen = |bound: &mut Option<Duration>, id: TaskId| {
            let deadlines = [given, analysed].map(|tasks| tasks[id.index()].relative_deadline.as_ns());
            let taken = deadlines[0].saturating_sub(deadlines[1]);
            *bound = bound.and_then(|bound| bound.as_ns().checked_add(taken)).map(Duration::from_ns);
        };
        for (id, bound) in (0..).map(TaskId).zip(&mut self.response_times) {
            lengthen(bound, id);
        }
        for index in 0..self.clusters.len() {
            let cluster = &mut self.clusters[index];
            for verdict in &mut cluster.verdicts {
                if let Bounds::ResponseTime(bounds) = &mut verdict.bounds {
                    cluster.tasks.iter().zip(bounds).for_each(|(id, bound)| lengthen(bound, *id));
                }
            }
            self.doubt(index, Reason::TasksWereInflated);
        }
        self
    }

    /// Adds the results of further tests of the same tasks. What is proved already withdraws refutations by the further
    /// tests.
    #[must_use]
    pub fn and(mut self, mut more: Analysis) -> Analysis {
        for index in 0..self.clusters.len() {
            let known = self.clusters[index].hard;
            if (known, more.clusters[index].hard) == (Answer::Schedulable, Answer::Unschedulable) {
                more.doubt(index, Reason::ProvedOtherwise);
            }
            self.clusters[index].verdicts.append(&mut more.clusters[index].verdicts);
        }
        let responses = self.response_times.iter_mut().zip(&more.response_times);
        for (best, other) in responses.chain(self.tardiness.iter_mut().zip(&more.tardiness)) {
            keep_smaller(best, *other);
        }
        self.conclude();
        self
    }

    /// Forgets all bounds, because jobs may be given up and bounds on jobs that complete do not hold for those.
    #[must_use]
    pub fn of_aborted_jobs(mut self) -> Analysis {
        let verdicts = self.clusters.iter_mut().flat_map(|cluster| &mut cluster.verdicts);
        verdicts.for_each(|verdict| verdict.bounds = Bounds::None);
        self.forget_bounds();
        self
    }

    /// Forgets the least bounds of all tasks; the verdicts keep their bounds.
    pub(crate) fn forget_bounds(&mut self) {
        self.response_times.fill(None);
        self.tardiness.fill(None);
        self.conclude();
    }

    /// Withdraws whatever refutes the tasks of a cluster, for the reason `why`.
    pub fn doubt(&mut self, cluster: usize, why: Reason) {
        self.take_back(cluster, Answer::Unschedulable, &why);
    }

    /// Withdraws whatever proves that the tasks of a cluster meet their deadlines, because a late job was found.
    pub fn refute(&mut self, cluster: usize) {
        self.take_back(cluster, Answer::Schedulable, &Reason::MissSimulated);
    }

    fn take_back(&mut self, cluster: usize, answer: Answer, why: &Reason) {
        let said = self.clusters[cluster].verdicts.iter_mut();
        let is_meant = |verdict: &Verdict| match answer {
            Answer::Schedulable => verdict.guarantee == Guarantee::Hard,
            Answer::Unschedulable | Answer::Unknown => true,
        };
        for verdict in said.filter(|verdict| verdict.answer == answer && is_meant(verdict)) {
            verdict.answer = Answer::Unknown;
            verdict.reason = verdict.reason.clone().but(why.clone());
        }
        self.conclude();
    }
}

/// Runs every test that applies to each cluster and combines the answers.
///
/// Each task runs in its [`Task::cluster`]. Overheads are ignored: inflate the tasks before (see [`crate::overheads`]),
/// then ask for [`Analysis::of_inflated_tasks`]. Releases at ticks count as jitter of one quantum.
pub fn analyze(
    tasks: &[Task],
    platform: &Platform,
    scheduler: &AnalysedScheduler<'_>,
) -> Result<Analysis, SystemError> {
    analyze_by(&TESTS, tasks, platform, scheduler, Show::Nothing)
}

/// Analyses as [`analyze`] does, by the given tests, which need not be in the registry. Verdicts have the steps that
/// `show` names.
pub fn analyze_by(
    tests: &[&Test],
    tasks: &[Task],
    platform: &Platform,
    scheduler: &AnalysedScheduler<'_>,
    show: Show,
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
        let applicable = tests.iter().filter(|test| (test.applies)(system));
        let verdicts: Vec<Verdict> = applicable.map(|test| test.run_showing(system, show)).collect();
        for guarantee in [Guarantee::Hard, Guarantee::Soft] {
            check_agreement(&verdicts, guarantee)?;
        }
        analysis.clusters.push(ClusterAnalysis {
            cluster: ClusterId(index as u16),
            processors: system.processors,
            tasks: system.tasks.iter().map(|task| task.id).collect(),
            hard: Answer::Unknown,
            soft: Answer::Unknown,
            verdicts: Vec::with_capacity(verdicts.len()),
        });
        verdicts.into_iter().for_each(|verdict| analysis.hear(index, verdict, tasks));
    }
    analysis.conclude();
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

/// Evidence either way decides; two tests that decide otherwise cannot both be right.
fn check_agreement(verdicts: &[Verdict], guarantee: Guarantee) -> Result<(), SystemError> {
    let of = || verdicts.iter().filter(|verdict| verdict.guarantee == guarantee);
    let says = |answer| of().find(|verdict| verdict.answer == answer).map(|verdict| verdict.test);
    match (says(Answer::Schedulable), says(Answer::Unschedulable)) {
        (Some(proves), Some(refutes)) => Err(SystemError::Contradiction { proves, refutes }),
        (_, _) => Ok(()),
    }
}

fn worse(a: Answer, b: Answer) -> Answer {
    match (a, b) {
        (Answer::Unschedulable, _) | (_, Answer::Unschedulable) => Answer::Unschedulable,
        (Answer::Unknown, _) | (_, Answer::Unknown) => Answer::Unknown,
        (Answer::Schedulable, Answer::Schedulable) => Answer::Schedulable,
    }
}

fn keep_smaller(best: &mut Option<Duration>, other: Option<Duration>) {
    *best = match (*best, other) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
}
