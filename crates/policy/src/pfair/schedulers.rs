//! The registered Pfair schedulers, by name.

use super::order::{PfairOrder, PD, PD2, PF};
use super::policy::AlignedPfair;
use super::staggered_policy::StaggeredPfair;
use crate::registry::{ClusterSetup, Make, MakePolicy, Scheduler, Scope};
use crate::setup_error::SetupError;
use crate::Policy;
use alloc::boxed::Box;
use alloc::string::ToString;
use schedlab_model::Alignment;

/// The names of all schedulers that run subtasks within Pfair windows.
pub const NAMES: &[&str] = &["PD2", "S-PD2", "ER-PD2", "PF", "PD"];

fn global(name: &str, make: MakePolicy) -> Scheduler {
    let quanta = Some(Alignment::Aligned);
    Scheduler { name: name.to_string(), scope: Scope::Global, make: Make::Other(make), quanta }
}

fn aligned(
    order: PfairOrder,
    early_release: bool,
    setup: &ClusterSetup<'_>,
) -> Result<Box<dyn Policy>, SetupError> {
    Ok(Box::new(AlignedPfair::new(order, early_release, setup.affinity, setup)?))
}

/// `PD2`: aligned quanta.
pub fn pd2() -> Scheduler {
    global("PD2", |setup| aligned(PD2, false, setup))
}

/// `ER-PD2`: PD2 whose subtasks are released early, within their jobs.
pub fn er_pd2() -> Scheduler {
    global("ER-PD2", |setup| aligned(PD2, true, setup))
}

/// `PF`: aligned quanta.
pub fn pf() -> Scheduler {
    global("PF", |setup| aligned(PF, false, setup))
}

/// `PD`: aligned quanta.
pub fn pd() -> Scheduler {
    global("PD", |setup| aligned(PD, false, setup))
}

/// `S-PD2`: staggered quanta, whatever the platform says.
pub fn s_pd2() -> Scheduler {
    let aligned = global("S-PD2", |setup| Ok(Box::new(StaggeredPfair::new(PD2, setup.affinity, setup)?)));
    Scheduler { quanta: Some(Alignment::Staggered), ..aligned }
}
