//! Linked and backlogged jobs, cluster by cluster, at the end of an instant.
//!
//! Ready jobs are kept in the order of their priorities, so that the end of an instant costs a look at the
//! processors of the clusters where something changed, and at no more jobs than those can have.

use super::ready::{Keyed, Ready};
use crate::context::Context;
use crate::scene::Scene;
use schedlab_model::{ClusterId, CpuId, JobId, Priority};
use schedlab_trace::{about, Record};

/// One cluster's links.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ClusterLinks {
    /// A processor without link.
    pub(super) free: Option<CpuId>,
    /// The most urgent job that is ready and not linked.
    pub(super) backlogged: Option<(Priority, JobId)>,
    /// The least urgent linked job, and its processor.
    pub(super) linked: Option<(Priority, JobId, CpuId)>,
}

/// One cluster's ready jobs and processors.
#[derive(Clone, Debug, Default)]
struct Cluster {
    cpus: Vec<CpuId>,
    /// Ready jobs, with the keys of their priorities.
    ready: Ready,
    changed: bool,
}

/// Works out the links of the clusters where they may have changed.
#[derive(Debug)]
pub(super) struct Links {
    clusters: Vec<Cluster>,
    cluster_of_cpu: Vec<ClusterId>,
    /// By task: the places where its ready jobs are kept. Only wrong traces have several for a task.
    kept: Vec<Vec<(JobId, ClusterId, u128)>>,
    changed: Vec<ClusterId>,
    /// By task: links to its jobs, with those that are not ready.
    links: Vec<Vec<(JobId, CpuId)>>,
    found: Vec<(usize, ClusterLinks)>,
}

impl Links {
    pub(super) fn new(context: &Context) -> Self {
        let mut links = Links {
            clusters: Vec::new(),
            cluster_of_cpu: context.clusters.clone(),
            kept: Vec::new(),
            changed: Vec::new(),
            links: Vec::new(),
            found: Vec::new(),
        };
        for (index, cluster) in context.clusters.iter().enumerate() {
            links.cluster(*cluster).cpus.push(CpuId(index as u16));
        }
        links
    }

    /// Updates the links for `record`, which is about to happen.
    pub(super) fn see(&mut self, scene: &Scene, record: &Record) {
        match *record {
            Record::Ready { job, priority, cluster } if !scene.is_done(job) => {
                self.remove(job);
                self.insert(job, cluster, priority.key());
            }
            Record::Suspend { job, .. } | Record::Complete { job } | Record::Abort { job } => {
                self.remove(job);
            }
            Record::Resume { job } => {
                self.remove(job);
                let live = scene.job(job);
                if let Some((live, priority)) = live.and_then(|live| Some((live, live.priority?))) {
                    self.insert(job, live.cluster, priority.key());
                }
            }
            Record::Priority { job, priority } => {
                if let Some((cluster, _)) = self.remove(job) {
                    self.insert(job, cluster, priority.key());
                }
            }
            Record::Move { job, cluster } => {
                if let Some((_, key)) = self.remove(job) {
                    self.insert(job, cluster, key);
                }
            }
            Record::End => {
                // What ends at the very end is recorded, but nothing new begins: no decision made these links.
                for id in self.changed.drain(..) {
                    self.clusters[id.index()].changed = false;
                }
            }
            Record::Link { cpu, job } => self.link(cpu, scene.cpu(cpu).linked, job),
            about![
                Arrival, Ready, GiveUp, Miss, Dispatch, Preempt, NpEnter, NpExit, Budget, Lost, Run,
                requests, attempts, quanta, overheads, servers, tasks
            ] => {}
        }
    }

    /// Returns the links of each cluster in which they may have changed since the last call.
    pub(super) fn changed(&mut self, scene: &Scene) -> &[(usize, ClusterLinks)] {
        self.found.clear();
        for index in 0..self.changed.len() {
            let id = self.changed[index].index();
            self.clusters[id].changed = false;
            let links = self.look(scene, &self.clusters[id]);
            self.found.push((id, links));
        }
        self.changed.clear();
        &self.found
    }

    fn look(&self, scene: &Scene, cluster: &Cluster) -> ClusterLinks {
        let mut links = ClusterLinks::default();
        for cpu in &cluster.cpus {
            match scene.linked(*cpu).map(|job| (job.priority, job.id)) {
                None => links.free = links.free.or(Some(*cpu)),
                Some((Some(priority), job)) => {
                    if links.linked.is_none_or(|(lowest, _, _)| lowest.is_higher_than(priority)) {
                        links.linked = Some((priority, job, *cpu));
                    }
                }
                Some((None, _)) => {}
            }
        }
        // At most as many jobs are linked as there are processors, so this ends soon.
        let waits = |(_, job): &&Keyed| self.links_of(*job).next().is_none();
        let first = cluster.ready.iter().find(waits);
        links.backlogged = first.map(|(key, job)| (Priority::from_key(*key), *job));
        links
    }

    fn cluster(&mut self, id: ClusterId) -> &mut Cluster {
        if id.index() >= self.clusters.len() {
            self.clusters.resize_with(id.index() + 1, Cluster::default);
        }
        &mut self.clusters[id.index()]
    }

    fn touch(&mut self, id: ClusterId) {
        if !core::mem::replace(&mut self.cluster(id).changed, true) {
            self.changed.push(id);
        }
    }

    /// Notes that `cpu` is linked to another job than before.
    fn link(&mut self, cpu: CpuId, before: Option<JobId>, after: Option<JobId>) {
        if let Some(before) = before.filter(|before| before.task.index() < self.links.len()) {
            self.links[before.task.index()].retain(|known| *known != (before, cpu));
        }
        if let Some(after) = after {
            if after.task.index() >= self.links.len() {
                self.links.resize_with(after.task.index() + 1, Vec::new);
            }
            self.links[after.task.index()].push((after, cpu));
        }
        // Whose job it is matters too: being linked elsewhere, it is not backlogged at home.
        for job in before.into_iter().chain(after) {
            for index in 0.. {
                let kept = self.kept.get(job.task.index()).and_then(|kept| kept.get(index));
                let Some((_, home, _)) = kept else { break };
                self.touch(*home);
            }
        }
        if let Some(cluster) = self.cluster_of_cpu.get(cpu.index()) {
            self.touch(*cluster);
        }
    }

    /// The processors that are linked to the job.
    fn links_of(&self, job: JobId) -> impl Iterator<Item = CpuId> + '_ {
        let links = self.links.get(job.task.index()).into_iter().flatten();
        links.filter(move |(known, _)| *known == job).map(|(_, cpu)| *cpu)
    }

    /// Marks the clusters to which the job's state matters: its own, and those of the processors that are linked to it.
    fn touch_for(&mut self, job: JobId, home: ClusterId) {
        self.touch(home);
        for index in 0.. {
            let Some(cpu) = self.links_of(job).nth(index) else { return };
            if let Some(cluster) = self.cluster_of_cpu.get(cpu.index()).copied() {
                self.touch(cluster);
            }
        }
    }

    fn insert(&mut self, job: JobId, id: ClusterId, key: u128) {
        if job.task.index() >= self.kept.len() {
            self.kept.resize_with(job.task.index() + 1, Vec::new);
        }
        self.kept[job.task.index()].push((job, id, key));
        self.cluster(id).ready.insert((key, job));
        self.touch_for(job, id);
    }

    fn remove(&mut self, job: JobId) -> Option<(ClusterId, u128)> {
        let kept = self.kept.get_mut(job.task.index())?;
        let index = kept.iter().position(|(known, _, _)| *known == job)?;
        let (_, id, key) = kept.swap_remove(index);
        self.cluster(id).ready.remove(&(key, job));
        self.touch_for(job, id);
        Some((id, key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{Instant, TaskId};

    /// Computes the links by looking at all processors and jobs.
    fn brute_force(context: &Context, scene: &Scene, id: ClusterId) -> ClusterLinks {
        let mut links = ClusterLinks::default();
        for cpu in (0..context.clusters.len()).map(|cpu| CpuId(cpu as u16)) {
            if context.clusters[cpu.index()] != id {
                continue;
            }
            let Some(job) = scene.linked(cpu) else {
                links.free = links.free.or(Some(cpu));
                continue;
            };
            let priority = job.priority.unwrap();
            if links.linked.is_none_or(|(lowest, _, _)| lowest.is_higher_than(priority)) {
                links.linked = Some((priority, job.id, cpu));
            }
        }
        let live = scene.tasks.iter().flat_map(|task| &task.jobs);
        for job in live.filter(|job| job.is_ready() && job.cluster == id && scene.link_of(job.id).is_none()) {
            let priority = job.priority.unwrap();
            if links.backlogged.is_none_or(|(highest, _)| priority.is_higher_than(highest)) {
                links.backlogged = Some((priority, job.id));
            }
        }
        links
    }

    #[test]
    fn agrees_with_looking_at_everything() {
        let mut context = Context::global(4);
        context.clusters[3] = ClusterId(1);
        let (mut links, mut scene) = (Links::new(&context), Scene::new(&context));
        let mut known = [ClusterLinks::default(); 2];
        let (mut x, mut done, mut backlogs) = (88172645463325252u64, [0u32; 6], 0);
        for step in 0..20_000u64 {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            let task = (x >> 20) as usize % done.len();
            let job = JobId::new(TaskId(task as u32), done[task]);
            let (priority, cluster) = (Priority::new(x >> 40 & 7, job), ClusterId((x >> 50) as u16 % 2));
            let here = scene.job(job).is_some();
            let record = match x % 8 {
                0 if !here => Record::Ready { job, priority, cluster },
                1 if here => {
                    done[task] += 1;
                    Record::Complete { job }
                }
                2 if here => Record::Suspend { job, reason: schedlab_trace::SuspendReason::Itself },
                3 if here => Record::Resume { job },
                4 if here => Record::Priority { job, priority },
                5 if here => Record::Move { job, cluster },
                _ => Record::Link { cpu: CpuId((x >> 30) as u16 % 4), job: (x & 64 > 0).then_some(job) },
            };
            let at = Instant::from_ns(step);
            links.see(&scene, &record);
            scene.apply(at, &record);
            for (cluster, found) in links.changed(&scene) {
                known[*cluster] = *found;
            }
            for (index, known) in known.iter().enumerate().skip(usize::from(step < 10) * 2) {
                assert_eq!(
                    *known,
                    brute_force(&context, &scene, ClusterId(index as u16)),
                    "{step} {record:?}"
                );
                backlogs += u32::from(known.backlogged.is_some());
            }
        }
        assert!(backlogs > 1_000);
    }
}
