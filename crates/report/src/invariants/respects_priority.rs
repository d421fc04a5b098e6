//! No backlogged job has a higher priority than a linked one of its cluster.
//!
//! Judged when an instant is over, by effective priorities.

use super::links::Links;
use super::patience::Episode;
use super::{Found, Predicate, Violation};
use crate::context::Context;
use crate::scene::Scene;
use schedlab_model::{Duration, Instant};
use schedlab_trace::Record;

pub(super) struct RespectsPriority {
    tolerance: Duration,
    links: Links,
    episodes: Vec<Episode>,
}

impl RespectsPriority {
    pub(super) fn new(context: &Context) -> Self {
        RespectsPriority { tolerance: context.tolerance, links: Links::new(context), episodes: Vec::new() }
    }
}

impl Predicate for RespectsPriority {
    fn see(&mut self, scene: &Scene, _: Instant, record: &Record, _: &mut Found) {
        self.links.see(scene, record);
    }

    fn instant_over(&mut self, scene: &Scene, found: &mut Found) {
        for (index, cluster) in self.links.changed(scene) {
            if *index >= self.episodes.len() {
                self.episodes.resize(index + 1, Episode::default());
            }
            let pair = cluster.linked.zip(cluster.backlogged);
            let wrong = pair.filter(|((linked, ..), (waiting, _))| waiting.is_higher_than(*linked));
            let wrong = wrong.map(|((_, linked, cpu), (_, waiting))| {
                let what =
                    format!("{waiting} is backlogged although {linked}, linked to {cpu}, is less urgent");
                Violation::new(scene.now, waiting, cpu, what)
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
