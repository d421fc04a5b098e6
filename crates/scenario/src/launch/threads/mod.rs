//! Tasks that are threads of one program: a script that sets running threads, and headers for C and C++ that start
//! them.
//!
//! Script and headers call a thread by one name, which the kernel holds in 15 bytes ([`names`]). What a header's loop
//! cannot do is refused ([`suits_loop`]): its jobs arrive periodically, and its sections are mutexes.

mod c;
mod cpp;
mod mutexes;
mod names;
mod script;

use super::comment::Remarks;
use super::settings::{Refusal, Setting, Settings};
use crate::scenario::{Scenario, TaskSpec};
use crate::words::Arrival;
use mutexes::Mutex;
use names::{identifiers, renamed, thread_names};
use schedlab_model::Instant;

/// File in which threads of one program are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadsFile {
    /// A shell script that sets running threads by `chrt` and `taskset`.
    Script,
    /// A header for C with a function that starts each thread.
    C,
    /// A header for C++ with a function that starts each thread as `std::thread`.
    Cpp,
}

/// A thread with its settings.
struct Thread<'a> {
    spec: &'a TaskSpec,
    setting: Setting,
    /// Processors that the thread may use.
    processors: &'a [u16],
    /// The name by which the kernel knows the thread.
    name: String,
    /// The thread's part of identifiers in C.
    id: String,
    /// Comments on what the program has to keep.
    remarks: &'a [String],
}

impl ThreadsFile {
    /// Writes the file, or refuses what no thread of it can do.
    pub(super) fn write(
        self,
        scenario: &Scenario,
        settings: &Settings<'_>,
        remarks: &Remarks,
    ) -> Result<String, Refusal> {
        let all = threads(settings, remarks);
        Ok(match self {
            ThreadsFile::Script => script::write(settings, &all, remarks),
            ThreadsFile::C => c::write(settings, &all, &for_loops(scenario, settings)?, remarks),
            ThreadsFile::Cpp => cpp::write(settings, &all, &for_loops(scenario, settings)?, remarks),
        })
    }

    /// Returns what a reader of the file has to know: threads under other names, and when a script is too late.
    pub(super) fn said(self, scenario: &Scenario, settings: &Settings<'_>) -> Vec<String> {
        let mut lines = renamed(settings);
        if self == ThreadsFile::Script && mutexes::has_ceilings(scenario, settings) {
            let line = "glibc takes a thread's priority as it was at its first mutex with PTHREAD_PRIO_PROTECT: run \
                        the script before";
            lines.push(line.to_owned());
        }
        lines
    }
}

fn threads<'a>(settings: &'a Settings<'_>, remarks: &'a Remarks) -> Vec<Thread<'a>> {
    let names = thread_names(settings)
        .into_iter()
        .zip(identifiers(settings.tasks.iter().map(|task| &task.spec.name)));
    let all = settings.tasks.iter().zip(&remarks.of_tasks).zip(names);
    all.map(|((task, remarks), (name, id))| Thread {
        spec: task.spec,
        setting: task.setting,
        processors: &task.processors,
        name,
        id,
        remarks,
    })
    .collect()
}

/// The mutexes of a header; refuses tasks that its loops cannot execute.
fn for_loops(scenario: &Scenario, settings: &Settings<'_>) -> Result<Vec<Mutex>, Refusal> {
    scenario.tasks.iter().try_for_each(suits_loop)?;
    mutexes::mutexes(scenario, settings)
}

/// Refuses a task whose jobs do not arrive as those of an endless periodic loop.
fn suits_loop(task: &TaskSpec) -> Result<(), Refusal> {
    if let Arrival::Listed(_) = task.arrival {
        let why = "has listed arrivals, and the loop of a header is periodic";
        return Err(Refusal::of_task(
            task,
            "arrival",
            "it",
            why,
            "periodic or sporadic tasks, or a script (.sh)",
        ));
    }
    if task.leave != Instant::NEVER {
        let why = "is when the task leaves, and the loop of a header goes on";
        return Err(Refusal::of_task(task, "leave", task.leave, why, "tasks that stay, or a script (.sh)"));
    }
    Ok(())
}

/// What a thread is, in a line.
fn heading(thread: &Thread<'_>) -> String {
    let list: Vec<String> = thread.processors.iter().map(u16::to_string).collect();
    let policy = match thread.setting {
        Setting::Fifo(priority) => format!("SCHED_FIFO {priority}, processors {}", list.join(", ")),
        Setting::Deadline => format!("SCHED_DEADLINE, {} in each {}", thread.spec.wcet, thread.spec.period),
    };
    let task = thread.spec.name.replace(char::is_control, " ");
    format!("Task \"{task}\": thread \"{}\", {policy}.", thread.name)
}
