//! Overheads: schedlab's own file, and the tables of SchedCAT.

#![no_main]

use libfuzzer_sys::fuzz_target;
use schedlab_fuzz::no_files;
use schedlab_scenario::interchange::schedcat_overheads::read_all;
use schedlab_scenario::interchange::Ignored;
use schedlab_scenario::OverheadProfile;

fuzz_target!(|bytes: &[u8]| {
    let _ = OverheadProfile::parse_with("fuzz.toml", bytes.to_vec(), &no_files);
    let _ = read_all([("fuzz", bytes.to_vec())], &Ignored::everything());
});
