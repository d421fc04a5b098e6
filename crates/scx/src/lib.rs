//! Schedulers in an unpatched Linux kernel, by sched_ext (Linux 6.12 or later).
//!
//! There are three, each in the kernel while a run holds it:
//!
//! * [`Follower`]: the run decides, and the kernel executes a thread where the run links it, and nowhere else.
//! * `ClusterScheduler`: the kernel itself decides, by priority points and clusters, and reports to the run.
//! * `QuantumScheduler`: the kernel itself decides, by quanta and Pfair windows, and reports to the run.
//!
//! [`probe`] finds out whether this machine lets such a scheduler in. Without the feature `kernel` nothing is loaded,
//! and it says so. The schedulers themselves are C, in `src/bpf`; their compiled objects lie beside them, so that a
//! build needs no clang.

#![warn(clippy::wildcard_enum_match_arm)]
#![warn(unreachable_pub)]

mod cluster_settings;
mod job_wait;
mod kernel_record;
mod kernel_tally;
mod load_refusal;
mod outside;
mod quantum_lateness;
mod quantum_settings;
mod scheduler_end;
mod settings;

#[cfg(not(feature = "kernel"))]
mod absent;
#[cfg(not(feature = "kernel"))]
mod absent_quantum;
#[cfg(feature = "kernel")]
mod adopted;
#[cfg(feature = "kernel")]
mod called;
#[cfg(feature = "kernel")]
mod calling_thread;
#[cfg(feature = "kernel")]
mod cluster_memory;
#[cfg(feature = "kernel")]
mod cluster_scheduler;
#[cfg(feature = "kernel")]
mod follower;
#[cfg(feature = "kernel")]
mod holder;
#[cfg(feature = "kernel")]
mod kernel_records;
#[cfg(feature = "kernel")]
mod loaded;
#[cfg(feature = "kernel")]
mod mapped;
#[cfg(feature = "kernel")]
mod object;
#[cfg(feature = "kernel")]
mod quantum_memory;
#[cfg(feature = "kernel")]
mod quantum_scheduler;
#[cfg(feature = "kernel")]
mod ring;
#[cfg(feature = "kernel")]
mod tallies;

#[cfg(not(feature = "kernel"))]
pub use absent::{probe, ClusterScheduler, Follower, KernelRecords, Loaded};
#[cfg(not(feature = "kernel"))]
pub use absent_quantum::QuantumScheduler;
#[cfg(feature = "kernel")]
pub use cluster_scheduler::ClusterScheduler;
pub use cluster_settings::{ClusterSettings, TaskPlan};
#[cfg(feature = "kernel")]
pub use follower::{probe, Follower};
pub use job_wait::JobWait;
pub use kernel_record::{KernelEvent, KernelRecord};
#[cfg(feature = "kernel")]
pub use kernel_records::KernelRecords;
pub use kernel_tally::KernelTally;
pub use load_refusal::LoadRefusal;
#[cfg(feature = "kernel")]
pub use loaded::Loaded;
pub use outside::Outside;
pub use quantum_lateness::QuantumLateness;
#[cfg(feature = "kernel")]
pub use quantum_scheduler::QuantumScheduler;
pub use quantum_settings::{QuantumSettings, QuantumShare};
pub use scheduler_end::SchedulerEnd;
pub use settings::Settings;

/// Largest number of tasks of one run: each has an index, from 1 to this number.
pub const MOST_TASKS: u32 = 255;

/// Processors of the machine that can be linked have numbers below this one.
pub const MOST_PROCESSORS: u32 = 64;
