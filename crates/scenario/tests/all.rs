//! The integration tests of this crate as one program: they are linked once.

mod bad_input;
mod cases;
mod documentation;
mod examples;
mod interchange;
mod launch;
mod launch_threads;
mod mutations;
mod no_silent_loss;
mod objects;
mod random;
mod reading;
mod refused;
mod rt_app;
mod schemas;
mod what_if;
mod written;
