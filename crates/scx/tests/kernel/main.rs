//! Tests that load the scheduler into the kernel: in a virtual machine, by `make test-kernel`. Processors are emulated
//! there, so no test measures a time; limits are for what would never end.

#![cfg(feature = "kernel")]

mod clustered;
mod faults;
mod links;
mod loads;
mod machine;
mod quanta;
mod support;
