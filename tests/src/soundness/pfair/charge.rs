//! What overheads are charged to tasks under Pfair: all of them, or too little, to see that it is found out.

use crate::draw::pick;
use crate::system::System;
use schedlab_analysis::overheads::jlfp::Accounting;
use schedlab_analysis::overheads::pfair::{inflate, published, Continuity};
use schedlab_model::{Alignment, Cost, Duration, OverheadKind, Overheads, Platform, Statistic, Task, Work};
use schedlab_policy::pfair::Affinity;
use schedlab_workload::Random;
use std::fmt;

/// How much of the overheads is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charge {
    /// As analysis charges them.
    All,
    /// A task that may be preempted is charged one reload less.
    AReloadLess,
    /// This kind is not charged.
    Without(OverheadKind),
    /// Tasks that may move from slot to slot are charged as if they stayed.
    MovingAsStaying,
    /// As published in 2003.
    Published,
}

impl Charge {
    /// What is too little: runs are expected to refute each.
    pub const TOO_LITTLE: [Charge; 10] = [
        Charge::AReloadLess,
        Charge::Without(OverheadKind::Release),
        Charge::Without(OverheadKind::Scheduling),
        Charge::Without(OverheadKind::ContextSwitch),
        Charge::Without(OverheadKind::Tick),
        Charge::Without(OverheadKind::Ipi),
        Charge::Without(OverheadKind::CacheRelatedPreemption),
        Charge::Without(OverheadKind::CacheRelatedMigration),
        Charge::MovingAsStaying,
        Charge::Published,
    ];

    /// The tasks of `system` with what they are charged; `None` if that leaves no room.
    pub fn inflated(self, system: &System, affinity: Affinity) -> Option<Vec<Task>> {
        let mut charged = system.overheads.clone();
        if let Charge::Without(kind) = self {
            charged.set(kind, Cost::default().into());
        }
        if charged.are_none() {
            return Some(system.tasks.clone());
        }
        let continuity = match (self, continuity(&system.platform, affinity)) {
            (Charge::MovingAsStaying, Continuity::Moves) => Continuity::Stays,
            (_, truly) => truly,
        };
        let accounting = accounting(system, &charged);
        let found = match self {
            Charge::Published => published(&system.tasks, &accounting),
            Charge::All | Charge::AReloadLess | Charge::Without(_) | Charge::MovingAsStaying => {
                inflate(&system.tasks, &accounting, continuity)
            }
        };
        let tasks = found.ok()?;
        Some(match self == Charge::AReloadLess {
            true => tasks.iter().map(|task| a_reload_less(task, system)).collect(),
            false => tasks,
        })
    }
}

impl fmt::Display for Charge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Charge::All => f.write_str("all"),
            Charge::AReloadLess => f.write_str("a reload less"),
            Charge::Without(kind) => write!(f, "without {}", kind.name()),
            Charge::MovingAsStaying => f.write_str("jobs that move as jobs that stay"),
            Charge::Published => f.write_str("as published"),
        }
    }
}

fn accounting<'a>(system: &System, overheads: &'a Overheads) -> Accounting<'a> {
    Accounting {
        overheads,
        statistic: Statistic::Max,
        quantum: system.platform.quantum,
        processors: system.platform.processors().into(),
        machine_tasks: system.tasks.len(),
        release_latency: Duration::ZERO,
        polled: system.platform.release_delay(),
        dedicated_interrupts: false,
        switches_in_progress: true,
    }
}

fn continuity(platform: &Platform, affinity: Affinity) -> Continuity {
    match affinity {
        Affinity::None | Affinity::DirectedMigration => Continuity::Moves,
        Affinity::BackToBack | Affinity::LastScheduled if platform.alignment == Alignment::Staggered => {
            Continuity::StaysStaggered
        }
        Affinity::BackToBack
        | Affinity::LastScheduled
        | Affinity::MostRecent
        | Affinity::MostRecentAvailable => Continuity::Stays,
    }
}

/// `task`, with overheads, if it may be preempted at all: a job of one quantum, or of all, is charged no reload.
fn a_reload_less(task: &Task, system: &System) -> Task {
    let quantum = system.platform.quantum.as_ns();
    let quanta = task.wcet.as_ns().div_ceil(quantum);
    if quanta < 2 || quanta >= task.period.min(task.relative_deadline).as_ns() / quantum {
        return task.clone();
    }
    let of = |kind| {
        let tasks = system.tasks.len();
        system.overheads.evaluate(kind, Statistic::Max, tasks, task.working_set).as_ns()
    };
    let preemption = of(OverheadKind::CacheRelatedPreemption);
    let reload = match system.platform.processors() {
        1 => preemption,
        _ => preemption.max(of(OverheadKind::CacheRelatedMigration)),
    };
    Task { wcet: Work::from_ns(task.wcet.as_ns().saturating_sub(reload).max(1)), ..task.clone() }
}

/// One kind takes up to a quarter of a quantum, and all else is as it was or free: then this kind decides.
///
/// Reloads are two kinds, of which a job pays the larger.
pub(super) fn one_dear_kind(random: &mut Random, quantum: u64, overheads: &mut Overheads) {
    const CACHE: [OverheadKind; 2] =
        [OverheadKind::CacheRelatedPreemption, OverheadKind::CacheRelatedMigration];
    const SYSTEM: [OverheadKind; 5] = [
        OverheadKind::Release,
        OverheadKind::Scheduling,
        OverheadKind::ContextSwitch,
        OverheadKind::Tick,
        OverheadKind::Ipi,
    ];
    if random.below(2) == 0 {
        for kind in SYSTEM {
            overheads.set(kind, Cost::default().into());
        }
    }
    let dear: &[OverheadKind] = match random.below(2) {
        0 => &CACHE,
        _ => core::slice::from_ref(pick(random, &SYSTEM)),
    };
    for &kind in dear {
        let length = Duration::from_ns(random.between(quantum / 20, quantum / 4));
        overheads.set(kind, Cost::Constant(length).into());
    }
}
