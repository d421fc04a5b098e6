//! Whole runs by a scheduler in the kernel: `schedlab-rt run --backend scx`. In a virtual machine, by
//! `make test-kernel`: processors are emulated there, so no test measures a time.

#![cfg(feature = "kernel")]

mod ends;
mod refusals;
mod support;
mod whole;
