//! The integration tests of this crate as one program: they are linked once.

mod deadlock;
mod files;
mod invariants;
mod lines;
mod metrics;
mod nonsense;
mod perfetto;
mod schedule;
mod seek;
mod simulated;
mod support;
mod why;
mod why_throttled;
mod why_utility;
