//! A stream that is written in pieces and keeps its first error.

use std::io;

const PIECE: usize = 64 * 1024;

#[derive(Debug)]
pub(super) struct Out<W: io::Write> {
    stream: W,
    pub(super) bytes: Vec<u8>,
    failed: Option<io::Error>,
}

impl<W: io::Write> Out<W> {
    pub(super) fn new(stream: W) -> Self {
        Out { stream, bytes: Vec::with_capacity(PIECE + 4096), failed: None }
    }

    /// Writes what has gathered, if that is enough to be worth it.
    pub(super) fn flush_pieces(&mut self) {
        if self.bytes.len() >= PIECE {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.failed.is_none() {
            self.failed = self.stream.write_all(&self.bytes).err();
        }
        self.bytes.clear();
    }

    /// Gives the stream back, or its first error.
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.flush();
        match self.failed {
            Some(error) => Err(error),
            None => self.stream.flush().map(|()| self.stream),
        }
    }
}
