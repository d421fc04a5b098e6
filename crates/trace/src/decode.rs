//! Decodes bytes to records.

use crate::record::Record;
use crate::varint;
use schedlab_model::{Duration, Instant};

/// Reason why bytes are not records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The bytes end within a record, because the trace was cut there. All records before it are whole.
    Truncated {
        /// Bytes of records before the cut.
        offset: usize,
    },
    /// A record has no time, or lacks a part of its kind.
    Malformed {
        /// Begin of the record, in bytes of records.
        offset: usize,
        /// Kind of the record.
        kind: u8,
    },
}

/// Iterates over the records in `bytes` (those after the header). Skips unknown kinds.
#[derive(Clone, Debug)]
pub struct Decoder<'a> {
    bytes: &'a [u8],
    whole: usize,
    now: Instant,
    failed: bool,
}

impl<'a> Decoder<'a> {
    /// A decoder whose first record is relative to time zero.
    pub fn new(bytes: &'a [u8]) -> Self {
        Decoder { bytes, whole: bytes.len(), now: Instant::ZERO, failed: false }
    }

    /// A decoder for bytes that follow others, the last of which left the clock at `now`.
    pub fn resume(bytes: &'a [u8], now: Instant) -> Self {
        Decoder { now, ..Decoder::new(bytes) }
    }

    /// The time of the last record, known or skipped.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// Bytes that are decoded.
    #[inline]
    pub fn decoded_bytes(&self) -> usize {
        self.whole - self.bytes.len()
    }

    fn step(&mut self) -> Result<Option<(Instant, Record)>, DecodeError> {
        while let Some((&kind, rest)) = self.bytes.split_first() {
            let offset = self.decoded_bytes();
            let cut = DecodeError::Truncated { offset };
            let (&length, rest) = rest.split_first().ok_or(cut)?;
            let (mut payload, rest) = rest.split_at_checked(length.into()).ok_or(cut)?;
            let malformed = DecodeError::Malformed { offset, kind };
            let since = varint::read(&mut payload).ok_or(malformed)?;
            self.now = self.now.checked_add(Duration::from_ns(since)).ok_or(malformed)?;
            self.bytes = rest;
            if Record::knows(kind) {
                let record = Record::read(kind, &mut payload).ok_or(malformed)?;
                return Ok(Some((self.now, record)));
            }
        }
        Ok(None)
    }
}

impl Iterator for Decoder<'_> {
    type Item = Result<(Instant, Record), DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let step = self.step();
        self.failed = step.is_err();
        step.transpose()
    }
}
