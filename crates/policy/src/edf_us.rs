//! EDF-US\[x\]: heavy tasks first, then EDF. A. Srinivasan and S. Baruah, *Deadline-based scheduling of periodic task
//! systems on multiprocessors*, Information Processing Letters 84(2), 2002.
//!
//! A task of a utilization above x has the highest priority, ties by job id; other jobs go by absolute deadline. Global
//! EDF lets light tasks of short deadlines delay a heavy one (Dhall's effect); here they do not. With x = m/(2m - 1) on
//! m processors, tasks with deadlines equal to their periods meet them where their utilizations add up to at most
//! m^2/(2m - 1), about half of the processors. A decision takes what one of global EDF takes: O(m + log n) for each job
//! that begins, of n ready jobs.
//!
//! Dhall's effect with costs and periods (2, 10) for A and B and (10, 11) for C on two processors, by hand from the
//! rule. Under EDF, C waits for A and B, and is late at 11; x is 2/3, above which C alone is:
//!
//! ```text
//! EDF-US  P0  CCCCCCCCCC     EDF  P0  AACCCCCCCC
//!         P1  AABB......          P1  BB........
//! ```

use crate::heavy_first::HeavyKind;
use schedlab_model::{LightOrder, Threshold};

/// `EDF-US`, with the threshold m/(2m - 1), or with another one.
pub(crate) const EDF_US: HeavyKind = HeavyKind {
    name: "EDF-US",
    others: LightOrder::Deadline,
    usual: Threshold::OfProcessors { times: 2 },
    words: ("m/(2m - 1)", "the earliest deadline"),
};
