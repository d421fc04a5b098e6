//! Rules about the links of a cluster, judged when an instant is over.

use super::links::ClusterLinks;
use super::patience::Episode;
use super::{Violation, Violations};
use crate::context::Context;
use schedlab_model::{Duration, Instant};

/// What is wrong with the links of a cluster at a time, if anything.
type Judge = fn(&ClusterLinks, Instant) -> Option<Violation>;

/// One such rule, for every cluster. All rules read the same links.
pub(super) struct ClusterRule {
    judge: Judge,
    tolerance: Duration,
    /// By cluster.
    episodes: Vec<Episode>,
}

impl ClusterRule {
    pub(super) fn new(context: &Context, judge: Judge) -> Self {
        ClusterRule { judge, tolerance: context.tolerance, episodes: Vec::new() }
    }

    /// All records of the instant `now` have happened; these are the links that may have changed.
    pub(super) fn instant_over(
        &mut self,
        changed: &[(usize, ClusterLinks)],
        now: Instant,
        found: &mut Violations,
    ) {
        for (index, cluster) in changed {
            if *index >= self.episodes.len() {
                self.episodes.resize(index + 1, Episode::default());
            }
            let wrong = (self.judge)(cluster, now);
            self.episodes[*index].observe(now, wrong, self.tolerance, found);
        }
    }

    /// The trace is over at `now`; `ended` if it says so itself.
    pub(super) fn over(&mut self, now: Instant, ended: bool, found: &mut Violations) {
        for episode in self.episodes.iter_mut().filter(|_| ended) {
            episode.observe(now, None, self.tolerance, found);
        }
    }
}
