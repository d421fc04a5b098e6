//! The virtual machine that tests are in, and the scheduler of its kernel. The tests of whole runs in `rt` use this,
//! too.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// One test at a time: the kernel takes one scheduler.
static ONLY: Mutex<()> = Mutex::new(());

/// Waits until no other test has a scheduler in the kernel.
pub fn alone() -> MutexGuard<'static, ()> {
    let guard = ONLY.lock().unwrap_or_else(PoisonError::into_inner);
    assert!(until(5_000, || state() == "disabled"), "a scheduler of an earlier test is still there");
    guard
}

/// The kernel's state of sched_ext, such as "enabled".
pub fn state() -> String {
    std::fs::read_to_string("/sys/kernel/sched_ext/state")
        .expect("the kernel has sched_ext")
        .trim()
        .to_owned()
}

/// True if one thread of the host emulates all processors, so that none stands still while time goes on.
pub fn is_counted() -> bool {
    std::env::var("SCHEDLAB_VM_MODE").is_ok_and(|mode| mode == "counted")
}

/// A limit in ms for what happens within this time. Where the host may keep emulated processors waiting, it is only for
/// what would never happen.
pub fn limit(ms: u64) -> u64 {
    if is_counted() {
        ms
    } else {
        ms.max(20_000)
    }
}

/// Waits up to `limit_ms` for something to become true.
pub fn until(limit_ms: u64, mut holds: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + Duration::from_millis(limit_ms);
    loop {
        if holds() {
            return true;
        }
        if Instant::now() > end {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
