//! One line per record.

use crate::files::Out;
use crate::lines::Line;
use crate::Context;
use schedlab_model::Instant;
use schedlab_trace::{Record, Sink};
use std::io::{self, Write};

/// Writes one line of text per record, in the order of the trace.
#[derive(Debug)]
pub struct RecordLines<'a, W: Write> {
    out: Out<W>,
    bytes: Vec<u8>,
    context: &'a Context,
}

impl<'a, W: Write> RecordLines<'a, W> {
    /// Lines into `stream`, of records of a system that `context` describes.
    pub fn new(stream: W, context: &'a Context) -> Self {
        RecordLines { out: Out::new(stream), bytes: Vec::new(), context }
    }

    /// Writes the rest and returns the stream, or its first error.
    pub fn finish(self) -> io::Result<W> {
        self.out.finish(&self.bytes)
    }
}

impl<W: Write> Sink for RecordLines<'_, W> {
    fn record(&mut self, at: Instant, record: Record) {
        writeln!(self.bytes, "{}", Line::as_stated(at, record, self.context))
            .expect("memory takes what it is given");
        self.out.write_piece(&mut self.bytes);
    }
}
