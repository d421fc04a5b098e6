//! Laxity: how long can a job still wait? Each file is a way to decide by it.
//!
//! The *laxity* of a job is the time to its absolute deadline less the execution that it may still need. It stays as it
//! is while the job executes, and falls while the job waits. A job whose laxity is below zero is late if it needs its
//! WCET. Jobs go by their urgency at each decision, the most urgent ones on all processors; ties by job id.

mod edzl;
mod fl_zl;
mod llf;
mod mllf;
mod policy;

pub(crate) use edzl::EDZL;
pub(crate) use fl_zl::FL_ZL;
pub(crate) use llf::LLF;
pub(crate) use mllf::MLLF;
pub(crate) use policy::ByLaxity;
