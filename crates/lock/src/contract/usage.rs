//! Who uses what, as the tasks' programs say; and whether the programs are in order.

use super::lock_error::LockError;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{Resource, ResourceId, Step, Task, TaskId};

/// The tasks that use one resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Users {
    /// Each with the most units that one of its jobs holds at once, by task.
    pub needs: Vec<(TaskId, u32)>,
}

/// A request within a section: what is held and what is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nested {
    /// Whose program.
    pub task: TaskId,
    /// What it holds.
    pub outer: ResourceId,
    /// What it requests meanwhile.
    pub inner: ResourceId,
}

/// What the programs of all tasks do with the resources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// By resource.
    pub users: Vec<Users>,
    /// Each request within a section, once for every resource held.
    pub nested: Vec<Nested>,
    /// Who suspends itself while it holds what.
    pub suspends: Vec<(TaskId, ResourceId)>,
    /// How many requests can be granted at once at most.
    pub requests: usize,
}

impl Usage {
    /// Reads the programs of `tasks`; says what is wrong with the first that is not in order.
    pub(crate) fn of(tasks: &[Task], resources: &[Resource]) -> Result<Usage, LockError> {
        let mut usage = Usage { users: vec![Users::default(); resources.len()], ..Usage::default() };
        for (index, task) in tasks.iter().enumerate() {
            usage.read(TaskId(index as u32), &task.program, resources)?;
        }
        Ok(usage)
    }

    fn read(&mut self, task: TaskId, program: &[Step], resources: &[Resource]) -> Result<(), LockError> {
        let mut held: Vec<(ResourceId, u32)> = Vec::new();
        for step in program {
            match *step {
                Step::Request(resource, units) => {
                    check_units(task, resource, units, resources)?;
                    self.requests += 1;
                    let nested =
                        held.iter().map(|(outer, _)| Nested { task, outer: *outer, inner: resource });
                    self.nested.extend(nested);
                    held.push((resource, units));
                    self.need(task, resource, &held, resources)?;
                }
                Step::Release(resource, units) => {
                    check_units(task, resource, units, resources)?;
                    if held.pop() != Some((resource, units)) {
                        return Err(LockError::ImproperNesting { task, resource });
                    }
                }
                Step::Serve(resource) => {
                    if resource.index() >= resources.len() {
                        return Err(LockError::UnknownResource { task, resource });
                    }
                }
                Step::Suspend(_) => self.suspends.extend(held.last().map(|(resource, _)| (task, *resource))),
                Step::Execute(_) | Step::NpEnter | Step::NpExit => {}
            }
        }
        match held.last() {
            Some(&(resource, _)) => Err(LockError::NeverReleased { task, resource }),
            None => Ok(()),
        }
    }

    /// Notes how much of `resource` the task holds now.
    fn need(
        &mut self,
        task: TaskId,
        resource: ResourceId,
        held: &[(ResourceId, u32)],
        resources: &[Resource],
    ) -> Result<(), LockError> {
        let of_it = held.iter().filter(|(other, _)| *other == resource);
        let units: u64 = of_it.map(|(_, units)| u64::from(*units)).sum();
        let exist = resources[resource.index()].units;
        if units > u64::from(exist) {
            return Err(LockError::TooManyUnits { task, resource, units, exist });
        }
        let needs = &mut self.users[resource.index()].needs;
        match needs.last_mut() {
            Some((user, need)) if *user == task => *need = (*need).max(units as u32),
            _ => needs.push((task, units as u32)),
        }
        Ok(())
    }
}

fn check_units(
    task: TaskId,
    resource: ResourceId,
    units: u32,
    resources: &[Resource],
) -> Result<(), LockError> {
    if resource.index() >= resources.len() {
        return Err(LockError::UnknownResource { task, resource });
    }
    if units == 0 {
        return Err(LockError::NoUnits { task, resource });
    }
    Ok(())
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
        assert_eq!(usage.nested, [Nested { task: TaskId(1), outer: R0, inner: R1 }]);
        assert_eq!((usage.suspends, usage.requests), ([(TaskId(1), R1)].to_vec(), 3));
    }

    #[test]
    fn refuses_programs_that_are_not_in_order() {
        let says = |program: &[Step], text: &str| assert_eq!(usage(program).unwrap_err().to_string(), text);
        let lock = |resource| Step::Request(resource, 1);
        let unlock = |resource| Step::Release(resource, 1);
        says(&[lock(ResourceId(2))], "T1 uses R2, which does not exist");
        says(&[Step::Request(R1, 0)], "T1 requests or releases 0 units of R1");
        says(&[Step::Request(R1, 4)], "T1 requests 4 units of R1 in all, but there are 3");
        says(&[lock(R0), lock(R0)], "T1 requests 2 units of R0 in all, but there are 1");
        let nesting = "T1 releases R0, but that is not what it requested last and still holds";
        says(&[unlock(R0)], nesting);
        says(&[lock(R0), lock(R1), unlock(R0)], nesting);
        says(&[lock(R0)], "T1 never releases R0");
    }
}
