//! Weight that a supertask needs for its components to meet their deadlines.
//!
//! P. Holman and J. Anderson, "Guaranteeing Pfair supertasks by reweighting", RTSS 2001 (quantum-based components);
//! "Using supertasks to improve processor utilization in multiprocessor real-time systems", ECRTS 2003 (fully
//! preemptive ones); "Adapting Pfair scheduling for symmetric multiprocessors", Journal of Embedded Computing 1(4),
//! 2005, sections IV-B and IV-F (staggered quanta). A weight is enough if the least [supply](supply) of a
//! Pfair-scheduled server of that weight is never below the components' greatest [demand](demand).
//!
//! Assumptions: the supertask never suspends and is never late, which total weights of at most M imply under PD2;
//! components are sporadic (periodic included), with release jitter, without self-suspension, critical sections and
//! non-preemptive sections; under fixed priorities a relative deadline above the period counts as the period; no
//! overheads.

mod beside;
pub mod demand;
mod least;
pub mod supply;

pub use beside::{bounds_beside, NotBeside};
pub use demand::{Component, ComponentRule, Demands, Goal, ServerQuanta};
pub use least::{is_enough, least_weight, NoWeight};
