//! A stream that is written in pieces and keeps its first error.

use std::io;

/// Number of bytes from which on a piece is written.
pub(super) const PIECE: usize = 64 * 1024;

#[derive(Debug)]
pub(crate) struct Out<W: io::Write> {
    stream: W,
    failed: Option<io::Error>,
}

impl<W: io::Write> Out<W> {
    pub(crate) fn new(stream: W) -> Self {
        Out { stream, failed: None }
    }

    /// Writes the collected bytes, if there are enough of them.
    #[inline(always)]
    pub(crate) fn write_piece(&mut self, bytes: &mut Vec<u8>) {
        if bytes.len() >= PIECE {
            self.write(bytes);
            bytes.clear();
        }
    }

    #[cold]
    fn write(&mut self, bytes: &[u8]) {
        if self.failed.is_none() {
            self.failed = self.stream.write_all(bytes).err();
        }
    }

    /// Writes the rest, and returns the stream, or its first error.
    pub(crate) fn finish(mut self, rest: &[u8]) -> io::Result<W> {
        self.write(rest);
        match self.failed {
            Some(error) => Err(error),
            None => self.stream.flush().map(|()| self.stream),
        }
    }
}
