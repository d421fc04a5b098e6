//! What is kept of what happens? Decisions, what threads do, and what the machine does; also if the process is killed.

pub(crate) mod call_counts;
pub(crate) mod inputs;
pub(crate) mod keeper;
pub(crate) mod kernel_scheduler;
pub(crate) mod lock_records;
pub(crate) mod log;
pub(crate) mod outcome;
pub(crate) mod recorder;
pub(crate) mod span;
pub(crate) mod tracer;
