//! Standard output of a command's answer.

use crate::failure::Failure;
use serde::Serialize;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Prints `text`. Its reader may leave after the first lines; any other failure is an error of the command.
pub fn say(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::unwritten(Path::new("standard output"), &error))
        }
        _ => Ok(()),
    }
}

/// Writes an answer as JSON, with its keys in order.
pub fn json(answer: &impl Serialize) -> Result<String, Failure> {
    let value = serde_json::to_value(answer).map_err(|error| error.to_string())?;
    Ok(format!("{value:#}\n"))
}
