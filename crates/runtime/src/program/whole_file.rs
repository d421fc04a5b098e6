//! Files that are whole or not there: what a killed or failed process was about to write is not taken for a result.

use crate::record::keeper::{is_special, Keep};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Has `fill` write a file beside its place, and moves it there. A file that could not be filled is taken away.
pub(crate) fn fill(path: &Path, fill: impl FnOnce(File) -> io::Result<File>) -> io::Result<()> {
    if is_special(path) {
        return fill(OpenOptions::new().write(true).open(path)?).map(drop);
    }
    let unfinished = Keep::unfinished(path);
    let filled = fill(File::create(&unfinished)?).and_then(|file| file.sync_all());
    let moved = filled.and_then(|()| fs::rename(&unfinished, path));
    if moved.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    moved
}

/// Writes `text` so.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    fill(path, |mut file| file.write_all(text.as_bytes()).map(|()| file))
}

/// Whether [`fill`] could begin: asked before a run of which nothing would be left otherwise.
pub fn may_be_written(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    if is_special(path) {
        return OpenOptions::new().write(true).open(path).map(drop);
    }
    let unfinished = Keep::unfinished(path);
    File::create(&unfinished)?;
    fs::remove_file(unfinished)
}
