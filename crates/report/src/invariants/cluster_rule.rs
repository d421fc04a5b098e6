//! Rules about the links of a cluster, judged when an instant is over.

use super::links::{ClusterLinks, Links};
use super::patience::Episode;
use super::{Found, Predicate, Violation};
use crate::context::Context;
use crate::scene::Scene;
use schedlab_model::{Duration, Instant};
use schedlab_trace::Record;

/// What is wrong with the links of a cluster at a time, if anything.
type Judge = fn(&ClusterLinks, Instant) -> Option<Violation>;

/// One such rule, for every cluster.
pub(super) struct ClusterRule {
    judge: Judge,
    tolerance: Duration,
    links: Links,
    /// By cluster.
    episodes: Vec<Episode>,
}

impl ClusterRule {
    pub(super) fn new(context: &Context, judge: Judge) -> Self {
        let (tolerance, links) = (context.tolerance, Links::new(context));
        ClusterRule { judge, tolerance, links, episodes: Vec::new() }
    }
}

impl Predicate for ClusterRule {
    fn see(&mut self, scene: &Scene, _: Instant, record: &Record, _: &mut Found) {
        self.links.see(scene, record);
    }

    fn instant_over(&mut self, scene: &Scene, found: &mut Found) {
        for (index, cluster) in self.links.changed(scene) {
            if *index >= self.episodes.len() {
                self.episodes.resize(index + 1, Episode::default());
            }
            let wrong = (self.judge)(cluster, scene.now);
            self.episodes[*index].observe(scene.now, wrong, self.tolerance, found);
        }
    }

    fn over(&mut self, scene: &Scene, ended: bool, found: &mut Found) {
        for episode in self.episodes.iter_mut().filter(|_| ended) {
            episode.observe(scene.now, None, self.tolerance, found);
        }
    }
}
