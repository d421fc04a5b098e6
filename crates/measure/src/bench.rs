//! Resources of a measurement: the machine's processors, for as long as it lasts.

use crate::failure::NotMeasured;
use crate::machine::alone::alone_on;
use schedlab_runtime::program::workload::Burner;
use schedlab_runtime::{sys, Lease};
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

/// The machine, reserved for a measurement.
pub(crate) struct Bench {
    pub(crate) processors: Vec<usize>,
    pub(crate) burner: Burner,
    /// Flag that stops the measurement.
    pub(crate) stop: Arc<AtomicBool>,
    _lease: Lease,
}

impl Bench {
    /// Reserves all processors that this process may use; or returns why it cannot.
    pub(crate) fn take(stop: &Arc<AtomicBool>) -> Result<Self, NotMeasured> {
        let processors = processors()?;
        let lease = alone_on(&processors)?;
        Ok(Bench { processors, burner: Burner::calibrate(), stop: Arc::clone(stop), _lease: lease })
    }

    /// Returns the number of processors.
    pub(crate) fn count(&self) -> u16 {
        u16::try_from(self.processors.len()).expect("a machine has at most 65,535 processors")
    }
}

/// Returns the processors that this process may use.
pub(crate) fn processors() -> Result<Vec<usize>, String> {
    sys::allowed_processors().map_err(|error| error.to_string())
}
