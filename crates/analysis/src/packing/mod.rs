//! Can the processors hold the tasks at all, by some scheduler? Constructions that answer and say how.

pub mod affinities;
pub mod run;
