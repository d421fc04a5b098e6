//! Access programs: the order in which a task touches the cells of its array.

use crate::error::MachineError;
use schedlab_workload::Indexed;

/// Access program of a task: endless accesses to an array, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessProgram {
    /// Address of the array.
    pub base: u64,
    /// Number of cells of the array.
    pub cells: u64,
    /// Bytes from one cell to the next; at most a line.
    pub cell_bytes: u64,
    /// Order in which cells are touched.
    pub order: AccessOrder,
    /// Accesses that write.
    pub kinds: Kinds,
    /// Cycles of computing between two accesses.
    pub gap: u64,
}

/// The order of accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessOrder {
    /// Cell after cell, and again from the first.
    Linear,
    /// Any cell, each as likely as the others. Draws with the same seed are the same.
    Random {
        /// The seed.
        seed: u64,
    },
}

/// Accesses that write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kinds {
    /// All accesses write.
    Writes,
    /// No access writes.
    Reads,
    /// The first of every given number of accesses writes.
    WriteEvery(u64),
}

impl AccessProgram {
    /// Most cycles between two accesses.
    pub const MOST_GAP: u64 = 1 << 32;

    /// Address before which arrays end.
    pub const END_OF_MEMORY: u64 = 1 << 48;

    /// Returns the address of access `index`.
    pub fn address(&self, index: u64) -> u64 {
        let cell = match self.order {
            AccessOrder::Linear => index % self.cells,
            AccessOrder::Random { seed } => Indexed::new(seed, *b"Mem cell").below(index, self.cells),
        };
        self.base + cell * self.cell_bytes
    }

    /// True if access `index` writes.
    pub fn is_write(&self, index: u64) -> bool {
        match self.kinds {
            Kinds::Writes => true,
            Kinds::Reads => false,
            Kinds::WriteEvery(number) => index % number == 0,
        }
    }

    /// True if some access writes.
    pub(crate) fn writes(&self) -> bool {
        match self.kinds {
            Kinds::Writes | Kinds::WriteEvery(_) => true,
            Kinds::Reads => false,
        }
    }

    /// The numbers of the array's first and last line. As a cell is no longer than a line, it covers all between them.
    pub(crate) fn lines(&self, line_bytes: u64) -> (u64, u64) {
        let last = self.base + (self.cells - 1) * self.cell_bytes;
        (self.base / line_bytes, last / line_bytes)
    }

    pub(crate) fn check(&self, program: usize, line_bytes: u64) -> Result<(), MachineError> {
        let refuse = |what, allowed| Err(MachineError::AccessProgram { program, what, allowed });
        if self.cells == 0 {
            return refuse("an array of 0 cells".to_owned(), "at least 1");
        }
        if self.cell_bytes == 0 || self.cell_bytes > line_bytes {
            let what = format!("cells of {} bytes, lines of {line_bytes}", self.cell_bytes);
            return refuse(what, "from 1 byte to a line");
        }
        let end = self.cells.checked_mul(self.cell_bytes).and_then(|bytes| bytes.checked_add(self.base));
        if end.is_none_or(|end| end > Self::END_OF_MEMORY) {
            let what = format!("{} cells of {} bytes from {}", self.cells, self.cell_bytes, self.base);
            return refuse(what, "addresses below 2^48");
        }
        if self.gap > Self::MOST_GAP {
            return refuse(format!("{} cycles between accesses", self.gap), "0 to 2^32");
        }
        if self.kinds == Kinds::WriteEvery(0) {
            return refuse("a write every 0 accesses".to_owned(), "every 1 or more");
        }
        Ok(())
    }

    /// Returns a line with which the cache of `processor` is filled at the begin: above all addresses, and in no other
    /// cache.
    pub(crate) fn line_before(processor: usize, place: u64) -> u64 {
        // Caches have at most 2^32 lines, and sets count by a power of two: the place keeps its set.
        Self::END_OF_MEMORY + ((processor as u64 + 1) << 33) + place
    }
}
