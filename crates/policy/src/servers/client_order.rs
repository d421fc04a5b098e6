//! Orders of a server's clients: which of the pending ones has the budget.
//!
//! In order of arrival, the clients are served first come, first served, as publications of aperiodic servers have it.
//! Under any other order they are a *subsystem*: tasks under a scheduler of their own, which preempts within the budget
//! (Z. Deng and J. Liu, *Scheduling real-time applications in an open environment*, RTSS 1997; I. Shin and I. Lee,
//! *Periodic resource model for compositional real-time guarantees*, RTSS 2003). Ties go by job id, as all ties do.

use crate::order::{Order, DM, EDF, FP, RM};

/// Order of a server's clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClientOrder {
    /// First come, first served.
    #[default]
    Arrival,
    /// The earliest absolute deadline goes first.
    Edf,
    /// The shortest period goes first.
    Rm,
    /// The shortest relative deadline goes first.
    Dm,
    /// The given priorities of the clients decide among them.
    Fp,
}

impl ClientOrder {
    /// All orders, by name.
    pub const NAMED: [(&'static str, ClientOrder); 5] = [
        ("arrival", ClientOrder::Arrival),
        (EDF.name, ClientOrder::Edf),
        (RM.name, ClientOrder::Rm),
        (DM.name, ClientOrder::Dm),
        (FP.name, ClientOrder::Fp),
    ];

    /// Name of the order.
    pub fn name(self) -> &'static str {
        let (name, _) = Self::NAMED.iter().find(|(_, order)| *order == self).expect("each order has a name");
        name
    }

    /// The scheduler's order within the server; `None` where clients are served first come, first served.
    pub const fn within(self) -> Option<Order> {
        match self {
            ClientOrder::Arrival => None,
            ClientOrder::Edf => Some(EDF),
            ClientOrder::Rm => Some(RM),
            ClientOrder::Dm => Some(DM),
            ClientOrder::Fp => Some(FP),
        }
    }

    /// True if the clients are a subsystem: tasks under a scheduler of their own.
    pub const fn is_subsystem(self) -> bool {
        !matches!(self, ClientOrder::Arrival)
    }
}
