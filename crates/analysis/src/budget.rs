//! How much work a test may do before it gives up and says `Unknown`.
//!
//! Counted in evaluated terms, never in seconds, so that a verdict does not depend on the machine.

/// Terms that may still be evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget(u64);

impl Budget {
    /// At most this many terms.
    pub const fn of(terms: u64) -> Self {
        Budget(terms)
    }

    /// Takes `terms` from the budget; false if it had not that many.
    #[must_use]
    pub fn spend(&mut self, terms: usize) -> bool {
        match self.0.checked_sub(terms as u64) {
            Some(left) => {
                self.0 = left;
                true
            }
            None => {
                self.0 = 0;
                false
            }
        }
    }
}

impl Default for Budget {
    /// A few seconds of one core.
    fn default() -> Self {
        Budget(1 << 30)
    }
}
