//! What does a real run's trace say? Its records, threads and spans.

pub(crate) mod real_run;
pub(crate) mod spans;
pub(crate) mod threads;
