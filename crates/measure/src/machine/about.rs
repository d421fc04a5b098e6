//! Description of the measured machine and its kernel.

use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::fs;

/// The machine on which schedlab runs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Machine {
    /// The processors' model.
    pub(crate) model: String,
    /// Number of processors.
    pub(crate) processors: usize,
    /// True if the machine is virtual.
    pub(crate) is_virtual: bool,
    /// The kernel's release.
    pub(crate) kernel: String,
    /// Mitigations of flaws, which slow the machine down.
    pub(crate) mitigations: String,
}

/// Describes this machine.
pub(crate) fn describe() -> Machine {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let preempt_rt = fs::read_to_string("/sys/kernel/realtime").is_ok_and(|text| text.trim() == "1");
    Machine {
        model: model.map_or("unknown processor", |(_, model)| model.trim()).to_owned(),
        processors: cpuinfo.lines().filter(|line| line.starts_with("processor")).count(),
        is_virtual: cpuinfo.contains("hypervisor"),
        kernel: format!("Linux {}{}", release.trim(), if preempt_rt { " PREEMPT_RT" } else { "" }),
        mitigations: match active_mitigations() {
            names if names.is_empty() => "none".to_owned(),
            names => names.join(", "),
        },
    }
}

/// Returns the kernel's mitigations against flaws of the processors, by name.
pub(crate) fn active_mitigations() -> Vec<String> {
    let entries = fs::read_dir("/sys/devices/system/cpu/vulnerabilities").into_iter().flatten().flatten();
    let active = entries
        .filter(|entry| fs::read_to_string(entry.path()).is_ok_and(|state| state.starts_with("Mitigation")));
    let mut names: Vec<String> =
        active.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

impl Machine {
    /// Describes the machine in a few words.
    pub(crate) fn name(&self) -> String {
        format!("{} processors, {}", self.processors, self.model)
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = if self.is_virtual { ", a virtual machine" } else { "" };
        write!(f, "{}{host}; {}", self.name(), self.kernel)
    }
}
