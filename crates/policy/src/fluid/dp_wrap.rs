//! DP-WRAP: G. Levin, S. Funk, C. Sadowski, I. Pye and S. Brandt, *DP-FAIR: a simple model for understanding optimal
//! multiprocessor scheduling*, ECRTS 2010, section 4.
//!
//! 1. At each deadline of any task, a slice begins that ends with the next one.
//! 2. Each task has its utilization times the length of the slice to execute there ([`super::plan`]).
//! 3. These stand in a row and are cut into processors ([`super::timeline`]). Every other slice is mirrored: it runs
//!    backwards in time, so that a task that is cut goes on where it executed last.
//!
//! A slice takes O(n), and each of its at most n + m - 1 segments O(m). At most m - 1 jobs migrate within a slice, and
//! with mirroring none migrates between slices where the cuts stay where they were; roundings may shift them by a unit.
//! Where U <= m and no utilization is above 1, no job of synchronous periodic tasks with implicit deadlines is late.
//! The paper's extensions to sporadic tasks and other deadlines are not here: the scheduler refuses them.
//!
//! Three tasks of cost 2 and period 3 on two processors, by hand from the rules. The second slice is the first one's
//! mirror image; B is cut:
//!
//! ```text
//! P0  AABBAA
//! P1  BCCCCB
//! ```

use super::plan::Optional;
use super::timeline::Timeline;
use crate::setup::{ClusterSetup, SetupError};
use crate::Policy;
use alloc::boxed::Box;

/// DP-WRAP, with mirroring.
pub(crate) fn dp_wrap(setup: &ClusterSetup<'_>) -> Result<Box<dyn Policy>, SetupError> {
    Ok(Box::new(Timeline::new(setup, (1, Optional::Windows), true)?))
}
