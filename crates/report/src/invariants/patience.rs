//! Patience before a violation is reported, as long as the error of measured times: on real machines the records of two
//! processors may come in the wrong order by as much as their clocks differ.

use super::violation::{Violation, Violations};
use schedlab_model::{Duration, Instant};

/// Suspicions that become violations unless what clears them follows soon enough.
#[derive(Debug)]
pub(super) struct Patience<K> {
    tolerance: Duration,
    open: Vec<(K, Violation)>,
}

impl<K: PartialEq> Patience<K> {
    pub(super) fn new(tolerance: Duration) -> Self {
        Patience { tolerance, open: Vec::new() }
    }

    /// Notes that something looks wrong. Without tolerance it is a violation at once.
    pub(super) fn suspect(&mut self, key: K, violation: Violation, found: &mut Violations) {
        if self.tolerance.is_zero() {
            found.add(violation);
        } else if self.open.iter().all(|(known, _)| *known != key) {
            self.open.push((key, violation));
        }
    }

    /// Notes that what looked wrong has been put right.
    pub(super) fn clear(&mut self, key: K, now: Instant, found: &mut Violations) {
        self.elapse(now, found);
        self.open.retain(|(known, _)| *known != key);
    }

    /// Reports what has been wrong for longer than the tolerance.
    pub(super) fn elapse(&mut self, now: Instant, found: &mut Violations) {
        let tolerance = self.tolerance;
        self.open.retain(|(_, violation)| {
            let expired = now.saturating_since(violation.at) > tolerance;
            if expired {
                found.add(violation.clone());
            }
            !expired
        });
    }
}

/// A state that may be wrong for as long as the tolerance, once per episode.
#[derive(Clone, Debug, Default)]
pub(super) struct Episode {
    open: Option<Violation>,
    objected: bool,
}

impl Episode {
    /// Updates the state at the end of an instant; `wrong` is what is wrong with it, if anything.
    pub(super) fn observe(
        &mut self,
        now: Instant,
        wrong: Option<Violation>,
        tolerance: Duration,
        found: &mut Violations,
    ) {
        if let Some(open) = self.open.as_ref().filter(|_| !self.objected) {
            if now.saturating_since(open.at) > tolerance {
                found.add(open.clone());
                self.objected = true;
            }
        }
        match wrong {
            None => *self = Episode::default(),
            Some(wrong) => {
                let first = self.open.is_none();
                self.open.get_or_insert(wrong);
                if first && tolerance.is_zero() {
                    found.add(self.open.clone().expect("it was just set"));
                    self.objected = true;
                }
            }
        }
    }
}
