//! Traces in files: any stream of bytes, read and written in pieces.

mod reader;
mod writer;

pub use reader::{Played, TraceFile, TraceFileError};
pub use writer::TraceWriter;

#[cfg(test)]
mod tests;
