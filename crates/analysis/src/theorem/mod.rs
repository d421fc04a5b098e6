//! Are deadlines met under schedulers of which a theorem speaks as a whole?

pub mod edzl;
pub mod optimal;

use crate::verdict::Test;

/// The tests of schedulers without an order of jobs.
pub(crate) const TESTS: &[&Test] = &[&optimal::TEST, &edzl::TEST];
