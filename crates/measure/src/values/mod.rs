//! What is kept of the values of one thing.

pub(crate) mod fit;
pub(crate) mod median;
pub(crate) mod samples;
