//! Reads a file in whatever form it is.

use crate::perfetto::{self, is_perfetto};
use crate::recording::{Recorder, Recording};
use crate::refusal::{NotRead, OtherFile};
use crate::text;
use crate::unit::Unit;
use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufReader, Chain, Cursor, Read};

/// Bytes at the begin of a file that show its form.
const BEGIN: usize = 4096;

/// First bytes of files that are known, and not read.
const OTHERS: [(&[u8], OtherFile); 9] = [
    (b"\x17\x08\x44tracing", OtherFile::TraceDat),
    (b"PERFILE2", OtherFile::PerfData),
    (b"2ELIFREP", OtherFile::PerfData),
    (b"SCHEDLAB", OtherFile::Schedlab),
    (b"\x28\xb5\x2f\xfd", OtherFile::Packed("zstd")),
    (b"\xfd7zXZ\0", OtherFile::Packed("xz")),
    (b"BZh", OtherFile::Packed("bzip2")),
    (b"PK\x03\x04", OtherFile::Packed("zip")),
    (b"{\"", OtherFile::Json),
];

/// First bytes of a file that is packed by gzip.
const GZIP: &[u8] = b"\x1f\x8b";

/// Reads a kernel trace. `unit` is that of stamps without a unit of their own. `progress` gets the number of bytes that
/// have been read of `source`, again and again.
pub fn read(
    source: impl Read,
    unit: Option<Unit>,
    progress: &mut dyn FnMut(u64),
) -> Result<Recording, NotRead> {
    let (begin, source) = peeked(Counted { source, count: 0, progress }).map_err(NotRead::Unreadable)?;
    let mut recorder = Recorder::default();
    if begin.starts_with(GZIP) {
        let unpacked = MultiGzDecoder::new(BufReader::with_capacity(1 << 16, source));
        let (begin, unpacked) = match peeked(unpacked) {
            Ok(peeked) => peeked,
            Err(error) => return Err(NotRead::Unreadable(error)),
        };
        contents(&begin, unpacked, unit, &mut recorder)?;
    } else {
        contents(&begin, source, unit, &mut recorder)?;
    }
    recorder.finish(unit.is_some())
}

fn contents(
    begin: &[u8],
    source: impl Read,
    unit: Option<Unit>,
    recorder: &mut Recorder,
) -> Result<(), NotRead> {
    if begin.is_empty() {
        return Err(NotRead::Empty);
    }
    if let Some((_, kind)) = OTHERS.iter().find(|(mark, _)| begin.starts_with(mark)) {
        return Err(NotRead::Other(*kind));
    }
    let source = BufReader::with_capacity(1 << 16, source);
    if is_perfetto(begin) {
        return perfetto::read(source, recorder);
    }
    // Text has no zeros, but for names that a damaged file holds.
    let zeros = begin.iter().filter(|byte| **byte == 0).count();
    if zeros * 16 > begin.len() {
        return Err(NotRead::NotATrace);
    }
    text::read(source, unit, recorder)?;
    match recorder.tally.used() + recorder.tally.others == 0
        && recorder.flaws.first_bad.is_none()
        && !recorder.has_header
    {
        true => Err(NotRead::NotATrace),
        false => Ok(()),
    }
}

/// A source whose first bytes have been read, and are read again.
type Peeked<R> = Chain<Cursor<Vec<u8>>, R>;

/// Returns the first bytes of a source, and the whole source.
fn peeked<R: Read>(mut source: R) -> io::Result<(Vec<u8>, Peeked<R>)> {
    let mut begin = Vec::new();
    // What can be read before damage is of use.
    let found = source.by_ref().take(BEGIN as u64).read_to_end(&mut begin);
    match found {
        Err(error) if begin.is_empty() => Err(error),
        Ok(_) | Err(_) => Ok((begin.clone(), Cursor::new(begin).chain(source))),
    }
}

/// A source whose bytes are counted.
struct Counted<'a, R> {
    source: R,
    count: u64,
    progress: &'a mut dyn FnMut(u64),
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.count += read as u64;
        (self.progress)(self.count);
        Ok(read)
    }
}

/// Reads a trace that is in memory.
pub fn read_bytes(bytes: &[u8], unit: Option<Unit>) -> Result<Recording, NotRead> {
    read(bytes, unit, &mut |_| {})
}
