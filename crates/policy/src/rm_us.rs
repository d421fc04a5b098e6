//! RM-US\[x\]: heavy tasks first, then the shortest period. B. Andersson, S. Baruah and J. Jonsson, *Static-priority
//! scheduling on multiprocessors*, RTSS 2001.
//!
//! A task of a utilization above x has the highest priority, ties by job id; other tasks go by period. On m > 1
//! processors with x = m/(3m - 2), tasks with deadlines equal to their periods meet them where their utilizations add
//! up to at most m^2/(3m - 2), a third of the processors and more. All priorities are fixed, so that each test of
//! global fixed priorities speaks of the scheduler. A decision takes what one of G-RM takes: O(m + log n) for each job
//! that begins, of n ready jobs. The rule for priorities of the same name gives `G-FP` this order, for x = m/(3m - 2).
//!
//! Dhall's effect with costs and periods (2, 10) for A and B and (10, 11) for C on two processors, by hand from the
//! rule. Under G-RM, C waits for A and B, and is late at 11; x is 1/2, above which C alone is:
//!
//! ```text
//! RM-US  P0  CCCCCCCCCC     G-RM  P0  AACCCCCCCC
//!        P1  AABB......           P1  BB........
//! ```

use crate::heavy_first::HeavyKind;
use schedlab_model::{LightOrder, Threshold};

/// `RM-US`, with the threshold m/(3m - 2), or with another one.
pub(crate) const RM_US: HeavyKind = HeavyKind {
    name: "RM-US",
    others: LightOrder::Period,
    usual: Threshold::OfProcessors { times: 3 },
    words: ("m/(3m - 2)", "the shortest period"),
};
