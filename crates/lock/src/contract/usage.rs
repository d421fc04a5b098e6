//! Use of resources by the tasks' programs, and checks that the programs are in order.

use super::lock_error::{BrokenRule, LockError};
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{Resource, ResourceId, Step, Task, TaskId};

/// The tasks that use one resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Users {
    /// Users by task, each with the most units that one of its jobs holds at once.
    pub needs: Vec<(TaskId, u32)>,
}

/// A request within a section: the resource that is held and the one that is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nested {
    /// Task of the program.
    pub task: TaskId,
    /// Step of the request.
    pub step: usize,
    /// Resource that the job holds.
    pub outer: ResourceId,
    /// Resource that the job requests meanwhile.
    pub inner: ResourceId,
}

/// Use of the resources by the programs of all tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Users by resource.
    pub users: Vec<Users>,
    /// Each request within a section, once for every resource held.
    pub nested: Vec<Nested>,
    /// Self-suspensions within sections: the task, the step, and the held resource.
    pub suspends: Vec<(TaskId, usize, ResourceId)>,
    /// Most requests that can be granted at once.
    pub requests: usize,
}

impl Usage {
    /// Reads the programs of `tasks`. They must request units that exist, and release all that they request; the error
    /// names the first step that is not in order.
    pub(crate) fn of(tasks: &[Task], resources: &[Resource]) -> Result<Usage, LockError> {
        let mut usage = Usage { users: vec![Users::default(); resources.len()], ..Usage::default() };
        for (index, task) in tasks.iter().enumerate() {
            usage.read(TaskId(index as u32), &task.program)?;
        }
        Ok(usage)
    }

    fn read(&mut self, task: TaskId, program: &[Step]) -> Result<(), LockError> {
        let mut held: Vec<(ResourceId, u32)> = Vec::new();
        for (step, what) in program.iter().enumerate() {
            match *what {
                Step::Request(inner, units) => {
                    self.requests += 1;
                    let nested = held.iter().map(|&(outer, _)| Nested { task, step, outer, inner });
                    self.nested.extend(nested);
                    held.push((inner, units));
                    self.need(task, inner, &held);
                }
                Step::Release(resource, units) if held.pop() != Some((resource, units)) => {
                    return Err(BrokenRule::ImproperNesting(resource).at(task, step));
                }
                Step::Suspend(_) => self.suspends.extend(held.last().map(|held| (task, step, held.0))),
                Step::Release(..) | Step::Serve(_) | Step::Execute(_) | Step::NpEnter | Step::NpExit => {}
            }
        }
        assert!(held.is_empty(), "{task} never releases {}", held[0].0);
        Ok(())
    }

    /// Notes how much of `resource` the task now holds.
    fn need(&mut self, task: TaskId, resource: ResourceId, held: &[(ResourceId, u32)]) {
        let units = held.iter().filter(|(other, _)| *other == resource).map(|(_, units)| units).sum();
        let needs = &mut self.users[resource.index()].needs;
        match needs.last_mut() {
            Some((user, need)) if *user == task => *need = (*need).max(units),
            _ => needs.push((task, units)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use schedlab_model::{Duration, Work};

    const R0: ResourceId = ResourceId(0);
    const R1: ResourceId = ResourceId(1);

    fn usage(program: &[Step]) -> Result<Usage, LockError> {
        let idle = Task::implicit(Work::from_ns(1), Duration::from_ns(9));
        let task = Task { program: program.to_vec(), ..idle.clone() };
        Usage::of(&[idle, task], &[Resource { units: 1 }, Resource { units: 3 }])
    }

    #[test]
    fn notes_users_needs_and_nesting() {
        let program = [
            Step::Request(R0, 1),
            Step::Request(R1, 1),
            Step::Suspend(Duration::from_ns(1)),
            Step::Release(R1, 1),
            Step::Release(R0, 1),
            Step::Request(R1, 2),
            Step::Release(R1, 2),
        ];
        let usage = usage(&program).unwrap();
        assert_eq!(usage.users[0].needs, [(TaskId(1), 1)]);
        assert_eq!(usage.users[1].needs, [(TaskId(1), 2)]);
        assert_eq!(usage.nested, [Nested { task: TaskId(1), step: 1, outer: R0, inner: R1 }]);
        assert_eq!((usage.suspends, usage.requests), ([(TaskId(1), 2, R1)].to_vec(), 3));
    }

    #[test]
    fn refuses_releases_that_are_not_in_order() {
        let (lock, unlock) = (|resource| Step::Request(resource, 1), |resource| Step::Release(resource, 1));
        let says = |program: &[Step], step: usize| {
            let error = usage(program).unwrap_err();
            assert_eq!(error.place, Some((TaskId(1), step)));
            let text = "T1 releases R0, but that is not what it requested last and still holds";
            assert_eq!(error.to_string(), text);
        };
        says(&[unlock(R0)], 0);
        says(&[lock(R0), unlock(R0), lock(R0), lock(R1), unlock(R0), unlock(R1)], 4);
        says(&[Step::Request(R0, 2), unlock(R0)], 1);
    }
}
