//! A trace for other tools.
//!
//! Each export is a [`Sink`](schedlab_trace::Sink) that writes while records come in, so a trace of any length can be
//! exported. The first error of the stream is kept and returned at the end.

mod csv;
mod jobs;
mod perfetto;
mod protobuf;
mod records;

pub use jobs::{JobCsv, JobRow, JobRows};
pub use perfetto::{Lane, Perfetto};
pub use records::RecordLines;
