//! Which step of a program breaks the rule that a [`LockError`] names.

use super::LockError;
use alloc::vec::Vec;
use schedlab_model::{ResourceId, Step, Work};

impl LockError {
    /// Which step of the program of [`LockError::task`] is at fault, if one is: the first that does what this says.
    /// Where a release is missing, the request.
    pub fn step(&self, program: &[Step]) -> Option<usize> {
        if let LockError::NeverReleased { resource, .. } = *self {
            return held_at(program, program.len())
                .into_iter()
                .rev()
                .find(|at| requests(program[*at], resource));
        }
        (0..program.len()).find(|&at| self.is_broken_at(program, at))
    }

    fn is_broken_at(&self, program: &[Step], at: usize) -> bool {
        let step = program[at];
        let held = || held_at(program, at);
        let holds = |resource| held().into_iter().any(|from| requests(program[from], resource));
        match *self {
            LockError::UnknownResource { resource, .. } => names(step, resource),
            LockError::NoUnits { resource, .. } => names(step, resource) && units(step) == 0,
            LockError::TooManyUnits { resource, units: total, .. } => {
                let before = held().into_iter().filter(|from| requests(program[*from], resource));
                let sum: u64 = before.chain([at]).map(|from| units(program[from])).sum();
                requests(step, resource) && sum == total
            }
            LockError::ImproperNesting { resource, .. } => {
                let last = held().last().map(|from| program[*from]);
                let is_last = last.is_some_and(|last| requests(last, resource) && units(last) == units(step));
                matches!(step, Step::Release(of, _) if of == resource) && !is_last
            }
            LockError::SuspendsInSection { resource, .. } => {
                matches!(step, Step::Suspend(_)) && holds(resource)
            }
            LockError::NeitherReadNorWrite { resource, units: wanted, .. } => {
                requests(step, resource) && units(step) == u64::from(wanted)
            }
            LockError::NestedGlobal { outer, inner, .. }
            | LockError::LongInsideShort { short: outer, long: inner, .. } => {
                requests(step, inner) && holds(outer)
            }
            LockError::SectionTooLong { resource, length, .. } => {
                requests(step, resource) && executed_in_section(program, at).as_ns() == length.as_ns()
            }
            LockError::NoServer { resource, .. }
            | LockError::NotLocal { resource, .. }
            | LockError::ServerRequests { resource, .. } => requests(step, resource),
            LockError::TwoServers { resource, .. } => {
                let again = program[at + 1..].contains(&Step::Serve(resource));
                step == Step::Serve(resource) && !again
            }
            LockError::NeverReleased { .. }
            | LockError::SeveralUnits { .. }
            | LockError::NeedsFixedPriorities { .. }
            | LockError::NeedsLevels { .. }
            | LockError::NeedsPartitions { .. }
            | LockError::NeedsOneCluster { .. }
            | LockError::TooFewUnits { .. }
            | LockError::NeedsPfair { .. }
            | LockError::NeedsJobPriorities { .. }
            | LockError::PicksItself { .. } => false,
        }
    }
}

fn requests(step: Step, resource: ResourceId) -> bool {
    matches!(step, Step::Request(of, _) if of == resource)
}

fn names(step: Step, resource: ResourceId) -> bool {
    matches!(step, Step::Request(of, _) | Step::Release(of, _) | Step::Serve(of) if of == resource)
}

fn units(step: Step) -> u64 {
    match step {
        Step::Request(_, units) | Step::Release(_, units) => units.into(),
        Step::Execute(_) | Step::Suspend(_) | Step::Serve(_) | Step::NpEnter | Step::NpExit => 1,
    }
}

/// The requests whose units are held before step `at`, where sections nest.
fn held_at(program: &[Step], at: usize) -> Vec<usize> {
    let mut held = Vec::new();
    for (from, step) in program[..at].iter().enumerate() {
        match step {
            Step::Request(..) => held.push(from),
            Step::Release(..) => {
                held.pop();
            }
            Step::Execute(_) | Step::Suspend(_) | Step::Serve(_) | Step::NpEnter | Step::NpExit => {}
        }
    }
    held
}

/// What the section that begins at step `from` executes.
fn executed_in_section(program: &[Step], from: usize) -> Work {
    let (mut depth, mut sum) = (0u32, 0u64);
    for step in &program[from..] {
        match step {
            Step::Request(..) => depth += 1,
            Step::Release(..) if depth == 1 => break,
            Step::Release(..) => depth -= 1,
            Step::Execute(work) => sum = sum.saturating_add(work.as_ns()),
            Step::Suspend(_) | Step::Serve(_) | Step::NpEnter | Step::NpExit => {}
        }
    }
    Work::from_ns(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{Duration, TaskId};

    const T: TaskId = TaskId(0);
    const R0: ResourceId = ResourceId(0);
    const R1: ResourceId = ResourceId(1);
    const NAP: Step = Step::Suspend(Duration::from_ns(1));

    const fn lock(resource: ResourceId) -> Step {
        Step::Request(resource, 1)
    }

    const fn unlock(resource: ResourceId) -> Step {
        Step::Release(resource, 1)
    }

    fn run(ns: u64) -> Step {
        Step::Execute(Work::from_ns(ns))
    }

    fn says(error: &LockError, program: &[Step], step: usize) {
        assert_eq!(error.step(program), Some(step), "{error}");
    }

    /// Each program does at first something like what is wrong, which is not.
    #[test]
    fn the_step_is_the_first_that_breaks_the_rule() {
        let (task, protocol) = (T, "X");
        says(&LockError::UnknownResource { task, resource: R1 }, &[lock(R0), unlock(R0), lock(R1)], 2);
        says(&LockError::NoUnits { task, resource: R1 }, &[lock(R1), unlock(R1), Step::Request(R1, 0)], 2);
        let many = LockError::TooManyUnits { task, resource: R1, units: 3, exist: 2 };
        says(&many, &[lock(R1), lock(R0), Step::Request(R1, 2)], 2);
        says(&many, &[lock(R1), unlock(R1), Step::Request(R1, 3)], 2);
        let nesting = LockError::ImproperNesting { task, resource: R0 };
        says(&nesting, &[lock(R0), unlock(R0), lock(R0), lock(R1), unlock(R0), unlock(R1)], 4);
        says(&nesting, &[unlock(R0)], 0);
        says(&nesting, &[Step::Request(R0, 2), unlock(R0)], 1);
        let never = LockError::NeverReleased { task, resource: R0 };
        says(&never, &[lock(R0), unlock(R0), lock(R0), lock(R1), unlock(R1)], 2);
        let sleeps = LockError::SuspendsInSection { task, resource: R0, protocol };
        says(&sleeps, &[NAP, lock(R1), NAP, unlock(R1), lock(R0), NAP, unlock(R0)], 5);
        let neither = LockError::NeitherReadNorWrite { task, resource: R0, units: 2, exist: 3, protocol };
        says(&neither, &[lock(R0), unlock(R0), Step::Request(R1, 2), Step::Request(R0, 2)], 3);
        let nested = LockError::NestedGlobal { task, outer: R0, inner: R1, protocol };
        says(&nested, &[lock(R1), unlock(R1), lock(R0), run(1), lock(R1)], 4);
        let long = LockError::LongInsideShort { task, short: R0, long: R1 };
        says(&long, &[lock(R1), unlock(R1), lock(R0), lock(R1)], 3);
    }

    #[test]
    fn the_step_of_a_section_and_of_servers() {
        let (task, protocol) = (T, "X");
        let (length, quantum) = (Duration::from_ns(5), Duration::from_ns(4));
        let too_long = LockError::SectionTooLong { task, resource: R0, length, quantum, protocol };
        let sections = [
            lock(R0),
            run(3),
            unlock(R0),
            run(9),
            lock(R0),
            run(2),
            lock(R1),
            run(3),
            unlock(R1),
            unlock(R0),
            run(7),
        ];
        says(&too_long, &sections, 4);
        says(&LockError::NoServer { task, resource: R1, protocol }, &[lock(R0), lock(R1)], 1);
        says(&LockError::ServerRequests { task, resource: R0 }, &[Step::Serve(R1), lock(R0)], 1);
        let not_local = LockError::NotLocal { resource: R1, first: T, second: T, protocol };
        says(&not_local, &[lock(R0), unlock(R0), lock(R1)], 2);
        let two = LockError::TwoServers { resource: R0, first: T, second: T };
        says(&two, &[Step::Serve(R0), Step::Serve(R1), Step::Serve(R0), run(1)], 2);
        assert_eq!(LockError::NeedsPfair { protocol }.step(&[lock(R0)]), None);
    }
}
