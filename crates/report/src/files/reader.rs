//! A stream of bytes into records, piece by piece: a trace need not fit into memory.

use super::failure::reason;
use super::index::Position;
use schedlab_model::Instant;
use schedlab_trace::{DecodeError, Decoder, Header, HeaderError, Record, Sink};
use std::collections::VecDeque;
use std::io::{self, Read};

/// Number of bytes that are read at once.
const PIECE: usize = 256 * 1024;

/// Most tasks that a reader accepts. Readers keep a table entry for each task, some of them a row to draw, so a garbled
/// number must not make them allocate all memory. A scenario has at most 100,000 tasks.
const TASKS: u32 = 1 << 17;

/// Name of the header's line that marks the saved part of a killed run. Any other trace has an end.
const PARTIAL: &str = "partial";

/// Reason why a stream is not a whole trace.
#[derive(Debug, thiserror::Error)]
pub enum TraceFileError {
    /// The stream cannot be read.
    #[error("cannot read the trace: {}", reason(.0))]
    Io(io::Error),
    /// The stream does not begin with the header of a trace.
    #[error(transparent)]
    Header(HeaderError),
    /// The file ends within a record, or before the last one: it was cut. The records before the cut are whole.
    #[error("the trace is cut short after {offset} bytes of records, at time {after}")]
    Truncated {
        /// Bytes of whole records before the cut, the header not counted.
        offset: u64,
        /// The time of the last whole record.
        after: Instant,
    },
    /// A record lacks a part of its kind.
    #[error("the record of kind {kind} at byte {offset} of the records is malformed")]
    Malformed {
        /// Begin of the record, in bytes of records.
        offset: u64,
        /// Kind of the record.
        kind: u8,
    },
    /// A record names a task beyond what readers keep tables for.
    #[error("a record names task {task}, but a trace has at most {TASKS} tasks")]
    TaskTooLarge {
        /// The task's number.
        task: u32,
    },
}

/// A trace in a stream: its header, then an iterator over its records.
#[derive(Debug)]
pub struct TraceFile<R> {
    reader: R,
    header: Header,
    /// Bytes that are read but not decoded.
    bytes: Vec<u8>,
    /// Bytes of the header.
    begin: u64,
    /// Bytes of records that are decoded.
    decoded: u64,
    now: Instant,
    waiting: VecDeque<(Instant, Record)>,
    failed: Option<TraceFileError>,
    done: bool,
    /// True if the trace has the record of its end, or need not have it.
    has_end: bool,
}

impl<R: io::Read> TraceFile<R> {
    /// Reads the header.
    pub fn open(mut reader: R) -> Result<Self, TraceFileError> {
        let mut bytes = Vec::new();
        let mut wanted = PIECE;
        loop {
            let more = read_up_to(&mut reader, &mut bytes, wanted)?;
            let mut rest = bytes.as_slice();
            match Header::decode(&mut rest) {
                Ok(header) => {
                    let used = bytes.len() - rest.len();
                    bytes.drain(..used);
                    let opened = TraceFile::resume(reader, header, Position::default());
                    return Ok(TraceFile { bytes, begin: used as u64, ..opened });
                }
                Err(HeaderError::Truncated) if more => wanted = wanted.saturating_mul(2),
                Err(error) => return Err(TraceFileError::Header(error)),
            }
        }
    }

    /// Opens the rest of a trace with this header, where `reader` is at `position`.
    pub(super) fn resume(reader: R, header: Header, position: Position) -> Self {
        TraceFile {
            has_end: header.get(PARTIAL).is_some(),
            reader,
            header,
            bytes: Vec::new(),
            begin: 0,
            decoded: position.offset,
            now: position.clock,
            waiting: VecDeque::new(),
            failed: None,
            done: false,
        }
    }

    /// Returns the number of bytes before the records.
    pub(super) fn records_begin(&self) -> u64 {
        self.begin
    }

    /// Header of the trace.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The time of the last record that was handed to [`TraceFile::play`]'s sink; zero before.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// Hands all records to `sink`; an error comes after all records before it. Not to be mixed with iteration.
    pub fn play(&mut self, sink: &mut impl Sink) -> Result<(), TraceFileError> {
        self.each_record(|at, record, _| {
            sink.record(at, record);
            true
        })
    }

    /// Hands records to `take`, with the number of bytes of records up to the end of each, until it returns that it has
    /// enough. An error comes after all records before it, and only if more are wanted. Not to be mixed with iteration.
    pub fn each_record(
        &mut self,
        mut take: impl FnMut(Instant, Record, u64) -> bool,
    ) -> Result<(), TraceFileError> {
        while self.piece(&mut take)? {}
        Ok(())
    }

    /// Decodes one more piece; false if there was none, or if `take` has enough.
    fn piece(&mut self, take: &mut impl FnMut(Instant, Record, u64) -> bool) -> Result<bool, TraceFileError> {
        if self.done {
            return Ok(false);
        }
        self.done = true;
        let more = read_up_to(&mut self.reader, &mut self.bytes, PIECE)?;
        let mut decoder = Decoder::resume(&self.bytes, self.now);
        let mut used = self.bytes.len();
        while let Some(item) = decoder.next() {
            match item {
                Ok((at, record)) => {
                    check_task(&record)?;
                    // What was lost may be the end.
                    self.has_end |= matches!(record, Record::End | Record::Lost { .. });
                    if !take(at, record, self.decoded + decoder.decoded_bytes() as u64) {
                        return Ok(false);
                    }
                }
                Err(DecodeError::Truncated { offset }) if more => used = offset,
                Err(DecodeError::Truncated { offset }) => {
                    return Err(TraceFileError::Truncated {
                        offset: self.decoded + offset as u64,
                        after: decoder.now(),
                    })
                }
                Err(DecodeError::Malformed { offset, kind }) => {
                    return Err(TraceFileError::Malformed { offset: self.decoded + offset as u64, kind })
                }
            }
        }
        self.now = decoder.now();
        self.decoded += used as u64;
        self.bytes.drain(..used);
        self.done = !more;
        if self.done && !self.has_end {
            return Err(TraceFileError::Truncated { offset: self.decoded, after: self.now });
        }
        Ok(true)
    }
}

impl<R: io::Read> Iterator for TraceFile<R> {
    type Item = Result<(Instant, Record), TraceFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.waiting.is_empty() {
            // An error waits until what came before it is handed out.
            if let Some(error) = self.failed.take() {
                return Some(Err(error));
            }
            let mut waiting = core::mem::take(&mut self.waiting);
            let piece = self.piece(&mut |at, record, _| {
                waiting.push_back((at, record));
                true
            });
            self.waiting = waiting;
            match piece {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => self.failed = Some(error),
            }
        }
        self.waiting.pop_front().map(Ok)
    }
}

/// Reads until `bytes` has `wanted` bytes; false if the stream ended before.
fn read_up_to(
    reader: &mut impl io::Read,
    bytes: &mut Vec<u8>,
    wanted: usize,
) -> Result<bool, TraceFileError> {
    let missing = wanted.saturating_sub(bytes.len()) as u64;
    let got = reader.take(missing).read_to_end(bytes).map_err(TraceFileError::Io)?;
    Ok(got as u64 == missing)
}

fn check_task(record: &Record) -> Result<(), TraceFileError> {
    let Some(task) = record.task() else { return Ok(()) };
    if task.0 < TASKS {
        Ok(())
    } else {
        Err(TraceFileError::TaskTooLarge { task: task.0 })
    }
}
