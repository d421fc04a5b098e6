//! The bus: the time that a request takes, and the choice of the next one.

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
    /// Additional cycles for each dirty line that goes to memory first: the processor's own victim, and another cache's
    /// copy.
    pub write_back: u64,
    /// Choice of the next request.
    pub arbitration: Arbitration,
}

/// Choice among several requests that wait for the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arbitration {
    /// The oldest request goes first; among requests of one cycle, that of the lowest processor.
    Fifo,
    /// The request of the next processor after the one that was served last goes first.
    RoundRobin,
}

impl Bus {
    /// Upper limit of a duration on the bus, in cycles.
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
    /// Returns the processor that is served next among those that wait. `waiting` has each processor's index, rising,
    /// and the cycle since which it waits; `last` is the processor that was served last.
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
