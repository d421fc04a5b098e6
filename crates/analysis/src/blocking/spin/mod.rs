//! Bounds where a job that waits keeps its processor busy.

pub mod mrsp;
pub mod msrp_classic;
pub mod msrp_holistic;
pub mod rw_phase_fair;
pub mod rw_task_fair;
pub mod task_fair_mutex;
