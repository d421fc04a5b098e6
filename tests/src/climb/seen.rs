//! What a run shows of each task: the longest response time, and the longest blocking.
//!
//! What counts as blocking is what the bounds speak of (as in `crates/sim/tests/locks/blocked.rs`): a job waits, or
//! is ready without a processor, though no more urgent job explains it.

use super::target::Quantity;
use crate::soundness::Observed;
use schedlab_lab::Prepared;
use schedlab_model::{ClusterId, CpuId, JobId, Platform, Priority, ResourceId};
use schedlab_trace::{Record, Sink, SuspendReason, Timeline};

/// What counts as blocking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Blocked {
    /// No more urgent job of its cluster executes (suspension-aware), spinning not being progress.
    Aware,
    /// Fewer more urgent jobs of its cluster are pending than it has processors (suspension-oblivious).
    Oblivious,
    /// A job that it waits for executes, which counts on all processors; or less urgent jobs execute while it is
    /// ready, which counts on theirs alone. Counted in parts of the processors.
    Shares,
}

impl Blocked {
    /// What a method's terms bound. Under EDF a job may wait for a more urgent one of a longer relative deadline,
    /// which is blocked itself: demand has that once, as blocking of the other.
    pub fn of_method(method: &str) -> Blocked {
        match method {
            "pip_global_response_time" | "ppcp_global_response_time" => Blocked::Shares,
            other if other.ends_with("_oblivious") || other.ends_with("_demand") => Blocked::Oblivious,
            _ => Blocked::Aware,
        }
    }

    const ALL: [Blocked; 3] = [Blocked::Aware, Blocked::Oblivious, Blocked::Shares];
}

/// What a run shows, by task.
#[derive(Clone, Debug)]
pub struct Seen {
    responses: Vec<u64>,
    /// By what counts, then by task; empty where it is not asked for.
    blocked: [Vec<u64>; 3],
}

impl Seen {
    pub(super) fn of(
        timeline: &Timeline,
        prepared: &Prepared,
        wanted: impl Iterator<Item = Quantity>,
    ) -> Seen {
        let mut observed = Observed::of(prepared.tasks.len());
        for (at, record) in &timeline.records {
            (&mut observed).record(*at, *record);
        }
        let mut seen = Seen {
            responses: observed.tasks.iter().map(|task| task.response_time_max).collect(),
            blocked: [Vec::new(), Vec::new(), Vec::new()],
        };
        for quantity in wanted {
            if let Quantity::Blocking(counted) = quantity {
                let longest = &mut seen.blocked[counted as usize];
                if longest.is_empty() {
                    *longest = longest_blocking(timeline, prepared, counted);
                }
            }
        }
        seen
    }

    /// How much of it a task has.
    pub fn value(&self, quantity: Quantity, task: usize) -> u64 {
        match quantity {
            Quantity::Response => self.responses[task],
            Quantity::Blocking(counted) => {
                let index = Blocked::ALL.iter().position(|one| *one == counted).expect("all are listed");
                self.blocked[index][task]
            }
        }
    }
}

/// A job that is there.
#[derive(Clone, Copy)]
struct Live {
    base: Priority,
    home: ClusterId,
    cpu: Option<CpuId>,
    waits: bool,
    /// The resource that it waits for.
    wanted: Option<ResourceId>,
    /// True if it waits on its processor.
    spins: bool,
    holds: Option<ResourceId>,
    blocked: u64,
}

/// By task: of its jobs that complete.
fn longest_blocking(timeline: &Timeline, prepared: &Prepared, counted: Blocked) -> Vec<u64> {
    let tasks = &prepared.tasks;
    let mut live: Vec<Option<Live>> = vec![None; tasks.len()];
    let mut longest = vec![0; tasks.len()];
    let mut now = schedlab_model::Instant::ZERO;
    let mut spent = vec![0; tasks.len()];
    for (at, record) in &timeline.records {
        let passed = (*at - now).as_ns();
        now = *at;
        if passed > 0 {
            let all = || live.iter().flatten();
            for (job, spent) in live.iter().zip(&mut spent) {
                *spent = job.map_or(0, |job| passed * how_blocked(&job, &all, &prepared.platform, counted));
            }
            for (job, spent) in live.iter_mut().zip(&spent) {
                job.iter_mut().for_each(|job| job.blocked += spent);
            }
        }
        match *record {
            Record::Ready { job, priority, .. } => {
                live[job.task.index()] = Some(Live::new(priority, tasks[job.task.index()].cluster));
            }
            Record::Complete { job } => {
                let done = live[job.task.index()].take().map_or(0, |job| job.blocked);
                longest[job.task.index()] = done.max(longest[job.task.index()]);
            }
            _ => note(&mut live, record),
        }
    }
    longest
}

impl Live {
    fn new(base: Priority, home: ClusterId) -> Self {
        Live { base, home, cpu: None, waits: false, wanted: None, spins: false, holds: None, blocked: 0 }
    }
}

/// What a record says of a job that is there.
fn note(live: &mut [Option<Live>], record: &Record) {
    let mut of = |job: JobId, change: &dyn Fn(&mut Live)| live[job.task.index()].iter_mut().for_each(change);
    match *record {
        Record::Dispatch { cpu, job } => of(job, &|seen| seen.cpu = Some(cpu)),
        Record::Preempt { job, .. } => of(job, &|seen| seen.cpu = None),
        Record::Suspend { job, reason } => of(job, &|seen| {
            (seen.cpu, seen.waits) = (None, reason != SuspendReason::Itself);
            if let SuspendReason::Resource(resource) = reason {
                seen.wanted = Some(resource);
            }
        }),
        Record::Spin { job, resource } => {
            of(job, &|seen| (seen.waits, seen.spins, seen.wanted) = (true, true, Some(resource)));
        }
        Record::Resume { job } => of(job, &|seen| seen.waits = false),
        Record::Acquire { job, resource, .. } => of(job, &|seen| {
            (seen.waits, seen.spins, seen.wanted, seen.holds) = (false, false, None, Some(resource));
        }),
        Record::Release { job, .. } => of(job, &|seen| seen.holds = None),
        _ => {}
    }
}

/// How many times over each instant counts as blocking.
fn how_blocked<'a, A: Iterator<Item = &'a Live>>(
    job: &Live,
    all: &impl Fn() -> A,
    platform: &Platform,
    counted: Blocked,
) -> u64 {
    let cpus = &platform.clusters[job.home.index()].cpus;
    let more_urgent = || all().filter(|other| other.home == job.home && other.base.is_higher_than(job.base));
    let is_here = |other: &Live| other.cpu.is_some_and(|cpu| cpus.contains(&cpu));
    // The holder executes in the place of one that spins for it (helping), which is that one's execution.
    let is_helped = |other: &Live| {
        let mut holder = all().filter(|holder| holder.holds.is_some() && holder.holds == other.wanted);
        other.spins && holder.next().is_some_and(is_here)
    };
    let progresses = job.cpu.is_some() && !job.waits;
    let is_interfered = match counted {
        Blocked::Aware => more_urgent().any(|other| is_here(other) || is_helped(other)),
        Blocked::Oblivious => more_urgent().count() >= cpus.len(),
        Blocked::Shares => return if progresses { 0 } else { share_blocked(job, all, cpus.len() as u64) },
    };
    u64::from(!progresses && !is_interfered)
}

/// On how many of the processors something executes because of which `job` does not.
fn share_blocked<'a, A: Iterator<Item = &'a Live>>(job: &Live, all: &impl Fn() -> A, processors: u64) -> u64 {
    let running = || all().filter(|other| other.cpu.is_some());
    let mut lower = running().filter(|other| job.base.is_higher_than(other.base));
    let Some(wanted) = job.wanted else { return lower.count() as u64 };
    let mut holders = all().filter(|other| other.holds == Some(wanted));
    // Under a ceiling rule it may have to wait for other holders.
    let progress = match holders.next() {
        Some(holder) => holder.cpu.is_some(),
        None => lower.any(|other| other.holds.is_some()),
    };
    if progress {
        processors
    } else {
        lower.count() as u64
    }
}
