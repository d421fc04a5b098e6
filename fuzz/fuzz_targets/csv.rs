//! Tables of tasks.

#![no_main]

use libfuzzer_sys::fuzz_target;
use schedlab_fuzz::task_set;
use schedlab_scenario::interchange::Format;

fuzz_target!(|bytes: &[u8]| task_set(Format::Csv, bytes));
