//! Access programs of tasks, from their workloads and working sets.

use crate::error::Problem;
use crate::fault::{Fault, Part};
use crate::scenario::{Scenario, TaskSpec};
use crate::workload::Workload;
use schedlab_membus::{AccessOrder, AccessProgram, Kinds};

/// Bytes of a page; arrays begin at pages.
const PAGE: u64 = 4096;

/// Bytes of an element of BACKTEST's array, a long.
const ELEMENT: u64 = 8;

impl Scenario {
    /// Returns each task's access program, from its workload and its working set. Arrays lie one after the other. A
    /// task that lacks either is a fault.
    pub(crate) fn programs_or_faults(&self) -> Result<Vec<AccessProgram>, Vec<Fault>> {
        let mut base = 0;
        let mut programs = Vec::with_capacity(self.tasks.len());
        let mut faults = Vec::new();
        for (index, task) in self.tasks.iter().enumerate() {
            match self.program(task, index, base) {
                Ok(program) => programs.push(program),
                Err(fault) => faults.push(fault),
            }
            base += task.working_set.next_multiple_of(PAGE);
        }
        if faults.is_empty() {
            Ok(programs)
        } else {
            Err(faults)
        }
    }

    fn program(&self, task: &TaskSpec, index: usize, base: u64) -> Result<AccessProgram, Fault> {
        let fault = |field, sentence: String, allowed: &str| {
            Err(Fault { part: Part::Task(index), field, problem: Problem::rule(sentence, allowed) })
        };
        let (name, line) = (&task.name, self.platform.memory.cache.line_bytes);
        if task.working_set == 0 {
            let sentence = format!("task \"{name}\" has no working set");
            return fault("working_set", sentence, "bytes, such as \"64 KiB\"");
        }
        if base + task.working_set > AccessProgram::END_OF_MEMORY {
            let sentence = format!("the working sets up to task \"{name}\" exceed the memory");
            return fault("working_set", sentence, "256 TiB in all");
        }
        let (cell_bytes, order, kinds) = match task.workload {
            Workload::Compute => {
                let sentence = format!("task \"{name}\" touches no memory");
                return fault("workload", sentence, "writes, reads or backtest");
            }
            Workload::Writes => (line, AccessOrder::Linear, Kinds::Writes),
            Workload::Reads => (line, AccessOrder::Linear, Kinds::Reads),
            Workload::Backtest(_) => {
                let seed = self.seed.wrapping_add(index as u64);
                (ELEMENT.min(line), AccessOrder::Random { seed }, Kinds::Reads)
            }
        };
        let cells = task.working_set.div_ceil(cell_bytes);
        Ok(AccessProgram { base, cells, cell_bytes, order, kinds, gap: self.platform.memory.gap })
    }
}
