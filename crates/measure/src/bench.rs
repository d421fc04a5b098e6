//! What a measurement may use: the machine's processors, for as long as it lasts.

use crate::failure::NotMeasured;
use crate::machine::alone::alone_on;
use schedlab_runtime::program::workload::Burner;
use schedlab_runtime::{sys, Lease};
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

/// The machine, while it measures.
pub(crate) struct Bench {
    pub(crate) processors: Vec<usize>,
    pub(crate) burner: Burner,
    /// Set to stop.
    pub(crate) stop: Arc<AtomicBool>,
    _lease: Lease,
}

impl Bench {
    /// Has all processors that this process may use; or says why not.
    pub(crate) fn take(stop: &Arc<AtomicBool>) -> Result<Self, NotMeasured> {
        let processors = processors()?;
        let lease = alone_on(&processors)?;
        Ok(Bench { processors, burner: Burner::calibrate(), stop: Arc::clone(stop), _lease: lease })
    }

    /// How many processors there are.
    pub(crate) fn count(&self) -> u16 {
        u16::try_from(self.processors.len()).expect("a machine has at most 65,535 processors")
    }
}

/// Those that this process may use.
pub(crate) fn processors() -> Result<Vec<usize>, String> {
    sys::allowed_processors().map_err(|error| error.to_string())
}
