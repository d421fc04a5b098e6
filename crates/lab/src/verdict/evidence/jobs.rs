//! Jobs that may make one late: given one by one, or by a pattern of the literature's worst cases.

use super::arrivals::{self, Arriving};
use crate::prepare::prepared::Prepared;
use schedlab_analysis::explore::CounterExample;
use schedlab_analysis::ClusterAnalysis;
use schedlab_model::{Instant, JobId, JobSource, NextJob, Step, Suspension, Task, TaskId, Work};
use schedlab_scenario::{Arrival, TaskSpec};
use std::rc::Rc;

/// One job of a counter-example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedJob {
    /// The job's id.
    pub id: JobId,
    /// The time at which the job arrives.
    pub arrival: Instant,
    /// The time at which the job is released.
    pub release: Instant,
    /// The execution time that the job needs.
    pub cost: Work,
}

/// A rule by which jobs arrive and are released; all of them cost their WCET.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub rule: String,
    /// Arrivals by task.
    arriving: Vec<Arriving>,
    late: Late,
}

/// The jobs that are released later than they arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Late {
    None,
    /// First jobs are released as late as their jitter allows.
    First,
    /// All jobs are released as late as their jitter allows.
    All,
    /// All jobs whose jitter allows it are released at this time, except those of the given task.
    At(u64, Option<TaskId>),
}

/// Largest number of tasks that are tried as the one whose job has just begun.
const MOST_BLOCKERS: usize = 64;

impl Pattern {
    /// Returns the patterns to try against a cluster, the likeliest first.
    pub(crate) fn all(prepared: &Prepared, cluster: &ClusterAnalysis) -> Vec<Pattern> {
        let early = early(prepared);
        let stated =
            |rule: &str, late: Late| Pattern { rule: rule.to_owned(), arriving: early.clone(), late };
        let mut all = vec![stated("each job costs its WCET and is released on arrival", Late::None)];
        if cluster.tasks.iter().any(|id| !prepared.tasks[id.index()].jitter.is_zero()) {
            let first = "each job costs its WCET, first jobs are released as late as they may";
            all.push(stated(first, Late::First));
            all.push(stated("each job costs its WCET and is released as late as it may", Late::All));
        }
        if cluster.tasks.iter().any(|id| is_open(prepared, *id)) {
            Pattern::meeting(prepared, cluster, &early, &mut all);
        }
        all
    }

    /// Adds patterns in which sporadic jobs are released together, at a time when periodic ones are released too.
    fn meeting(prepared: &Prepared, cluster: &ClusterAnalysis, early: &[Arriving], all: &mut Vec<Pattern>) {
        let tasks = &prepared.tasks;
        let members = || cluster.tasks.iter().map(|id| id.index());
        let jitter = members().map(|index| tasks[index].jitter.as_ns()).max().unwrap_or(0);
        let firsts = members().filter_map(|index| early[index].at(0));
        let earliest = firsts.max().unwrap_or(0).saturating_add(jitter);
        // Other fixed arrivals are likeliest to coincide with an arrival of the rarest task.
        let rarest = members().filter(|index| !is_open(prepared, TaskId(*index as u32)));
        let rarest = rarest.max_by_key(|index| tasks[*index].period);
        let meet = |from: u64| rarest.and_then(|index| early[index].next(from)).unwrap_or(from);
        let together = |rule: String, begin: u64, first: Option<TaskId>| {
            let delayed = |(index, one): (usize, &Arriving)| match first {
                Some(id) if id.index() == index => one.clone().delayed_to(begin - 1),
                _ => one.clone().delayed_to(begin.saturating_sub(tasks[index].jitter.as_ns())),
            };
            let arriving = early.iter().enumerate().map(delayed).collect();
            Pattern { rule, arriving, late: Late::At(begin, first) }
        };
        let rule = "all first jobs are released together; each job costs its WCET".to_owned();
        all.push(together(rule, meet(earliest), None));
        let mut blockers = cluster.tasks.clone();
        blockers.sort_by_key(|id| (std::cmp::Reverse(tasks[id.index()].wcet), *id));
        all.extend(blockers.into_iter().take(MOST_BLOCKERS).map(|id| {
            let name = &prepared.scenario.tasks[id.index()].name;
            let rule = format!("all other first jobs are released together, just after one of {name}; each job costs its WCET");
            let begin = match is_open(prepared, id) {
                true => meet(earliest.saturating_add(1)),
                false => early[id.index()].next(earliest).unwrap_or(earliest).saturating_add(1),
            };
            together(rule, begin, Some(id))
        }));
    }

    /// Returns the job's arrival and release in ns.
    fn times(&self, id: JobId, jitter: u64) -> Option<(u64, u64)> {
        let arrival = self.arriving[id.task.index()].at(id.number)?;
        let latest = arrival.checked_add(jitter)?;
        let release = match self.late {
            Late::None => arrival,
            Late::First if id.number > 0 => arrival,
            Late::First | Late::All => latest,
            Late::At(_, Some(blocker)) if blocker == id.task => arrival,
            Late::At(time, _) if arrival <= time && time <= latest => time,
            Late::At(..) => arrival,
        };
        Some((arrival, release))
    }
}

/// The arrivals of the scenario, each as early as it may be.
pub(super) fn early(prepared: &Prepared) -> Vec<Arriving> {
    let specs = &prepared.scenario.tasks;
    let of = |(task, spec): (&Task, &TaskSpec)| match &spec.arrival {
        Arrival::Sporadic { .. } if !arrivals::is_open(spec, specs) => {
            Arriving::early(task, &Arrival::Periodic)
        }
        arrival @ (Arrival::Periodic | Arrival::Sporadic { .. } | Arrival::Listed(_)) => {
            Arriving::early(task, arrival)
        }
    };
    prepared.tasks.iter().zip(specs).map(of).collect()
}

fn is_open(prepared: &Prepared, id: TaskId) -> bool {
    arrivals::is_open(&prepared.scenario.tasks[id.index()], &prepared.scenario.tasks)
}

/// The jobs that one simulation executes.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    tasks: Rc<[Task]>,
    jobs: Jobs,
}

#[derive(Clone, Debug)]
enum Jobs {
    /// Jobs by task.
    Listed(Rc<[Vec<ListedJob>]>),
    Pattern(Rc<Pattern>),
}

impl Planned {
    /// Plans the jobs that a test names as its counter-example.
    pub(crate) fn listed(prepared: &Prepared, example: &CounterExample) -> Planned {
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

    /// Plans the jobs that arrive by `pattern`.
    pub(crate) fn by_pattern(prepared: &Prepared, pattern: &Pattern) -> Planned {
        let jobs = Jobs::Pattern(Rc::new(pattern.clone()));
        Planned { tasks: prepared.tasks.clone().into(), jobs }
    }

    /// Returns how jobs arrive, in words.
    pub(crate) fn rule(&self) -> &str {
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
        let (arrival, release) = pattern.times(id, task.jitter.as_ns())?;
        let (arrival, release) = (Instant::from_ns(arrival), Instant::from_ns(release));
        Some(ListedJob { id, arrival, release, cost: task.wcet })
    }

    /// Returns the job's absolute deadline; [`Instant::NEVER`] if there is no such job.
    pub(crate) fn absolute_deadline(&self, id: JobId) -> Instant {
        let due = self
            .job(id)
            .and_then(|job| job.arrival.checked_add(self.tasks[id.task.index()].relative_deadline));
        due.unwrap_or(Instant::NEVER)
    }

    /// Lists the jobs that arrive until `until`, by arrival; empty if there are more than `most`.
    pub(crate) fn list(&self, until: Instant, most: usize) -> Vec<ListedJob> {
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

    /// Returns a source of the jobs of the tasks `of`, or of all tasks.
    pub(crate) fn source(&self, of: Option<&[TaskId]>) -> Source {
        let next = |task| of.is_none_or(|ids| ids.contains(&TaskId(task))).then_some(0);
        Source { plan: self.clone(), next: (0..self.tasks.len() as u32).map(next).collect() }
    }
}

/// A source that returns planned jobs one after the other.
pub(super) struct Source {
    plan: Planned,
    /// Number of the next job by task; `None` for a task without jobs.
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
            Suspension::None | Suspension::Dynamic(_) | Suspension::Segmented => {
                program.extend_from_slice(&model.program)
            }
        }
        Some(NextJob { arrival: job.arrival, release: job.release, cost: job.cost })
    }
}
