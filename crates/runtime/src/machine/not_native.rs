//! Why the kernel does not decide a system by itself.

use std::fmt;

/// The reason why a system is not one that the kernel can decide by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotNative {
    /// The scheduler has no clusters whose jobs are ordered by one point each.
    Scheduler(String),
    /// Resources under a protocol by which jobs do more than to spin without being preempted, first come, first
    /// served.
    Protocol {
        /// Name of the protocol.
        protocol: &'static str,
        /// What jobs do else.
        because: &'static str,
        /// Names of the protocols that do nothing else.
        others: Vec<&'static str>,
    },
    /// A resource for which the protocol has another rule than to spin.
    Resource {
        /// Name of the protocol.
        protocol: &'static str,
        /// Name of the resource.
        resource: String,
    },
    /// Jobs that exceed their WCETs have an effect, and tasks share resources.
    SpinningBudgets,
    /// Jobs that exceed their WCETs are to be ended.
    Cut,
    /// Arrivals are noticed at ticks.
    Ticks,
    /// Other processors are to stand still while a thread decides.
    StandStill,
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
            NotNative::Protocol { protocol, because, others } => write!(
                f,
                "resources under {protocol}, where {because} (it takes protocols by which jobs spin first come, first \
                 served, and are not preempted from the request to the release: {})",
                others.join(", ")
            ),
            NotNative::Resource { protocol, resource } => write!(
                f,
                "the resource \"{resource}\" under {protocol}, which has another rule for it than to spin (it takes \
                 resources for which jobs spin first come, first served)"
            ),
            NotNative::SpinningBudgets => write!(
                f,
                "budgets of jobs that spin (overruns other than \"ignore\" in a system with resources): the kernel counts \
                 spinning as execution"
            ),
            NotNative::Cut => write!(
                f,
                "overruns = \"cut\", by which a thread goes on in its next job (it takes ignore, warn and best-effort)"
            ),
            NotNative::Ticks => write!(f, "releases at ticks (it takes timers)"),
            NotNative::StandStill => write!(
                f,
                "an architecture in which processors stand still while a thread decides (no thread does, and the kernel \
                 stops no processor)"
            ),
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
