//! How much work a test may do before it gives up and says `Unknown`.
//!
//! Counted in evaluated terms, never in seconds, so that a verdict does not depend on the machine.

/// Terms that may still be evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget(u64);

impl Budget {
    /// At most this many terms.
    pub(crate) const fn of(terms: u64) -> Self {
        Budget(terms)
    }

    /// Takes `terms` from the budget; false if it had not that many.
    #[must_use]
    pub(crate) fn spend(&mut self, terms: usize) -> bool {
        let left = self.0.checked_sub(terms as u64);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }

    /// The least fixed point of `next`, which never falls, from a value on that is not above it. `None` if it is beyond
    /// `limit`, or if the budget, which each step takes `terms` from, ends before.
    pub(crate) fn least_fixed_point(
        &mut self,
        from: u128,
        limit: u128,
        terms: usize,
        next: impl Fn(u128) -> u128,
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
    /// A few seconds of one core.
    fn default() -> Self {
        Budget(1 << 30)
    }
}
