//! The registered Pfair schedulers, by name.

use crate::pfair::{PfairOrder, EPDF, PD, PD2, PF};
use crate::scheduler::{Make, Scheduler, Scope};
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::Alignment;

/// A global scheduler whose quanta are aligned.
fn global(name: &str, order: PfairOrder, early_release: bool) -> Scheduler {
    Scheduler {
        name: name.to_string(),
        aliases: Vec::new(),
        description: "Pfair: decisions at quantum boundaries, all at once".to_string(),
        scope: Scope::Global,
        make: Make::Pfair { order, early_release },
        quanta: Some(Alignment::Aligned),
    }
}

/// `PD2`: aligned quanta.
pub(crate) fn pd2() -> Scheduler {
    Scheduler { aliases: vec!["PFAIR".to_string()], ..global("PD2", PD2, false) }
}

/// `ER-PD2`: PD2 whose subtasks are released early, within their jobs.
pub(crate) fn er_pd2() -> Scheduler {
    global("ER-PD2", PD2, true)
}

/// `PF`: aligned quanta.
pub(crate) fn pf() -> Scheduler {
    global("PF", PF, false)
}

/// `PD`: aligned quanta.
pub(crate) fn pd() -> Scheduler {
    global("PD", PD, false)
}

/// `EPDF`: aligned quanta.
pub(crate) fn epdf() -> Scheduler {
    global("EPDF", EPDF, false)
}

/// `S-PD2`: staggered quanta, whatever the platform says.
pub(crate) fn s_pd2() -> Scheduler {
    Scheduler {
        description: "Pfair: each processor decides at its own boundaries".to_string(),
        quanta: Some(Alignment::Staggered),
        ..global("S-PD2", PD2, false)
    }
}
