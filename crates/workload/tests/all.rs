//! The integration tests of this crate as one program: they are linked once.

mod first_steps;
mod generator_statistics;
mod golden_partition;
