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

mod candidate;
pub(crate) mod dasa;
pub(crate) mod dasa_nd;
mod density;
pub(crate) mod g_gua;
pub(crate) mod g_np_hvdf;
pub(crate) mod gmua;
pub(crate) mod hvdf;
mod kind;
pub(crate) mod lbesa;
mod links;
pub(crate) mod ng_gua;
mod policy;
mod queues;

pub use candidate::Candidate;
pub use dasa::Dasa;
pub use dasa_nd::DasaNd;
pub use g_gua::GGua;
pub use g_np_hvdf::GNpHvdf;
pub use gmua::GMua;
pub use hvdf::Hvdf;
pub use kind::UtilityKind;
pub use lbesa::Lbesa;
pub use ng_gua::NgGua;
pub(crate) use policy::UtilityAccrual;
pub use queues::Queues;

use schedlab_model::Instant;

/// One decision of a utility-accrual algorithm.
pub trait Algorithm: Send {
    /// Fills `queues`, which are empty, with indices of `jobs`: all that are ready, in any order. Each job is in at
    /// most one queue, and once. A queue begins where its processor is [free](Queues::occupy).
    ///
    /// Allocates nothing if there are no more jobs than the algorithm and the queues were made for.
    fn decide(&mut self, now: Instant, jobs: &[Candidate], queues: &mut Queues);

    /// The job to give up because it and others wait for each other in a circle. There is a decision after that.
    fn deadlocked(&self, _jobs: &[Candidate]) -> Option<u32> {
        None
    }
}
