//! The machine: processors, their caches and programs, one bus.

use crate::bus::Bus;
use crate::error::MachineError;
use crate::program::AccessProgram;
use crate::shape::Shape;

/// Everything on which a run depends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Shape of each processor's cache.
    pub cache: Shape,
    /// The bus.
    pub bus: Bus,
    /// Contents of the caches at the begin.
    pub begin: Begin,
    /// Programs that processors execute.
    pub programs: Vec<AccessProgram>,
    /// By processor: its stretches, by rising cycles. Before the first, the processor is idle.
    pub processors: Vec<Vec<Stretch>>,
}

/// Contents of the caches at the begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// Dirty lines that no program uses, in every place: the worst case after a preemption.
    Dirty,
    /// No lines.
    Empty,
}

/// A program that a processor executes from a cycle on, until the next stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// First cycle of the stretch.
    pub begin: u64,
    /// Index of the program; `None` if the processor is idle.
    pub program: Option<usize>,
}

/// Cycle before which a run ends.
pub(crate) const END_OF_TIME: u64 = 1 << 62;

/// Most processors on the bus.
const MOST_PROCESSORS: usize = 1 << 12;

/// Most lines of all caches; this many take some 800 MiB here.
const MOST_LINES: u64 = 1 << 25;

/// Refuses a number of processors that is zero or too large.
pub(crate) fn check_processors(number: usize) -> Result<(), MachineError> {
    match (1..=MOST_PROCESSORS).contains(&number) {
        true => Ok(()),
        false => Err(MachineError::Processors(number)),
    }
}

impl Machine {
    /// Refuses a machine that cannot be run.
    pub(crate) fn check(&self) -> Result<(), MachineError> {
        check_processors(self.processors.len())?;
        self.cache.check()?;
        let lines = self.cache.lines() * self.processors.len() as u64;
        if lines > MOST_LINES {
            return Err(MachineError::Lines(lines));
        }
        self.bus.check()?;
        for (index, program) in self.programs.iter().enumerate() {
            program.check(index, self.cache.line_bytes)?;
        }
        for (processor, stretches) in self.processors.iter().enumerate() {
            self.check_stretches(processor, stretches)?;
        }
        self.check_one_place()
    }

    fn check_stretches(&self, processor: usize, stretches: &[Stretch]) -> Result<(), MachineError> {
        let mut after = 0;
        for (stretch, one) in stretches.iter().enumerate() {
            let refuse = |what, allowed| Err(MachineError::Stretch { processor, stretch, what, allowed });
            if one.begin < after {
                return refuse(format!("it begins at cycle {}", one.begin), "rising cycles");
            }
            if one.begin >= END_OF_TIME {
                return refuse(format!("it begins at cycle {}", one.begin), "cycles below 2^62");
            }
            after = one.begin + 1;
            if let Some(program) = one.program.filter(|program| *program >= self.programs.len()) {
                return refuse(format!("it executes program {program}"), "a program of the machine");
            }
        }
        Ok(())
    }

    /// Checks that a program is on one processor at a time, because it is one thread.
    fn check_one_place(&self) -> Result<(), MachineError> {
        let mut pieces = Vec::new();
        for (processor, stretches) in self.processors.iter().enumerate() {
            for (stretch, one) in stretches.iter().enumerate() {
                let end = stretches.get(stretch + 1).map_or(u64::MAX, |next| next.begin);
                pieces.extend(one.program.map(|program| (program, one.begin, end, processor, stretch)));
            }
        }
        pieces.sort_unstable();
        for pair in pieces.windows(2) {
            let [(first, _, end, ..), (second, begin, _, processor, stretch)] = pair else { continue };
            if first == second && begin < end {
                let what = format!("another processor executes program {first} at cycle {begin}");
                let (processor, stretch) = (*processor, *stretch);
                return Err(MachineError::Stretch {
                    processor,
                    stretch,
                    what,
                    allowed: "a program on one processor at a time",
                });
            }
        }
        Ok(())
    }
}
