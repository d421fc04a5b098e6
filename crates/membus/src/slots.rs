//! The experiment of staggered-pfair-2005, section V-A: at each preemption a task exchanges its array for an uncached
//! one.

use crate::bus::{Arbitration, Bus};
use crate::error::MachineError;
use crate::machine::{check_processors, Begin, Machine, Stretch, END_OF_TIME};
use crate::program::{AccessOrder, AccessProgram, Kinds};
use crate::shape::Shape;

/// Processors that all execute slots of the same length, with another array in each slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slots {
    /// Number of processors.
    pub processors: usize,
    /// Number of slots of each processor.
    pub slots: usize,
    /// Length of the quantum in cycles.
    pub cycles: u64,
    /// True if quanta are staggered: those of each processor begin a `processors`th of a quantum after those of the one
    /// before. Otherwise they are aligned.
    pub is_staggered: bool,
    /// Shape of each cache.
    pub cache: Shape,
    /// The bus.
    pub bus: Bus,
    /// Number of cells of `cell_bytes` bytes in each array.
    pub cells: u64,
    /// Bytes of a cell.
    pub cell_bytes: u64,
    /// Seed if cells are written at random; `None` if they are written one after the other.
    pub random: Option<u64>,
    /// Cycles of computing between two writes.
    pub gap: u64,
}

impl Slots {
    /// Eight processors, arrays of the cache's size, each line written once a round. Parameters that the paper lacks
    /// are from machines of that time:
    ///
    /// * The bus of a Pentium Pro at 200 MHz has 66 MHz and eight bytes. So a line takes four transfers of three
    ///   cycles, and an upgrade a request of two bus clocks. The bus is split: it does other work while memory
    ///   searches.
    /// * A loop that writes has four more instructions: count, address, compare, branch.
    pub const OF_2005: Slots = Slots {
        processors: 8,
        slots: 3,
        cycles: 2_000_000,
        is_staggered: false,
        cache: Shape::OF_2005,
        bus: Bus {
            read_miss: 12,
            write_miss: 12,
            upgrade: 6,
            write_back: 12,
            arbitration: Arbitration::Fifo,
        },
        cells: 8192,
        cell_bytes: 32,
        random: None,
        gap: 4,
    };

    /// The cycle at which a slot begins on a processor.
    pub(crate) fn begin(&self, slot: usize, processor: usize) -> u64 {
        let share = u128::from(self.cycles) * processor as u128 / self.processors as u128;
        let offset = if self.is_staggered { share as u64 } else { 0 };
        slot as u64 * self.cycles + offset
    }

    /// Most slots of all processors together.
    const MOST: usize = 1 << 24;

    /// Refuses parameters of which no machine can be made.
    fn check(&self) -> Result<(), MachineError> {
        check_processors(self.processors)?;
        self.cache.check()?;
        let refuse = |what, allowed| Err(MachineError::Slots { what, allowed });
        let (slots, cycles) = (self.slots, self.cycles);
        if slots.checked_mul(self.processors).is_none_or(|all| all > Self::MOST) {
            let what = format!("{slots} slots on each of {} processors", self.processors);
            return refuse(what, "up to 2^24 on all together");
        }
        // The last slot of a staggered processor ends up to a quantum later.
        let end = cycles.checked_mul(slots as u64 + 1);
        if cycles == 0 || end.is_none_or(|end| end > END_OF_TIME) {
            return refuse(format!("{slots} slots of {cycles} cycles"), "from 1 cycle to 2^62 in all");
        }
        let bytes = self.cells.checked_mul(self.cell_bytes);
        if bytes.is_none_or(|bytes| bytes > AccessProgram::END_OF_MEMORY) {
            let what = format!("{} cells of {} bytes", self.cells, self.cell_bytes);
            return refuse(what, "addresses below 2^48");
        }
        Ok(())
    }

    /// Makes the machine. Its caches begin full of dirty lines. Refuses sums that exceed time or memory.
    pub fn machine(&self) -> Result<Machine, MachineError> {
        self.check()?;
        let mut programs = Vec::with_capacity(self.processors * self.slots);
        let mut processors = Vec::with_capacity(self.processors);
        // Arrays begin at multiples of the cache's size: an array of that size fills each place once.
        let room = (self.cells * self.cell_bytes).next_multiple_of(self.cache.bytes);
        for processor in 0..self.processors {
            let mut stretches = Vec::with_capacity(self.slots);
            for slot in 0..self.slots {
                let index = programs.len() as u64;
                let order = match self.random {
                    Some(seed) => AccessOrder::Random { seed: seed.wrapping_add(index) },
                    None => AccessOrder::Linear,
                };
                stretches.push(Stretch { begin: self.begin(slot, processor), program: Some(programs.len()) });
                programs.push(AccessProgram {
                    base: index.saturating_mul(room),
                    cells: self.cells,
                    cell_bytes: self.cell_bytes,
                    order,
                    kinds: Kinds::Writes,
                    gap: self.gap,
                });
            }
            processors.push(stretches);
        }
        Ok(Machine { cache: self.cache, bus: self.bus, begin: Begin::Dirty, programs, processors })
    }
}
