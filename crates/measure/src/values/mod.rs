//! Values of one thing, and the statistics that are kept of them.

pub(crate) mod fit;
pub(crate) mod median;
pub(crate) mod samples;
