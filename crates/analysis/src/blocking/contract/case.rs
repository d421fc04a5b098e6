//! A system with locks, as the methods of [`crate::blocking::methods`] read it.

use super::derive::{derive, Lengths, Sections};
use super::sharing::Sharing;
use super::terms::Terms;
use crate::reason::Reason;
use crate::sharing_error::SharingError;
use crate::system::{AnalysedOrder, AnalysedScheduler, System};
use crate::SystemError;
use schedlab_model::{
    Duration, LockingClass, MutexProtocol, Platform, ReleasePoint, Resource, ResourceId, Step, Task, TaskId,
};

/// Resources and the locking protocol that guards them.
#[derive(Clone, Copy, Debug)]
pub struct Locking<'a> {
    /// The protocol's name.
    pub protocol: &'a str,
    /// Class of the protocol, whose bounds hold for it.
    pub class: LockingClass,
    /// Shared resources.
    pub resources: &'a [Resource],
    /// The resources for which jobs spin, under protocols that treat short and long ones apart. Resources beyond the
    /// end are short.
    pub short: &'a [bool],
    /// By resource: whether jobs retry its operations, though `class` lets jobs wait for the other resources. Empty if
    /// `class` describes all resources.
    pub attempts: &'a [bool],
    /// By retried resource: the most attempts of one job that one operation of another job makes fail. A missing entry
    /// means one.
    pub fails: &'a [u32],
    /// By resource: its protocol as a mutex of POSIX. Empty under other classes.
    pub mutexes: &'a [MutexProtocol],
}

/// Tasks, machine, scheduler and locks.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The tasks, where they run.
    pub tasks: &'a [Task],
    /// The machine.
    pub platform: &'a Platform,
    /// Order of jobs.
    pub scheduler: &'a AnalysedScheduler<'a>,
    /// Shared resources and their protocol.
    pub locking: Locking<'a>,
}

/// Result of a method.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Blocking by task.
    pub terms: Vec<Terms>,
    /// Bounds on response times by task, from the release, if every deadline is met; otherwise why that is not proved.
    pub met: Result<Vec<Duration>, Reason>,
}

impl Case<'_> {
    /// Preemption levels by task: distinct under fixed priorities, equal where ties are open, ranks of relative
    /// deadlines otherwise.
    pub(crate) fn levels(&self) -> Vec<u32> {
        let key = |task: usize| match self.scheduler.order {
            AnalysedOrder::FixedPriority => (u64::from(self.scheduler.ranks[task]), task),
            AnalysedOrder::FixedPriorityOpenTies => (u64::from(self.scheduler.ranks[task]), 0),
            AnalysedOrder::Edf
            | AnalysedOrder::AfterArrival
            | AnalysedOrder::Pfair(_)
            | AnalysedOrder::Theorem(_)
            | AnalysedOrder::Unanalysed => (self.tasks[task].relative_deadline.as_ns(), 0),
        };
        let keys: Vec<_> = (0..self.tasks.len()).map(key).collect();
        let mut sorted = keys.clone();
        sorted.sort_unstable();
        sorted.dedup();
        keys.iter().map(|key| sorted.partition_point(|other| other < key) as u32).collect()
    }

    /// Returns the tasks' requests, counted as `sections` says.
    pub fn sharing(&self, sections: Sections) -> Result<Sharing, SharingError> {
        match sections {
            Sections::Groups => self.grouped(&|_, _| 0),
            Sections::Each | Sections::Flat | Sections::ReadsAndWrites | Sections::FlatBetweenClusters => {
                self.derived(sections, Lengths::ALIKE)
            }
        }
    }

    /// Returns the requests as [`Case::sharing`] does for [`Sections::Groups`]. `spin`, by task and group, is the time
    /// by which a request for a short resource lengthens the long sections around it.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "an assertion: no bound of another class asks for groups"
    )]
    pub(crate) fn grouped(&self, spin: &dyn Fn(usize, u32) -> u64) -> Result<Sharing, SharingError> {
        match self.locking.class {
            // Task-fair locks are those of the FMLP's short resources, but nothing groups them.
            LockingClass::TaskFair => self.derived(Sections::Flat, Lengths::ALIKE),
            LockingClass::FmlpShort | LockingClass::FmlpLong => {
                self.derived(Sections::Groups, Lengths::ALIKE)
            }
            LockingClass::Fmlp => self.derived(Sections::Groups, Lengths { short: self.locking.short, spin }),
            other => unreachable!("resources that nest make up no groups under {other:?}"),
        }
    }

    fn derived(&self, sections: Sections, lengths: Lengths<'_>) -> Result<Sharing, SharingError> {
        derive(self.tasks, self.locking.resources, self.platform, &self.levels(), sections, lengths)
    }

    /// True if each cluster is one processor.
    pub(crate) fn is_partitioned(&self) -> bool {
        self.platform.clusters.iter().all(|cluster| cluster.cpus.len() == 1)
    }

    /// True if there is one cluster.
    pub(crate) fn is_global(&self) -> bool {
        self.platform.clusters.len() == 1
    }

    /// True under fixed priorities.
    pub(crate) fn is_fixed_priority(&self) -> bool {
        self.scheduler.order == AnalysedOrder::FixedPriority
    }

    /// True under fixed priorities of which equal ones are served in any order.
    pub(crate) fn has_open_ties(&self) -> bool {
        self.scheduler.order == AnalysedOrder::FixedPriorityOpenTies
    }

    /// True under EDF.
    pub(crate) fn is_edf(&self) -> bool {
        self.scheduler.order == AnalysedOrder::Edf
    }

    /// True if [`Case::levels`] determine which tasks can have jobs less urgent than a job that arrives.
    pub(crate) fn is_by_level(&self) -> bool {
        self.is_edf() || self.is_fixed_priority()
    }

    /// `tasks`, which share nothing, as a system on the one cluster.
    pub(crate) fn independent(&self, tasks: &[Task]) -> Result<System, SystemError> {
        let ids = (0..tasks.len() as u32).map(TaskId);
        System::new(tasks, ids, self.processors(), self.scheduler, self.platform.release_delay())
    }

    /// Number of processors of the largest cluster.
    pub(crate) fn processors(&self) -> u32 {
        self.platform.clusters.iter().map(|cluster| cluster.cpus.len() as u32).max().unwrap_or(1)
    }

    /// Reason why no method applies to the tasks, whatever the protocol; `None` if some may.
    pub fn refusal(&self) -> Option<Reason> {
        if !self.scheduler.preemptive {
            return Some(Reason::LocksNonPreemptive);
        }
        let odd = |(index, task): (usize, &Task)| {
            let id = TaskId(index as u32);
            if !task.jitter.is_zero() || !task.suspension_bound().is_zero() {
                return Some(Reason::LocksDisturbed(id));
            }
            if self.platform.releases == ReleasePoint::Tick && task.period < self.platform.quantum {
                return Some(Reason::LocksBelowQuantum(id));
            }
            let late = task.relative_deadline > task.period;
            late.then_some(Reason::LocksBeyondPeriod(id))
        };
        self.tasks.iter().enumerate().find_map(odd).or_else(|| self.crosses_processors())
    }

    /// Returns a resource whose users are on several clusters, if the protocol's bounds require one processor.
    fn crosses_processors(&self) -> Option<Reason> {
        if !OF_ONE_PROCESSOR.contains(&self.locking.class) {
            return None;
        }
        let is_used = |task: &&Task, resource: ResourceId| {
            task.program.iter().any(|step| matches!(step, Step::Request(asked, _) if *asked == resource))
        };
        let crosses = |resource: &ResourceId| {
            let mut homes =
                self.tasks.iter().filter(|task| is_used(task, *resource)).map(|task| task.cluster);
            homes.next().is_some_and(|first| homes.any(|home| home != first))
        };
        let resource = (0..self.locking.resources.len() as u32).map(ResourceId).find(crosses)?;
        Some(Reason::CrossesProcessors { resource, protocol: self.locking.protocol.to_owned() })
    }
}

/// Protocols whose bounds hold where all users of a resource are on one processor.
const OF_ONE_PROCESSOR: &[LockingClass] = &[
    LockingClass::NonPreemptive,
    LockingClass::Inheritance,
    LockingClass::Ceilings,
    LockingClass::ImmediateCeilings,
    LockingClass::Stack,
    LockingClass::Posix,
];
