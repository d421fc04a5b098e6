//! Can the processors hold the tasks at all, by some scheduler? The constructions here answer, and give the schedule's
//! shares.

pub mod affinities;
pub mod run;
