//! Files that are whole or not there: a file that a killed or failed process was about to write is not taken for a
//! result.

use crate::record::keeper::{is_special, Keep};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Writes a file by `fill` beside its place, and moves it there. A file that could not be filled is removed.
pub fn fill(path: &Path, fill: impl FnOnce(File) -> io::Result<File>) -> io::Result<()> {
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

/// Writes a file with `text` beside its place, and moves it there.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    fill(path, |mut file| file.write_all(text.as_bytes()).map(|()| file))
}

/// Tries whether a file could be written at `path`: asked before a run of which nothing would be left otherwise.
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
