//! Why the kernel does not decide a system by itself.

use schedlab_model::Duration;
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
    /// Tasks that share resources execute by quanta.
    Shared,
    /// Tasks compete as one.
    Supertasks,
    /// This rule assigns tasks to processors.
    Affinity(&'static str),
    /// This task has non-preemptive sections, which quanta do not end in.
    Sections(String),
    /// Quanta have this length.
    Quantum(Duration),
    /// Windows of this task may be too far away, or too many, for the kernel.
    Windows(String),
    /// A thread of this task may wait for its next quantum longer than the kernel lets a ready thread wait.
    Apart(String),
    /// Tasks take the weights of others that have left.
    Succession,
    /// This budget server executes the jobs of its clients.
    BudgetServer(String),
    /// An engine was given to decide.
    Engine,
}

impl fmt::Display for NotNative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotNative::Scheduler(name) => {
                write!(f, "{name} (it takes orders by priority point, preemptive or not, on clusters; and PD2)")
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
            NotNative::Shared => write!(f, "resources by quanta (it takes tasks that share none)"),
            NotNative::Supertasks => write!(f, "supertasks (it takes tasks that compete by themselves)"),
            NotNative::Affinity(name) => {
                write!(f, "affinity = \"{name}\" by quanta (it takes none and back-to-back)")
            }
            NotNative::Sections(task) => {
                write!(f, "non-preemptive sections of task \"{task}\" by quanta (it takes suspensions)")
            }
            NotNative::Quantum(length) => write!(f, "quanta of {length} (it takes 100 us to 13 days)"),
            NotNative::Windows(task) => write!(
                f,
                "a weight as fine as that of task \"{task}\", or as many quanta until the end of the run (it takes \
                 periods up to 2^32 - 1 quanta, weights up to 1 - 2^-20 or 1, and runs up to 2^40 quanta)"
            ),
            NotNative::Apart(task) => write!(
                f,
                "quanta as far apart as those of task \"{task}\", whose thread waits ready between them (it takes \
                 windows of up to 10 s)"
            ),
            NotNative::Succession => {
                write!(f, "tasks that take the weights of others that leave (it takes tasks that fit all together)")
            }
            NotNative::BudgetServer(server) => write!(
                f,
                "the budget server \"{server}\", whose budget schedlab counts and gives back (it takes tasks that are in \
                 no server)"
            ),
            NotNative::Engine => write!(f, "an engine that decides"),
        }
    }
}
