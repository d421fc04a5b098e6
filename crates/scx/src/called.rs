//! Programs in the kernel that the run calls.

use crate::adopted::duplicate;
use crate::object::program;
use crate::LoadRefusal;
use libbpf_rs::Object;
use std::os::fd::{AsRawFd, OwnedFd};

/// A program in the kernel that this process calls, by a file of its own.
#[derive(Debug)]
pub(crate) struct Called(OwnedFd);

impl Called {
    /// The program of this name of `object`.
    pub(crate) fn of(object: &Object, name: &str) -> Result<Self, LoadRefusal> {
        duplicate(program(object, name)).map(Called)
    }

    /// Executes the program with this argument; it must succeed. Neither waits nor allocates.
    pub(crate) fn call(&self, mut argument: u64) {
        use libbpf_rs::libbpf_sys::{bpf_prog_test_run_opts, bpf_test_run_opts};
        let mut options = bpf_test_run_opts {
            sz: size_of::<bpf_test_run_opts>() as u64,
            ctx_in: (&raw mut argument).cast(),
            ctx_size_in: size_of::<u64>() as u32,
            ..Default::default()
        };
        // SAFETY: the file is a program that takes one 64-bit word; the word and the options outlive the call.
        let failed = unsafe { bpf_prog_test_run_opts(self.0.as_raw_fd(), &raw mut options) };
        assert!(failed == 0 && options.retval == 0, "the kernel does it: {failed}, {}", options.retval);
    }
}
