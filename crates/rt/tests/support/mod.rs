//! What tests of real runs share.

#![allow(dead_code, reason = "not every test uses all of it")]

pub mod binary;
#[path = "../../../runtime/tests/support/skipped.rs"]
pub mod skipped;

use schedlab_lab::context_of;
use schedlab_model::Duration;
use schedlab_report::files::TraceFile;
use schedlab_report::invariants::check;
use schedlab_report::Context;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One at a time has the processors, as real runs do.
static TURN: Mutex<()> = Mutex::new(());

/// Waits until no other test of this program runs something for real.
pub fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[expect(clippy::disallowed_methods, reason = "a user waits, too")]
pub fn pause(length: std::time::Duration) {
    std::thread::sleep(length);
}

/// Waits until the jobs of the run of `child` have executed for a while, at most a minute: a busy machine may take long
/// to begin. Returns at once if the run was refused.
pub fn let_it_run(child: &mut Child) {
    for _ in 0..600 {
        if child.try_wait().unwrap().is_some() || real_time_ticks(child.id()) >= 40 {
            return;
        }
        pause(std::time::Duration::from_millis(100));
    }
}

/// How long the process's threads of a real-time policy have executed, in hundredths of a second: fields 14, 15 and 41
/// of their status. The kernel's ticks tell its own time from the thread's: where the period keeps in step with them,
/// all may count as the kernel's.
fn real_time_ticks(process: u32) -> u64 {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{process}/task")) else { return 0 };
    let stats = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("stat")).ok());
    let ticks = |stat: String| {
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let is_real_time = matches!(fields.get(38)?.parse(), Ok(1 | 2 | 6));
        let own = |index: usize| fields.get(index)?.parse::<u64>().ok();
        is_real_time.then(|| Some(own(11)? + own(12)?)).flatten()
    };
    stats.filter_map(ticks).sum()
}

fn beside(trace: &Path, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}{ending}", trace.display()))
}

/// What was kept of a killed run whose trace would have been `trace`: whole records, without an end, that keep every
/// invariant. It is there if the run `surely` had begun; a run that was killed earlier may have had nothing to keep.
pub fn look_at_what_was_kept(trace: &Path, surely: bool) {
    let part = beside(trace, ".part");
    // The keeper has as long as a user has.
    for _ in 0..100 {
        if part.exists() {
            break;
        }
        if !surely && !beside(trace, ".part.unfinished").exists() {
            return;
        }
        pause(std::time::Duration::from_millis(20));
    }
    assert!(!trace.exists() && !beside(trace, ".unfinished").exists(), "half a trace is left");
    let mut file = TraceFile::open(File::open(&part).expect("what happened was kept")).unwrap();
    let header = file.header().clone();
    assert!(header.get("partial").is_some(), "it is not taken for a whole trace");
    let context = Context { tolerance: Duration::ZERO, ..context_of(&header).unwrap().1 };
    let records: Vec<_> = file.by_ref().map(|record| record.expect("all records are whole")).collect();
    assert!(!surely || records.len() > 100, "{}", records.len());
    let verdict = check(&context, records);
    assert!(verdict.holds() && !verdict.ended, "{:?}", verdict.outcomes);
}
