//! Records of what happened: the narrow waist of schedlab.
//!
//! Every producer (simulator, threads on Linux, a kernel scheduler) writes these records; every metric, invariant,
//! picture and export reads only them. The vocabulary is fixed; readers skip unknown kinds. This crate turns records
//! into bytes and back and knows no file, clock or thread.

#![no_std]
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

extern crate alloc;

mod backend;
mod decode;
mod encode;
mod header;
mod kinds;
mod part;
mod record;
mod run;
mod sink;
mod varint;

pub use backend::Backend;
pub use decode::{DecodeError, Decoder};
pub use encode::Encoder;
pub use header::{Header, HeaderError};
pub use record::{Life, Record, SuspendReason};
pub use run::{RunRecord, Thread};
pub use sink::{NoTrace, Sink, Timeline};
