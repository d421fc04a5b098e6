//! What took processor time in a real run, and why its jobs missed their deadlines: from its trace alone.
//!
//! A real run's trace holds, besides its schedule, what was decided and which threads the kernel ran ([`RealRun`]).
//! [`Account`] compares them. So a stored trace explains as much as the run itself did at its end.

#![forbid(unsafe_code)]

mod account;
mod accounted;
mod agreement;
mod by_class;
#[cfg(test)]
mod by_hand;
pub mod distribution;
mod interfering;
mod job;
mod jobs;
mod kernel;
mod kernel_trace;
mod lost;
mod misses;
mod outside;
mod overlong;
mod possible;
mod real_run;
mod reconstructed;
mod spans;
mod taken;
mod threads;

pub use account::{Account, Judgement};
pub use agreement::{Agreement, TRUE_WITHIN};
pub use by_class::ByClass;
pub use job::JobAccount;
pub use kernel::{kernel_context, Kernel};
pub use kernel_trace::KernelTrace;
pub use lost::Lost;
pub use misses::Misses;
pub use outside::share;
pub use overlong::overlong_sections;
pub use real_run::{
    RealRun, Sizes, Switch, Switches, TraceProblem, PRIORITIES, PROCESSORS, WITHOUT_PRIORITIES,
};
pub use threads::{Class, Threads, THREADS};
