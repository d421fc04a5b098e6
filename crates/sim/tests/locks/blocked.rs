//! How long jobs are blocked in a trace.

use schedlab_model::*;
use schedlab_trace::{Record, SuspendReason, Timeline};
use std::collections::BTreeMap;

/// What counts as blocking while a job waits, or is ready without a processor.
#[derive(Clone, Copy, PartialEq)]
pub enum Blocked {
    /// No more urgent job of its cluster executes (suspension-aware), spinning not being progress.
    Aware,
    /// Fewer more urgent jobs of its cluster are pending than it has processors (suspension-oblivious).
    Oblivious,
    /// A job that it waits for executes, which counts on all processors; or less urgent jobs execute while it is ready,
    /// which counts on theirs alone (inheritance under global scheduling). Counted in parts of the processors.
    Shares,
}

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
    since: Instant,
    blocked: u64,
}

/// By task: the longest response and the longest blocking of its jobs.
pub fn observe(
    timeline: &Timeline,
    tasks: &[Task],
    platform: &Platform,
    blocked: Blocked,
) -> (Vec<u64>, Vec<u64>) {
    let mut live: BTreeMap<JobId, Live> = BTreeMap::new();
    let (mut responses, mut longest) = (vec![0; tasks.len()], vec![0; tasks.len()]);
    let (mut now, mut arrivals) = (Instant::ZERO, BTreeMap::new());
    for (at, record) in &timeline.records {
        let all = live.clone();
        for seen in live.values_mut() {
            seen.blocked += (*at - now).as_ns() * how_blocked(seen, &all, platform, blocked);
        }
        now = *at;
        match *record {
            Record::Arrival { job, .. } => drop(arrivals.insert(job, *at)),
            Record::Ready { job, priority, .. } => {
                live.insert(job, Live::new(priority, tasks[job.task.index()].cluster, arrivals[&job]));
            }
            Record::Complete { job } => {
                let seen = live.remove(&job).unwrap();
                let (response, longest) = (&mut responses[job.task.index()], &mut longest[job.task.index()]);
                *response = (*response).max((*at - seen.since).as_ns());
                *longest = (*longest).max(seen.blocked);
            }
            _ => note(&mut live, record),
        }
    }
    (responses, longest)
}

impl Live {
    fn new(base: Priority, home: ClusterId, since: Instant) -> Self {
        Live {
            base,
            home,
            cpu: None,
            waits: false,
            wanted: None,
            spins: false,
            holds: None,
            since,
            blocked: 0,
        }
    }
}

/// What a record says of a job that is there.
fn note(live: &mut BTreeMap<JobId, Live>, record: &Record) {
    match *record {
        Record::Dispatch { cpu, job } => live.get_mut(&job).unwrap().cpu = Some(cpu),
        Record::Preempt { job, .. } => live.get_mut(&job).unwrap().cpu = None,
        Record::Suspend { job, reason } => {
            let seen = live.get_mut(&job).unwrap();
            (seen.cpu, seen.waits) = (None, reason != SuspendReason::Itself);
            if let SuspendReason::Resource(resource) = reason {
                seen.wanted = Some(resource);
            }
        }
        Record::Spin { job, resource } => {
            let seen = live.get_mut(&job).unwrap();
            (seen.waits, seen.spins, seen.wanted) = (true, true, Some(resource));
        }
        Record::Resume { job } => live.get_mut(&job).unwrap().waits = false,
        Record::Acquire { job, resource, .. } => {
            let seen = live.get_mut(&job).unwrap();
            (seen.waits, seen.spins, seen.wanted, seen.holds) = (false, false, None, Some(resource));
        }
        Record::Release { job, .. } => live.get_mut(&job).unwrap().holds = None,
        _ => {}
    }
}

/// How many times over each instant counts as blocking.
fn how_blocked(job: &Live, all: &BTreeMap<JobId, Live>, platform: &Platform, blocked: Blocked) -> u64 {
    let cpus = &platform.clusters[job.home.index()].cpus;
    let more_urgent =
        || all.values().filter(|other| other.home == job.home && other.base.is_higher_than(job.base));
    let is_here = |other: &Live| other.cpu.is_some_and(|cpu| cpus.contains(&cpu));
    // The holder executes in the place of one that spins for it (helping), which is that one's execution.
    let is_helped = |other: &Live| {
        let holder = || all.values().find(|holder| holder.holds.is_some() && holder.holds == other.wanted);
        other.spins && holder().is_some_and(is_here)
    };
    let progresses = job.cpu.is_some() && !job.waits;
    let is_interfered = match blocked {
        Blocked::Aware => more_urgent().any(|other| is_here(other) || is_helped(other)),
        Blocked::Oblivious => more_urgent().count() >= cpus.len(),
        Blocked::Shares => return if progresses { 0 } else { share_blocked(job, all, cpus.len() as u64) },
    };
    u64::from(!progresses && !is_interfered)
}

/// On how many of the processors something executes because of which `job` does not.
fn share_blocked(job: &Live, all: &BTreeMap<JobId, Live>, processors: u64) -> u64 {
    let running = || all.values().filter(|other| other.cpu.is_some());
    let mut lower = running().filter(|other| job.base.is_higher_than(other.base));
    match job.wanted {
        Some(wanted) => {
            let holder = all.values().find(|other| other.holds == Some(wanted));
            // Under a ceiling rule it may have to wait for other holders.
            let progress = match holder {
                Some(holder) => holder.cpu.is_some(),
                None => lower.any(|other| other.holds.is_some()),
            };
            if progress {
                processors
            } else {
                lower.count() as u64
            }
        }
        None => lower.count() as u64,
    }
}
