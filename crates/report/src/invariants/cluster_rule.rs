//! Rules about the links of a cluster, judged when an instant is over.

use super::links::ClusterLinks;
use super::patience::Episode;
use super::{Violation, Violations};
use crate::context::Context;
use schedlab_model::{Duration, Instant};

/// Judges the links of a cluster at a time: returns a violation if there is one.
type Judge = fn(&ClusterLinks, Instant) -> Option<Violation>;

/// One rule, for every cluster. All rules read the same links.
pub(super) struct ClusterRule {
    judge: Judge,
    tolerance: Duration,
    /// Episodes by cluster.
    episodes: Vec<Episode>,
}

impl ClusterRule {
    pub(super) fn new(context: &Context, judge: Judge) -> Self {
        ClusterRule { judge, tolerance: context.tolerance, episodes: Vec::new() }
    }

    /// Judges the links that may have changed, after all records of the instant `now` have happened.
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

    /// Judges the links at the end of the trace, at `now`; `ended` is true if the trace has the record of its end.
    pub(super) fn over(&mut self, now: Instant, ended: bool, found: &mut Violations) {
        for episode in self.episodes.iter_mut().filter(|_| ended) {
            episode.observe(now, None, self.tolerance, found);
        }
    }
}
