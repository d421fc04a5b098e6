//! Signals that ask a command to end.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

/// Returns a flag that is set once one of these signals came.
pub fn stopped_by_signals() -> Result<Arc<AtomicBool>, String> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register(signal, Arc::clone(&stop)).map_err(|error| format!("catching signals: {error}"))?;
    }
    Ok(stop)
}
