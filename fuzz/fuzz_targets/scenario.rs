//! Any bytes: no panic, and what reads as a scenario writes and reads back as the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use schedlab_scenario::interchange::csv::Unit;
use schedlab_scenario::interchange::sag::Form;
use schedlab_scenario::interchange::schedcat_overheads::read_all;
use schedlab_scenario::interchange::Format;
use schedlab_scenario::{OverheadProfile, Scenario};

fuzz_target!(|bytes: &[u8]| {
    let no_files = |_: &str| Err("no files here".to_owned());
    if let Ok(scenario) = Scenario::parse_with("fuzz.toml", bytes.to_vec(), &no_files) {
        assert_eq!(Scenario::parse("canonical.toml", &scenario.to_toml()), Ok(scenario));
    }
    let _ = OverheadProfile::parse_with("fuzz.toml", bytes.to_vec(), &no_files);
    for format in [Format::SchedCat, Format::SimSo, Format::RtApp, Format::Csv(Unit::Written)] {
        let _ = format.read("fuzz", bytes.to_vec());
    }
    for form in [Form::Csv, Form::Yaml] {
        if let Ok(jobs) = form.read("fuzz", bytes.to_vec()) {
            assert_eq!(form.read("written", form.write(&jobs).into_bytes()), Ok(jobs));
        }
    }
    let _ = read_all([("fuzz", bytes.to_vec())]);
});
