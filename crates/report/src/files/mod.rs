//! Traces in files: any stream of bytes, read and written in pieces, and found by an index.

mod failure;
mod index;
mod out;
mod reader;
mod seek;
mod writer;

pub use failure::reason;
pub use index::Asked;
pub(crate) use out::Out;
pub use reader::{TraceFile, TraceFileError};
pub use seek::{index_path, Indexing};
pub use writer::TraceWriter;
