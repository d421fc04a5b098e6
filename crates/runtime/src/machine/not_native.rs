//! Why the kernel does not decide a system by itself.

use std::fmt;

/// The reason why a system is not one that the kernel can decide by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotNative {
    /// The scheduler has no clusters whose jobs are ordered by one point each.
    Scheduler(String),
    /// Tasks share resources.
    Resources,
    /// Jobs that exceed their WCETs are to be ended.
    Cut,
    /// Arrivals are noticed at ticks.
    Ticks,
    /// The priority point of a job of this task may be too large for the kernel.
    Points(String),
    /// An engine was given to decide.
    Engine,
}

impl fmt::Display for NotNative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotNative::Scheduler(name) => {
                write!(f, "{name} (it takes orders by priority point, preemptive or not, on clusters)")
            }
            NotNative::Resources => {
                write!(f, "resources that tasks share (it takes non-preemptive sections)")
            }
            NotNative::Cut => write!(f, "overruns = \"cut\" (it takes ignore, warn and best-effort)"),
            NotNative::Ticks => write!(f, "releases at ticks (it takes timers)"),
            NotNative::Points(task) => {
                write!(
                    f,
                    "priority points of task \"{task}\" above 2^53 - 1 by the end of the run (104 days)"
                )
            }
            NotNative::Engine => write!(f, "an engine that decides"),
        }
    }
}
