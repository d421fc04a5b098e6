//! The machine: processors, their caches and programs, one bus.

use crate::bus::Bus;
use crate::error::MachineError;
use crate::program::AccessProgram;
use crate::shape::Shape;

/// All that a run depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Each processor's cache.
    pub cache: Shape,
    /// The bus.
    pub bus: Bus,
    /// What caches hold in the beginning.
    pub begin: Begin,
    /// What processors execute.
    pub programs: Vec<AccessProgram>,
    /// By processor: which program it executes from which cycle on, by rising cycles. Idle before the first.
    pub processors: Vec<Vec<Stretch>>,
}

/// What caches hold in the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// Dirty lines that no program uses, in every place: the worst case after a preemption.
    Dirty,
    /// Nothing.
    Empty,
}

/// From here on until the next one, a processor executes a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The first cycle.
    pub begin: u64,
    /// The index of the program; none while idle.
    pub program: Option<usize>,
}

/// A run ends before this cycle.
pub(crate) const END_OF_TIME: u64 = 1 << 62;

/// More processors than one bus ever had.
const MOST_PROCESSORS: usize = 1 << 12;

/// So many lines in all caches take some 800 MiB here.
const MOST_LINES: u64 = 1 << 25;

/// Refuses what is no number of processors.
pub(crate) fn check_processors(number: usize) -> Result<(), MachineError> {
    match (1..=MOST_PROCESSORS).contains(&number) {
        true => Ok(()),
        false => Err(MachineError::Processors(number)),
    }
}

impl Machine {
    /// Refuses what cannot be run.
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

    /// A program is on one processor at a time: it is one thread.
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
