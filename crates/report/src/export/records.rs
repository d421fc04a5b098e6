//! One line per record.

use crate::files::Out;
use crate::lines::Line;
use schedlab_model::Instant;
use schedlab_trace::{Record, Sink};
use std::io::{self, Write};

/// Writes one line of text per record, in the order of the trace.
#[derive(Debug)]
pub struct RecordLines<W: Write> {
    out: Out<W>,
    bytes: Vec<u8>,
}

impl<W: Write> RecordLines<W> {
    /// Lines into `stream`.
    pub fn new(stream: W) -> Self {
        RecordLines { out: Out::new(stream), bytes: Vec::new() }
    }

    /// Writes what is left and gives the stream back, or its first error.
    pub fn finish(self) -> io::Result<W> {
        self.out.finish(&self.bytes)
    }
}

impl<W: Write> Sink for RecordLines<W> {
    fn record(&mut self, at: Instant, record: Record) {
        writeln!(self.bytes, "{}", Line(at, record)).expect("memory takes what it is given");
        self.out.write_piece(&mut self.bytes);
    }
}
