//! Protocols under which a job that waits keeps its processor busy.

pub(crate) mod mrsp;
pub(crate) mod msrp;
pub(crate) mod preemptable;
pub(crate) mod priority;
pub(crate) mod reader_writer;
pub(crate) mod task_fair;
pub(crate) mod unordered;
