//! What a processor experienced in a stretch.

use std::ops::{AddAssign, Sub};

/// Sums over the accesses that a stretch began. A request that is finished after it still counts here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Accesses begun.
    pub accesses: u64,
    /// Those of them that needed the bus.
    pub requests: u64,
    /// Cycles in which the bus served the own request.
    pub served: u64,
    /// Cycles in which the own request waited.
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

/// What came since an earlier moment.
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
