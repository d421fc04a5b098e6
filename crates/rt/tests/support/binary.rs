//! The binary, and what a machine that refuses its runs says.

use super::skipped::skipped;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub const AVIONICS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/avionics.toml");

pub fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_schedlab-rt"))
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a run says that is refused since another one has its processors.
pub const TAKEN: &str = "has real-time threads on processor";

/// True, and said, if this machine does not let the run happen.
pub fn refused(output: &Output) -> bool {
    let refused = output.status.code() == Some(3);
    assert!(!text(&output.stderr).contains(TAKEN), "a run is in the way: {}", text(&output.stderr));
    if refused {
        skipped(&text(&output.stderr));
    }
    refused
}

/// The records of a trace, and whether it ends as planned.
pub fn read(path: &Path) -> (u64, bool) {
    let mut reader = schedlab_report::files::TraceFile::open(fs::File::open(path).unwrap()).unwrap();
    let mut timeline = schedlab_trace::Timeline::default();
    reader.play(&mut timeline).unwrap();
    let ends = matches!(timeline.records.last(), Some((_, schedlab_trace::Record::End)));
    (timeline.records.len() as u64, ends)
}

/// A scenario of its own in `folder`.
pub fn scenario(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("own.toml");
    fs::write(&path, text).unwrap();
    path
}
