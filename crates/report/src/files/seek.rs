//! Answers about a job or a stretch of time from a file, without reading all that happened before: by the index beside
//! the file.
//!
//! The first question that is answered in the second half of a long trace makes the index. That question reads nearly
//! everything anyway, so traces that are only written, or checked, do not pay for an index. A reader believes an index
//! only if the length and the checksum of the whole trace are those for which it was made. A missing index, or one that
//! cannot be written, costs time alone.

use super::index::{Asked, Index, IndexBuilder};
use super::reader::{TraceFile, TraceFileError};
use crate::context::Context;
use crc32fast::Hasher;
use schedlab_model::Instant;
use schedlab_trace::Record;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Rules for making an index, and its granularity.
#[derive(Clone, Copy, Debug)]
pub struct Indexing {
    /// Bytes of a trace below which it gets no index: reading a million records takes a tenth of a second.
    pub least_bytes: u64,
    /// Bytes of records between two entries.
    pub stride: u64,
}

impl Default for Indexing {
    fn default() -> Self {
        Indexing { least_bytes: 1 << 23, stride: 1 << 20 }
    }
}

/// Path of the index of the trace at `path`.
pub fn index_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".index");
    name.into()
}

impl Indexing {
    /// Hands records of the trace at `path` to `take`, until it has enough, from a position at which everything `asked`
    /// can be known: one from the index beside the file, or else the beginning.
    pub fn records(
        &self,
        path: &Path,
        context: &Context,
        asked: Asked,
        mut take: impl FnMut(Instant, Record) -> bool,
    ) -> Result<(), TraceFileError> {
        let mut file = File::open(path).map_err(TraceFileError::Io)?;
        let length = file.metadata().map_err(TraceFileError::Io)?.len();
        if length < self.least_bytes || asked == Asked::From(Instant::ZERO) {
            return TraceFile::open(file)?.each_record(|at, record, _| take(at, record));
        }
        let Some(index) = stored(path, &mut file).map_err(TraceFileError::Io)? else {
            return self.read_and_index(path, file, context, take);
        };
        let mut opened = TraceFile::open(&file)?;
        if let Some(position) = index.position_for(asked) {
            let begin = opened.records_begin() + position.offset;
            let header = opened.header().clone();
            (&file).seek(SeekFrom::Start(begin)).map_err(TraceFileError::Io)?;
            opened = TraceFile::resume(&file, header, position);
        }
        opened.each_record(|at, record, _| take(at, record))
    }

    /// Reads on to the end for an index, if `take` wants more than half of the file.
    fn read_and_index(
        &self,
        path: &Path,
        file: File,
        context: &Context,
        mut take: impl FnMut(Instant, Record) -> bool,
    ) -> Result<(), TraceFileError> {
        let length = file.metadata().map_err(TraceFileError::Io)?.len();
        let mut heard = Heard { file, seen: Hasher::new(), length: 0 };
        let mut builder = IndexBuilder::new(self.stride, context);
        let (mut has_enough, mut whole) = (false, true);
        let read = TraceFile::open(&mut heard)?.each_record(|at, record, offset| {
            builder.record(at, &record, offset);
            if !has_enough {
                has_enough = !take(at, record);
                whole = !has_enough || offset >= length / 2;
            }
            whole
        });
        if let Err(error) = read {
            // What is not wanted any longer may be garbled.
            return if has_enough { Ok(()) } else { Err(error) };
        }
        let (index, fingerprint) = (builder.finish(), (heard.length, heard.seen.finalize()));
        if whole && fingerprint.0 == length && !index.is_empty() {
            // The answer does not need it: a folder may refuse files.
            let _ = write(&index_path(path), &index.encode(fingerprint));
        }
        Ok(())
    }
}

/// Reads the index beside the trace in `file`, if it is of this trace. Afterwards the file is at its begin.
fn stored(path: &Path, file: &mut File) -> io::Result<Option<Index>> {
    let beside = index_path(path);
    // What else may be there, such as a pipe, is not waited for.
    if !std::fs::metadata(&beside).is_ok_and(|found| found.is_file()) {
        return Ok(None);
    }
    let Ok(bytes) = std::fs::read(beside) else { return Ok(None) };
    let Some((index, (length, checksum))) = Index::decode(&bytes) else { return Ok(None) };
    if file.metadata()?.len() != length {
        return Ok(None);
    }
    let mut seen = Hasher::new();
    let mut piece = vec![0; 1 << 18];
    loop {
        match file.read(&mut piece)? {
            0 => break,
            count => seen.update(&piece[..count]),
        }
    }
    file.seek(SeekFrom::Start(0))?;
    Ok((seen.finalize() == checksum).then_some(index))
}

/// Writes a file completely or not at all.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut part = OsString::from(path);
    part.push(format!(".{}.part", std::process::id()));
    let written = std::fs::write(&part, bytes).and_then(|()| std::fs::rename(&part, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    written
}

/// A file, with the checksum and the length of what was read of it.
struct Heard {
    file: File,
    seen: Hasher,
    length: u64,
}

impl Read for Heard {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(out)?;
        self.seen.update(&out[..count]);
        self.length += count as u64;
        Ok(count)
    }
}
