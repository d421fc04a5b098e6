//! A system with locks as the methods of [`crate::blocking::methods`] see it.

use super::derive::{derive, Lengths, Sections};
use super::sharing::Sharing;
use super::terms::Terms;
use crate::reason::Reason;
use crate::sharing_error::SharingError;
use crate::system::{AnalysedOrder, AnalysedScheduler, System};
use crate::SystemError;
use schedlab_model::{
    Duration, LockingClass, Platform, ReleasePoint, Resource, ResourceId, Step, Task, TaskId,
};

/// What is shared, and how.
#[derive(Clone, Copy, Debug)]
pub struct Locking<'a> {
    /// The protocol's name.
    pub protocol: &'a str,
    /// Whose bounds hold for it.
    pub class: LockingClass,
    /// What is shared.
    pub resources: &'a [Resource],
    /// The resources for which jobs spin, under protocols that treat short and long ones apart. May be shorter.
    pub short: &'a [bool],
    /// By resource: jobs try operations on it again, beside others that they wait for, of which the class speaks. Empty
    /// where all resources are of the class.
    pub attempts: &'a [bool],
    /// By resource: how many attempts of a job one operation of another job fails at most, where they are tried again.
    /// Where that is missing, one.
    pub fails: &'a [u32],
}

/// Tasks, machine, scheduler and locks.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The tasks, where they run.
    pub tasks: &'a [Task],
    /// The machine.
    pub platform: &'a Platform,
    /// How jobs are ordered.
    pub scheduler: &'a AnalysedScheduler<'a>,
    /// What is shared.
    pub locking: Locking<'a>,
}

/// What a method found.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Blocking by task.
    pub terms: Vec<Terms>,
    /// Bounds on response times by task, from the release, if every deadline is met; otherwise why that is not proved.
    pub met: Result<Vec<Duration>, Reason>,
}

impl Case<'_> {
    /// Preemption levels by task: distinct under fixed priorities, ranks of relative deadlines otherwise.
    pub(crate) fn levels(&self) -> Vec<u32> {
        let key = |task: usize| match self.scheduler.order {
            AnalysedOrder::FixedPriority => (u64::from(self.scheduler.ranks[task]), task),
            AnalysedOrder::Edf
            | AnalysedOrder::FixedPriorityOpenTies
            | AnalysedOrder::AfterArrival
            | AnalysedOrder::Pfair(_)
            | AnalysedOrder::Unanalysed => (self.tasks[task].relative_deadline.as_ns(), 0),
        };
        let keys: Vec<_> = (0..self.tasks.len()).map(key).collect();
        let mut sorted = keys.clone();
        sorted.sort_unstable();
        sorted.dedup();
        keys.iter().map(|key| sorted.partition_point(|other| other < key) as u32).collect()
    }

    /// Who requests what.
    pub fn sharing(&self, sections: Sections) -> Result<Sharing, SharingError> {
        match sections {
            Sections::Groups => self.grouped(&|_, _| 0),
            Sections::Each | Sections::Flat | Sections::ReadsAndWrites | Sections::FlatBetweenClusters => {
                self.derived(sections, Lengths::ALIKE)
            }
        }
    }

    /// As [`Case::sharing`] by [`Sections::Groups`]; `spin` says by task and group how long a request for a short
    /// resource makes the long sections around it.
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

    /// True under EDF.
    pub(crate) fn is_edf(&self) -> bool {
        self.scheduler.order == AnalysedOrder::Edf
    }

    /// True where [`Case::levels`] tell which tasks can have jobs less urgent than a job that arrives.
    pub(crate) fn is_by_level(&self) -> bool {
        self.is_edf() || self.is_fixed_priority()
    }

    /// `tasks`, which are to share nothing, on the one cluster.
    pub(crate) fn independent(&self, tasks: &[Task]) -> Result<System, SystemError> {
        let ids = (0..tasks.len() as u32).map(TaskId);
        System::new(tasks, ids, self.processors(), self.scheduler, self.platform.release_delay())
    }

    /// The processors of the largest cluster.
    pub(crate) fn processors(&self) -> u32 {
        self.platform.clusters.iter().map(|cluster| cluster.cpus.len() as u32).max().unwrap_or(1)
    }

    /// Why no method here speaks of the tasks, whatever the protocol.
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

    /// A resource whose users are on several clusters, if the protocol's bounds speak of one processor.
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
];
