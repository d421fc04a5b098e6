//! A job executes only on processors of its cluster.

use super::{Predicate, Violation, Violations};
use crate::context::Context;
use crate::scene::{Doing, Scene};
use schedlab_model::{ClusterId, Instant};
use schedlab_trace::Record;

pub(super) struct JobsStayInTheirCluster {
    clusters: Vec<ClusterId>,
}

impl JobsStayInTheirCluster {
    pub(super) fn new(context: &Context) -> Self {
        JobsStayInTheirCluster { clusters: context.clusters.clone() }
    }
}

impl Predicate for JobsStayInTheirCluster {
    fn concerns(&self, record: &Record) -> bool {
        matches!(record, Record::Dispatch { .. })
    }

    fn see(&mut self, scene: &Scene, at: Instant, record: &Record, found: &mut Violations) {
        let Record::Dispatch { cpu, job } = *record else { return };
        // A pending job's cluster is not known yet.
        let Some(live) = scene.job(job).filter(|live| live.doing != Doing::Pending) else { return };
        let what = match self.clusters.get(cpu.index()) {
            Some(cluster) if *cluster == live.cluster => return,
            Some(cluster) => {
                format!("{job} of cluster {} is dispatched on {cpu} of cluster {}", live.cluster, cluster)
            }
            None => format!("{job} is dispatched on {cpu}, which the platform does not have"),
        };
        found.add(Violation::new(at, job, cpu, what));
    }
}
