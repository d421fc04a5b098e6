//! Formats in which a scenario can be written.

use crate::interchange::Format;
use crate::launch::{Launcher, ThreadsFile};

/// A format to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// The scenario file.
    Toml,
    /// A format of another tool.
    Format(Format),
    /// Settings of Linux's own schedulers.
    Launcher(Launcher),
}

impl Export {
    /// All formats to write, by name.
    const NAMED: [(&'static str, Export); 10] = [
        ("toml", Export::Toml),
        ("csv", Export::Format(Format::Csv)),
        ("schedcat", Export::Format(Format::SchedCat)),
        ("simso", Export::Format(Format::SimSo)),
        ("rt-app", Export::Launcher(Launcher::RtApp)),
        ("sched_deadline", Export::Launcher(Launcher::SchedDeadline)),
        ("systemd", Export::Launcher(Launcher::Systemd)),
        ("threads", Export::Launcher(Launcher::Threads(ThreadsFile::Script))),
        ("threads.h", Export::Launcher(Launcher::Threads(ThreadsFile::C))),
        ("threads.hpp", Export::Launcher(Launcher::Threads(ThreadsFile::Cpp))),
    ];

    /// Returns the format of this name, or a message that the name is unknown.
    pub fn named(name: &str) -> Result<Export, String> {
        let known = Self::NAMED.iter().find(|(known, _)| *known == name).map(|(_, export)| *export);
        let allowed = || Self::NAMED.map(|(known, _)| known).join(", ");
        known.ok_or_else(|| format!("no format is called \"{name}\"; allowed: {}", allowed()))
    }
}
