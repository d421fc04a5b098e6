//! How an engine follows a scheduler in the kernel that decides by itself.
//!
//! The kernel records when jobs were ready, what they did, and where they executed. From this the engine decides anew,
//! and its decisions are what the kernel ought to have done. Four things need care:
//!
//! * A job is ready when the kernel has begun it, later than its arrival by the time that its thread takes to wake up.
//! * The kernel needs a moment to make a decision true. A job that completes just before it would have been stopped has
//!   lost its processor already as the engine decides: then the job completed just before that decision.
//! * A job takes locks by itself and records when. It asks when it did so, since that matters to others; if that was
//!   just after the engine had stopped it, it had begun not to be preempted before.
//! * Which processor of a cluster a job gets is the kernel's choice. The engine's processors get the names of those
//!   that the kernel chose.

mod attempt;
mod begun;
mod fitted;
mod grants;
mod never_begun;
mod overtaken;
mod placed;

pub(crate) use begun::{begun_jobs, is_by_kernel};
pub(crate) use fitted::fitted;
pub(crate) use grants::granted;
pub(crate) use never_begun::never_begun;
pub(crate) use overtaken::{overtaken, Rules};
pub(crate) use placed::placed;
