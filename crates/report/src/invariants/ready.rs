//! Ready jobs of one cluster, the most urgent first.
//!
//! Few of them change places, and only the most urgent ones are read. These lie sorted in a short array, the others in
//! a tree, so that a job costs a search among few, however many wait.

use schedlab_model::JobId;
use std::collections::BTreeSet;

/// Most jobs in the array.
const FRONT: usize = 32;

/// A job, and the key of its priority before it.
pub(super) type Keyed = (u128, JobId);

/// A set of ready jobs.
#[derive(Clone, Debug, Default)]
pub(super) struct Ready {
    /// The most urgent jobs, sorted. Empty only if there are no others.
    front: Vec<Keyed>,
    others: BTreeSet<Keyed>,
}

impl Ready {
    /// Adds a job that is not there.
    pub(super) fn insert(&mut self, job: Keyed) {
        if !self.others.is_empty() && self.front.last().is_some_and(|last| *last < job) {
            self.others.insert(job);
            return;
        }
        let place = self.front.iter().rposition(|known| *known < job).map_or(0, |before| before + 1);
        self.front.insert(place, job);
        if self.front.len() > FRONT {
            self.others.extend(self.front.drain(FRONT / 2..));
        }
    }

    /// Removes a job, if it is there.
    pub(super) fn remove(&mut self, job: &Keyed) {
        let Some(place) = self.front.iter().position(|known| known == job) else {
            self.others.remove(job);
            return;
        };
        self.front.remove(place);
        if self.front.is_empty() && !self.others.is_empty() {
            self.front.extend(core::iter::from_fn(|| self.others.pop_first()).take(FRONT / 2));
        }
    }

    /// All jobs, the most urgent first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Keyed> {
        self.front.iter().chain(&self.others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::TaskId;

    /// The set agrees with a tree alone, over a fixed sequence in which few and many jobs are ready.
    #[test]
    fn agrees_with_a_tree() {
        for mostly in [2, 3, 4] {
            let (mut ready, mut tree, mut x) = (Ready::default(), BTreeSet::new(), 12345u32);
            let mut most = 0;
            for _ in 0..5_000 {
                x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let job = ((x >> 26).into(), JobId::new(TaskId(x >> 20 & 7), 0));
                if (x >> 8) % 6 < mostly {
                    if tree.insert(job) {
                        ready.insert(job);
                    }
                } else if x & 1 << 16 == 0 {
                    tree.remove(&job);
                    ready.remove(&job);
                } else if let Some(first) = tree.pop_first() {
                    ready.remove(&first);
                }
                assert!(ready.iter().eq(&tree));
                most = most.max(tree.len());
            }
            assert!(most > 2 * FRONT || mostly == 2);
        }
    }
}
