//! Who is linked and who is not, cluster by cluster, when an instant is over.

use crate::context::Context;
use crate::scene::{LiveJob, Scene};
use schedlab_model::{ClusterId, CpuId, JobId, Priority};
use schedlab_trace::Record;

/// One cluster's links.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClusterLinks {
    /// A processor without link.
    pub(super) free: Option<CpuId>,
    /// The most urgent job that is ready and not linked.
    pub(super) backlogged: Option<(Priority, JobId)>,
    /// The least urgent linked job, and where it is linked.
    pub(super) linked: Option<(Priority, JobId, CpuId)>,
}

/// Works out the links of all clusters whenever they may have changed.
#[derive(Debug)]
pub(super) struct Links {
    cpus: Vec<ClusterId>,
    linked: Vec<Option<JobId>>,
    clusters: Vec<ClusterLinks>,
    changed: bool,
}

impl Links {
    pub(super) fn new(context: &Context) -> Self {
        Links { cpus: context.clusters.clone(), linked: Vec::new(), clusters: Vec::new(), changed: false }
    }

    /// Takes note that `record` happens.
    pub(super) fn see(&mut self, record: &Record) {
        if *record == Record::End {
            // What ends at the very end is recorded, but nothing new begins: these links are nobody's decision.
            self.changed = false;
            return;
        }
        self.changed |= matches!(
            record,
            Record::Ready { .. }
                | Record::Link { .. }
                | Record::Suspend { .. }
                | Record::Resume { .. }
                | Record::Priority { .. }
                | Record::Move { .. }
                | Record::Complete { .. }
                | Record::Abort { .. }
        );
    }

    /// The links of each cluster, unless nothing has changed since.
    pub(super) fn changed(&mut self, scene: &Scene) -> Option<&[ClusterLinks]> {
        if !core::mem::take(&mut self.changed) {
            return None;
        }
        self.clusters.fill(ClusterLinks::default());
        self.linked.clear();
        self.linked.resize(scene.tasks.len(), None);
        for index in 0..self.cpus.len() {
            self.look_at_cpu(scene, CpuId(index as u16));
        }
        for job in scene.tasks.iter().flat_map(|task| &task.jobs).filter(|job| job.is_ready()) {
            // Two ready jobs of one task are against the rules, but then both may be linked.
            let linked = match self.linked[job.id.slot()] {
                None => false,
                Some(linked) => linked == job.id || scene.link_of(job.id).is_some(),
            };
            if !linked {
                self.look_at_backlogged(job);
            }
        }
        Some(&self.clusters)
    }

    fn look_at_cpu(&mut self, scene: &Scene, cpu: CpuId) {
        let cluster = cluster_mut(&mut self.clusters, self.cpus[cpu.index()]);
        let Some(job) = scene.linked(cpu) else {
            cluster.free = cluster.free.or(Some(cpu));
            return;
        };
        self.linked[job.id.slot()] = Some(job.id);
        let Some(priority) = job.priority else { return };
        if cluster.linked.is_none_or(|(lowest, _, _)| lowest.is_higher_than(priority)) {
            cluster.linked = Some((priority, job.id, cpu));
        }
    }

    fn look_at_backlogged(&mut self, job: &LiveJob) {
        let cluster = cluster_mut(&mut self.clusters, job.cluster);
        let Some(priority) = job.priority else { return };
        if cluster.backlogged.is_none_or(|(highest, _)| priority.is_higher_than(highest)) {
            cluster.backlogged = Some((priority, job.id));
        }
    }
}

fn cluster_mut(clusters: &mut Vec<ClusterLinks>, id: ClusterId) -> &mut ClusterLinks {
    if id.index() >= clusters.len() {
        clusters.resize(id.index() + 1, ClusterLinks::default());
    }
    &mut clusters[id.index()]
}
