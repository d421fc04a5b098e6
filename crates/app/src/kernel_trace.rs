//! The trace of a real run by the kernel's word, as a file beside the run's own.

use crate::trace::{self, Notes};
use crate::whole_file;
use schedlab_lab::Prepared;
use schedlab_model::{Invariant, TaskId};
use schedlab_report::Context;
use schedlab_runtime::{Agreement, ByKernel, Outcome, TRUE_WITHIN};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The name of the header's line that says how far off the trace may be.
const MEASURING_ERROR: &str = "measuring_error";
/// The name of the header's line that says what of the decisions the kernel did not make true; there is none if it made all true.
const CONTRADICTED: &str = "contradicted";

/// What the kernel says that ran.
#[derive(Debug)]
pub struct Word {
    /// How far it was from what was decided.
    pub agreement: Agreement,
    /// The run, if no switches are missing.
    pub by_kernel: Option<ByKernel>,
}

impl Word {
    /// Nothing if the kernel was not asked.
    pub fn of(outcome: &Outcome) -> Option<Self> {
        let (switches, lost) = outcome.witness.as_ref()?;
        let agreement = Agreement::new(outcome, switches, *lost);
        Some(Word { agreement, by_kernel: outcome.trace_by_kernel() })
    }

    /// True if decisions did not become true: threads were on two processors, or, if that is `looked_at`, went on without a decision.
    pub fn is_contradicted(&self, looked_at: bool) -> bool {
        self.agreement.on_two > 0 || looked_at && !self.agreement.holds()
    }

    /// How far off the trace by the kernel's word may be; `name` names a task.
    pub fn measuring_error(&self, name: impl Fn(TaskId) -> String) -> String {
        let mut said = Vec::new();
        if let Some(latency) = self.agreement.true_within() {
            said.push(format!("99.9% of decisions true within {latency}"));
        }
        if let Some((task, at, length)) = self.by_kernel.as_ref().and_then(|found| found.clipped) {
            let name = name(task);
            said.push(format!("clipped as no job's: at most {length}, of the thread of {name} at {at}"));
        }
        said.join("; ")
    }

    /// What the header of its trace says besides. Without priorities only one thing is promised: no thread is on two processors.
    fn notes(&self, prepared: &Prepared, unprivileged: bool) -> Vec<(&'static str, String)> {
        let name = |task: TaskId| prepared.scenario.tasks[task.index()].name.clone();
        let mut notes = vec![(MEASURING_ERROR, self.measuring_error(name))];
        if self.is_contradicted(!unprivileged) {
            let (untrue, on_two) = (self.agreement.untrue, self.agreement.on_two);
            notes.push((
                CONTRADICTED,
                format!(
                    "{untrue} times a thread went on for over {TRUE_WITHIN} without a decision, of {} decisions; {on_two} times \
                     one was on two processors",
                    self.agreement.decisions
                ),
            ));
        }
        notes
    }
}

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

/// Writes what the kernel says beside the run's own trace, which is at `path`. Where the kernel has no word, or the trace is no file, there is
/// none: not even one of an earlier run.
pub fn write_beside(
    path: &Path,
    prepared: &Prepared,
    outcome: &Outcome,
    word: Option<&Word>,
    unprivileged: bool,
    notes: &Notes<'_>,
) -> io::Result<()> {
    if whole_file::is_special(path) {
        return Ok(());
    }
    let path = path_beside(path);
    let Some((word, found)) = word.and_then(|word| Some((word, word.by_kernel.as_ref()?))) else {
        return fs::remove_file(path).or_else(|error| match error.kind() {
            ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        });
    };
    let promises: Vec<&str> = context(prepared).promises.iter().map(|promise| promise.name()).collect();
    let said = word.notes(prepared, unprivileged);
    let notes: Vec<_> =
        notes.iter().copied().chain(said.iter().map(|(name, text)| (*name, text.as_str()))).collect();
    let header = trace::header(prepared, outcome, &notes)
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
