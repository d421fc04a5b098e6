//! Limit on the work that a test may do before it gives up and answers `Unknown`.
//!
//! Work is counted in evaluated terms, never in seconds, so that a verdict does not depend on the machine.

/// Terms that may still be evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget(u64);

impl Budget {
    /// Budget of at most `terms` terms.
    pub(crate) const fn of(terms: u64) -> Self {
        Budget(terms)
    }

    /// Takes `terms` from the budget. Returns false if fewer were left.
    #[must_use]
    pub(crate) fn spend(&mut self, terms: usize) -> bool {
        let left = self.0.checked_sub(terms as u64);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }

    /// The least fixed point of `next`, which never falls, found from `from`, which must not be above it. `None` if it
    /// is beyond `limit`, or if the budget, from which each step takes `terms`, is spent before.
    pub(crate) fn least_fixed_point(
        &mut self,
        from: u128,
        limit: u128,
        terms: usize,
        mut next: impl FnMut(u128) -> u128,
    ) -> Option<u128> {
        let mut value = from;
        while value <= limit && self.spend(terms) {
            let risen = next(value);
            if risen <= value {
                return Some(value);
            }
            value = risen;
        }
        None
    }
}

impl Default for Budget {
    /// Budget for a few seconds of one core.
    fn default() -> Self {
        Budget(1 << 30)
    }
}
