//! Published schedulability tests and bounds, in exact arithmetic.
//!
//! One published result per file; each file's header cites it and says what it assumes. A test reads a [`System`], the
//! tasks of one cluster and the rule that schedules them, and gives a [`Verdict`]: schedulable, unschedulable, or
//! unknown with a reason. A sufficient test never says unschedulable, and no answer depends on rounding or on how fast
//! the machine is. [`analyze`] runs every test in the [`registry`] that applies to a scheduler and combines their
//! verdicts.
//!
//! Jitter and self-suspension are transformed soundly, as each file says, or refused. Jobs that share
//! resources or have non-preemptive sections need blocking terms; without them the answer is unknown.

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]
// A default arm would take a new variant for a known one.
#![warn(clippy::wildcard_enum_match_arm)]

mod analyze;
mod assumption;
mod budget;
mod counted;
mod counter_example;
mod delaying_section;
mod piece;
mod reason;
pub mod sentences;
mod verdict;
mod with_locks;

pub mod blocking;
pub mod decide;
pub mod exact;
pub mod explore;
pub mod interference;
pub mod multiprocessor;
pub mod overheads;
pub mod overload;
pub mod packing;
pub mod pfair;
pub mod pfair_sharing;
pub mod priority;
pub mod registry;
pub mod servers;
mod sharing_error;
mod shown;
mod sides;
pub mod split;
pub mod steps;
pub mod subsystem;
pub mod supertask;
pub mod supply;
pub mod system;
mod system_error;
pub mod tardiness;
pub mod theorem;
pub mod uniprocessor;

pub use analyze::{analyze, analyze_by, systems, Analysis, ClusterAnalysis};
pub use assumption::Assumption;
pub use budget::Budget;
pub use reason::Reason;
pub use sides::{Quantity, Share, Sides};
pub use system::{AnalysedOrder, AnalysedScheduler, Arrivals, Quanta, SporadicTask, System};
pub use system_error::SystemError;
pub use verdict::{bounds_prove, Answer, Bounds, Guarantee, TaskBounds, Test, Verdict};
pub use with_locks::{analyze_with_locks, deadlines_are_met};
