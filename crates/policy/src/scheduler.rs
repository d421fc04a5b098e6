//! Schedulers: a scheduler is a scope, and a policy for each of its clusters.

use crate::clustered::Clustered;
use crate::order::{Needs, Order};
use crate::pfair::{self, PfairOrder};
use crate::sched_fifo::SchedFifo;
use crate::setup::{ClusterSetup, SetupError};
use crate::utility::{UtilityAccrual, UtilityKind};
use crate::Policy;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use schedlab_model::{Alignment, OrderClass, Theorem};

/// Processors that share a ready queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Each processor has its own queue.
    Partitioned,
    /// Each cluster has its own queue; the scenario states which processors form one.
    Clustered,
    /// All processors share one queue.
    Global,
}

/// The scopes, with their letters in names, and LITMUS^RT's words for them.
pub(crate) const SCOPES: [(&str, &[&str], Scope); 3] =
    [("P", &["PSN"], Scope::Partitioned), ("C", &[], Scope::Clustered), ("G", &["GSN"], Scope::Global)];

/// Makes a policy, or returns an error if the system does not suit it.
pub(crate) type MakePolicy = dyn Fn(&ClusterSetup<'_>) -> Result<Box<dyn Policy>, SetupError> + Send + Sync;

/// Parameters that a thread gets from the kernel for its task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelClass {
    /// A fixed priority: the task's given one if every task states one, else by period.
    Fifo,
    /// A budget (the WCET), a relative deadline and a period.
    Deadline,
}

/// Properties that a policy which is no order declares. A test relies on all of them, so one part alone promises
/// nothing.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// Order of jobs. Under any class but `Unanalysed` and `Theorem`, no processor idles while a job is ready.
    pub class: OrderClass,
    /// True if a running job gives way at once to a more urgent one; false if a job that has started keeps its
    /// processor until it completes.
    pub preemptive: bool,
}

/// Way to make a policy.
#[derive(Clone)]
pub enum Make {
    /// The clustered engine with an order. Kept apart so that the simulator can compile for it.
    Clustered {
        /// Order of ready jobs.
        order: Order,
        /// True if running jobs give way to more urgent ones.
        preemptive: bool,
    },
    /// Pfair: subtasks of one quantum each, by their windows. [`Scheduler::quanta`] states the alignment of the quanta.
    Pfair {
        /// Order of subtasks.
        order: PfairOrder,
        /// True if subtasks are released early, within their jobs.
        early_release: bool,
    },
    /// A utility-accrual algorithm, which gives jobs up at their termination times.
    Utility(UtilityKind),
    /// Any other policy, also one that is written in another language.
    Other {
        /// Makes the policy.
        make: Arc<MakePolicy>,
        /// Properties that the policy promises; `None` if nothing is known of it.
        declared: Option<Declared>,
    },
    /// The kernel decides in real runs. In simulations a model of the kernel decides, where there is one.
    Kernel(KernelClass),
}

impl fmt::Debug for Make {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Make::Clustered { order, preemptive } => {
                f.debug_struct("Clustered").field("order", order).field("preemptive", preemptive).finish()
            }
            Make::Pfair { order, early_release } => {
                f.debug_struct("Pfair").field("order", order).field("early_release", early_release).finish()
            }
            Make::Utility(kind) => f.debug_tuple("Utility").field(kind).finish(),
            Make::Other { make: _, declared } => {
                f.debug_struct("Other").field("declared", declared).finish_non_exhaustive()
            }
            Make::Kernel(class) => f.debug_tuple("Kernel").field(class).finish(),
        }
    }
}

/// A scheduler: a scope, a policy for each of its clusters, and all that others must know of it.
#[derive(Clone, Debug)]
pub struct Scheduler {
    /// Name of the scheduler, as it is printed.
    pub name: String,
    /// Other names that are accepted.
    pub aliases: Vec<String>,
    /// Description of which job goes first, in words that follow a description of its scope.
    pub description: String,
    /// Processors that share a ready queue.
    pub scope: Scope,
    /// Way to make its policies.
    pub make: Make,
    /// Alignment of its quantum boundaries, if it decides only there; the platform's ticks follow.
    pub quanta: Option<Alignment>,
}

impl Scheduler {
    /// The scheduler that an order and a scope make; the order need not be in the list.
    pub fn of_order(order: Order, preemptive: bool, scope: Scope) -> Scheduler {
        let (letter, words, _) =
            SCOPES.into_iter().find(|(.., known)| *known == scope).expect("all are there");
        let mut prefixes = match preemptive {
            true => vec![format!("{letter}-")],
            false => vec![format!("N{letter}-"), format!("{letter}-NP-")],
        };
        if preemptive {
            prefixes.extend(words.iter().map(|word| format!("{word}-")));
        }
        let mut names =
            prefixes.iter().flat_map(|prefix| order.names().map(move |order| format!("{prefix}{order}")));
        let rest = if preemptive { "" } else { "; a job that has started is not preempted" };
        Scheduler {
            name: names.next().expect("an order has a name"),
            aliases: names.collect(),
            description: format!("{}{rest}", order.description),
            scope,
            make: Make::Clustered { order, preemptive },
            quanta: None,
        }
    }

    /// A scheduler made of a policy of its own kind, about whose order nothing is known: no test applies to it, unless
    /// [`Scheduler::declaring`] adds properties.
    pub fn of_policy(
        name: &str,
        scope: Scope,
        description: &str,
        make: impl Fn(&ClusterSetup<'_>) -> Result<Box<dyn Policy>, SetupError> + Send + Sync + 'static,
    ) -> Scheduler {
        Scheduler {
            name: name.to_string(),
            aliases: Vec::new(),
            description: description.to_string(),
            scope,
            make: Make::Other { make: Arc::new(make), declared: None },
            quanta: None,
        }
    }

    /// Returns this scheduler with a policy that promises what is `declared`. Verdicts then rest on the promise.
    ///
    /// # Panics
    /// If the scheduler is no policy of its own kind: of any other, the order says all of this.
    #[must_use]
    pub fn declaring(self, declared: Declared) -> Scheduler {
        let Make::Other { make, declared: _ } = self.make else {
            panic!("{} is made by schedlab, which knows what it promises", self.name)
        };
        Scheduler { make: Make::Other { make, declared: Some(declared) }, ..self }
    }

    /// Class of the order, on which tests and locking protocols rely.
    pub fn class(&self) -> OrderClass {
        match &self.make {
            Make::Clustered { order, .. } => order.rule.class(),
            Make::Pfair { order, early_release } => {
                OrderClass::Pfair { early_release: *early_release, breaks_ties: order.breaks_ties }
            }
            Make::Other { declared: Some(declared), .. } => declared.class,
            Make::Other { declared: None, .. } | Make::Utility(_) | Make::Kernel(_) => OrderClass::Unanalysed,
        }
    }

    /// Makes a policy of this scheduler for one cluster, or returns an error if the system does not suit it.
    pub fn policy(&self, setup: &ClusterSetup<'_>) -> Result<Box<dyn Policy>, SetupError> {
        match &self.make {
            Make::Clustered { order, preemptive } => Ok(Box::new(Clustered::new(*order, *preemptive, setup))),
            Make::Pfair { order, early_release } => pfair::policy(*order, *early_release, self.quanta, setup),
            Make::Utility(kind) => Ok(Box::new(UtilityAccrual::new(*kind, setup)?)),
            Make::Other { make, .. } => make(setup),
            Make::Kernel(KernelClass::Fifo) => Ok(Box::new(SchedFifo::new(setup))),
            Make::Kernel(KernelClass::Deadline) => Err(SetupError::NotModelled),
        }
    }

    /// The kernel's class, if it is the kernel that decides.
    pub fn kernel_class(&self) -> Option<KernelClass> {
        match self.make {
            Make::Kernel(class) => Some(class),
            Make::Clustered { .. } | Make::Pfair { .. } | Make::Utility(_) | Make::Other { .. } => None,
        }
    }

    /// True if the scheduler's model knows [`Throttling`](crate::Throttling).
    pub fn may_be_throttled(&self) -> bool {
        self.kernel_class() == Some(KernelClass::Fifo)
    }

    /// True if the scheduler has a run queue for each of several processors, and pushes and pulls threads between them.
    pub fn has_run_queues(&self) -> bool {
        self.kernel_class() == Some(KernelClass::Fifo) && self.scope != Scope::Partitioned
    }

    /// True if a policy stands for the scheduler in simulations.
    pub fn is_modelled(&self) -> bool {
        match self.make {
            Make::Clustered { .. }
            | Make::Pfair { .. }
            | Make::Utility(_)
            | Make::Other { .. }
            | Make::Kernel(KernelClass::Fifo) => true,
            Make::Kernel(KernelClass::Deadline) => false,
        }
    }

    /// Returns the prefix of names of this kind, such as `NG-`, whether this scheduler's name has it (`G-EDF`) or not
    /// (`gMUA`). `None` for schedulers without a prefix: Pfair schedulers, the kernel's classes.
    pub fn prefix(&self) -> Option<String> {
        let preemptive = match self.make {
            Make::Clustered { preemptive, .. } => preemptive,
            Make::Utility(kind) => kind.preemptive,
            Make::Pfair { .. } | Make::Other { .. } | Make::Kernel(_) => return None,
        };
        let (letter, ..) = SCOPES.into_iter().find(|(.., scope)| *scope == self.scope)?;
        Some(format!("{}{letter}-", if preemptive { "" } else { "N" }))
    }

    /// True if a running job gives way to a more urgent one; false also if that is not known.
    pub fn is_preemptive(&self) -> bool {
        match self.make {
            Make::Clustered { preemptive, .. } => preemptive,
            Make::Utility(kind) => kind.preemptive,
            Make::Other { declared, .. } => declared.is_some_and(|declared| declared.preemptive),
            // A job gives way at the end of its quantum.
            Make::Pfair { .. } | Make::Kernel(_) => true,
        }
    }

    /// True if the scheduler decides by time/utility functions, and gives jobs up at their termination times.
    pub fn accrues_utility(&self) -> bool {
        match self.make {
            Make::Utility(_) => true,
            Make::Clustered { .. } | Make::Pfair { .. } | Make::Other { .. } | Make::Kernel(_) => false,
        }
    }

    /// True if the scheduler also decides about jobs that wait for resources, and so picks the one that gets a
    /// resource.
    pub fn follows_holders(&self) -> bool {
        match self.make {
            Make::Utility(kind) => kind.follows_holders,
            Make::Clustered { .. } | Make::Pfair { .. } | Make::Other { .. } | Make::Kernel(_) => false,
        }
    }

    /// True if the scheduler executes the stated pieces of tasks, each on its processor.
    pub fn keeps_pieces(&self) -> bool {
        matches!(self.class(), OrderClass::Theorem(Theorem::KeepsPieces))
    }

    /// Parameters that each task has to state besides its usual ones.
    pub fn needs(&self) -> Needs {
        match self.make {
            Make::Clustered { order, .. } => order.needs,
            Make::Pfair { .. } | Make::Utility(_) | Make::Other { .. } | Make::Kernel(_) => Needs::Nothing,
        }
    }

    /// The scheduler's name, then its aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        core::iter::once(self.name.as_str()).chain(self.aliases.iter().map(String::as_str))
    }
}
