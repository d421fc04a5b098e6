//! Many task sets on all processors.
//!
//! [`each`] is the engine: it hands out numbered pieces of work to threads, each with memory of its own that serves one
//! piece after the other, and every result has its place before the work begins, so that nothing depends on the number
//! of threads or their speed. [`table_of_sets`] asks questions of random sets and gives Arrow columns; [`advise`]
//! judges all ways to schedule one scenario; [`simulate_all`] simulates many scenarios.

#![forbid(unsafe_code)]
#![warn(clippy::wildcard_enum_match_arm)]
#![warn(unreachable_pub)]

mod advice;
mod each;
mod simulation_row;
mod simulations;
mod table;

pub use advice::{advise, advise_linux};
pub use each::{each, Control, Failure};
pub use simulation_row::SimulationRow;
pub use simulations::{simulate_all, Simulated};
pub use table::table_of_sets;
