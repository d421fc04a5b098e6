//! Input from which a protocol is made.

use super::level::Level;
use super::lock_error::{BrokenRule, LockError};
use super::usage::{Nested, Usage};
use alloc::vec::Vec;
use schedlab_model::{ClusterId, JobId, Platform, Priority, Resource, ResourceId, Task, TaskId};

/// Order of jobs, as far as protocols depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PriorityOrder<'a> {
    /// Each task has a priority point, the same for all its jobs; smaller is more urgent, ties by task.
    Fixed(&'a [u64]),
    /// Jobs go by absolute deadline.
    EarliestDeadline,
    /// Jobs go by the windows of subtasks, in quanta that begin where the platform defines: a Pfair scheduler.
    Pfair,
    /// Any other order, of which no rule is known.
    Other,
}

/// Way in which jobs wait for a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Length {
    /// Jobs spin.
    #[default]
    Short,
    /// Jobs suspend themselves.
    Long,
}

/// The system for which a protocol is made.
#[derive(Clone, Copy, Debug)]
pub struct LockSetup<'a> {
    /// The tasks, with their programs and clusters.
    pub tasks: &'a [Task],
    /// Shared resources.
    pub resources: &'a [Resource],
    /// The machine.
    pub platform: &'a Platform,
    /// Order of jobs.
    pub order: PriorityOrder<'a>,
    /// By resource: its length, for protocols that treat short and long ones apart. A missing one is short.
    pub lengths: &'a [Length],
}

impl LockSetup<'_> {
    /// Returns which tasks use which resources, or an error if a program is not in order.
    pub fn usage(&self) -> Result<Usage, LockError> {
        Usage::of(self.tasks, self.resources)
    }

    /// By task: its preemption level. Fixed priorities give distinct levels, EDF one for each relative deadline.
    pub fn levels(&self, protocol: &'static str) -> Result<Vec<Level>, LockError> {
        let tasks = 0..self.tasks.len();
        let deadline = |task: usize| self.tasks[task].relative_deadline.as_ns();
        let keys: Vec<(u64, usize)> = match self.order {
            PriorityOrder::Fixed(points) => tasks.map(|task| (points[task], task)).collect(),
            PriorityOrder::EarliestDeadline => tasks.map(|task| (deadline(task), 0)).collect(),
            PriorityOrder::Pfair | PriorityOrder::Other => {
                return Err(LockError::needs("a scheduler with fixed priorities, or EDF", protocol))
            }
        };
        let mut sorted = keys.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let rank = |key: &(u64, usize)| Level(sorted.partition_point(|other| other < key) as u32);
        Ok(keys.iter().map(rank).collect())
    }

    /// By task: a priority that none of its jobs exceeds and that every less urgent task's jobs lack.
    pub fn fixed_priorities(&self, protocol: &'static str) -> Result<Vec<Priority>, LockError> {
        let PriorityOrder::Fixed(points) = self.order else {
            return Err(LockError::needs("a scheduler with fixed priorities", protocol));
        };
        let first_job = |task: usize| JobId::new(TaskId(task as u32), 0);
        Ok(points.iter().enumerate().map(|(task, point)| Priority::new(*point, first_job(task))).collect())
    }

    /// By resource: the priority of its most urgent user, if it has one.
    pub fn priority_ceilings(
        &self,
        usage: &Usage,
        protocol: &'static str,
    ) -> Result<Vec<Option<Priority>>, LockError> {
        let priorities = self.fixed_priorities(protocol)?;
        let of_users = |needs: &[(TaskId, u32)]| {
            needs.iter().map(|(task, _)| priorities[task.index()]).reduce(Priority::higher_of)
        };
        Ok(usage.users.iter().map(|users| of_users(&users.needs)).collect())
    }

    /// By resource: whether all its users are on one processor.
    pub fn local(&self, usage: &Usage) -> Vec<bool> {
        let cluster_of = |task: TaskId| self.tasks[task.index()].cluster;
        let is_local = |needs: &[(TaskId, u32)]| match needs.first() {
            None => true,
            Some((first, _)) => {
                let home = cluster_of(*first);
                self.platform.clusters[home.index()].cpus.len() == 1
                    && needs.iter().all(|(task, _)| cluster_of(*task) == home)
            }
        };
        usage.users.iter().map(|users| is_local(&users.needs)).collect()
    }

    /// Refuses resources of several units.
    pub fn demand_single_units(&self, protocol: &'static str) -> Result<(), LockError> {
        self.demand_single(protocol, |_| true)
    }

    /// Refuses resources of several units that are not local.
    pub fn demand_single_globals(&self, local: &[bool], protocol: &'static str) -> Result<(), LockError> {
        self.demand_single(protocol, |resource| !local[resource])
    }

    fn demand_single(&self, protocol: &'static str, of: impl Fn(usize) -> bool) -> Result<(), LockError> {
        let mut all = self.resources.iter().enumerate();
        let broken = all.find(|(index, resource)| of(*index) && resource.units != 1);
        let Some((index, &Resource { units })) = broken else { return Ok(()) };
        let user = self.usage()?.users[index].needs.first().map(|(user, _)| *user);
        Err(BrokenRule::SeveralUnits { resource: ResourceId(index as u32), user, units, protocol }.into())
    }

    /// Refuses clusters of several processors.
    pub fn demand_partitions(&self, protocol: &'static str) -> Result<(), LockError> {
        let what = "a partitioned scheduler, with one processor for each cluster";
        let are_single = self.platform.clusters.iter().all(|cluster| cluster.cpus.len() == 1);
        are_single.then_some(()).ok_or(LockError::needs(what, protocol))
    }

    /// Refuses schedulers that give each subtask a priority of its own.
    pub fn demand_job_priorities(&self, protocol: &'static str) -> Result<(), LockError> {
        let error = LockError::needs("a scheduler that gives each job one priority", protocol);
        (self.order != PriorityOrder::Pfair).then_some(()).ok_or(error)
    }

    /// Refuses schedulers without quanta.
    pub fn demand_pfair(&self, protocol: &'static str) -> Result<(), LockError> {
        let error = LockError::needs("a Pfair scheduler", protocol);
        (self.order == PriorityOrder::Pfair).then_some(()).ok_or(error)
    }

    /// Refuses platforms of several clusters.
    pub fn demand_one_cluster(&self, protocol: &'static str) -> Result<(), LockError> {
        let error = LockError::needs("a global scheduler", protocol);
        (self.platform.clusters.len() == 1).then_some(()).ok_or(error)
    }

    /// By resource: the processor that serves its requests, which is that of its users if they have the same, and else
    /// the next one in turn.
    ///
    /// All processors take their turns, those without tasks as well, for these have the most time for sections. So one
    /// processor more is not idle if some turn comes to it, and from there on the turns go differently. Bounds become
    /// shorter where sections leave the processors of other tasks. But bounds may become longer, too, where a resource
    /// leaves the processor of some of its users: these then suspend themselves while it serves them.
    pub fn sites(&self, usage: &Usage) -> Vec<ClusterId> {
        let clusters = self.platform.clusters.len();
        let site = |(resource, is_local): (usize, bool)| match usage.users[resource].needs.first() {
            Some((user, _)) if is_local => self.tasks[user.index()].cluster,
            _ => ClusterId((resource % clusters) as u16),
        };
        self.local(usage).into_iter().enumerate().map(site).collect()
    }

    /// Refuses clusters of several processors, and resources with users on several processors.
    pub fn demand_local(&self, usage: &Usage, protocol: &'static str) -> Result<(), LockError> {
        self.demand_partitions(protocol)?;
        self.demand_within_clusters(usage, protocol)
    }

    /// Refuses resources that jobs of different clusters share, in the name of a protocol or of a scheduler.
    pub fn demand_within_clusters(&self, usage: &Usage, protocol: &'static str) -> Result<(), LockError> {
        let cluster_of = |task: TaskId| self.tasks[task.index()].cluster;
        for (index, users) in usage.users.iter().enumerate() {
            let mut users = users.needs.iter().map(|(task, _)| *task);
            let Some(first) = users.next() else { continue };
            if let Some(second) = users.find(|second| cluster_of(*second) != cluster_of(first)) {
                let resource = ResourceId(index as u32);
                let rule = BrokenRule::NotLocal { resource, first, protocol };
                return Err(rule.at(second, self.first_request(second, resource)));
            }
        }
        Ok(())
    }

    /// Refuses jobs that suspend themselves while they hold a resource.
    pub fn demand_no_suspension(&self, usage: &Usage, protocol: &'static str) -> Result<(), LockError> {
        match usage.suspends.first() {
            Some(&(task, step, resource)) => {
                Err(BrokenRule::SuspendsInSection { resource, protocol }.at(task, step))
            }
            None => Ok(()),
        }
    }

    /// The step of `task` that first requests `resource`.
    pub(crate) fn first_request(&self, task: TaskId, resource: ResourceId) -> usize {
        let mut steps = self.tasks[task.index()].program.iter();
        steps.position(|step| step.requested() == Some(resource)).expect("the task requests it")
    }

    /// Refuses nested requests, resources of several units, and jobs that suspend themselves in sections.
    pub fn demand_flat(&self, protocol: &'static str) -> Result<(), LockError> {
        let usage = self.usage()?;
        self.demand_single_units(protocol)?;
        self.demand_no_suspension(&usage, protocol)?;
        self.demand_flat_globals(&usage, &alloc::vec![false; self.resources.len()], protocol)
    }

    /// Refuses nested requests of which one is for a resource that is not local.
    pub fn demand_flat_globals(
        &self,
        usage: &Usage,
        local: &[bool],
        protocol: &'static str,
    ) -> Result<(), LockError> {
        let mut nested = usage.nested.iter();
        match nested.find(|pair| !local[pair.outer.index()] || !local[pair.inner.index()]) {
            Some(&Nested { task, step, outer, inner }) => {
                Err(BrokenRule::NestedGlobal { outer, inner, protocol }.at(task, step))
            }
            None => Ok(()),
        }
    }
}
