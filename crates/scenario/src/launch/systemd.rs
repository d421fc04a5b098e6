//! A service of systemd for each task (systemd.exec(5), "Scheduling"). Services have no setting for `SCHED_DEADLINE`.

use super::comment::{hashed, Remarks};
use super::distinct::distinct;
use super::settings::{Launched, Refusal, Setting, Settings};
use std::collections::BTreeSet;

/// By task: the name and the text of its unit file.
pub(super) fn units(settings: &Settings<'_>, remarks: &Remarks) -> Result<Vec<(String, String)>, Refusal> {
    let mut known = BTreeSet::new();
    let mut all = Vec::new();
    for (task, of_task) in settings.tasks.iter().zip(&remarks.of_tasks) {
        let Setting::Fifo(priority) = task.setting else {
            let why = "needs SCHED_DEADLINE, for which systemd has no setting";
            let allowed = "fixed priorities (RM, DM, FP), or the format sched_deadline";
            return Err(Refusal::of_scheduler(&settings.scheduler, why, allowed));
        };
        let unit = distinct(&mut known, unit(&task.spec.name), '-');
        let comments = hashed(&[remarks.general.as_slice(), of_task].concat());
        all.push((format!("{unit}.service"), format!("{comments}{}", service(task, &unit, priority))));
    }
    Ok(all)
}

/// The unit files, one after the other, each below its name.
pub(super) fn write(settings: &Settings<'_>, remarks: &Remarks) -> Result<String, Refusal> {
    let units = units(settings, remarks)?;
    Ok(units.iter().map(|(name, text)| format!("# {name}\n{text}\n")).collect())
}

fn service(task: &Launched<'_>, unit: &str, priority: u32) -> String {
    // A percent sign begins what systemd fills in.
    let description = task.spec.name.replace('%', "%%").replace(char::is_control, " ");
    let list: Vec<String> = task.processors.iter().map(u16::to_string).collect();
    format!(
        "[Unit]\nDescription=Task {description}\n\n[Service]\nExecStart=/usr/local/bin/{unit}\n\
         CPUSchedulingPolicy=fifo\nCPUSchedulingPriority={priority}\nCPUAffinity={}\nLimitMEMLOCK=infinity\n\
         LimitRTPRIO=99\n",
        list.join(" ")
    )
}

/// A name that a unit and a file may have.
fn unit(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c.to_ascii_lowercase() } else { '_' };
    let clean: String = name.chars().map(letter).collect();
    // A command would take it for an option.
    format!("{}{clean}", if clean.starts_with('-') { "_" } else { "" })
}
