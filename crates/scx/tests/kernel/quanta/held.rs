//! A thread that no scheduler can take its processor from: it executes a program in the kernel, with preemption off.

use libbpf_rs::libbpf_sys::{
    bpf_insn, bpf_prog_load, bpf_prog_test_run_opts, bpf_test_run_opts, BPF_PROG_TYPE_RAW_TRACEPOINT,
};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// The program: it returns once the monotonic clock shows at least its argument.
pub struct Held(OwnedFd);

/// An instruction; the fields are the kernel's.
fn instruction(code: u8, registers: u8, off: i16, imm: i32) -> bpf_insn {
    let bytes: [u8; 8] = {
        let (off, imm) = (off.to_ne_bytes(), imm.to_ne_bytes());
        [code, registers, off[0], off[1], imm[0], imm[1], imm[2], imm[3]]
    };
    // SAFETY: both are eight plain bytes.
    unsafe { std::mem::transmute(bytes) }
}

impl Held {
    /// Loads the program.
    pub fn new() -> Held {
        let program = [
            // r6 = the first word of the argument
            instruction(0x79, 0x16, 0, 0),
            // r0 = 0
            instruction(0xb7, 0x00, 0, 0),
            // Up to eight million times, or else leave:
            instruction(0xe5, 0x00, 2, 0),
            // r0 = bpf_ktime_get_ns()
            instruction(0x85, 0x00, 0, 5),
            // again if r0 < r6
            instruction(0xad, 0x60, -3, 0),
            // return r0
            instruction(0x95, 0x00, 0, 0),
        ];
        // SAFETY: all pointers outlive the call.
        let file = unsafe {
            bpf_prog_load(
                BPF_PROG_TYPE_RAW_TRACEPOINT,
                c"held".as_ptr(),
                c"Dual MIT/GPL".as_ptr(),
                program.as_ptr(),
                program.len() as u64,
                std::ptr::null_mut(),
            )
        };
        assert!(file >= 0, "the kernel takes the program: {file}");
        // SAFETY: the kernel has just opened it for this call.
        Held(unsafe { OwnedFd::from_raw_fd(file) })
    }

    /// Keeps the processor until the monotonic clock shows `end`, in ns. Returns when it showed that.
    pub fn until(&self, mut end: u64) -> u64 {
        let mut options = bpf_test_run_opts {
            sz: size_of::<bpf_test_run_opts>() as u64,
            ctx_in: (&raw mut end).cast(),
            ctx_size_in: size_of::<u64>() as u32,
            ..Default::default()
        };
        // SAFETY: the file is a program that takes one 64-bit word; the word and the options outlive the call.
        let failed = unsafe { bpf_prog_test_run_opts(self.0.as_raw_fd(), &raw mut options) };
        assert_eq!(failed, 0, "the kernel executes the program");
        // The kernel returns the low half of the time.
        let now = super::running::now();
        now - u64::from((now as u32).wrapping_sub(options.retval))
    }
}
