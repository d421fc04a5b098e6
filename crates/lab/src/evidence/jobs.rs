//! Jobs that may make one late: given one by one, or by a pattern of the literature's worst cases.

use crate::prepared::Prepared;
use schedlab_analysis::explore::CounterExample;
use schedlab_analysis::{Arrivals, ClusterAnalysis};
use schedlab_model::{Duration, Instant, JobId, JobSource, NextJob, Step, Suspension, Task, TaskId, Work};
use std::rc::Rc;

/// One job of a counter-example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedJob {
    /// Which one.
    pub id: JobId,
    /// When it arrives.
    pub arrival: Instant,
    /// When it is released.
    pub release: Instant,
    /// What it costs.
    pub cost: Work,
}

/// How first jobs arrive; all later ones follow a period apart, and all cost their WCET.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub rule: String,
    /// By task: when its first job arrives, and how long after it is released.
    starts: Vec<(u64, u64)>,
    /// Whether later jobs are released as late as the first.
    all_late: bool,
}

/// So many tasks are tried as the one that has just begun.
const MOST_BLOCKERS: usize = 64;

impl Pattern {
    /// What to try against a cluster, the likeliest first.
    pub fn all(prepared: &Prepared, cluster: &ClusterAnalysis, arrivals: Arrivals) -> Vec<Pattern> {
        let tasks = &prepared.tasks;
        let jitter = |task: &Task| task.jitter.as_ns();
        let offset = |task: &Task| task.offset.max(task.join).as_ns();
        let stated = |rule: &str, late: bool, all_late: bool| Pattern {
            rule: rule.to_owned(),
            starts: tasks.iter().map(|task| (offset(task), if late { jitter(task) } else { 0 })).collect(),
            all_late,
        };
        let mut all = vec![stated("each job costs its WCET and is released on arrival", false, false)];
        if cluster.tasks.iter().any(|id| jitter(&tasks[id.index()]) > 0) {
            all.push(stated(
                "each job costs its WCET, first jobs are released as late as they may",
                true,
                false,
            ));
            all.push(stated("each job costs its WCET and is released as late as it may", true, true));
        }
        if arrivals == Arrivals::Periodic {
            return all;
        }
        let members = || cluster.tasks.iter().map(|id| &tasks[id.index()]);
        let begin = members().map(offset).max().unwrap_or(0) + members().map(jitter).max().unwrap_or(0) + 1;
        let together = |rule: String, first: Option<TaskId>| Pattern {
            rule,
            starts: tasks
                .iter()
                .enumerate()
                .map(|(at, task)| match first {
                    Some(id) if id.index() == at => (begin - 1, 0),
                    _ => (begin.saturating_sub(jitter(task)), jitter(task)),
                })
                .collect(),
            all_late: false,
        };
        all.push(together("all first jobs are released together; each job costs its WCET".to_owned(), None));
        let mut blockers = cluster.tasks.clone();
        blockers.sort_by_key(|id| (std::cmp::Reverse(tasks[id.index()].wcet), *id));
        all.extend(blockers.into_iter().take(MOST_BLOCKERS).map(|id| {
            let name = &prepared.scenario.tasks[id.index()].name;
            let rule = format!("all other first jobs are released together, just after one of {name}; each job costs its WCET");
            together(rule, Some(id))
        }));
        all
    }
}

/// Which jobs are simulated.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    tasks: Rc<[Task]>,
    jobs: Jobs,
}

#[derive(Clone, Debug)]
enum Jobs {
    /// By task.
    Listed(Rc<[Vec<ListedJob>]>),
    Pattern(Rc<Pattern>),
}

impl Planned {
    /// The jobs that a test names.
    pub fn listed(prepared: &Prepared, example: &CounterExample) -> Planned {
        let mut jobs = vec![Vec::new(); prepared.tasks.len()];
        for (id, choice) in &example.jobs {
            let task = &prepared.tasks[id.task.index()];
            let start = task.offset.max(task.join).as_ns();
            let arrival = start + u64::from(id.number) * task.period.as_ns();
            jobs[id.task.index()].push(ListedJob {
                id: *id,
                arrival: Instant::from_ns(arrival),
                release: Instant::from_ns(choice.release),
                cost: Work::from_ns(choice.cost),
            });
        }
        Planned { tasks: prepared.tasks.clone().into(), jobs: Jobs::Listed(jobs.into()) }
    }

    /// The jobs of a pattern.
    pub fn by_pattern(prepared: &Prepared, pattern: &Pattern) -> Planned {
        let jobs = Jobs::Pattern(Rc::new(pattern.clone()));
        Planned { tasks: prepared.tasks.clone().into(), jobs }
    }

    /// How jobs arrive, in words.
    pub fn rule(&self) -> &str {
        match &self.jobs {
            Jobs::Listed(_) => "the listed jobs",
            Jobs::Pattern(pattern) => &pattern.rule,
        }
    }

    fn job(&self, id: JobId) -> Option<ListedJob> {
        let task = &self.tasks[id.task.index()];
        let pattern = match &self.jobs {
            Jobs::Listed(jobs) => return jobs[id.task.index()].get(id.number as usize).copied(),
            Jobs::Pattern(pattern) => pattern,
        };
        let (start, late) = pattern.starts[id.task.index()];
        let arrival = start.checked_add(u64::from(id.number).checked_mul(task.period.as_ns())?)?;
        if arrival >= task.leave.as_ns() {
            return None;
        }
        let delay = if id.number == 0 || pattern.all_late { late } else { 0 };
        let release = Instant::from_ns(arrival).checked_add(Duration::from_ns(delay))?;
        Some(ListedJob { id, arrival: Instant::from_ns(arrival), release, cost: task.wcet })
    }

    /// When a job is due.
    pub fn absolute_deadline(&self, id: JobId) -> Instant {
        let due = self
            .job(id)
            .and_then(|job| job.arrival.checked_add(self.tasks[id.task.index()].relative_deadline));
        due.unwrap_or(Instant::NEVER)
    }

    /// The jobs that arrive until `until`, by arrival; none if there are more than `most`.
    pub fn list(&self, until: Instant, most: usize) -> Vec<ListedJob> {
        let mut all = Vec::new();
        for task in (0..self.tasks.len() as u32).map(TaskId) {
            let jobs = (0..).map_while(|number| self.job(JobId::new(task, number)));
            all.extend(jobs.take_while(|job| job.arrival <= until).take(most + 1 - all.len().min(most)));
            if all.len() > most {
                return Vec::new();
            }
        }
        all.sort_by_key(|job| (job.arrival, job.id));
        all
    }

    /// The jobs, of these tasks or of all.
    pub fn source(&self, of: Option<&[TaskId]>) -> Source {
        let wanted = |at: usize| of.is_none_or(|ids| ids.contains(&TaskId(at as u32)));
        Source { plan: self.clone(), next: (0..self.tasks.len()).map(|at| wanted(at).then_some(0)).collect() }
    }
}

/// Planned jobs, one after the other.
pub(super) struct Source {
    plan: Planned,
    /// By task: the number of its next job, if it has jobs at all.
    next: Vec<Option<u32>>,
}

impl JobSource for Source {
    fn next_job(&mut self, task: TaskId, program: &mut Vec<Step>) -> Option<NextJob> {
        let number = self.next[task.index()]?;
        let job = self.plan.job(JobId::new(task, number))?;
        self.next[task.index()] = number.checked_add(1);
        let model = &self.plan.tasks[task.index()];
        match model.suspension {
            Suspension::Dynamic(bound) if !bound.is_zero() => {
                program.push(Step::Suspend(bound));
                match model.program.is_empty() {
                    true => program.push(Step::Execute(job.cost)),
                    false => program.extend_from_slice(&model.program),
                }
            }
            _ => program.extend_from_slice(&model.program),
        }
        Some(NextJob { arrival: job.arrival, release: job.release, cost: job.cost })
    }
}
