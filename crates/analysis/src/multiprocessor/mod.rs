//! Are deadlines met on several processors?
//!
//! Tests of global scheduling assume tasks without jitter and self-suspension. They are applied to tasks whose cost
//! includes both (B. Brandenburg and J. Anderson, *Optimality results for multiprocessor real-time locking*, RTSS 2010,
//! call this suspension-oblivious). **Why that is sound** under preemptive global EDF and fixed priorities, where a
//! pending job of a task always goes before the task's later ones: say that a job *uses* an instant if it is among the
//! m most urgent pending jobs. A job that uses an instant executes, suspends itself or awaits its release, so no job
//! uses more than C + S + J. Hence "uses" is a schedule of the same arrivals in the same order with costs of at most
//! C + S + J. Fix one job; if it also executes while it uses nothing, let its cost in that schedule be one unit more
//! than what it used, which is still at most C + S + J: it then completes there no earlier than it really does.
//! Therefore what holds for all schedules with costs up to C + S + J holds for its response time from its arrival.

mod busy_interval;
mod carry_in;
mod falling;
mod rising;
mod tasks;

pub mod baker;
pub mod baruah;
pub mod bcl;
pub mod bcl_iterative;
pub mod bertogna_cirinei_edf;
pub mod bertogna_cirinei_fp;
pub mod combined;
pub mod dm_density;
pub mod ff_dbf;
pub mod gfb;
pub mod guan;
pub mod liu_anderson;
pub mod load;
pub mod load_approximation;
pub mod one_each;

pub use tasks::GlobalTask;

use crate::verdict::Test;

/// The tests of global scheduling.
pub(crate) const TESTS: &[&Test] = &[
    &gfb::TEST,
    &baker::TEST,
    &bcl::TEST,
    &bcl_iterative::TEST,
    &bertogna_cirinei_edf::TEST,
    &baruah::TEST,
    &liu_anderson::TEST,
    &ff_dbf::TEST,
    &load::TEST,
    &bertogna_cirinei_fp::NO_SLACK,
    &bertogna_cirinei_fp::TEST,
    &guan::TEST,
    &dm_density::TEST,
];
