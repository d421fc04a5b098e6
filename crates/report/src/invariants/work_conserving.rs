//! No processor of a cluster is without link while a job of the cluster is backlogged.
//!
//! Judged when an instant is over. A job that a locking protocol's gate holds is suspended, not
//! backlogged. Links, not dispatches: that overheads and non-preemptive sections delay a dispatch is no fault of the policy.

use super::links::Links;
use super::patience::Episode;
use super::{Found, Predicate, Violation};
use crate::context::Context;
use crate::scene::Scene;
use schedlab_model::{Duration, Instant};
use schedlab_trace::Record;

pub(super) struct WorkConserving {
    tolerance: Duration,
    links: Links,
    episodes: Vec<Episode>,
}

impl WorkConserving {
    pub(super) fn new(context: &Context) -> Self {
        WorkConserving { tolerance: context.tolerance, links: Links::new(context), episodes: Vec::new() }
    }
}

impl Predicate for WorkConserving {
    fn see(&mut self, scene: &Scene, _: Instant, record: &Record, _: &mut Found) {
        self.links.see(scene, record);
    }

    fn instant_over(&mut self, scene: &Scene, found: &mut Found) {
        for (index, cluster) in self.links.changed(scene) {
            if *index >= self.episodes.len() {
                self.episodes.resize(index + 1, Episode::default());
            }
            let wrong = cluster.free.zip(cluster.backlogged).map(|(cpu, (_, job))| {
                Violation::new(scene.now, job, cpu, format!("{cpu} has no link although {job} is backlogged"))
            });
            self.episodes[*index].observe(scene.now, wrong, self.tolerance, found);
        }
    }
    fn over(&mut self, scene: &Scene, ended: bool, found: &mut Found) {
        for episode in self.episodes.iter_mut().filter(|_| ended) {
            episode.observe(scene.now, None, self.tolerance, found);
        }
    }
}
