//! Scenarios of few tasks, prepared: what is read can be placed, or is refused with a reason.

#![no_main]

use libfuzzer_sys::fuzz_target;
use schedlab_fuzz::no_files;
use schedlab_lab::Prepared;
use schedlab_scenario::Scenario;

/// More cost only time.
const MOST_TASKS: usize = 12;

fuzz_target!(|bytes: &[u8]| {
    match Scenario::parse_with("fuzz.toml", bytes.to_vec(), &no_files) {
        Ok(scenario) if scenario.tasks.len() <= MOST_TASKS => {
            if let Err(refused) = Prepared::new(&scenario) {
                assert!(!refused.to_string().is_empty());
            }
        }
        _ => {}
    }
});
