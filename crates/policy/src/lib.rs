//! Scheduling policies as pure state machines: they decide which jobs run.
//!
//! A policy knows no clock, thread, file or randomness. Time comes in as `now`, consequences go out as
//! [`Decisions`]. The simulator and the runtime for threads of Linux drive the same values.
//!
//! To add a policy, write one file with a type that implements [`Policy`] and one line in
//! [`registry`]'s list.

#![no_std]
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]
// A default arm would take a new variant for a known one.
#![warn(clippy::wildcard_enum_match_arm)]

extern crate alloc;

mod backlog;
mod change;
mod chosen;
mod chosen_links;
mod clustered;
mod decisions;
mod dm_us;
mod edf_us;
pub mod ekg;
mod entry;
mod fluid;
mod grid;
mod heavy_first;
mod kernel_class;
mod laxity;
mod line;
mod links;
pub mod nps_f;
mod only_execute;
mod optimal_schedulers;
mod order;
pub mod pfair;
mod pfair_schedulers;
mod prid;
pub mod qps;
mod registry;
mod rm_us;
pub mod run;
mod sched_fifo;
mod scheduler;
mod semi_partitioned;
pub mod servers;
mod setup;
mod timer;
mod uedf;
pub mod utility;
mod utility_schedulers;

pub use clustered::Clustered;
pub use decisions::{Annotation, Decision, Decisions, QueueMove};
pub use kernel_class::{class_name, kernel_classes};
pub use order::{Needs, Order, Rule, ALL as ALL_ORDERS, DM, EDF, FIFO, FL, FP, RM};
pub use registry::{all_schedulers, find, of_bare_order, Parametric, UnknownScheduler, PARAMETRIC};
pub use scheduler::{Declared, KernelClass, Make, Scheduler, Scope};
pub use setup::{ClusterSetup, SetupError, Throttling};

use alloc::boxed::Box;
use schedlab_model::{CpuId, Event, Instant, Invariant, JobId, Jobs, Occupant, Priority};

/// Decides which job should run on each processor of one cluster.
///
/// One value per cluster: the engine routes events, and no value spans clusters. The engine calls
///
/// 1. [`priority`](Policy::priority) when a job is about to become ready, and stores the answer in the job;
/// 2. [`note`](Policy::note) for each event of an instant that concerns the cluster, in the written order (see
///    [`Event`]);
/// 3. [`decide`](Policy::decide) once, after the last of them (and at time zero, even if nothing happens then).
///
/// A policy *links* jobs to processors; making links true is the engine's affair and may take a while:
/// overheads, and non-preemptive sections, which links ignore. [`Job::scheduled_on`](schedlab_model::Job::scheduled_on)
/// says where a job still runs. A job that still runs may be linked to another processor, which dispatches it once the
/// job has left the first one, which is linked to another job, or to none.
///
/// Nothing is allocated after set-up.
pub trait Policy: Send {
    /// The base priority of `job`, which is about to become ready.
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority;

    /// Takes note of `event`, which happened at `now`.
    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs);

    /// Decides anew after the events of an instant; every processor whose link changed is in `out`.
    fn decide(&mut self, now: Instant, jobs: &Jobs, out: &mut Decisions);

    /// The job that should run on `cpu`, one of the cluster's.
    fn linked(&self, cpu: CpuId) -> Option<JobId>;

    /// Returns the job that takes `cpu` over from `job`, which is complete, if nothing else happens at this instant.
    /// `None` if the policy would decide more than that.
    ///
    /// A policy that returns a job gets no event of this completion, nor of the dispatch after it, and does not decide.
    /// If it returns `None`, it must not have changed, and notes the completion as any other.
    fn take_over(&mut self, _job: JobId, _cpu: CpuId, _jobs: &Jobs) -> Option<Occupant> {
        None
    }

    /// The invariants that every trace of this policy satisfies, besides the universal ones.
    fn promises(&self) -> &'static [Invariant];
}

impl<P: Policy + ?Sized> Policy for Box<P> {
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        (**self).priority(job, jobs)
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs) {
        (**self).note(now, event, jobs);
    }

    fn decide(&mut self, now: Instant, jobs: &Jobs, out: &mut Decisions) {
        (**self).decide(now, jobs, out);
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        (**self).linked(cpu)
    }

    fn take_over(&mut self, job: JobId, cpu: CpuId, jobs: &Jobs) -> Option<Occupant> {
        (**self).take_over(job, cpu, jobs)
    }

    fn promises(&self) -> &'static [Invariant] {
        (**self).promises()
    }
}
