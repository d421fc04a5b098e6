//! The first bytes of a trace: everything that a reader needs besides the records.

use crate::varint;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// The newest version of the format: the one that has [`RunRecord`](crate::RunRecord)s.
pub(crate) const FORMAT_VERSION: u16 = 2;

/// The version that has none. A trace without such records keeps it, and its bytes.
const WITHOUT_RUN_RECORDS: u16 = 1;

const MAGIC: &[u8; 8] = b"SCHEDLAB";

/// What a trace is about, as named texts in a fixed order.
///
/// Known names: `scenario` (the whole canonical scenario), `producer` (program and version), `source`
/// (`simulation`, `threads on Linux`, `kernel`), `machine`, `clock`, `scheduler`, `promises` (names of invariants,
/// separated by blanks). Real runs also have `processors` and `threads`. Readers ignore names that they do not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    entries: Vec<(String, String)>,
    version: u16,
}

impl Default for Header {
    fn default() -> Self {
        Header { entries: Vec::new(), version: WITHOUT_RUN_RECORDS }
    }
}

/// Why bytes are not the header of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderError {
    /// They do not begin as a trace does.
    NotATrace,
    /// The format is newer than this reader.
    NewerFormat(u16),
    /// They end within the header.
    Truncated,
    /// A name or text is not UTF-8.
    NotText,
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeaderError::NotATrace => {
                write!(f, "not a schedlab trace; `schedlab simulate SCENARIO --trace FILE` writes one")
            }
            HeaderError::NewerFormat(version) => {
                write!(f, "trace format {version}, but this version reads up to {FORMAT_VERSION}")
            }
            HeaderError::Truncated => write!(f, "the trace ends within its header"),
            HeaderError::NotText => write!(f, "the header holds bytes that are not UTF-8"),
        }
    }
}

impl core::error::Error for HeaderError {}

impl Header {
    /// An empty header.
    pub fn new() -> Self {
        Self::default()
    }

    /// This header with `name` set to `text`.
    #[must_use]
    pub fn with(mut self, name: &str, text: &str) -> Self {
        self.entries.retain(|(known, _)| known != name);
        self.entries.push((name.into(), text.into()));
        self
    }

    /// This header for a trace with [`RunRecord`](crate::RunRecord)s.
    #[must_use]
    pub fn with_run_records(mut self) -> Self {
        self.version = FORMAT_VERSION;
        self
    }

    /// The text of `name`.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.entries.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
    }

    /// All names and texts, in the order in which they were written.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// Appends the header's bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&self.version.to_le_bytes());
        varint::write(out, self.entries.len() as u64);
        for text in self.entries.iter().flat_map(|(name, text)| [name, text]) {
            varint::write(out, text.len() as u64);
            out.extend_from_slice(text.as_bytes());
        }
    }

    /// Takes a header from the front of `bytes`.
    pub fn decode(bytes: &mut &[u8]) -> Result<Header, HeaderError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(HeaderError::NotATrace)?;
        let (version, rest) = rest.split_at_checked(2).ok_or(HeaderError::Truncated)?;
        let version = u16::from_le_bytes([version[0], version[1]]);
        if version > FORMAT_VERSION {
            return Err(HeaderError::NewerFormat(version));
        }
        *bytes = rest;
        let count = varint::read(bytes).ok_or(HeaderError::Truncated)?;
        let mut entries = Vec::new();
        for _ in 0..count {
            entries.push((text(bytes)?, text(bytes)?));
        }
        Ok(Header { entries, version })
    }
}

fn text(bytes: &mut &[u8]) -> Result<String, HeaderError> {
    let length = varint::read(bytes).ok_or(HeaderError::Truncated)?;
    let length = usize::try_from(length).map_err(|_| HeaderError::Truncated)?;
    let (text, rest) = bytes.split_at_checked(length).ok_or(HeaderError::Truncated)?;
    *bytes = rest;
    core::str::from_utf8(text).map(String::from).map_err(|_| HeaderError::NotText)
}
