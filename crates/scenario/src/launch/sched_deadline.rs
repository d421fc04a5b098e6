//! A shell script that starts each task's command under its policy by `chrt` (util-linux), bound by `taskset`.

use super::{Launched, Setting};

/// The script. The commands are the user's: a variable for each task, which must be set.
pub(super) fn write(tasks: &[Launched<'_>]) -> String {
    let mut script = String::from("#!/bin/sh\n# Starts each task of the scenario under Linux's own scheduler. Needs root or CAP_SYS_NICE.\nset -eu\nstarted=\ntrap 'kill $started' INT TERM\n");
    for task in tasks {
        let variable = variable(&task.spec.name);
        let bound = task.processors.as_ref().map_or(String::new(), |list| {
            let list: Vec<String> = list.iter().map(u16::to_string).collect();
            format!("taskset --cpu-list {} ", list.join(","))
        });
        let policy = match task.setting {
            Setting::Fifo(priority) => format!("{bound}chrt --fifo {priority}"),
            // The kernel refuses SCHED_DEADLINE threads whose affinity is less than their cpuset's.
            Setting::Deadline => format!(
                "chrt --deadline --sched-runtime {} --sched-deadline {} --sched-period {} 0",
                task.spec.wcet.as_ns(),
                task.spec.relative_deadline.as_ns().min(task.spec.period.as_ns()),
                task.spec.period.as_ns()
            ),
        };
        let name = &task.spec.name;
        script.push_str(&format!(
            "\n# {name}\n: \"${{{variable}:?set {variable} to the command of {name}}}\"\n\
             {policy} sh -c \"exec ${variable}\" &\nstarted=\"$started $!\"\n"
        ));
    }
    script.push_str("\nwait\n");
    script
}

/// A shell variable's name for a task.
fn variable(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    format!("COMMAND_{}", name.chars().map(letter).collect::<String>())
}
