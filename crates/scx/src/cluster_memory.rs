//! Memory that the run shares with the clustered scheduler: `src/bpf/cluster.h` has the same layout.

use crate::mapped::Mapped;
use crate::tallies::Tallies;
use crate::{LoadRefusal, TaskPlan, MOST_PROCESSORS, MOST_TASKS};
use std::os::fd::BorrowedFd;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// What the kernel knows of a task.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct PlanWords {
    after: AtomicU64,
    parts: AtomicU64,
    separation: AtomicU64,
    budget: AtomicU64,
    relative_deadline: AtomicU64,
    longest_section: AtomicU64,
    cluster: AtomicU32,
    demotes: AtomicU32,
}

impl PlanWords {
    /// Writes a plan, before the kernel knows a thread of the task.
    pub(crate) fn write(&self, plan: &TaskPlan) {
        self.after.store(plan.after, Relaxed);
        self.parts.store(plan.parts, Relaxed);
        self.separation.store(plan.separation, Relaxed);
        // No time at all is not a limit that the kernel knows.
        self.budget.store(plan.budget.map_or(0, |budget| budget.max(1)), Relaxed);
        self.relative_deadline.store(plan.relative_deadline, Relaxed);
        self.longest_section.store(plan.longest_section.map_or(0, |longest| longest.max(1)), Relaxed);
        self.cluster.store(plan.cluster, Relaxed);
        self.demotes.store(plan.demotes.into(), Relaxed);
    }
}

/// What a thread and the kernel say to each other.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct TaskWords {
    /// Arrival of the next job, by the run's clock in ns.
    pub(crate) arrival: AtomicU64,
    /// Written by the kernel: when the next job may arrive, where `arrival` is too early.
    pub(crate) earliest: AtomicU64,
    /// Release of the next job, by the run's clock in ns.
    pub(crate) release: AtomicU64,
    /// Number of the job that the thread wants next, from 1 on.
    pub(crate) job: AtomicU32,
    /// Number of the section that the thread is in; 0 for none.
    pub(crate) section: AtomicU32,
    /// Written by the kernel: number of the job that has begun.
    pub(crate) admitted: AtomicU32,
    /// Set by the kernel if the thread has to yield at the end of its section.
    pub(crate) kept: AtomicU32,
    /// Written by the kernel: the section that was too long.
    pub(crate) broken: AtomicU32,
    /// Set by the kernel once the thread is no task's any more.
    pub(crate) strayed: AtomicU32,
}

/// All memory that is shared with the clustered scheduler.
#[derive(Debug)]
pub(crate) struct ClusterMemory {
    pub(crate) plans: Mapped<PlanWords>,
    pub(crate) words: Mapped<TaskWords>,
    pub(crate) tallies: Tallies,
    /// The run's time zero, by the monotonic clock in ns.
    pub(crate) origin: Mapped<AtomicU64>,
}

impl ClusterMemory {
    /// Maps the arrays of the scheduler, which `map` finds by name.
    pub(crate) fn new<'a>(map: impl Fn(&str) -> BorrowedFd<'a>) -> Result<Self, LoadRefusal> {
        let indices = MOST_TASKS as usize + 1;
        Ok(ClusterMemory {
            plans: Mapped::new(map("plans"), indices)?,
            words: Mapped::new(map("words"), indices)?,
            tallies: Tallies::new(map("tallies"))?,
            origin: Mapped::new(map("origins"), 1)?,
        })
    }
}

/// The settings as `struct clusters` has them.
pub(crate) fn clusters_bytes(settings: &crate::ClusterSettings) -> Vec<u8> {
    let count = MOST_PROCESSORS as usize;
    assert!(settings.clusters.len() <= count, "at most {count} clusters");
    let mut members = vec![0_u64; count];
    let mut of = vec![0_u8; count];
    for (cluster, processors) in settings.clusters.iter().enumerate() {
        members[cluster] = *processors;
        for processor in (0..count).filter(|processor| processors >> processor & 1 == 1) {
            assert_eq!(of[processor], 0, "processor {processor} is in two clusters");
            of[processor] = cluster as u8 + 1;
        }
    }
    let end = of.iter().rposition(|of| *of != 0).map_or(0, |last| last as u32 + 1);
    let words = [end, settings.preemptive.into(), settings.timers.into(), 0];
    let members = members.into_iter().flat_map(u64::to_ne_bytes);
    members.chain(of).chain(words.into_iter().flat_map(u32::to_ne_bytes)).collect()
}
