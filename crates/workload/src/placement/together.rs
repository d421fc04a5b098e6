//! Tasks that share a resource go to one processor: worst fit of such groups by decreasing utilization.
//!
//! Block-or-not-2008, section 4.2: "worst-fit decreasing, with the added constraint that tasks accessing common long
//! resources be assigned to the same processor"; "if the added constraint could not be met, a second attempt was made
//! to partition the task set without it". The second attempt is the caller's: a group that fits nowhere is a misfit.
//! Groups join by way of common members. Ties go to the group with the lowest task, and to the lower processor.

use super::fit::least_loaded;
use super::{FitBound, PlacementError, TaskPlaces};
use crate::load::Load;
use core::cmp::Ordering;
use schedlab_model::{ResourceId, Step, Task, TaskId};

/// Places `tasks` up to a utilization of one, such that tasks that share one of the `binding` resources are together.
pub fn place_together(
    tasks: &[Task],
    processors: u16,
    binding: impl Fn(ResourceId) -> bool,
) -> Result<TaskPlaces, PlacementError> {
    if processors == 0 {
        return Err(PlacementError::NoProcessors);
    }
    if let Some(index) = tasks.iter().position(|task| task.period.is_zero()) {
        return Err(PlacementError::NoWeight(TaskId(index as u32)));
    }
    let mut groups = groups(tasks, binding);
    // Stable: equally heavy groups stay in the order of their lowest tasks.
    groups.sort_by(|a, b| b.load.compare(&a.load));
    let mut placement = TaskPlaces { bins: vec![Vec::new(); processors.into()], ..TaskPlaces::default() };
    let mut loads = vec![Load::default(); processors.into()];
    let all: Vec<usize> = (0..processors.into()).collect();
    for group in groups {
        let bin = least_loaded(&loads, &all).unwrap_or(0);
        let mut together = loads[bin].clone();
        group.tasks.iter().for_each(|id| add(&mut together, &tasks[id.index()]));
        if together.compare_with((0, 1), FitBound::default().bound) == Ordering::Greater {
            placement.misfits.extend(group.tasks);
        } else {
            loads[bin] = together;
            placement.bins[bin].extend(group.tasks);
        }
    }
    Ok(placement)
}

fn add(load: &mut Load, task: &Task) {
    load.add((task.wcet.as_ns(), task.period.as_ns()));
}

struct Group {
    tasks: Vec<TaskId>,
    load: Load,
}

/// Returns the groups of tasks that share a binding resource, directly or through other tasks; by their lowest task.
fn groups(tasks: &[Task], binding: impl Fn(ResourceId) -> bool) -> Vec<Group> {
    // By task: the lowest task of its group.
    let mut first: Vec<usize> = (0..tasks.len()).collect();
    let mut user: Vec<Option<usize>> = Vec::new();
    for (index, task) in tasks.iter().enumerate() {
        for step in &task.program {
            let Step::Request(resource, _) = *step else { continue };
            if !binding(resource) {
                continue;
            }
            user.resize(user.len().max(resource.index() + 1), None);
            let other = *user[resource.index()].get_or_insert(index);
            let (a, b) = (first[other].min(first[index]), first[other].max(first[index]));
            first.iter_mut().filter(|group| **group == b).for_each(|group| *group = a);
        }
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut place = vec![None; tasks.len()];
    for (index, task) in tasks.iter().enumerate() {
        let group = *place[first[index]].get_or_insert_with(|| {
            groups.push(Group { tasks: Vec::new(), load: Load::default() });
            groups.len() - 1
        });
        groups[group].tasks.push(TaskId(index as u32));
        add(&mut groups[group].load, task);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{Duration, Work};

    fn task(cost: u64, resources: &[u32]) -> Task {
        let mut task = Task::implicit(Work::from_ns(cost), Duration::from_ns(10));
        for &resource in resources {
            task.program.push(Step::Request(ResourceId(resource), 1));
            task.program.push(Step::Release(ResourceId(resource), 1));
        }
        task
    }

    fn bins(tasks: &[Task], binding: impl Fn(ResourceId) -> bool) -> (Vec<Vec<u32>>, usize) {
        let placement = place_together(tasks, 2, binding).unwrap();
        let ids = placement.bins.iter().map(|bin| bin.iter().map(|id| id.0).collect());
        (ids.collect(), placement.misfits.len())
    }

    /// Tasks 0 and 3 share by way of 2; together they weigh 8 and go first, the others where there is least.
    #[test]
    fn those_that_share_stay_together() {
        let tasks = [task(3, &[0]), task(6, &[]), task(3, &[0, 1]), task(2, &[1]), task(1, &[])];
        assert_eq!(bins(&tasks, |_| true), (vec![vec![0, 2, 3], vec![1, 4]], 0));
        // Without the second resource, 3 is on its own: 6 and 6, then 2, then 1.
        assert_eq!(bins(&tasks, |resource| resource.0 == 0), (vec![vec![0, 2, 3], vec![1, 4]], 0));
        // On their own, 6 on one and 3 and 3 on the other, then 2 on the lower of them and 1 where there is least.
        assert_eq!(bins(&tasks, |_| false), (vec![vec![1, 3], vec![0, 2, 4]], 0));
    }

    #[test]
    fn a_group_that_fits_nowhere_is_a_misfit_as_a_whole() {
        let tasks = [task(6, &[0]), task(5, &[0]), task(2, &[])];
        assert_eq!(bins(&tasks, |_| true), (vec![vec![2], vec![]], 2));
        assert!(place_together(&tasks, 0, |_| true).is_err());
    }

    #[test]
    fn a_processor_is_filled_up_but_not_beyond() {
        assert_eq!(bins(&[task(6, &[0]), task(4, &[0])], |_| true).1, 0);
        assert_eq!(bins(&[task(6, &[0]), task(5, &[0])], |_| true).1, 2);
    }
}
