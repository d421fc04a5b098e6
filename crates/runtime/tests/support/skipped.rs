//! Tests that this machine does not let run say so: `make test` prints them last.

use std::io::Write;

/// Notes that the calling thread's test was left out, or ended early, for this reason. The note is a line of the file
/// that `SCHEDLAB_SKIPPED` names, and of the test's output.
pub fn skipped(reason: &str) {
    let thread = std::thread::current();
    let line = format!("{}: {}", thread.name().unwrap_or("a test"), reason.trim().replace('\n', " "));
    println!("not run: {line}");
    let Some(path) = std::env::var_os("SCHEDLAB_SKIPPED") else { return };
    let file = std::fs::OpenOptions::new().append(true).create(true).open(&path);
    let written = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
    written.unwrap_or_else(|error| panic!("{path:?}: {error}"));
}
