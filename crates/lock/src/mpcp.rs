//! MPCP: the multiprocessor priority ceiling protocol, with suspension.
//!
//! R. Rajkumar, "Real-time synchronization protocols for shared memory multiprocessors", ICDCS 1990. A job that
//! requests a resource with users on several processors suspends itself until it is granted, the most urgent first;
//! within the section it is more urgent than every job outside of such sections, and among those as urgent as the
//! section's remote ceiling: the most urgent user on other processors; ties by job id. The resources of one
//! processor follow the immediate ceiling rule there.

use crate::effects::{Effect, Effects};
use crate::ipcp::Ipcp;
use crate::lock_error::LockError;
use crate::mutexes::Mutexes;
use crate::setup::LockSetup;
use crate::usage::Usage;
use crate::wait_queue::{ByBase, Discipline};
use crate::{LockProtocol, Request};
use alloc::vec::Vec;
use schedlab_model::{Band, ClusterId, Event, Instant, JobId, Jobs, Priority, ResourceId, TaskId};

/// Suspension between processors, immediate ceilings within each; `D` says who is served first.
#[derive(Clone, Debug)]
pub struct Mpcp<D = ByBase> {
    ipcp: Ipcp,
    /// By resource.
    is_local: Vec<bool>,
    /// By resource and cluster: the point of the most urgent user elsewhere.
    remote_ceiling: Vec<Vec<u64>>,
    global: Mutexes<D>,
}

impl<D: Discipline> Mpcp<D> {
    /// Needs partitions, fixed priorities, resources of one unit, global ones without nesting, and no suspension in
    /// sections.
    pub fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        let usage = setup.usage()?;
        setup.demand_partitions("MPCP")?;
        let is_local = setup.local(&usage);
        setup.demand_flat_globals(&usage, &is_local, "MPCP")?;
        Ok(Mpcp {
            ipcp: Ipcp::for_locals(setup, "MPCP")?,
            remote_ceiling: remote_ceilings(setup, &usage)?,
            global: Mutexes::new(is_local.len(), setup.tasks.len()),
            is_local,
        })
    }

    /// The priority of `job` within a section of the global `resource`.
    fn boosted(&self, job: JobId, resource: ResourceId, jobs: &Jobs) -> Effect {
        let cluster = jobs.get(job).cluster;
        let point = self.remote_ceiling[resource.index()][cluster.index()];
        Effect::SetPriority(job, Priority::in_band(Band::Boosted, point, job))
    }

    fn hand_over(&mut self, mutex: usize, jobs: &Jobs, out: &mut Effects) {
        if let Some(next) = self.global.hand_over(mutex, jobs) {
            let resource = ResourceId(mutex as u32);
            out.push(self.boosted(next, resource, jobs));
            out.push(Effect::Grant(next, resource));
        }
    }
}

/// Levels serve as points: they are distinct, and only boosted jobs are compared by them.
fn remote_ceilings(setup: &LockSetup<'_>, usage: &Usage) -> Result<Vec<Vec<u64>>, LockError> {
    let levels = setup.levels("MPCP")?;
    let elsewhere = |needs: &[(TaskId, u32)], cluster: ClusterId| {
        let remote = needs.iter().filter(|(task, _)| setup.tasks[task.index()].cluster != cluster);
        remote.map(|(task, _)| u64::from(levels[task.index()].0)).min().unwrap_or(u64::from(u32::MAX))
    };
    let clusters = setup.platform.clusters.len() as u16;
    let of_resource = |needs: &[(TaskId, u32)]| -> Vec<u64> {
        (0..clusters).map(|cluster| elsewhere(needs, ClusterId(cluster))).collect()
    };
    Ok(usage.users.iter().map(|users| of_resource(&users.needs)).collect())
}

impl<D: Discipline> LockProtocol for Mpcp<D> {
    fn request(
        &mut self,
        now: Instant,
        job: JobId,
        resource: ResourceId,
        units: u32,
        jobs: &Jobs,
        out: &mut Effects,
    ) -> Request {
        if self.is_local[resource.index()] {
            return self.ipcp.request(now, job, resource, units, jobs, out);
        }
        if self.global.try_take(resource.index(), job) {
            out.push(self.boosted(job, resource, jobs));
            return Request::Granted;
        }
        self.global.wait(resource.index(), job);
        Request::Suspend
    }

    fn release(
        &mut self,
        now: Instant,
        job: JobId,
        resource: ResourceId,
        units: u32,
        jobs: &Jobs,
        out: &mut Effects,
    ) {
        if self.is_local[resource.index()] {
            return self.ipcp.release(now, job, resource, units, jobs, out);
        }
        out.push(Effect::Restore(job));
        self.hand_over(resource.index(), jobs, out);
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs, out: &mut Effects) {
        self.ipcp.note(now, event, jobs, out);
        if let Event::Aborted(job) = event {
            self.global.withdraw(job);
            for mutex in 0..self.global.len() {
                if self.global.holder(mutex) == Some(job) {
                    self.hand_over(mutex, jobs, out);
                }
            }
        }
    }
}
