//! A shell script that starts each task's command under its policy by `chrt` (util-linux), bound by `taskset`.

use super::comment::{hashed, Remarks};
use super::distinct::distinct;
use super::settings::{Setting, Settings};
use std::collections::BTreeSet;

/// The script. The commands are the user's: a variable for each task, which must be set.
pub(super) fn write(settings: &Settings<'_>, remarks: &Remarks) -> String {
    let mut script = String::from("#!/bin/sh\n# Starts each task of the scenario under Linux's own scheduler. Needs root or CAP_SYS_NICE.\n");
    script.push_str(&hashed(&remarks.general));
    script.push_str("set -eu\n");
    script.push_str(&demand(settings));
    script.push_str("started=\ntrap 'kill $started' INT TERM\n");
    let mut known = BTreeSet::new();
    for (task, remarks) in settings.tasks.iter().zip(&remarks.of_tasks) {
        let variable = distinct(&mut known, variable(&task.spec.name), '_');
        let policy = match task.setting {
            Setting::Fifo(priority) => {
                let list: Vec<String> = task.processors.iter().map(u16::to_string).collect();
                format!("taskset --cpu-list {} chrt --fifo {priority}", list.join(","))
            }
            // The kernel refuses SCHED_DEADLINE threads whose affinity is less than their cpuset's.
            Setting::Deadline => format!(
                "chrt --deadline --sched-runtime {} --sched-deadline {} --sched-period {} 0",
                task.spec.wcet.as_ns(),
                task.spec.relative_deadline.as_ns(),
                task.spec.period.as_ns()
            ),
        };
        let name = task.spec.name.replace(char::is_control, " ");
        let shown = name.replace(['\\', '"', '$', '`', '}'], "_");
        script.push_str(&format!(
            "\n# {name}\n{}: \"${{{variable}:?set {variable} to the command of {shown}}}\"\n\
             {policy} sh -c \"exec ${variable}\" &\nstarted=\"$started $!\"\n",
            hashed(remarks)
        ));
    }
    script.push_str("\nwait\n");
    script
}

/// Checks in the script for the number of processors: `SCHED_DEADLINE` takes all that there are, so the script ends if
/// their number differs.
pub(super) fn demand(settings: &Settings<'_>) -> String {
    let is_deadline = settings.tasks.iter().any(|task| task.setting == Setting::Deadline);
    let number = settings.processors;
    match is_deadline {
        false => String::new(),
        true => format!(
            "test \"$(nproc)\" -eq {number} || {{ echo \"processors: $(nproc) are not the {number} of the scenario; \
             use a cpuset\" >&2; exit 1; }}\n"
        ),
    }
}

/// A shell variable's name for a task.
fn variable(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    format!("COMMAND_{}", name.chars().map(letter).collect::<String>())
}
