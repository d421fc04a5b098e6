//! The registered Pfair schedulers, by name.

use super::order::{PfairOrder, PD, PD2, PF};
use super::policy::AlignedPfair;
use super::staggered_policy::StaggeredPfair;
use crate::scheduler::{Declared, Scheduler, Scope};
use crate::setup::{ClusterSetup, SetupError};
use crate::Policy;
use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec;
use schedlab_model::{Alignment, OrderClass};

/// A global scheduler whose quanta are aligned.
fn global(
    name: &str,
    make: impl Fn(&ClusterSetup<'_>) -> Result<Box<dyn Policy>, SetupError> + Send + Sync + 'static,
) -> Scheduler {
    let description = "Pfair: decisions at quantum boundaries, all at once";
    let named = Scheduler::of_policy(name, Scope::Global, description, make).declaring(windows(false));
    Scheduler { quanta: Some(Alignment::Aligned), ..named }
}

/// The order of Pfair windows; any job gives way at the end of its quantum.
fn windows(early_release: bool) -> Declared {
    Declared { class: OrderClass::Pfair { early_release }, preemptive: true }
}

fn aligned(
    order: PfairOrder,
    early_release: bool,
    setup: &ClusterSetup<'_>,
) -> Result<Box<dyn Policy>, SetupError> {
    Ok(Box::new(AlignedPfair::new(order, early_release, setup.affinity, setup)?))
}

/// `PD2`: aligned quanta.
pub(crate) fn pd2() -> Scheduler {
    let named = global("PD2", |setup| aligned(PD2, false, setup));
    Scheduler { aliases: vec!["PFAIR".to_string()], ..named }
}

/// `ER-PD2`: PD2 whose subtasks are released early, within their jobs.
pub(crate) fn er_pd2() -> Scheduler {
    global("ER-PD2", |setup| aligned(PD2, true, setup)).declaring(windows(true))
}

/// `PF`: aligned quanta.
pub(crate) fn pf() -> Scheduler {
    global("PF", |setup| aligned(PF, false, setup))
}

/// `PD`: aligned quanta.
pub(crate) fn pd() -> Scheduler {
    global("PD", |setup| aligned(PD, false, setup))
}

/// `S-PD2`: staggered quanta, whatever the platform says.
pub(crate) fn s_pd2() -> Scheduler {
    let named = global("S-PD2", |setup| Ok(Box::new(StaggeredPfair::new(PD2, setup.affinity, setup)?)));
    Scheduler {
        description: "Pfair: each processor decides at its own boundaries".to_string(),
        quanta: Some(Alignment::Staggered),
        ..named
    }
}
