//! Are deadlines met under schedulers of which a theorem speaks as a whole?

pub mod edf_us;
pub mod edzl;
pub mod ekg;
pub mod mllf;
pub mod nps_f;
pub mod optimal;
pub mod pieces;
pub mod qps;

use crate::verdict::Test;

/// The tests of schedulers without an order of jobs.
pub(crate) const TESTS: &[&Test] = &[
    &optimal::TEST,
    &ekg::TEST,
    &qps::TEST,
    &nps_f::TEST,
    &edzl::TEST,
    &mllf::TEST,
    &edf_us::TEST,
    &pieces::TEST,
];
