//! Utility accrual: which jobs run when not all can be in time? Each file is an algorithm's decision.
//!
//! A job's *utility* is what its completion is worth, given by its time/utility function (E. D. Jensen, C. D. Locke and
//! H. Tokuda, "A time-driven scheduling model for real-time operating systems", RTSS 1985). Its *potential utility
//! density* is the utility of completing it at once, divided by the time that this takes. A schedule is *feasible* if
//! each of its jobs, one after the other from now on, completes by its termination time.
//!
//! A decision looks at all ready jobs and fills a queue for each processor; the head of the queue runs there. The rest
//! of a queue is only what would follow if nothing happened. Decisions are pure: the same jobs give the same queues.
//! Densities are compared exactly, as fractions. Ties go to the lower job id. Abort handlers go before all jobs, the
//! densest first: jobs that want what they hold, and the next jobs of their tasks, wait for them. A schedule begins
//! after them.
//!
//! DASA, G-GUA and NG-GUA are for jobs that share resources: a job that waits for another one changes what that one is
//! worth. DASA takes each job with those that it waits for (`chains`), the others each with those that wait for it
//! (`trees`).

mod candidate;
mod chains;
mod dasa;
mod dasa_nd;
mod density;
mod g_gua;
mod g_np_hvdf;
mod gmua;
mod hvdf;
mod kind;
mod lbesa;
mod ng_gua;
mod policy;
mod queues;
mod trees;

pub use candidate::Candidate;
pub use dasa::{deadlocked, DASA};
pub use dasa_nd::DASA_ND;
pub use g_gua::G_GUA;
pub use g_np_hvdf::G_NP_HVDF;
pub use gmua::G_MUA;
pub use hvdf::HVDF;
pub use kind::{Decide, DecisionMemory, UtilityKind};
pub use lbesa::LBESA;
pub use ng_gua::NG_GUA;
pub(crate) use policy::UtilityAccrual;
pub use queues::Queues;
