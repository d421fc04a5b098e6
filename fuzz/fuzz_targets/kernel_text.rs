//! Text of ftrace, `trace-cmd report`, `perf script` and systrace.

#![no_main]

use libfuzzer_sys::fuzz_target;
use schedlab_fuzz::kernel_trace;

fuzz_target!(|bytes: &[u8]| kernel_trace(bytes));
