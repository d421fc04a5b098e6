//! The integration tests of this crate as one program: they are linked once.

mod generator_statistics;
mod golden_partition;
