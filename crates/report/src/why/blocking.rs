//! Jobs that keep another one from what it asks for, or from its processor, by holding something.

use super::Cause;
use crate::scene::{Doing, LiveJob, Scene};
use schedlab_model::{CpuId, JobId, ResourceId};
use schedlab_trace::SuspendReason;

/// Returns the jobs that keep `job` waiting by holding something: the holders of what it wants, or, if no job holds
/// that or `job` may not start, those whose sections deny it. Empty if it does not wait.
pub(crate) fn blockers(scene: &Scene, job: &LiveJob) -> Vec<JobId> {
    let wanted = match job.doing {
        Doing::Suspended(SuspendReason::Resource(resource)) => Some(resource),
        Doing::Suspended(SuspendReason::HeldBack) => return lesser_holders(scene, job),
        Doing::Suspended(SuspendReason::Itself) | Doing::Pending | Doing::Ready => {
            job.spinning.filter(|_| !job.delayed)
        }
    };
    let Some(resource) = wanted else { return Vec::new() };
    let holders = scene.holders(resource);
    if holders.is_empty() && job.spinning.is_none() {
        return lesser_holders(scene, job);
    }
    holders
}

/// Returns the cause for a job that is suspended until it gets `resource`.
pub(super) fn suspended(scene: &Scene, job: &LiveJob, resource: ResourceId) -> Cause {
    let holders = scene.holders(resource);
    if !holders.is_empty() {
        let behind = behind(scene, job.id, &holders);
        return Cause::Blocking { resource, holders, behind };
    }
    let holders = lesser_holders(scene, job);
    let behind = behind(scene, job.id, &holders);
    if holders.is_empty() {
        return Cause::Blocking { resource, holders, behind };
    }
    Cause::Ceiling { resource, holders, behind }
}

/// Returns the cause for a job that occupies its processor until it gets `resource`.
pub(super) fn spinning(scene: &Scene, job: &LiveJob, resource: ResourceId) -> Cause {
    let holders = scene.holders(resource);
    let behind = behind(scene, job.id, &holders);
    Cause::Spinning { resource, holders, behind }
}

/// Returns the first resource that is held by one of the `linked` jobs which are less urgent than `job` by base
/// priority, with all of those jobs that hold it.
pub(super) fn by_section(scene: &Scene, job: &LiveJob, linked: &[&LiveJob]) -> Option<Cause> {
    let outermost = |other: &LiveJob| {
        scene.holdings.iter().find(|(_, holder, _)| *holder == other.id).map(|(resource, _, _)| *resource)
    };
    let lesser = || linked.iter().filter(|other| is_lesser(job, other));
    let resource = lesser().find_map(|other| outermost(other))?;
    let holders = lesser().filter(|other| outermost(other) == Some(resource)).map(|other| other.id).collect();
    Some(Cause::Section { resource, holders })
}

/// Returns the cause for a job that a protocol does not let start.
pub(super) fn held_back(scene: &Scene, job: &LiveJob) -> Cause {
    let holders = lesser_holders(scene, job);
    let behind = behind(scene, job.id, &holders);
    Cause::HeldBack { holders, behind }
}

/// Returns the jobs of the cluster of `job` that hold something and are less urgent than it by base priority.
fn lesser_holders(scene: &Scene, job: &LiveJob) -> Vec<JobId> {
    let mut holders = Vec::new();
    for (_, holder, _) in &scene.holdings {
        let is_one =
            scene.job(*holder).is_some_and(|other| other.cluster == job.cluster && is_lesser(job, other));
        if is_one && !holders.contains(holder) {
            holders.push(*holder);
        }
    }
    holders
}

fn is_lesser(job: &LiveJob, other: &LiveJob) -> bool {
    job.id != other.id && job.base.zip(other.base).is_some_and(|(own, theirs)| own.is_higher_than(theirs))
}

/// Returns the jobs that execute while none of `holders` does: those for which they wait in turn, or else those on
/// their processors.
fn behind(scene: &Scene, waiter: JobId, holders: &[JobId]) -> Vec<JobId> {
    let mut roots = holders.to_vec();
    // Every step adds a job, so that a circle of waiting jobs ends it.
    let mut index = 0;
    while index < roots.len() {
        for next in waited_for(scene, roots[index]) {
            if !roots.contains(&next) && next != waiter {
                roots.push(next);
            }
        }
        index += 1;
    }
    let executes = |id: &JobId| scene.job(*id).is_some_and(|job| job.on.is_some());
    if holders.iter().any(executes) {
        return Vec::new();
    }
    let executing: Vec<JobId> = roots.iter().copied().filter(executes).collect();
    if !executing.is_empty() {
        return executing;
    }
    let ready = roots.iter().filter_map(|id| scene.job(*id)).filter(|job| job.is_ready());
    let clusters: Vec<_> = ready.map(|job| job.cluster).collect();
    let linked = (0..scene.cpus.len()).filter_map(|cpu| scene.linked(CpuId(cpu as u16)));
    linked.filter(|job| clusters.contains(&job.cluster) && job.id != waiter).map(|job| job.id).collect()
}

/// Returns the holders of what a job waits for.
fn waited_for(scene: &Scene, id: JobId) -> Vec<JobId> {
    let Some(job) = scene.job(id) else { return Vec::new() };
    match (job.doing, job.spinning) {
        (Doing::Suspended(SuspendReason::Resource(resource)), _) | (_, Some(resource)) => {
            scene.holders(resource)
        }
        _ => Vec::new(),
    }
}
