//! Measures the costs of a machine: `schedlab-rt measure`, all of them or one thing at a time.
//!
//! | folder | question |
//! |---|---|
//! | `values` | what is kept of the values of one thing? |
//! | `machine` | which machine is it, and may threads have it? |
//! | `costs` | what do the kernel and the caches cost? |
//! | `runs` | what does the runtime cost in a run? |
//! | `one` | what is one thing, under conditions of one's own? Every value of it, as JSON |
//! | `whole` | what is all of it? An overheads file |
//!
//! Each of them needs only those above it.

#![forbid(unsafe_code)]
#![warn(clippy::wildcard_enum_match_arm)]
#![warn(unreachable_pub)]

mod bench;
mod costs;
mod dispatch;
mod doctor;
mod failure;
mod machine;
mod one;
mod runs;
mod values;
mod whole;

pub use dispatch::Dispatch;
pub use doctor::{doctor, Doctor};
pub use failure::NotMeasured;
pub use one::{one, One};
pub use whole::{whole, Whole};
