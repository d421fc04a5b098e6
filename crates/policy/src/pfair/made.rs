//! The policy of a Pfair scheduler, with aligned or staggered quanta.

use super::order::PfairOrder;
use super::policy::AlignedPfair;
use super::staggered_policy::StaggeredPfair;
use crate::setup::{ClusterSetup, SetupError};
use crate::Policy;
use alloc::boxed::Box;
use schedlab_model::Alignment;

/// Makes the policy of a Pfair scheduler with these quanta, or returns an error if the system does not suit it.
pub(crate) fn policy(
    order: PfairOrder,
    early_release: bool,
    quanta: Option<Alignment>,
    setup: &ClusterSetup<'_>,
) -> Result<Box<dyn Policy>, SetupError> {
    match quanta {
        Some(Alignment::Staggered) => Ok(Box::new(StaggeredPfair::new(order, setup.affinity, setup)?)),
        Some(Alignment::Aligned) | None => {
            Ok(Box::new(AlignedPfair::new(order, early_release, setup.affinity, setup)?))
        }
    }
}
