//! A service of systemd for each task (systemd.exec(5), "Scheduling"). It has no setting for `SCHED_DEADLINE`.

use super::{Launched, Setting};
use std::fmt::Write;

/// The unit files, one after the other, each below its name.
pub(super) fn write(tasks: &[Launched<'_>]) -> Result<String, (String, String)> {
    let mut all = String::new();
    for task in tasks {
        let Setting::Fifo(priority) = task.setting else {
            let why = "needs SCHED_DEADLINE, for which systemd has no setting".to_owned();
            return Err((why, "fixed priorities (RM, DM, FP), or the format sched_deadline".to_owned()));
        };
        let name = &task.spec.name;
        writeln!(all, "# {}.service", unit(name)).expect("memory takes it");
        writeln!(all, "[Unit]\nDescription=Task {name}\n\n[Service]").expect("memory takes it");
        writeln!(all, "ExecStart=/usr/local/bin/{}", unit(name)).expect("memory takes it");
        writeln!(all, "CPUSchedulingPolicy=fifo\nCPUSchedulingPriority={priority}").expect("memory takes it");
        if let Some(list) = &task.processors {
            let list: Vec<String> = list.iter().map(u16::to_string).collect();
            writeln!(all, "CPUAffinity={}", list.join(" ")).expect("memory takes it");
        }
        writeln!(all, "LimitMEMLOCK=infinity\nLimitRTPRIO=99\n").expect("memory takes it");
    }
    Ok(all)
}

/// A name that a unit and a file may have.
fn unit(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c.to_ascii_lowercase() } else { '_' })
        .collect()
}
