//! The trace of a real run by the kernel's word, as a file beside the run's own.

use crate::trace::{self, Notes};
use crate::whole_file;
use schedlab_lab::Prepared;
use schedlab_model::Invariant;
use schedlab_report::Context;
use schedlab_runtime::{ByKernel, Outcome};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The name of the header's line that says how far off the trace may be.
pub const MEASURING_ERROR: &str = "measuring_error";
/// The name of the header's line that says what of the decisions the kernel did not make true; there is none if it made all true.
pub const CONTRADICTED: &str = "contradicted";

/// What can be judged by the kernel's word. Its preemptions are also those by interrupting threads, to which no protocol can
/// promise anything: that holders keep their processors, decisions alone can show.
pub fn context(prepared: &Prepared) -> Context {
    let mut context = prepared.context();
    context.promises.retain(|promise| *promise != Invariant::HoldersAreNotPreempted);
    context
}

/// Where it is if the run's own trace is at `path`: `run.kernel.slt` beside `run.slt`.
pub fn path_beside(path: &Path) -> PathBuf {
    let ending = path.extension().map_or_else(Default::default, |ending| {
        let mut dotted = std::ffi::OsString::from(".");
        dotted.push(ending);
        dotted
    });
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(".kernel");
    name.push(ending);
    path.with_file_name(name)
}

/// Writes `found` beside the run's own trace, which is at `path`. Where the kernel has no word, or the trace is no file, there is none: not
/// even one of an earlier run.
pub fn write_beside(
    path: &Path,
    prepared: &Prepared,
    outcome: &Outcome,
    found: Option<&ByKernel>,
    notes: &Notes<'_>,
) -> io::Result<()> {
    if whole_file::is_special(path) {
        return Ok(());
    }
    let path = path_beside(path);
    let Some(found) = found else {
        return fs::remove_file(path).or_else(|error| match error.kind() {
            ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        });
    };
    let promises: Vec<&str> = context(prepared).promises.iter().map(|promise| promise.name()).collect();
    let header = trace::header(prepared, outcome, notes)
        .with("source", "kernel")
        .with("promises", &promises.join(" "));
    trace::write_records(&path, &header, &found.records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_beside_the_runs_own() {
        for (own, beside) in [
            ("a.b/run.slt", "a.b/run.kernel.slt"),
            ("run", "run.kernel"),
            ("of/PD2.real.trace", "of/PD2.real.kernel.trace"),
            (".hidden", ".hidden.kernel"),
        ] {
            assert_eq!(path_beside(Path::new(own)), Path::new(beside));
        }
    }
}
