//! The kernel trace of a real run, as a file beside the run's own.

use crate::program::trace::{write_records, RealTrace};
use crate::record::keeper::is_special;
use schedlab_account::{kernel_context, Witnessed};
use schedlab_lab::Prepared;
use schedlab_model::TaskId;
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The name of the header's line with the largest error of the trace's times.
const MEASURING_ERROR: &str = "measuring_error";
/// The name of the header's line with the decisions that the kernel did not make true; there is no such line if it made
/// all true.
const CONTRADICTED: &str = "contradicted";

/// The path of the kernel trace if the run's own trace is at `path`: `run.kernel.slt` beside `run.slt`.
pub fn path_beside(path: &Path) -> PathBuf {
    let mut ending = OsString::from("kernel");
    if let Some(own) = path.extension() {
        ending.push(".");
        ending.push(own);
    }
    path.with_extension(ending)
}

/// Writes the kernel trace beside the run's own trace, which is at `path`. Where the kernel reports nothing, or the
/// trace is no file, there is none: not even one of an earlier run.
pub fn write_beside(
    path: &Path,
    prepared: &Prepared,
    trace: &RealTrace,
    kernel: Option<&Witnessed>,
) -> io::Result<()> {
    if is_special(path) {
        return Ok(());
    }
    let path = path_beside(path);
    let Some((kernel, found)) = kernel.and_then(|kernel| Some((kernel, kernel.trace.as_ref()?))) else {
        return fs::remove_file(path).or_else(|error| {
            if error.kind() == ErrorKind::NotFound {
                Ok(())
            } else {
                Err(error)
            }
        });
    };
    let promises: Vec<&str> =
        kernel_context(prepared).promises.iter().map(|promise| promise.name()).collect();
    let name = |task: TaskId| prepared.scenario.tasks[task.index()].name.clone();
    let mut header = trace
        .shared_header()
        .with(MEASURING_ERROR, &kernel.measuring_error(name))
        .with("source", "kernel")
        .with("promises", &promises.join(" "));
    if let Some(contradicted) = kernel.contradiction(true) {
        header = header.with(CONTRADICTED, &contradicted);
    }
    write_records(&path, &header, &found.records)
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
