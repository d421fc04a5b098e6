//! The first bytes of a trace: everything that a reader needs besides the records.

use crate::backend::Backend;
use crate::varint;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// The newest version of the format, whose header names the [`Backend`]. Version 2 has
/// [`RunRecord`](crate::RunRecord)s and version 1 has none; both are read.
pub(crate) const FORMAT_VERSION: u16 = 3;

/// The first version whose header names the backend.
const WITH_BACKEND: u16 = 3;

/// The entry that names the backend.
const BACKEND: &str = "backend";

const MAGIC: &[u8; 8] = b"SCHEDLAB";

/// Description of a trace, as named texts in a fixed order.
///
/// Known names: `backend` (see [`Backend`]), `scenario` (the whole canonical scenario), `producer` (program and
/// version), `source` (whose word the records are: `simulation`, `threads on Linux`, `kernel`), `machine`, `clock`,
/// `scheduler`, `promises` (names of invariants, separated by blanks). Real runs also have `processors` and `threads`.
/// Readers ignore names that they do not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    entries: Vec<(String, String)>,
    version: u16,
}

/// Reason why bytes are not the header of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderError {
    /// The bytes do not begin as a trace does.
    NotATrace,
    /// The format is newer than this reader.
    NewerFormat(u16),
    /// The bytes end within the header.
    Truncated,
    /// A name or text is not UTF-8.
    NotText,
    /// The header names no backend, or one that this reader does not know.
    NoBackend,
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
            HeaderError::NoBackend => {
                let known = Backend::NAMED.map(|(name, _)| name).join(", ");
                write!(f, "the header names no backend that is known; allowed: {known}")
            }
        }
    }
}

impl core::error::Error for HeaderError {}

impl Header {
    /// A header of a trace of this backend.
    pub fn new(backend: Backend) -> Self {
        let header = Header { entries: Vec::new(), version: FORMAT_VERSION };
        header.with(BACKEND, backend.name())
    }

    /// Returns the backend of the run. In headers before version 3 it follows from `source` and, where threads ran,
    /// from the scheduler, which was that of a class of Linux or none; `None` if it does not follow.
    pub fn backend(&self) -> Option<Backend> {
        if self.version >= WITH_BACKEND {
            return self.get(BACKEND).and_then(Backend::named);
        }
        let is_class = |name: &str| name.starts_with("SCHED_") || name.starts_with("P-SCHED_");
        match (self.get("source")?, self.get("scheduler")) {
            ("simulation", _) => Some(Backend::Simulation),
            ("threads on Linux" | "kernel", Some(name)) if is_class(name) => Some(Backend::Class),
            ("threads on Linux" | "kernel", Some(_)) => Some(Backend::Threads),
            (_, _) => None,
        }
    }

    /// This header with `name` set to `text`.
    #[must_use]
    pub fn with(mut self, name: &str, text: &str) -> Self {
        self.entries.retain(|(known, _)| known != name);
        self.entries.push((name.into(), text.into()));
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
        let header = Header { entries, version };
        match version >= WITH_BACKEND && header.backend().is_none() {
            true => Err(HeaderError::NoBackend),
            false => Ok(header),
        }
    }
}

fn text(bytes: &mut &[u8]) -> Result<String, HeaderError> {
    let length = varint::read(bytes).ok_or(HeaderError::Truncated)?;
    let length = usize::try_from(length).map_err(|_| HeaderError::Truncated)?;
    let (text, rest) = bytes.split_at_checked(length).ok_or(HeaderError::Truncated)?;
    *bytes = rest;
    core::str::from_utf8(text).map(String::from).map_err(|_| HeaderError::NotText)
}
