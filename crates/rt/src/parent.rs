//! The process that started this one: without it no process waits for what is measured, or could stop it.

use schedlab_runtime::{sys, Refusal, STACK};
use std::os::unix::process::parent_id;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::Arc;

/// Interval at which a child looks for its parent, in ns.
const LOOK: u64 = 100_000_000;

/// Sets `stop` once the process that started this one is gone, if that is `wanted`.
pub fn stop_with(stop: &Arc<AtomicBool>, wanted: bool) -> Result<(), Refusal> {
    if !wanted {
        return Ok(());
    }
    let (stop, parent) = (Arc::clone(stop), parent_id());
    // It ends with the process.
    let look = move || {
        while parent_id() == parent {
            sys::sleep_until(sys::monotonic_ns() + LOOK);
        }
        stop.store(true, SeqCst);
    };
    schedlab_runtime::spawn("parent".to_owned(), STACK, look).map(drop)
}
