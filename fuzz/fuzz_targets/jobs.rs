//! Job sets of the schedule-abstraction tools, as tables and as YAML; what is read writes and reads back as the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use schedlab_scenario::interchange::sag::Form;

fuzz_target!(|bytes: &[u8]| {
    for form in [Form::Csv, Form::Yaml] {
        if let Ok(jobs) = form.read("fuzz", bytes.to_vec()) {
            assert_eq!(form.read("written", form.write(&jobs).into_bytes()), Ok(jobs));
        }
    }
});
