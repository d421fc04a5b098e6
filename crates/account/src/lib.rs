//! Accounts for processor time that was lost in a real run, and for missed deadlines, from its trace alone.
//!
//! A real run's trace holds, besides its schedule, the decisions and the threads that the kernel ran ([`RealRun`]).
//! [`Account`] compares them. Therefore a stored trace explains as much as the run itself did at its end.

#![forbid(unsafe_code)]
#![warn(clippy::wildcard_enum_match_arm)]
#![warn(unreachable_pub)]

mod account;
#[cfg(test)]
mod by_hand;
mod jobs;
mod lost;
mod over_bound;
mod results;
mod trace;
mod witness;

pub use account::Account;
pub use jobs::job::JobAccount;
pub use jobs::misses::Misses;
pub use jobs::overlong::overlong_sections;
pub use lost::by_class::ByClass;
pub use lost::outside::share;
pub use lost::Lost;
pub use over_bound::OverBound;
pub use results::{AccountResult, Accounted, Distribution, LongestResponseResult, LostResult};
pub use trace::real_run::{
    RealRun, Sizes, Switch, Switches, TraceProblem, PRIORITIES, PROCESSORS, WITHOUT_PRIORITIES,
};
pub use trace::threads::{Class, Threads, THREADS};
pub use witness::agreement::{Agreement, TRUE_WITHIN};
pub use witness::distribution;
pub use witness::kernel_trace::KernelTrace;
pub use witness::{kernel_context, Witnessed};
