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
    fn see(&mut self, _: &Scene, _: Instant, record: &Record, _: &mut Found) {
        self.links.see(record);
    }

    fn instant_over(&mut self, scene: &Scene, found: &mut Found) {
        let Some(clusters) = self.links.changed(scene) else { return };
        self.episodes.resize(clusters.len().max(self.episodes.len()), Episode::default());
        for (cluster, episode) in clusters.iter().zip(&mut self.episodes) {
            let pair = cluster.linked.zip(cluster.backlogged);
            let wrong = pair.filter(|((linked, ..), (waiting, _))| waiting.is_higher_than(*linked));
            let wrong = wrong.map(|((_, linked, cpu), (_, waiting))| {
                let what =
                    format!("{waiting} is backlogged although {linked}, linked to {cpu}, is less urgent");
                Violation::new(scene.now, waiting, cpu, what)
            });
            episode.observe(scene.now, wrong, self.tolerance, found);
        }
    }
}
