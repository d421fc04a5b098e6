//! Records into a stream of bytes, in large pieces.

use schedlab_model::Instant;
use schedlab_trace::{Encoder, Header, Record, Sink};
use std::io;

/// A piece is written when it has reached this many bytes.
const PIECE: usize = 64 * 1024;

/// Writes a trace to `W`. The first error of the stream is kept, and nothing is written after it.
#[derive(Debug)]
pub struct TraceWriter<W: io::Write> {
    out: W,
    encoder: Encoder,
    failed: Option<io::Error>,
}

impl<W: io::Write> TraceWriter<W> {
    /// A writer that has the header to write first.
    pub fn new(out: W, header: &Header) -> Self {
        let mut encoder = Encoder::new();
        encoder.bytes.reserve(PIECE + 512);
        header.encode(&mut encoder.bytes);
        TraceWriter { out, encoder, failed: None }
    }

    /// Writes what is left and gives the stream back, or the first error that it met.
    pub fn finish(mut self) -> io::Result<W> {
        self.write_out();
        match self.failed {
            Some(error) => Err(error),
            None => self.out.flush().map(|()| self.out),
        }
    }

    /// Writes what is there, if it is enough.
    #[inline(always)]
    fn write_piece(&mut self) {
        if self.encoder.bytes.len() >= PIECE {
            self.write_out();
        }
    }

    #[cold]
    fn write_out(&mut self) {
        if self.failed.is_none() {
            self.failed = self.out.write_all(&self.encoder.bytes).err();
        }
        self.encoder.bytes.clear();
    }
}

impl<W: io::Write> Sink for TraceWriter<W> {
    #[inline(always)]
    fn record(&mut self, at: Instant, record: Record) {
        self.encoder.record(at, record);
        self.write_piece();
    }

    #[inline(always)]
    fn record_both(&mut self, at: Instant, first: Record, second: Record) {
        self.encoder.record_both(at, first, second);
        self.write_piece();
    }
}
