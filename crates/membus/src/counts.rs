//! Counts of a processor's accesses in a stretch.

use std::ops::{AddAssign, Sub};

/// Sums over the accesses that a stretch began. A request that is finished after the stretch still counts here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Accesses that began in the stretch.
    pub accesses: u64,
    /// Accesses that needed the bus.
    pub requests: u64,
    /// Cycles in which the bus served the processor's own request.
    pub served: u64,
    /// Cycles in which the processor's own request waited.
    pub lost: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, more: Counts) {
        self.accesses += more.accesses;
        self.requests += more.requests;
        self.served += more.served;
        self.lost += more.lost;
    }
}

/// Difference of the counts to those of an earlier moment.
impl Sub for Counts {
    type Output = Counts;

    fn sub(self, earlier: Counts) -> Counts {
        Counts {
            accesses: self.accesses - earlier.accesses,
            requests: self.requests - earlier.requests,
            served: self.served - earlier.served,
            lost: self.lost - earlier.lost,
        }
    }
}
