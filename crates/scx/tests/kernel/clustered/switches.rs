//! The kernel's own context switches, by its tracing file system: a witness that knows nothing of the scheduler.

use std::fs;
use std::path::Path;

const TRACING: &str = "/sys/kernel/tracing";

/// A context switch of one processor.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// By the monotonic clock, in ns; the kernel prints microseconds.
    pub at: u64,
    pub processor: u32,
    /// The thread that executes from now on; 0 if none does.
    pub to: i32,
}

/// Listens to context switches as long as this value is there.
pub struct SwitchTrace;

fn write(file: &str, text: &str) {
    let path = Path::new(TRACING).join(file);
    fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

impl SwitchTrace {
    pub fn begin() -> SwitchTrace {
        write("trace_clock", "mono");
        write("buffer_size_kb", "4096");
        write("trace", "");
        write("events/sched/sched_switch/enable", "1");
        SwitchTrace
    }

    /// All switches since the begin, by time.
    pub fn end(self) -> Vec<Switch> {
        write("events/sched/sched_switch/enable", "0");
        let text = fs::read_to_string(Path::new(TRACING).join("trace")).expect("it can be read");
        assert!(!text.contains("LOST"), "the kernel's buffer is large enough");
        let mut switches: Vec<Switch> = text.lines().filter_map(Switch::of).collect();
        switches.sort_by_key(|switch| switch.at);
        switches
    }
}

impl Drop for SwitchTrace {
    fn drop(&mut self) {
        let _ = fs::write(Path::new(TRACING).join("events/sched/sched_switch/enable"), "0");
    }
}

impl Switch {
    /// Reads a line such as `  x-12   [001] d..2.  10.123456: sched_switch: ... ==> next_comm=y next_pid=13
    /// next_prio=120`.
    fn of(line: &str) -> Option<Switch> {
        let (before, after) = line.split_once(": sched_switch:")?;
        let (before, seconds) = before.rsplit_once(' ')?;
        let (whole, micros) = seconds.split_once('.')?;
        let at = whole.parse::<u64>().ok()? * 1_000_000_000 + micros.parse::<u64>().ok()? * 1_000;
        let processor = before.rsplit_once('[')?.1.split_once(']')?.0.parse().ok()?;
        let to = after.rsplit_once("next_pid=")?.1.split(' ').next()?.parse().ok()?;
        Some(Switch { at, processor, to })
    }
}
