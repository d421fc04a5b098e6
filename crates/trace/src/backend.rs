//! Backends: what decides in a run which job executes on which processor.

use core::fmt;

/// The backend of a run, which decides which job executes on which processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Backend {
    /// The simulator: no thread executes.
    Simulation,
    /// The engine of the simulator, for threads of Linux that stop and go on at its gates.
    #[default]
    Threads,
    /// The engine of the simulator, for threads of Linux that a scheduler in the kernel executes where the engine links
    /// them (sched_ext).
    Scx,
    /// A scheduler in the kernel that decides by itself as an engine of the simulator would (sched_ext): the engine
    /// decides again from what the kernel saw.
    ScxNative,
    /// A scheduling class of Linux, such as `SCHED_FIFO`.
    Class,
}

impl Backend {
    /// All backends, by their names in headers.
    pub const NAMED: [(&'static str, Backend); 5] = [
        ("simulation", Backend::Simulation),
        ("threads", Backend::Threads),
        ("scx", Backend::Scx),
        ("scx-native", Backend::ScxNative),
        ("class", Backend::Class),
    ];

    /// Name of the backend in headers.
    pub const fn name(self) -> &'static str {
        match self {
            Backend::Simulation => "simulation",
            Backend::Threads => "threads",
            Backend::Scx => "scx",
            Backend::ScxNative => "scx-native",
            Backend::Class => "class",
        }
    }

    /// The backend of this name.
    pub fn named(name: &str) -> Option<Backend> {
        Self::NAMED.iter().find(|(known, _)| *known == name).map(|(_, backend)| *backend)
    }

    /// True if Linux decides, not an engine of schedlab: then decisions are not known, and no policy promises anything.
    pub const fn is_kernel(self) -> bool {
        match self {
            Backend::Simulation | Backend::Threads | Backend::Scx | Backend::ScxNative => false,
            Backend::Class => true,
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
