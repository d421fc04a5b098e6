//! The integration tests of this crate as one program: they are linked once.

mod header;
mod programs;
