//! The integration tests of this crate as one program: they are linked once.

mod bad_input;
mod documentation;
mod examples;
mod interchange;
mod launch;
mod mutations;
mod objects;
mod random;
mod reading;
mod schemas;
mod written;
