//! Schedulers with servers among their tasks.

use super::kind::{ServerKind, Urgency};
use super::policy::Served;
use super::setup::BudgetServer;
use crate::order::{Order, Rule, DM, EDF, FP, RM};
use crate::scheduler::{KernelClass, Make, Scheduler, Scope};
use crate::setup::{ClusterSetup, SetupError};
use crate::Policy;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

/// Orders under which a server's urgency is a fixed priority, and under which it is a deadline.
const FIXED: [Order; 3] = [RM, DM, FP];
const DEADLINES: [Order; 1] = [EDF];

/// Names of the partitioned schedulers of these orders.
fn names(orders: &[Order]) -> String {
    let name = |order: &Order| Scheduler::of_order(*order, true, Scope::Partitioned).name;
    orders.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// Names of all schedulers that can have some server.
fn all() -> String {
    [names(&FIXED), names(&DEADLINES)].join(", ")
}

/// Reason why a scheduler cannot have a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unserved {
    /// The scheduler has no order of jobs that a server can be part of, or does not preempt.
    Scheduler(String),
    /// The server's urgency is a deadline, and the scheduler's are fixed priorities, or the other way round.
    Kind(ServerKind, String),
    /// A reservation of Linux's class is no such server.
    Reservation {
        /// Index of the server.
        server: usize,
        /// Kind of the server.
        kind: ServerKind,
        /// Number of its clients.
        clients: usize,
        /// Name of the scheduler.
        scheduler: String,
    },
}

/// Kind of server that a reservation of Linux's class is: the thread waits for its next period where its budget is used
/// up, and a thread that wakes up keeps budget and deadline if these leave others theirs.
const RESERVATION: ServerKind = ServerKind::HardConstantBandwidth;

impl fmt::Display for Unserved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unserved::Scheduler(name) => write!(
                f,
                "budget servers under {name}: their rules are for preemptive fixed priorities and preemptive EDF"
            ),
            Unserved::Kind(kind, name) => {
                let urgency = match kind.urgency() {
                    Urgency::Fixed => "a fixed priority",
                    Urgency::Deadline => "a deadline",
                    Urgency::AsTasks => "that of its scheduler's tasks",
                };
                let kind = kind.name();
                write!(f, "kind \"{kind}\" under {name}: the urgency of such a server is {urgency}")
            }
            Unserved::Reservation { kind, scheduler, .. } if *kind != RESERVATION => {
                let (kind, known) = (kind.name(), RESERVATION.name());
                write!(f, "kind \"{kind}\" under {scheduler}: a reservation of the kernel is a \"{known}\"")
            }
            Unserved::Reservation { clients, scheduler, .. } => {
                write!(
                    f,
                    "a server of {clients} clients under {scheduler}: a reservation of the kernel is that of one \
                     thread, and each task has a thread"
                )
            }
        }
    }
}

impl Unserved {
    /// Names of the schedulers that can have the server.
    pub fn allowed(&self) -> String {
        match self {
            Unserved::Scheduler(_) => all(),
            Unserved::Kind(kind, _) => match kind.urgency() {
                Urgency::Fixed => names(&FIXED),
                Urgency::Deadline => names(&DEADLINES),
                Urgency::AsTasks => all(),
            },
            Unserved::Reservation { .. } => format!("kind = \"{}\" with one client", RESERVATION.name()),
        }
    }
}

impl core::error::Error for Unserved {}

/// Returns an error if one of `servers` is no reservation of a thread of Linux's class.
fn are_reservations(servers: &[BudgetServer], scheduler: &str) -> Result<(), Unserved> {
    let is_other =
        |(_, server): &(usize, &BudgetServer)| server.kind != RESERVATION || server.clients.len() > 1;
    match servers.iter().enumerate().find(is_other) {
        None => Ok(()),
        Some((index, odd)) => Err(Unserved::Reservation {
            server: index,
            kind: odd.kind,
            clients: odd.clients.len(),
            scheduler: scheduler.into(),
        }),
    }
}

/// Returns `scheduler` with `servers` among its tasks. No test of schedulability knows its order then. Under Linux's
/// class of reservations, the kernel serves.
pub fn with_servers(scheduler: &Scheduler, servers: Vec<BudgetServer>) -> Result<Scheduler, Unserved> {
    if scheduler.kernel_class() == Some(KernelClass::Deadline) {
        return are_reservations(&servers, &scheduler.name).map(|()| scheduler.clone());
    }
    let Make::Clustered { order, preemptive: true } = scheduler.make else {
        return Err(Unserved::Scheduler(scheduler.name.clone()));
    };
    let foreign = match order.rule {
        Rule::Fixed(_) => Urgency::Deadline,
        Rule::Deadline => Urgency::Fixed,
        Rule::AfterArrival(_) | Rule::HeavyFirst(_) | Rule::Unanalysed(_) => {
            return Err(Unserved::Scheduler(scheduler.name.clone()));
        }
    };
    if let Some(odd) = servers.iter().find(|server| server.kind.urgency() == foreign) {
        return Err(Unserved::Kind(odd.kind, scheduler.name.clone()));
    }
    let make = move |setup: &ClusterSetup<'_>| -> Result<Box<dyn Policy>, SetupError> {
        if setup.cpus.len() > 1 && servers.iter().any(|server| !server.kind.knows_several_processors()) {
            let what = "budget servers of a kind for one processor on several that share a ready queue";
            return Err(SetupError::Own(what));
        }
        Ok(Box::new(Served::new(order, &servers, setup)))
    };
    Ok(Scheduler { make: Make::Other { make: Arc::new(make), declared: None }, ..scheduler.clone() })
}
