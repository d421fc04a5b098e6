//! Standard output: what a command says in the end.

use std::io::{self, ErrorKind, Write};

/// Prints `text`. Whoever reads it may have gone away after the first lines; any other failure is one of the command.
pub fn say(text: &str) -> Result<(), String> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(format!("standard output: {error}")),
        _ => Ok(()),
    }
}
