//! The FMLP with short and long resources: terms under global scheduling, demand under partitioned EDF.
//!
//! A. Block, H. Leontyev, B. Brandenburg and J. Anderson, *A flexible real-time locking protocol for multiprocessors*,
//! RTCSA 2007; block-or-not-2008, sections 2.2 and 4.2. Waiting counts as execution: U. Devi's treatment of suspensions
//! under EDF (ECRTS 2003, Theorem 8), which 2008 also used, is refuted (docs/peers.md).
//!
//! **Global.** A job spins as under task-fair locks. For a long request it waits for at most one of each other task;
//! who holds inherits, so only sections without preemption keep it off a processor, each of one spin at most. A ready
//! job comes upon one when it arrives, when it is granted a long resource, and when a job that begins to wait raises
//! it, no more often (see [`crate::blocking::feed::oblivious`]). While a job waits, the requests before it are granted
//! once each, those behind it raise the holder once each, and no task has two of either kind: two spans for each of the
//! requests that it waits for. While it holds, so many may raise itself.
//!
//! **Short requests inside long sections** (Block et al. 2007, section 3) take the lock of their own group, and make
//! the long section longer by a spin each. A job may then be raised while it is not preempted and has lost its
//! processor to another, which goes elsewhere, perhaps upon one more section: once for each long request of any job
//! meanwhile.
//!
//! **Partitioned EDF.** The holder of a global long resource inherits on its own processor only, and is not preempted
//! once it executes. Until then other jobs of its processor execute, all of them counted: those pending at the grant
//! arrived at most D earlier, so that the delay is the least W with
//! `W = sum of (floor((W + D_h) / T_h) + 1) (C_h + spin_h)`, and never beyond the holder's D, before the first miss.
//! Take the first miss, due at d, and the time before it in which jobs due by d are pending. An instant where one of
//! them executes or spins is charged to its cost, else one where one of them is suspended to its waiting. Otherwise a
//! job due later is in a section begun before that time (the b(t) of [`crate::blocking::edf`]) or while one of them was
//! suspended, who then resumed: at each resumption, at most the longest section of each other task of the processor, as
//! sections of local long resources may be stacked.

pub mod oblivious;

use crate::blocking::contention::{Contention, Kind, Limit};
use crate::blocking::edf::{examine, Demanded};
use crate::blocking::feed;
use crate::blocking::fifo;
use crate::blocking::global_fmlp;
use crate::blocking::msrp_classic::Spins;
use crate::blocking::task_fair_mutex;
use crate::blocking::{Case, Judged, Requests, Sharer, Sharing, Terms};
use crate::budget::Budget;
use crate::steps::{DelayCause, Parts, Unwatched, Watch};
use schedlab_model::{LockingClass, Step, Task, TaskId};
use std::borrow::Cow;

/// Returns whether jobs spin for `resource`. A resource that is not listed is short.
#[expect(clippy::wildcard_enum_match_arm, reason = "an assertion: no bound asks of another class")]
fn is_short(case: &Case<'_>, resource: u32) -> bool {
    match case.locking.class {
        LockingClass::FmlpShort => true,
        LockingClass::FmlpLong => false,
        LockingClass::Fmlp => case.locking.short.get(resource as usize).copied().unwrap_or(true),
        other => unreachable!("resources have no lengths under {other:?}"),
    }
}

/// Returns `sharing` with requests for long resources lengthened by the time that jobs `spin` inside them, by task and
/// group. Reads the programs only if some job requests a short resource inside a long section.
fn spinning_inside<'a>(
    case: &Case<'_>,
    sharing: &'a Sharing,
    spin: &dyn Fn(usize, u32) -> u64,
) -> Cow<'a, Sharing> {
    match mixes_lengths(case) {
        true => Cow::Owned(case.grouped(spin).expect("it was accepted before")),
        false => Cow::Borrowed(sharing),
    }
}

/// Returns whether some job requests a short resource while it holds a long one.
fn mixes_lengths(case: &Case<'_>) -> bool {
    let mixes = |task: &Task| {
        let mut held = Vec::new();
        task.program.iter().any(|step| {
            match *step {
                Step::Request(resource, _) => held.push(is_short(case, resource.0)),
                Step::Release(..) => drop(held.pop()),
                Step::Execute(_) | Step::Suspend(_) | Step::Serve(_) | Step::NpEnter | Step::NpExit => {}
            }
            held.contains(&true) && held.contains(&false)
        })
    };
    case.tasks.iter().any(mixes)
}

/// By task, on one cluster: waiting, and delay by sections without preemption.
pub fn global(case: &Case<'_>, sharing: &Sharing, responses: &[u64]) -> Vec<Terms> {
    let found = global_with_parts::<Unwatched>(case, sharing, responses);
    found.into_iter().map(|(terms, _)| terms).collect()
}

/// Returns what [`global`] does, with the parts.
pub(crate) fn global_with_parts<P: Parts>(
    case: &Case<'_>,
    sharing: &Sharing,
    responses: &[u64],
) -> Vec<(Terms, P)> {
    let short = sharing.only(|resource| is_short(case, resource));
    let processors = case.processors();
    let spins = task_fair_mutex::with_parts::<P>(&short, responses, processors);
    let (span, span_parts) = longest_span::<P>(&short, processors);
    let requests = Contention::new(&short, responses, Kind::Any);
    let spin = |task, group| {
        let cause = DelayCause::Waiting;
        fifo::wait(&requests, &short, task, group, 1, processors.into(), cause, &mut Unwatched).length
    };
    let long = spinning_inside(case, sharing, &spin).only(|resource| !is_short(case, resource));
    let delays = global_fmlp::delays::<P>(&long, responses);
    let all_requests = Contention::new(&long, responses, Kind::Any);
    let of = |task: usize| {
        let ((spins, spin_parts), (delay, delay_parts)) = (&spins[task], &delays[task]);
        let all = Limit { total: u64::MAX, each: u64::MAX };
        let met = || all_requests.longest(task, all, |_| true, DelayCause::Waiting, &mut Unwatched);
        let raises = if mixes_lengths(case) { met().count } else { delay.count };
        let returns: u64 = long.requests(task).iter().map(Requests::count).sum();
        let kept_off = |times: u64| times.saturating_mul(span);
        let waits = delay.length.saturating_add(kept_off(delay.count.saturating_mul(2)));
        let local = spins.local.saturating_add(kept_off(returns.saturating_add(raises)));
        let mut parts = spin_parts.clone();
        parts.take(delay_parts, 1);
        parts.take(&span_parts, delay.count.saturating_mul(2).saturating_add(returns).saturating_add(raises));
        (Terms { remote: spins.remote.map(|spin| spin.saturating_add(waits)), local }, parts)
    };
    (0..spins.len()).map(of).collect()
}

/// By task, where there is one processor, with the parts: no job waits for another processor, and long resources follow
/// the stack resource policy. A job is blocked once, on arrival.
pub(crate) fn on_one_processor<P: Parts>(case: &Case<'_>, sharing: &Sharing) -> Vec<(Terms, P)> {
    let delays = Partitioned::<P>::new(case, sharing);
    let arrival = delays.spins.on_arrival::<P>(sharing, &delays.stacked);
    arrival.into_iter().map(|(arrival, parts)| (Terms::new(0, arrival), parts)).collect()
}

/// The longest spin and section for one request, on clusters of `processors`, with the parts: the queue is first come,
/// first served.
fn longest_span<P: Parts>(short: &Sharing, processors: u32) -> (u64, P) {
    let mut longest = (0, P::default());
    for resource in 0..short.units().len() as u32 {
        let of = |task: usize| {
            let request = short.requests(task).iter().find(|request| request.resource == resource)?;
            Some((request.length(), task))
        };
        let mut lengths: Vec<(u64, usize)> = (0..short.tasks().len()).filter_map(of).collect();
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        lengths.truncate(processors.saturating_mul(short.clusters()) as usize);
        let span = lengths.iter().map(|(length, _)| *length).fold(0, u64::saturating_add);
        if span > longest.0 {
            let mut parts = P::default();
            lengths.iter().for_each(|(length, task)| {
                parts.part(DelayCause::KeptOff, *task, resource, *length, 1);
            });
            longest = (span, parts);
        }
    }
    longest
}

/// Delays that the partitioned analysis combines.
struct Partitioned<P> {
    /// Spinning for requests of short resources.
    spins: Spins,
    /// By task: total spinning of one job, and its parts.
    spun: Vec<(u64, P)>,
    /// By task: waiting for global long resources.
    waits: Vec<LongWait<P>>,
    /// By resource: whether it follows the stack resource policy.
    stacked: Vec<bool>,
}

/// Waiting of one job for global long resources.
struct LongWait<P> {
    length: u64,
    /// Number of such requests: after each of them the job resumes.
    returns: u64,
    parts: P,
}

impl<P: Parts> Partitioned<P> {
    fn new(case: &Case<'_>, sharing: &Sharing) -> Self {
        let local = sharing.is_local();
        let long = |resource: u32| !is_short(case, resource);
        let stacked: Vec<bool> = (0..local.len()).map(|task| long(task as u32) && local[task]).collect();
        let spins = Spins::of(&sharing.only(|resource| !long(resource)));
        let spun = |task: usize| {
            let mut parts = P::default();
            (spins.of_job(sharing, task, &mut parts), parts)
        };
        let spun: Vec<(u64, P)> = (0..sharing.tasks().len()).map(spun).collect();
        let global = sharing.only(|resource| long(resource) && !local[resource as usize]);
        Partitioned { waits: waits(&global, &spun), spins, spun, stacked }
    }

    /// By task: inflation of the cost, with the delay at resumptions and the parts of both.
    fn inflation(&self, sharing: &Sharing) -> Vec<(Terms, P)> {
        let tasks = sharing.tasks();
        let longest_of = |task: usize| {
            let span = |request: &Requests| self.spins.span(sharing, task, request);
            let longest = sharing.requests(task).iter().map(span).max().unwrap_or(0);
            let mut parts = P::default();
            let is_longest = |request: &&Requests| P::ARE_NOTED && span(request) == longest;
            if let Some(request) = sharing.requests(task).iter().find(is_longest) {
                let causes = (DelayCause::KeptOff, DelayCause::KeptOff);
                self.spins.note_span(sharing, task, request, causes, &mut parts);
            }
            (longest, parts)
        };
        let longest: Vec<(u64, P)> = (0..self.spun.len()).map(longest_of).collect();
        let of = |task: usize| {
            let (LongWait { length: wait, returns, parts: waited }, (spun, spun_parts)) =
                (&self.waits[task], &self.spun[task]);
            let (mut each, mut parts) = (0u64, spun_parts.clone());
            parts.take(waited, 1);
            for other in (0..longest.len()).filter(|other| *other != task) {
                if tasks[other].cluster == tasks[task].cluster {
                    each = each.saturating_add(longest[other].0);
                    parts.take(&longest[other].1, *returns);
                }
            }
            let delay = returns.saturating_mul(each);
            (Terms::new(spun.saturating_add(*wait).saturating_add(delay), 0), parts)
        };
        (0..longest.len()).map(of).collect()
    }
}

/// By task: the longest time that its jobs wait for requests of `global`.
fn waits<P: Parts>(global: &Sharing, spins: &[(u64, P)]) -> Vec<LongWait<P>> {
    let tasks = global.tasks();
    let delays: Vec<u64> = (0..tasks.len()).map(|task| grant_to_execution(tasks, spins, task)).collect();
    let of = |task: usize| {
        let (mut wait, mut returns, mut parts) = (0u64, 0u64, P::default());
        for request in global.requests(task) {
            returns += request.count();
            for other in (0..tasks.len()).filter(|other| *other != task) {
                let same = |own: &&Requests| own.resource == request.resource;
                let Some(own) = global.requests(other).iter().find(same) else { continue };
                let relative_deadlines = (tasks[task].relative_deadline, tasks[other].relative_deadline);
                let jobs = global.jobs_within(other, relative_deadlines.0, relative_deadlines.1);
                let count = jobs.saturating_mul(own.count()).min(request.count());
                let held = delays[other].saturating_add(own.length()).min(relative_deadlines.1);
                wait = wait.saturating_add(count.saturating_mul(held));
                let length = own.length().min(held);
                parts.part(DelayCause::Waiting, other, request.resource, length, count);
                parts.part(DelayCause::HolderKeptOff, other, request.resource, held - length, count);
            }
        }
        LongWait { length: wait, returns, parts }
    };
    (0..tasks.len()).map(of).collect()
}

/// Returns the longest time that other jobs of its processor keep the task at `index` from executing once it could
/// execute; at most its relative deadline.
fn grant_to_execution<P>(tasks: &[Sharer], spins: &[(u64, P)], index: usize) -> u64 {
    let limit = tasks[index].relative_deadline;
    let mut delay = 0u64;
    loop {
        let mut next = 0u64;
        for (other, task) in tasks.iter().enumerate() {
            if other != index && task.cluster == tasks[index].cluster {
                let jobs = (delay + task.relative_deadline) / task.period + 1;
                let cost = task.cost.saturating_add(spins[other].0);
                next = next.saturating_add(jobs.saturating_mul(cost));
            }
        }
        if next <= delay || next >= limit {
            return next.min(limit);
        }
        delay = next;
    }
}

/// Judges all deadlines under partitioned EDF.
pub fn partitioned(case: &Case<'_>, sharing: &Sharing) -> Judged {
    partitioned_watched(case, sharing, &mut Unwatched)
}

/// Judges as [`partitioned`] does, while `watch` watches.
pub(crate) fn partitioned_watched<W: Watch>(case: &Case<'_>, sharing: &Sharing, watch: &mut W) -> Judged {
    let each = Spins::of(&sharing.only(|resource| is_short(case, resource)));
    let spin = |task: usize, group: u32| each.of_request(group, sharing.tasks()[task].cluster);
    let sharing = &*spinning_inside(case, sharing, &spin);
    let delays = Partitioned::<W::Parts>::new(case, sharing);
    let arrival = delays.spins.on_arrival::<W::Parts>(sharing, &delays.stacked);
    let (mut inflation, mut terms) = (Vec::new(), Vec::new());
    for (task, (inflated, mut parts)) in delays.inflation(sharing).into_iter().enumerate() {
        let waiting = delays.spun[task].0.saturating_add(delays.waits[task].length);
        let resumed = inflated.remote.unwrap_or(u64::MAX).saturating_sub(waiting);
        let (arrival, at_arrival) = &arrival[task];
        let own = Terms::new(waiting, resumed.saturating_add(*arrival));
        parts.take(at_arrival, 1);
        watch.delays(TaskId(task as u32), parts, own.total());
        terms.push(own);
        inflation.push(inflated);
    }
    let span = |task: usize, place: usize| delays.spins.span(sharing, task, &sharing.requests(task)[place]);
    let mut budget = Budget::default();
    for cluster in 0..sharing.clusters() {
        let demanded = examine(sharing, cluster, &inflation, &span, &delays.stacked, &mut budget, watch);
        if demanded != Demanded::Fits {
            let reason = feed::why_demanded(demanded, cluster, sharing);
            return Judged { terms, met: Err(reason) };
        }
    }
    Judged { terms, met: Ok(feed::relative_deadlines(sharing)) }
}
