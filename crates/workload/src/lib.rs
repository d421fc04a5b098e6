//! Input of experiments: task sets and jobs drawn at random, and tasks placed on processors.
//!
//! The only crate of schedlab that holds randomness. Every draw comes from a seed that the caller names,
//! through a generator and a mathematical library that give the same bits on every machine. Task set `i`
//! of a seed depends on nothing but the seed, `i` and its specification, so it is the same whatever the
//! number of threads and the order in which sets are made; a task's jobs do not depend on other tasks.
//!
//! [`generate`] draws task sets, [`arrivals`] the jobs of a task set, [`placement`] assigns tasks to
//! processors, without randomness and in exact arithmetic.
//!
//! The test `first_steps` shows their use.

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

pub mod arrivals;
pub mod generate;
mod indexed;
mod load;
pub mod placement;
mod random;
mod ratio;
mod words;

pub use indexed::Indexed;
pub use load::Load;
pub use random::Random;
pub use ratio::Ratio;
pub use words::SpecError;
