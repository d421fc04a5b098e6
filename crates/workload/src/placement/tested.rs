//! Placement with a test at each step: a task goes to a processor only if the test accepts what is there with it.
//!
//! The bound of the packing counts, too: where the test alone is to decide, the bound is as large as necessary. The
//! rule chooses among the processors that the test accepts, so that worst fit looks beyond the least loaded one. Each
//! rule asks the processors in its own order and stops as soon as it may, for the test is what costs time.

use super::{Bins, Packer, Packing, Pin, PlacementError, TaskPlaces};
use schedlab_model::{Task, TaskId};

impl Packing {
    /// Places `tasks` in `bins`, each where `accepts` returns true for the bin and the tasks there, the new one last.
    /// `pins[i]` restricts where task `i` may go; the test decides on given places, too.
    ///
    /// A task that no processor accepts is a misfit, or goes to the least loaded one and is listed as overflow.
    pub fn place_tested_pinned<'b>(
        &self,
        tasks: &[Task],
        bins: impl Into<Bins<'b>>,
        pins: &[Pin],
        mut accepts: impl FnMut(usize, &[TaskId]) -> bool,
    ) -> Result<TaskPlaces, PlacementError> {
        let bins = bins.into();
        self.check(tasks, bins, pins)?;
        let mut packer = Packer::default();
        packer.place_pinned(self, tasks, bins, pins, Some(&mut accepts));
        Ok(packer.placement)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Fit, Overflow, PlacementOrder, PlacementWeight};
    use super::*;
    use crate::load::Load;
    use crate::random::{Purpose, Random};
    use schedlab_model::{Duration, Work};
    use strum::VariantArray;

    fn tasks(random: &mut Random) -> Vec<Task> {
        let task = |random: &mut Random| {
            let period = random.between(2, 12);
            Task::implicit(Work::from_ns(random.between(1, period)), Duration::from_ns(period))
        };
        (0..random.between(2, 12)).map(|_| task(random)).collect()
    }

    /// Any task may go anywhere.
    fn place_tested(
        packing: &Packing,
        tasks: &[Task],
        processors: u16,
        mut accepts: impl FnMut(&[TaskId]) -> bool,
    ) -> Result<TaskPlaces, PlacementError> {
        packing.place_tested_pinned(tasks, processors, &vec![Pin::Free; tasks.len()], |_, bin| accepts(bin))
    }

    /// A test that always accepts changes nothing, whatever the rule.
    #[test]
    fn without_a_test_it_is_the_packing() {
        let mut random = Random::stream(3, Purpose::Periods, 0);
        for _ in 0..500 {
            let tasks = tasks(&mut random);
            let processors = random.between(1, 5) as u16;
            for &fit in Fit::VARIANTS {
                for order in [PlacementOrder::Given, PlacementOrder::Decreasing(PlacementWeight::Utilization)]
                {
                    let packing = Packing { fit, order, ..Packing::default() };
                    let plain = packing.place(&tasks, processors).unwrap();
                    assert_eq!(
                        place_tested(&packing, &tasks, processors, |_| true).unwrap(),
                        plain,
                        "{fit:?}"
                    );
                }
            }
        }
    }

    /// With a test that takes two tasks at most, worst fit goes on to the next least loaded processor.
    #[test]
    fn the_rule_chooses_among_those_accepted() {
        let of = |cost| Task::implicit(Work::from_ns(cost), Duration::from_ns(100));
        let tasks = [of(50), of(1), of(1), of(1), of(1)];
        let bins = |fit| {
            let packing = Packing { fit, ..Packing::default() };
            let placement = place_tested(&packing, &tasks, 2, |bin| bin.len() <= 2).unwrap();
            let ids = |bin: &Vec<TaskId>| bin.iter().map(|id| id.0).collect::<Vec<_>>();
            (placement.bins.iter().map(ids).collect::<Vec<_>>(), placement.misfits.len())
        };
        assert_eq!(bins(Fit::Worst), (vec![vec![0, 3], vec![1, 2]], 1));
        assert_eq!(bins(Fit::First), (vec![vec![0, 1], vec![2, 3]], 1));
        assert_eq!(bins(Fit::Best), (vec![vec![0, 1], vec![2, 3]], 1));
        assert_eq!(bins(Fit::AlmostWorst), (vec![vec![0, 1], vec![2, 3]], 1));
    }

    /// A task that the test accepts nowhere goes to the least loaded processor, and is named.
    #[test]
    fn what_no_processor_accepts_overflows() {
        let of = |cost| Task::implicit(Work::from_ns(cost), Duration::from_ns(100));
        let tasks = [of(50), of(1), of(1), of(1), of(1)];
        let packing = Packing { overflow: Overflow::LeastLoaded, ..Packing::default() };
        let placement = place_tested(&packing, &tasks, 2, |bin| bin.len() <= 2).unwrap();
        assert_eq!(placement.bins, [vec![TaskId(0), TaskId(1)], vec![TaskId(2), TaskId(3), TaskId(4)]]);
        assert_eq!((placement.overflowed, placement.misfits), (vec![TaskId(4)], vec![]));
    }

    /// Nothing is placed where the test refuses, and every misfit was refused everywhere.
    #[test]
    fn what_is_placed_is_accepted() {
        let mut random = Random::stream(4, Purpose::Periods, 0);
        let mut misfits = 0;
        for _ in 0..300 {
            let tasks = tasks(&mut random);
            let work = |bin: &[TaskId]| bin.iter().map(|id| tasks[id.index()].wcet.as_ns()).sum::<u64>();
            for &fit in Fit::VARIANTS {
                let packing = Packing { fit, ..Packing::default() };
                let placement = place_tested(&packing, &tasks, 3, |bin| work(bin) <= 12).unwrap();
                assert!(placement.bins.iter().all(|bin| work(bin) <= 12));
                if fit != Fit::Next {
                    for id in &placement.misfits {
                        misfits += 1;
                        let refuses = |bin: &Vec<TaskId>| {
                            let mut more = bin.clone();
                            more.push(*id);
                            let mut load = Load::default();
                            more.iter().for_each(|id| {
                                load.add((tasks[id.index()].wcet.as_ns(), tasks[id.index()].period.as_ns()));
                            });
                            work(&more) > 12 || !packing.fit_bound.admits(&load, (0, 1))
                        };
                        assert!(placement.bins.iter().all(refuses), "{fit:?}");
                    }
                }
            }
        }
        assert!(misfits > 100, "{misfits}");
    }
}
