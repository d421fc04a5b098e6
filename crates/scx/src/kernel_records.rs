//! The records of a scheduler that decides by itself, as the run reads them.

use crate::ring::Ring;
use crate::KernelRecord;

/// The records of a scheduler that decides by itself, which outlive it.
#[derive(Debug)]
pub struct KernelRecords(pub(crate) Ring);

impl KernelRecords {
    /// Appends all records that were written since the last call.
    pub fn read(&mut self, records: &mut Vec<KernelRecord>) {
        self.0.take(records);
    }
}
