//! The bus: what a request takes, and which one is next.

use crate::error::MachineError;

/// The one bus. It serves one request at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bus {
    /// Cycles to load a line that is read.
    pub read_miss: u64,
    /// Cycles to load a line that is written, and to take it from other caches.
    pub write_miss: u64,
    /// Cycles to take a line from other caches that share it.
    pub upgrade: u64,
    /// Cycles more for each dirty line that goes to memory first: the own victim, and another cache's copy.
    pub write_back: u64,
    /// Which request is next.
    pub arbitration: Arbitration,
}

/// Which of several requests the bus takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arbitration {
    /// The oldest one; of one cycle, that of the lowest processor.
    Fifo,
    /// That of the next processor after the one that was served last.
    RoundRobin,
}

impl Bus {
    /// More cycles than anything takes.
    pub const MOST_CYCLES: u64 = 1 << 20;

    pub(crate) fn check(&self) -> Result<(), MachineError> {
        let least_one = "1 to 2^20";
        for (what, cycles) in
            [("read miss", self.read_miss), ("write miss", self.write_miss), ("upgrade", self.upgrade)]
        {
            if !(1..=Self::MOST_CYCLES).contains(&cycles) {
                return Err(MachineError::Cycles { what, cycles, allowed: least_one });
            }
        }
        if self.write_back > Self::MOST_CYCLES {
            let (what, cycles) = ("write-back", self.write_back);
            return Err(MachineError::Cycles { what, cycles, allowed: "0 to 2^20" });
        }
        Ok(())
    }
}

impl Arbitration {
    /// The processor that is served next of those that wait. `waiting` has each processor's index, rising, and the
    /// cycle since which it waits; `last` is the processor that was served last.
    pub(crate) fn next(
        self,
        waiting: impl Iterator<Item = (usize, u64)>,
        last: Option<usize>,
    ) -> Option<usize> {
        match self {
            Arbitration::Fifo => waiting.min_by_key(|(index, since)| (*since, *index)),
            Arbitration::RoundRobin => {
                waiting.min_by_key(|(index, _)| (last.is_some_and(|last| *index <= last), *index))
            }
        }
        .map(|(index, _)| index)
    }
}
