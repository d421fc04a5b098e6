//! Periodic tasks, explored until what may come is what came before.
//!
//! Jobs become known as the exploration needs them. Two states with equal jobs still to come, one hyperperiod apart,
//! and equal intervals have equal futures, and a state whose intervals lie in another's has no more futures than that.
//! So if N jobs arrive in a hyperperiod, and each state with d + N jobs dispatched, shifted by a hyperperiod, lies in a
//! state with d, then everything that is reachable has been seen. A processor that becomes free before any job may be
//! released might as well become free when one may: intervals are compared so cut off.
//!
//! A job must wait for its task's job before, which the exploration does not know: it cannot happen that it would
//! not, if no job is complete later than its task's next arrival. On one processor it cannot happen either if no
//! jitter is above the period. Otherwise jobs count as late when their task's next one arrives.

use super::expand::{KnownJobs, NeedJobs};
use super::jobs::{JobSpan, JobsError, Span};
use super::level::{Level, Merging};
use super::outcome::Conclusion;
use super::search::{Miss, Search, Step};
use super::witness;
use schedlab_model::{JobId, TaskId};
use std::collections::BTreeMap;

/// Parameters of a task's jobs. Times in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeriodicTask {
    /// Id of the task.
    pub id: TaskId,
    /// Arrival of the first job.
    pub offset: u64,
    /// The distance of arrivals. Positive.
    pub period: u64,
    /// From arrival to absolute deadline.
    pub relative_deadline: u64,
    /// Longest time from arrival to release.
    pub jitter: u64,
    /// Least and greatest cost of a job.
    pub cost: Span,
    /// Constant part of a job's priority point.
    pub point: u64,
    /// Factor of a job's arrival in its priority point: 0 if the point is the same for all jobs, above 1 if points are
    /// in parts of a nanosecond.
    pub point_scale: u32,
}

impl PeriodicTask {
    /// Longest parameter that can be explored, in ns.
    const LONGEST: u64 = 1 << 55;

    /// Latest priority point that can be explored.
    pub(crate) const LATEST_POINT: u64 = 1 << 62;

    /// Largest [`PeriodicTask::point_scale`]: sums of arrivals and points then stay within 64 bits.
    pub(crate) const LARGEST_SCALE: u32 = 1 << 10;

    fn job(&self, number: u32, due_after: u64) -> JobSpan {
        let arrival = self.offset + u64::from(number) * self.period;
        JobSpan {
            id: JobId::new(self.id, number),
            release: Span::new(arrival, arrival + self.jitter),
            cost: self.cost,
            due: arrival + due_after,
            point: self.point + u64::from(self.point_scale) * arrival,
        }
    }
}

/// Result of an exploration of periodic tasks.
#[derive(Clone, Debug)]
pub struct TasksExplored {
    /// End of the exploration.
    pub outcome: Conclusion,
    /// Number of visited states.
    pub states: u64,
    /// The response times that may occur by task. `None` if a job may be late or the budget was spent: not all
    /// schedules were then explored.
    pub responses: Vec<Option<Span>>,
}

/// Explores periodic tasks on `processors` processors until their states repeat. If the budget is spent, it explores
/// once more and merges more states.
///
/// Panics if there is no processor, or a parameter is beyond 2^55 ns, or a scale beyond
/// [`PeriodicTask::LARGEST_SCALE`], or a point beyond [`PeriodicTask::LATEST_POINT`].
pub fn explore_tasks(tasks: &[PeriodicTask], processors: u32, most_states: u64) -> TasksExplored {
    assert!(processors > 0, "there is a processor");
    let short = |task: &PeriodicTask| {
        let times = [task.offset, task.period, task.relative_deadline, task.jitter, task.cost.high];
        let scale = u64::from(task.point_scale.max(1));
        task.period > 0
            && times.iter().all(|time| *time <= PeriodicTask::LONGEST)
            && scale <= PeriodicTask::LARGEST_SCALE.into()
            && task.point <= PeriodicTask::LATEST_POINT
    };
    assert!(tasks.iter().all(short), "parameters have been checked");
    let mut states = 0;
    let mut found = None;
    for merging in Merging::to_try(processors as usize) {
        let mut unrolled = Unrolled::new(tasks, processors as usize, *merging, most_states);
        let outcome = if tasks.is_empty() { Conclusion::Safe } else { unrolled.explore() };
        states += unrolled.search.states;
        let enough = outcome != Conclusion::OutOfBudget;
        found = Some(unrolled.report(outcome, states));
        if enough {
            break;
        }
    }
    found.expect("there is a way to merge")
}

struct Unrolled<'a> {
    tasks: &'a [PeriodicTask],
    /// Place of each task.
    places: BTreeMap<TaskId, usize>,
    arrivals: Arrivals,
    search: Search,
    most_states: u64,
}

impl<'a> Unrolled<'a> {
    fn new(tasks: &'a [PeriodicTask], processors: usize, merging: Merging, most_states: u64) -> Self {
        let in_order = processors == 1 && tasks.iter().all(|task| task.jitter <= task.period);
        let due_after = |task: &PeriodicTask| match in_order {
            true => task.relative_deadline,
            false => task.relative_deadline.min(task.period),
        };
        let arrivals = Arrivals {
            due_after: tasks.iter().map(due_after).collect(),
            numbers: vec![0; tasks.len()],
            most_jobs: most_states.min(JobsError::MOST as u64),
        };
        let known = KnownJobs { jobs: Vec::new(), complete_until: 0 };
        let places = tasks.iter().enumerate().map(|(index, task)| (task.id, index)).collect();
        let search = Search::new(known, processors, merging, most_states);
        Unrolled { tasks, places, arrivals, search, most_states }
    }

    fn explore(&mut self) -> Conclusion {
        let mut cycle = Cycle::of(self.tasks, self.most_states);
        loop {
            if let Some(cycle) = &mut cycle {
                if cycle.is_closed(&self.search) {
                    return Conclusion::Safe;
                }
            }
            match self.search.step() {
                Step::Further => {}
                Step::Late(miss) => return self.explain(&miss),
                Step::OutOfBudget => return Conclusion::OutOfBudget,
                Step::Done => unreachable!("periodic tasks have no last job"),
                Step::Need(NeedJobs(until)) => {
                    if !self.arrivals.extend(self.tasks, &mut self.search, until) {
                        return Conclusion::OutOfBudget;
                    }
                }
            }
        }
    }

    /// Repeats the exploration and records it, then finds what makes the job late: by its true deadline, and after its
    /// task's earlier jobs.
    fn explain(&mut self, miss: &Miss) -> Conclusion {
        self.know_until_due(miss);
        let (again, miss) = self.search.again_until_late(self.most_states);
        let jobs = &again.known.jobs;
        let due = |job: usize| jobs[job].release.low + self.task_of(jobs[job].id.task).relative_deadline;
        witness::find(&again, miss, true, due)
    }

    /// Adds all jobs that arrive before the deadline that may be missed. They cannot change the schedule up to this
    /// point.
    fn know_until_due(&mut self, miss: &Miss) {
        let job = self.search.known.jobs[miss.next.job];
        let due = job.release.low + self.task_of(job.id.task).relative_deadline;
        while self.search.known.complete_until <= due {
            if !self.arrivals.extend(self.tasks, &mut self.search, due) {
                return;
            }
        }
    }

    fn task_of(&self, id: TaskId) -> &PeriodicTask {
        &self.tasks[self.places[&id]]
    }

    fn report(self, outcome: Conclusion, states: u64) -> TasksExplored {
        let mut responses: Vec<Option<Span>> = vec![None; self.tasks.len()];
        if outcome != Conclusion::Safe {
            return TasksExplored { outcome, states, responses };
        }
        for (job, completion) in self.search.known.jobs.iter().zip(&self.search.completions) {
            let Some(completion) = completion else { continue };
            let arrival = job.release.low;
            let response = Span::new(completion.low - arrival, completion.high - arrival);
            let task = self.places[&job.id.task];
            responses[task] = Some(responses[task].map_or(response, |span| span.hull(response)));
        }
        TasksExplored { outcome, states, responses }
    }
}

/// Jobs that the search knows.
struct Arrivals {
    /// By task: the time after which a job counts as late.
    due_after: Vec<u64>,
    /// By task: number of the first job that is not known.
    numbers: Vec<u32>,
    /// Most jobs to add: a budget of states would not suffice to dispatch more.
    most_jobs: u64,
}

impl Arrivals {
    /// No arrival beyond this is explored, in the unit of priority points.
    const LATEST: u64 = 1 << 60;

    /// Adds all jobs that arrive up to `until`, and some more. Returns false if these are too many.
    fn extend(&mut self, tasks: &[PeriodicTask], search: &mut Search, until: u64) -> bool {
        let next = |(task, number): (&PeriodicTask, &u32)| task.offset + u64::from(*number) * task.period;
        let first = tasks.iter().zip(&self.numbers).map(next).min().expect("there are tasks");
        let shortest = tasks.iter().map(|task| task.period).min().expect("there are tasks");
        let scale = tasks.iter().map(|task| task.point_scale.max(1)).max().expect("there are tasks");
        let latest = Self::LATEST / u64::from(scale);
        let Some(until) = until.max(first).checked_add(8 * shortest).filter(|at| *at <= latest) else {
            return false;
        };
        let known = &mut search.known;
        let before = known.jobs.len();
        for (index, task) in tasks.iter().enumerate() {
            let number = &mut self.numbers[index];
            while task.offset + u64::from(*number) * task.period <= until {
                if known.jobs.len() as u64 > self.most_jobs {
                    return false;
                }
                known.jobs.push(task.job(*number, self.due_after[index]));
                *number += 1;
            }
        }
        known.jobs[before..].sort_unstable_by_key(JobSpan::place);
        known.complete_until = until + 1;
        search.completions.resize(search.known.jobs.len(), None);
        true
    }
}

/// Detector of states that repeat.
struct Cycle {
    hyperperiod: u64,
    jobs: usize,
    last_offset: u64,
    earlier: Option<Snapshot>,
}

/// States of one level: the dispatched jobs, and when processors become free.
struct Snapshot {
    depth: usize,
    by_jobs: BTreeMap<Vec<u64>, Vec<Vec<Span>>>,
}

impl Cycle {
    /// `None` if a hyperperiod has more jobs than there may be states.
    fn of(tasks: &[PeriodicTask], most_states: u64) -> Option<Cycle> {
        let lcm = |sum: u64, task: &PeriodicTask| {
            let period = task.period;
            (sum / num_integer::gcd(sum, period)).checked_mul(period).filter(|all| *all <= Arrivals::LATEST)
        };
        let hyperperiod = tasks.iter().try_fold(1, lcm)?;
        let jobs: u128 = tasks.iter().map(|task| u128::from(hyperperiod / task.period)).sum();
        let last_offset = tasks.iter().map(|task| task.offset).max()?;
        let fits = jobs <= u128::from(most_states);
        fits.then_some(Cycle { hyperperiod, jobs: jobs as usize, last_offset, earlier: None })
    }

    /// True if no state of the present level is new.
    fn is_closed(&mut self, search: &Search) -> bool {
        match &self.earlier {
            None if !self.all_arrive(search) => return false,
            Some(earlier) if search.depth < earlier.depth + self.jobs => return false,
            _ => {}
        }
        let Some(now) = self.snapshot(search) else { return false };
        let closed = self.earlier.as_ref().is_some_and(|earlier| now.lies_in(earlier, self));
        self.earlier = Some(now);
        closed
    }

    /// True if every job still to come arrives when all tasks have arrived: from then on, jobs repeat.
    fn all_arrive(&self, search: &Search) -> bool {
        (0..search.level.len()).all(|state| match search.known.jobs.get(search.level.first_open(state)) {
            Some(job) => job.release.low >= self.last_offset,
            None => search.known.complete_until > self.last_offset,
        })
    }

    /// The present states; `None` if the first job to come of one is not known yet.
    fn snapshot(&self, search: &Search) -> Option<Snapshot> {
        let mut by_jobs: BTreeMap<Vec<u64>, Vec<Vec<Span>>> = BTreeMap::new();
        for state in 0..search.level.len() {
            let first = search.level.first_open(state);
            let release =
                search.known.jobs.get(first).map_or(search.known.complete_until, |job| job.release.low);
            let cut = |span: &Span| Span::new(span.low.max(release), span.high.max(release));
            let free = search.level.free(state).iter().map(cut).collect();
            by_jobs.entry(open_from(&search.level, state, first)).or_default().push(free);
        }
        Some(Snapshot { depth: search.depth, by_jobs })
    }
}

/// The first job to come, and which jobs after it are dispatched all the same.
fn open_from(level: &Level, state: usize, first: usize) -> Vec<u64> {
    let bits = level.bits(state);
    let (skipped, shift) = ((first - level.first_job()) / 64, first % 64);
    let word = |index: usize| bits.get(index).copied().unwrap_or(0);
    let mut jobs = vec![first as u64];
    for index in skipped..bits.len() {
        let above = if shift == 0 { 0 } else { word(index + 1) << (64 - shift) };
        jobs.push(word(index) >> shift | above);
    }
    while jobs.len() > 1 && jobs.last() == Some(&0) {
        jobs.pop();
    }
    jobs
}

impl Snapshot {
    /// True if each state, shifted back by a cycle, lies in one of `earlier`.
    fn lies_in(&self, earlier: &Snapshot, cycle: &Cycle) -> bool {
        self.by_jobs.iter().all(|(jobs, states)| {
            let mut shifted = jobs.clone();
            let Some(first) = shifted[0].checked_sub(cycle.jobs as u64) else { return false };
            shifted[0] = first;
            let Some(before) = earlier.by_jobs.get(&shifted) else { return false };
            states.iter().all(|state| before.iter().any(|old| lies_in(state, old, cycle.hyperperiod)))
        })
    }
}

fn lies_in(state: &[Span], old: &[Span], hyperperiod: u64) -> bool {
    state.iter().zip(old).all(|(now, old)| {
        let shift = |at: u64| at.checked_sub(hyperperiod);
        let (Some(low), Some(high)) = (shift(now.low), shift(now.high)) else { return false };
        old.contains(Span::new(low, high))
    })
}
