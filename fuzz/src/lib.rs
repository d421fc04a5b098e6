//! What several targets demand of what they have read.

use schedlab_scenario::interchange::{Format, Ignored};
use schedlab_scenario::{Errors, Scenario};

/// Scenarios in these tests name no other files.
pub fn no_files(_: &str) -> Result<Vec<u8>, String> {
    Err("no files here".to_owned())
}

/// What reads as a scenario writes itself and reads back as the same.
pub fn writes_itself(read: Result<Scenario, Errors>) {
    if let Ok(scenario) = read {
        assert_eq!(Scenario::parse("canonical.toml", &scenario.to_toml()), Ok(scenario));
    }
}

/// Another tool's task set: read, perhaps, and then as good as a scenario; in that tool's words it reads back as
/// itself, if it can be written.
pub fn task_set(format: Format, bytes: &[u8]) {
    let Ok(read) = format.read("fuzz", bytes.to_vec(), &Ignored::everything()) else { return };
    if let Ok(written) = format.write(&read.value) {
        assert!(format.read("written", written.value.into_bytes(), &Ignored::default()).is_ok(), "what was written does not read");
    }
    writes_itself(Ok(read.value));
}
