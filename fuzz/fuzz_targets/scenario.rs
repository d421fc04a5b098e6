//! Scenario files.

#![no_main]

use libfuzzer_sys::fuzz_target;
use schedlab_fuzz::{no_files, writes_itself};
use schedlab_scenario::Scenario;

fuzz_target!(|bytes: &[u8]| writes_itself(Scenario::parse_with("fuzz.toml", bytes.to_vec(), &no_files)));
