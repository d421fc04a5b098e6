//! How long a job may keep its processor in a section, by the programs of all tasks.
//!
//! A job is not preempted from the begin of its outermost section to its end, and executes or spins in between. Before
//! it gets a lock, each other processor may have one job in front of it, which executes for as long as its own section
//! on that lock: jobs that hold it or spin for it are not preempted, so no processor has two.

use schedlab_model::{Step, Task};

/// A stretch of a program in which the job is not preempted.
#[derive(Debug, Default)]
struct Stretch {
    /// Execution in it, in ns.
    executes: u64,
    /// Number of locks for which the job may have to wait: it asks for them while it holds none.
    locks: u64,
}

/// The longest sections of a system's tasks.
pub(crate) struct LongestSections {
    /// By task: its stretches.
    stretches: Vec<Vec<Stretch>>,
    /// By task: the longest time for which it executes and holds resources, in ns.
    holds: Vec<u64>,
    processors: usize,
}

impl LongestSections {
    /// The sections of these tasks on so many processors.
    pub(crate) fn of(tasks: &[Task], processors: usize) -> LongestSections {
        let (stretches, holds) = tasks.iter().map(|task| sections(&task.program)).unzip();
        LongestSections { stretches, holds, processors }
    }

    /// The longest time for which a job of the task `index` keeps its processor in a section, in ns: its own execution
    /// and, for each lock that it takes there, the longest sections of tasks that may go before. None if it has no
    /// section. Which resources share a lock is not asked: any task with a resource may go before.
    pub(crate) fn of_task(&self, index: usize) -> Option<u64> {
        let mut others: Vec<u64> =
            (0..self.holds.len()).filter(|other| *other != index).map(|other| self.holds[other]).collect();
        others.sort_unstable_by(|a, b| b.cmp(a));
        let waits = others
            .iter()
            .take(self.processors.saturating_sub(1))
            .fold(0, |sum: u64, own| sum.saturating_add(*own));
        let length = |stretch: &Stretch| stretch.executes.saturating_add(waits.saturating_mul(stretch.locks));
        self.stretches[index].iter().map(length).max()
    }
}

/// The stretches of a program, and the longest execution in which it holds resources, in ns.
fn sections(program: &[Step]) -> (Vec<Stretch>, u64) {
    let (mut stretches, mut longest) = (Vec::new(), 0);
    let (mut now, mut holds) = (Stretch::default(), 0_u64);
    let (mut held, mut depth) = (0_u32, 0_u32);
    for step in program {
        match step {
            Step::NpEnter => depth += 1,
            Step::NpExit => depth = depth.saturating_sub(1),
            Step::Request(..) => {
                if held == 0 {
                    now.locks += 1;
                    holds = 0;
                }
                held += 1;
            }
            Step::Release(..) => {
                held = held.saturating_sub(1);
                longest = longest.max(holds);
            }
            Step::Execute(work) if held + depth > 0 => {
                now.executes = now.executes.saturating_add(work.as_ns());
                holds = if held > 0 { holds.saturating_add(work.as_ns()) } else { holds };
            }
            Step::Execute(_) | Step::Suspend(_) | Step::Serve(_) => {}
        }
        let ends = matches!(step, Step::NpExit | Step::Release(..));
        if ends && held + depth == 0 {
            stretches.push(std::mem::take(&mut now));
        }
    }
    (stretches, longest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{Duration, ResourceId, Work};

    const A: ResourceId = ResourceId(0);
    const B: ResourceId = ResourceId(1);

    fn execute(ns: u64) -> Step {
        Step::Execute(Work::from_ns(ns))
    }

    fn task(program: Vec<Step>) -> Task {
        Task { program, ..Task::implicit(Work::from_ns(100), Duration::from_ns(1_000)) }
    }

    #[test]
    fn a_section_lasts_as_long_as_it_executes_and_others_go_before() {
        let (ask, give) = (|r| Step::Request(r, 1), |r| Step::Release(r, 1));
        let tasks = [
            task(vec![execute(50), Step::NpEnter, execute(7), Step::NpExit, execute(9)]),
            task(vec![ask(A), execute(10), give(A), execute(40)]),
            // Two locks in one stretch, and nested requests of one lock.
            task(vec![
                Step::NpEnter,
                execute(1),
                ask(A),
                execute(2),
                give(A),
                ask(B),
                execute(4),
                give(B),
                Step::NpExit,
            ]),
            task(vec![ask(A), execute(20), ask(B), execute(30), give(B), give(A)]),
            task(vec![execute(80)]),
        ];
        let longest = |processors| {
            let sections = LongestSections::of(&tasks, processors);
            (0..tasks.len()).map(|index| sections.of_task(index)).collect::<Vec<_>>()
        };
        assert_eq!(longest(1), [Some(7), Some(10), Some(7), Some(50), None]);
        assert_eq!(longest(2), [Some(7), Some(60), Some(107), Some(60), None]);
        assert_eq!(longest(3), [Some(7), Some(64), Some(127), Some(64), None]);
        assert_eq!(longest(9), [Some(7), Some(64), Some(127), Some(64), None]);
    }
}
