//! Records into a stream of bytes, in large pieces.

use super::out::{Out, PIECE};
use schedlab_model::Instant;
use schedlab_trace::{Encoder, Header, Record, Sink};
use std::io;

/// Writes a trace to `W`. The first error of the stream is kept, and nothing is written after it.
#[derive(Debug)]
pub struct TraceWriter<W: io::Write> {
    out: Out<W>,
    encoder: Encoder,
}

impl<W: io::Write> TraceWriter<W> {
    /// A writer that first writes the header.
    pub fn new(out: W, header: &Header) -> Self {
        let mut encoder = Encoder::new();
        encoder.bytes.reserve(PIECE + 512);
        header.encode(&mut encoder.bytes);
        TraceWriter { out: Out::new(out), encoder }
    }

    /// Writes the rest and returns the stream, or its first error.
    pub fn finish(self) -> io::Result<W> {
        self.out.finish(&self.encoder.bytes)
    }
}

impl<W: io::Write> Sink for TraceWriter<W> {
    #[inline(always)]
    fn record(&mut self, at: Instant, record: Record) {
        self.encoder.record(at, record);
        self.out.write_piece(&mut self.encoder.bytes);
    }

    #[inline(always)]
    fn record_both(&mut self, at: Instant, first: Record, second: Record) {
        self.encoder.record_both(at, first, second);
        self.out.write_piece(&mut self.encoder.bytes);
    }
}
