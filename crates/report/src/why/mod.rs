//! Why did a job take as long as it did?
//!
//! [`Explainer`] splits the time from a job's arrival to its completion into intervals, each with one cause, so that
//! the parts sum to the response time exactly. At every moment the cause is the first of these that applies:
//!
//! 1. *Not ready*: an overhead on the job's account, else its predecessor while that is not done, else the
//!    *release* (jitter, or waiting for a tick).
//! 2. *In a deadlock*: with whom, and over what.
//! 3. *Suspended*: by itself, for a resource (with its holders, and who executes while none of them does; or, if no job
//!    holds it, with those whose ceilings deny it), or held back by a protocol (with those in a section meanwhile).
//! 4. *On its processor*: an overhead there, else spinning (with the holders), else its own work.
//! 5. *Linked but not on its processor*: an overhead there or on the job's account, else an occupant in a
//!    non-preemptive section, else dispatch latency.
//! 6. *Backlogged*: if a linked job of the cluster holds a resource and is less urgent by its base priority, that
//!    blocking; else if a linked job is less urgent, that inversion (or choice, if the scheduler chooses by utility);
//!    else interference by the linked jobs of the cluster; without any, an overhead of the cluster's processors, else
//!    idling. A client of a budget server without budget waits for that, before all but that blocking. Under
//!    throttling, a processor of the cluster that is idle, or runs an ordinary thread, comes before all but that
//!    blocking.
//!
//! Under a scheduler that decides by quanta (Pfair), a backlogged job's time is looked at again when it is granted a
//! quantum, since only then is its subtask's window known: up to the first boundary and from the slot's begin to its
//! own processor's it waits for a *boundary*, up to the pseudo-release for its *window*; else for the rest of a
//! *wasted* quantum if there is one, else for those who were more urgent. See [`quanta`].
//!
//! On several processors an interval of interference belongs to all jobs linked meanwhile. The
//! intervals keep the set; per job, its length is shared out evenly, and the nanoseconds that do not divide go to the
//! first jobs of the set, one each, so those sums are exact too.

mod blocking;
mod cause;
mod quanta;
mod results;
mod text;

pub(crate) use blocking::blockers;
pub use cause::Cause;
pub use results::WhyResult;

use crate::context::Context;
use crate::deadlock::Deadlocks;
use crate::scene::{Doing, LiveJob, Scene};
use schedlab_model::{Band, CpuId, Duration, Instant, JobId, OverheadKind, Priority, Utility};
use schedlab_trace::{about, Record, Sink, SuspendReason};
use std::collections::BTreeMap;

/// A stretch of time with one cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Begin of the interval.
    pub from: Instant,
    /// End of the interval.
    pub to: Instant,
    /// Cause of the interval: what the job waited for, or that it worked.
    pub cause: Cause,
}

impl Interval {
    /// Length of the interval.
    pub(crate) fn length(&self) -> Duration {
        self.to - self.from
    }
}

/// End of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum JobEnding {
    /// The job received all its cost.
    Completed,
    /// The job was given up.
    Aborted,
    /// The trace ended before the job did.
    Unfinished,
}

/// Explanation of the time of one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// Id of the job.
    pub job: JobId,
    /// Arrival of the job.
    pub arrival: Instant,
    /// Absolute deadline of the job.
    pub absolute_deadline: Instant,
    /// Begin of the job's abort handler, if it began.
    pub given_up: Option<Instant>,
    /// Way in which the job ended.
    pub ending: JobEnding,
    /// End of the job.
    pub end: Instant,
    /// Utility of the job's end, where utilities are measured and it has ended.
    pub earned: Option<Earned>,
    /// Intervals from arrival to end, without gap.
    pub intervals: Vec<Interval>,
}

/// Utility of the end of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Earned {
    /// Utility of the completion, or of the abort handler.
    pub accrued: Utility,
    /// Utility that a completion at the arrival would have had.
    pub at_most: Utility,
}

impl Why {
    /// An explanation for a job that has just arrived.
    fn new(job: JobId, arrival: Instant, absolute_deadline: Instant) -> Self {
        let (given_up, ending, end) = (None, JobEnding::Unfinished, arrival);
        Why { job, arrival, absolute_deadline, given_up, ending, end, earned: None, intervals: Vec::new() }
    }

    /// The time from arrival to completion (or to abort, or to the end of the trace).
    pub fn response_time(&self) -> Duration {
        self.end - self.arrival
    }

    /// The causes with their lengths, which sum to the response time. Sets of interfering jobs are divided among their
    /// jobs; largest first within each kind of cause.
    pub fn parts(&self) -> Vec<(Cause, Duration)> {
        let mut parts: Vec<(Cause, Duration)> = Vec::new();
        // A job that starves is interfered with by as many jobs as there are.
        let mut known: BTreeMap<Cause, usize> = BTreeMap::new();
        for interval in &self.intervals {
            for (cause, share) in interval.cause.shared_out(interval.length()) {
                let index = *known.entry(cause.clone()).or_insert(parts.len());
                match parts.get_mut(index) {
                    Some((_, sum)) => *sum += share,
                    None => parts.push((cause, share)),
                }
            }
        }
        parts.retain(|(_, length)| !length.is_zero());
        // A stable sort: what is equally long stays in the order in which it began.
        parts.sort_by_key(|(cause, length)| (cause.rank(), core::cmp::Reverse(*length)));
        parts
    }
}

/// Why a job cannot be explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the trace has no arrival of {0}")]
pub struct NoSuchJob(pub JobId);

/// Explains one job. It also reads all records before the job, because they show which jobs hold which resources.
#[derive(Clone, Debug)]
pub struct Explainer {
    context: Context,
    scene: Scene,
    deadlocks: Deadlocks,
    job: JobId,
    why: Option<Why>,
    done: bool,
    /// Overheads charged to the job, and interrupts to each processor, that have not ended.
    own_overheads: Vec<(CpuId, OverheadKind)>,
    interrupts: Vec<CpuId>,
    /// Begin of the job's attempt on a lock-free object.
    attempt: Option<Instant>,
    /// By processor: the time until which its quantum is wasted.
    wasted: Vec<Instant>,
}

impl Explainer {
    /// Explains `job`.
    pub fn new(context: &Context, job: JobId) -> Self {
        Explainer {
            context: context.clone(),
            scene: Scene::new(context),
            deadlocks: Deadlocks::new(context),
            job,
            why: None,
            done: false,
            own_overheads: Vec::new(),
            interrupts: Vec::new(),
            attempt: None,
            wasted: Vec::new(),
        }
    }

    /// True once the job has ended, so that later records do not matter.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// Returns the explanation, or an error if the trace has no such job.
    pub fn finish(mut self) -> Result<Why, NoSuchJob> {
        let why = self.why.take().ok_or(NoSuchJob(self.job))?;
        Ok(why)
    }

    /// Attributes the time since the last record.
    fn attribute(&mut self, until: Instant) {
        let Some(why) = &mut self.why else { return };
        if until <= why.end {
            return;
        }
        let from = core::mem::replace(&mut why.end, until);
        let cause = match self.scene.job(self.job) {
            Some(job) => self.cause(job),
            None => return,
        };
        let why = self.why.as_mut().expect("it was there a moment ago");
        match why.intervals.last_mut() {
            Some(last) if last.cause == cause => last.to = until,
            _ => why.intervals.push(Interval { from, to: until, cause }),
        }
    }

    /// Returns the cause for the job in the present state.
    fn cause(&self, job: &LiveJob) -> Cause {
        if let Some(circle) = self.deadlocks.circle_of(job.id) {
            let resources = circle.iter().map(|link| link.wants).collect();
            let holders = circle[1..].iter().map(|link| link.job).collect();
            return Cause::Deadlock { holders, resources };
        }
        match (job.doing, job.on) {
            (Doing::Pending, _) => self.not_ready(job),
            (Doing::Suspended(SuspendReason::Itself), _) => Cause::SelfSuspension,
            (Doing::Suspended(SuspendReason::HeldBack), _) => blocking::held_back(&self.scene, job),
            (Doing::Suspended(SuspendReason::Resource(resource)), _) => {
                blocking::suspended(&self.scene, job, resource)
            }
            (Doing::Ready, Some(cpu)) => match (self.scene.cpu(cpu).overhead, job.spinning) {
                (Some((kind, _)), _) => Cause::Overhead(kind),
                (None, Some(resource)) if job.delayed => Cause::Zone(resource),
                (None, Some(resource)) => blocking::spinning(&self.scene, job, resource),
                (None, None) => Cause::Own,
            },
            (Doing::Ready, None) => match self.scene.link_of(job.id) {
                Some(cpu) => self.linked(cpu),
                None => self.backlogged(job),
            },
        }
    }

    fn not_ready(&self, job: &LiveJob) -> Cause {
        if let Some((_, kind)) = self.own_overheads.first() {
            return Cause::Overhead(*kind);
        }
        let earlier =
            self.scene.tasks[job.id.task.index()].jobs.iter().find(|other| other.id.number < job.id.number);
        earlier.map_or(Cause::Release, |other| Cause::Predecessor(other.id))
    }

    fn linked(&self, cpu: CpuId) -> Cause {
        let live = self.scene.cpu(cpu);
        let np = live.occupant.and_then(|id| self.scene.job(id)).filter(|occupant| occupant.np_depth > 0);
        if let Some((kind, _)) = live.overhead {
            Cause::Overhead(kind)
        } else if self.interrupts.contains(&cpu) {
            Cause::Overhead(OverheadKind::Ipi)
        } else if let Some((_, kind)) = self.own_overheads.first() {
            Cause::Overhead(*kind)
        } else if let Some(occupant) = np {
            Cause::NonPreemptive(occupant.id)
        } else {
            Cause::DispatchLatency
        }
    }

    fn backlogged(&self, job: &LiveJob) -> Cause {
        let cpus =
            || self.context.clusters.iter().enumerate().filter(|(_, cluster)| **cluster == job.cluster);
        let linked = cpus().filter_map(|(cpu, _)| self.scene.linked(CpuId(cpu as u16)));
        let mut jobs: Vec<&LiveJob> = linked.filter(|other| other.id != job.id).collect();
        jobs.sort_by_key(|other| other.id);
        let ids = |jobs: &[&LiveJob]| jobs.iter().map(|other| other.id).collect::<Vec<_>>();
        if let Some(cause) = blocking::by_section(&self.scene, job, &jobs) {
            return cause;
        }
        if let Some(quanta) = &self.context.quanta {
            let is_wasted =
                cpus().any(|(cpu, _)| self.wasted.get(cpu).is_some_and(|until| self.scene.now < *until));
            return quanta::backlogged(quanta, job.id, &ids(&jobs), is_wasted);
        }
        if self.lacks_budget(job) {
            return Cause::NoBudget;
        }
        let is_idle = |cpu| {
            let live = self.scene.cpu(cpu);
            self.scene.linked(cpu).is_none() && live.occupant.is_none() && live.overhead.is_none()
        };
        // Ordinary threads run where a processor has stopped the others.
        let is_ordinary =
            |other: &LiveJob| other.priority.is_some_and(|priority| priority.band() == Band::Background);
        let has_stopped =
            cpus().any(|(cpu, _)| is_idle(CpuId(cpu as u16))) || jobs.iter().any(|one| is_ordinary(one));
        if self.context.throttles && has_stopped && !is_ordinary(job) {
            return Cause::Throttled;
        }
        let less_urgent = |other: &&LiveJob| {
            job.priority.zip(other.priority).is_some_and(|(own, theirs)| own.is_higher_than(theirs))
        };
        let inverted: Vec<&LiveJob> = jobs.iter().copied().filter(less_urgent).collect();
        if !inverted.is_empty() {
            let chosen = self.context.chooses_by_utility;
            return if chosen { Cause::Chosen(ids(&inverted)) } else { Cause::Inversion(ids(&inverted)) };
        }
        if !jobs.is_empty() {
            return Cause::Interference(ids(&jobs));
        }
        let overhead = cpus().find_map(|(cpu, _)| self.scene.cpu(CpuId(cpu as u16)).overhead);
        overhead.map_or(Cause::Idle, |(kind, _)| Cause::Overhead(kind))
    }

    /// True if the job's budget server grants nothing to any of its clients: all of them wait below all other jobs.
    fn lacks_budget(&self, job: &LiveJob) -> bool {
        let Some(server) = self.context.server_of(job.id.task) else { return false };
        let is_held = |other: &LiveJob| {
            other.priority.is_none_or(|priority| {
                priority.band() == Band::Background && priority.point() == Priority::MAX_POINT
            })
        };
        let clients =
            (0..self.context.servers.len()).filter(|task| self.context.servers[*task] == Some(server));
        let mut jobs = clients.filter_map(|task| self.scene.tasks.get(task)).flat_map(|task| &task.jobs);
        jobs.all(is_held)
    }

    /// Handles records about the job: it arrives or is given up; its attempt begins, succeeds or fails, in which case
    /// its work since the begin was in vain; it is granted a quantum, whose window shows what it waited for; or a
    /// quantum is wasted.
    fn note(&mut self, at: Instant, record: &Record) {
        let is_own = record.job() == Some(self.job);
        match *record {
            Record::Arrival { absolute_deadline, .. } if is_own && self.why.is_none() => {
                self.why = Some(Why::new(self.job, at, absolute_deadline));
            }
            Record::GiveUp { .. } if is_own => {
                self.why.iter_mut().for_each(|why| why.given_up = Some(at));
            }
            Record::Attempt { .. } if is_own => self.attempt = Some(at),
            Record::Commit { .. } if is_own => self.attempt = None,
            Record::Retry { resource, .. } if is_own => {
                if let (Some(why), Some(since)) = (&mut self.why, self.attempt.replace(at)) {
                    was_in_vain(&mut why.intervals, since, Cause::Retry(resource));
                }
            }
            Record::Waste { cpu, until } => {
                if self.wasted.len() <= cpu.index() {
                    self.wasted.resize(cpu.index() + 1, Instant::ZERO);
                }
                self.wasted[cpu.index()] = until;
            }
            Record::Subtask { cpu, job, release, .. } if is_own => {
                if let (Some(why), Some(quanta)) = (&mut self.why, &self.context.quanta) {
                    quanta::attribute(&mut why.intervals, quanta, quanta::Granted { cpu, job, release, at });
                }
            }
            Record::OverheadBegin { cpu, kind, .. } => {
                self.interrupts.extend((kind == OverheadKind::Ipi).then_some(cpu));
                self.own_overheads.extend(is_own.then_some((cpu, kind)));
            }
            Record::OverheadEnd { cpu, kind } => {
                let is_interrupt = |known: &CpuId| kind == OverheadKind::Ipi && *known == cpu;
                if let Some(index) = self.interrupts.iter().position(is_interrupt) {
                    self.interrupts.remove(index);
                }
                if let Some(index) = self.own_overheads.iter().position(|known| *known == (cpu, kind)) {
                    self.own_overheads.remove(index);
                }
            }
            about![lives, places, urgencies, requests, attempts, Quantum, Subtask, servers, tasks, trace] => {
            }
        }
    }
}

impl Sink for Explainer {
    fn record(&mut self, at: Instant, record: Record) {
        if self.done || matches!(record, Record::Run(_)) {
            return;
        }
        self.attribute(at);
        let ending = match record {
            Record::Complete { job } if job == self.job => Some(JobEnding::Completed),
            Record::Abort { job } if job == self.job => Some(JobEnding::Aborted),
            about![lives, places, urgencies, requests, attempts, machine] => None,
        };
        if let (Some(why), Some(ending)) = (&mut self.why, ending) {
            why.ending = ending;
            why.earned = earned(&self.context, why);
            self.done = true;
            return;
        }
        self.note(at, &record);
        self.scene.apply(at, &record);
        self.deadlocks.record(at, record);
    }
}

/// Returns the utility of the end of a job. A job without a handler, or that had not begun, ends at once, without
/// utility.
fn earned(context: &Context, why: &Why) -> Option<Earned> {
    let worth = context.worths.get(why.job.task.index())?;
    let accrued = match why.ending {
        JobEnding::Completed => worth.of_completion(why.response_time()),
        JobEnding::Aborted => worth.of_abort(why.given_up.is_some()),
        JobEnding::Unfinished => return None,
    };
    Some(Earned { accrued, at_most: worth.largest() })
}

/// Replaces the cause of the job's own work from `since` on.
fn was_in_vain(intervals: &mut Vec<Interval>, since: Instant, cause: Cause) {
    let first = intervals.partition_point(|interval| interval.to <= since);
    if intervals.get(first).is_some_and(|interval| interval.from < since) {
        let before = Interval { to: since, ..intervals[first].clone() };
        intervals[first].from = since;
        intervals.insert(first, before);
    }
    let vain = intervals.iter_mut().filter(|interval| interval.from >= since && interval.cause == Cause::Own);
    vain.for_each(|interval| interval.cause = cause.clone());
    // One failed attempt after the other is one stretch of failed attempts.
    join_equal(intervals);
}

/// Joins successive intervals with one cause.
fn join_equal(intervals: &mut Vec<Interval>) {
    intervals.dedup_by(|later, earlier| {
        let is_one = earlier.to == later.from && earlier.cause == later.cause;
        if is_one {
            earlier.to = later.to;
        }
        is_one
    });
}

/// Explains `job` of a trace.
pub fn why(
    context: &Context,
    job: JobId,
    records: impl IntoIterator<Item = (Instant, Record)>,
) -> Result<Why, NoSuchJob> {
    let mut explainer = Explainer::new(context, job);
    for (at, record) in records {
        explainer.record(at, record);
        if explainer.is_done() {
            break;
        }
    }
    explainer.finish()
}
