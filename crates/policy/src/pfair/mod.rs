//! Pfair scheduling: every task runs at a constant rate, by quanta, with a lag of less than one quantum.
//!
//! P. Holman and J. H. Anderson, "Adapting Pfair scheduling for symmetric multiprocessors", Journal of Embedded
//! Computing 1(4), 2005, and the literature it rests on. Time is in slots here: slot k is the k-th quantum.

mod admission;
mod affinity;
mod aligned;
mod calendar;
mod forest;
mod made;
mod order;
mod policy;
mod pool;
mod quantize;
mod staggered;
mod staggered_policy;
mod stream;
mod succession;
mod sum;
mod supertask;
mod window;

pub use crate::setup::{Affinity, ComponentScheduling, Supertask, SupertaskError, Weight, WeightError};
pub use admission::{free_from, Admission};
pub use aligned::Aligned;
pub(crate) use made::policy;
pub use order::{pack, PfairOrder, EPDF, PD, PD2, PF};
pub use policy::AlignedPfair;
pub use quantize::weights;
pub use staggered::{Staggered, TaskHeap};
pub use stream::Stream;
pub use sum::exceeds;
pub use window::Window;
