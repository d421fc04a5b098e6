//! Whole runs by a scheduler in the kernel: `schedlab-rt run --backend scx`, and `scx-native`. In a virtual machine, by
//! `make test-kernel`: processors are emulated there, so no test measures a time.

#![cfg(feature = "kernel")]
#![allow(clippy::disallowed_methods, clippy::disallowed_types)] // tests of real runs wait by real clocks

mod drawn;
mod ends;
#[path = "../../../scx/tests/kernel/machine.rs"]
mod machine;
mod misbehaving;
mod native;
mod quanta;
mod refusals;
mod support;
mod whole;
