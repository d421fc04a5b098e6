//! Schedulers in an unpatched Linux kernel, by sched_ext (Linux 6.12 or later).
//!
//! The kernel executes a thread where a run links it, and nowhere else: [`Follower`] loads the scheduler that follows
//! links, and holds it while a run lasts. [`probe`] finds out whether this machine lets such a scheduler in.
//!
//! Without the feature `kernel` nothing is loaded, and both say so. The scheduler itself is C, in `src/bpf`; its
//! compiled object lies beside it, so that a build needs no clang.

#![warn(clippy::wildcard_enum_match_arm)]
#![warn(unreachable_pub)]

mod load_refusal;
mod outside;
mod scheduler_end;
mod settings;

#[cfg(not(feature = "kernel"))]
mod absent;
#[cfg(feature = "kernel")]
mod follower;
#[cfg(feature = "kernel")]
mod holder;
#[cfg(feature = "kernel")]
mod mapped;
#[cfg(feature = "kernel")]
mod object;

#[cfg(not(feature = "kernel"))]
pub use absent::{probe, Follower};
#[cfg(feature = "kernel")]
pub use follower::{probe, Follower};
pub use load_refusal::LoadRefusal;
pub use outside::Outside;
pub use scheduler_end::SchedulerEnd;
pub use settings::Settings;

/// Largest number of tasks of one run: each has an index, from 1 to this number.
pub const MOST_TASKS: u32 = 255;

/// Processors of the machine that can be linked have numbers below this one.
pub const MOST_PROCESSORS: u32 = 64;
