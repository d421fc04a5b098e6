//! What several targets demand of what they have read.

use schedlab_scenario::interchange::{Format, Ignored};
use schedlab_lab::context_of;
use schedlab_report::invariants::check;
use schedlab_scenario::{Errors, Scenario};
use schedlab_trace::Timeline;
use schedlab_tracepoints::{read_bytes, Examined};

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

/// A kernel trace: whatever is read becomes a scenario that reads back, and a trace that keeps what holds of every
/// trace.
pub fn kernel_trace(bytes: &[u8]) {
    let Ok(recording) = read_bytes(bytes, None) else { return };
    let examined = Examined::of(recording);
    let concluded = examined.concluded("fuzz");
    if let Some(scenario) = concluded.scenario {
        assert_eq!(Scenario::parse("seen.toml", &scenario.to_toml()), Ok(scenario));
    }
    let Some(tasks) = examined.tasks("fuzz") else { return };
    let (_, context) = context_of(&examined.header(&tasks, "fuzz")).expect("its header was just made");
    let mut timeline = Timeline::default();
    examined.play(&tasks, &mut timeline);
    let found = check(&context, timeline.records);
    assert!(found.holds(), "{found:?}");
}
