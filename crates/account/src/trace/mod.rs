//! Contents of a real run's trace: its records, threads and spans.

pub(crate) mod real_run;
pub(crate) mod spans;
pub(crate) mod threads;
