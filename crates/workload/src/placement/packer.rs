//! A placement in the making, in buffers that serve one task set after the other.

use super::fit::least_loaded;
use super::queue::Queue;
use super::spread::Spread;
use super::{Bins, Fit, Overflow, Packing, Pin, PlacementError, TaskPlaces};
use crate::load::Load;
use schedlab_model::{Task, TaskId};

/// Decides whether the bin of this index takes these tasks, the new one last.
pub(super) type Test<'a> = &'a mut dyn FnMut(usize, &[TaskId]) -> bool;

/// Places sets of tasks, one after the other, without a new allocation for sets that are no larger than earlier ones.
#[derive(Clone, Debug, Default)]
pub struct Packer {
    pub(super) placement: TaskPlaces,
    queue: Queue,
    /// Load by processor.
    loads: Vec<Load>,
    spread: Spread,
    /// Processors to which a task may go, in the order in which they are tried.
    candidates: Vec<usize>,
    /// Processor of next fit; none is left if there is none of this index.
    next: usize,
}

impl Packer {
    /// Places tasks as [`Packing::place`] does. The result is valid until the next set is placed.
    pub fn place(
        &mut self,
        packing: &Packing,
        tasks: &[Task],
        processors: u16,
    ) -> Result<&TaskPlaces, PlacementError> {
        packing.check_free(tasks, processors.into())?;
        self.clear(processors.into());
        let mut queue = core::mem::take(&mut self.queue);
        let order = queue.fill(packing.order, tasks);
        let placed = match packing.fit {
            Fit::Worst => self.spread.place(packing, order, tasks, &mut self.placement),
            Fit::First | Fit::Best | Fit::AlmostWorst | Fit::Next => 0,
        };
        if placed < order.len() {
            for (index, bin) in self.placement.bins.iter().enumerate() {
                bin.iter().for_each(|task| self.loads[index].add(packing.weight.of(&tasks[task.index()])));
            }
            self.put_all(packing, tasks, &order[placed..], processors.into(), |_| &Pin::Free, None);
        }
        self.queue = queue;
        Ok(&self.placement)
    }

    /// Places tasks as [`Packing::place_tested_pinned`] does, on processors, where any task may go anywhere. The result
    /// is valid until the next set is placed.
    pub fn place_tested(
        &mut self,
        packing: &Packing,
        tasks: &[Task],
        processors: u16,
        mut accepts: impl FnMut(&[TaskId]) -> bool,
    ) -> Result<&TaskPlaces, PlacementError> {
        packing.check_free(tasks, processors.into())?;
        self.clear(processors.into());
        let mut queue = core::mem::take(&mut self.queue);
        let order = queue.fill(packing.order, tasks);
        let mut test = |_: usize, bin: &[TaskId]| accepts(bin);
        self.put_all(packing, tasks, order, processors.into(), |_| &Pin::Free, Some(&mut test));
        self.queue = queue;
        Ok(&self.placement)
    }

    /// Places every task: those that may go to one processor alone before all others. A `test` decides on the tasks of
    /// a processor, the new one last.
    pub(super) fn place_pinned(
        &mut self,
        packing: &Packing,
        tasks: &[Task],
        bins: Bins<'_>,
        pins: &[Pin],
        test: Option<Test<'_>>,
    ) {
        self.clear(bins.count());
        let mut queue = core::mem::take(&mut self.queue);
        let order = queue.fill(packing.order, tasks);
        self.put_all(packing, tasks, order, bins, |task| &pins[task.index()], test);
        self.queue = queue;
    }

    /// Places the tasks of `order` beside those that have been placed.
    fn put_all<'p>(
        &mut self,
        packing: &Packing,
        tasks: &[Task],
        order: &[TaskId],
        bins: Bins<'_>,
        pin: impl Fn(TaskId) -> &'p Pin,
        mut test: Option<Test<'_>>,
    ) {
        let is_given = |task: &TaskId| matches!(pin(*task), Pin::On(_));
        for given in [true, false] {
            for &task in order.iter().filter(|task| is_given(task) == given) {
                self.candidates.clear();
                match pin(task) {
                    Pin::Free => self.candidates.extend(0..self.loads.len()),
                    Pin::On(cpu) => self.candidates.extend(bins.of(*cpu)),
                    Pin::Among(cpus) => {
                        self.candidates.extend(cpus.iter().filter_map(|cpu| bins.of(*cpu)));
                        self.candidates.sort_unstable();
                        self.candidates.dedup();
                    }
                }
                let weight = packing.weight.of(&tasks[task.index()]);
                self.put(packing, task, |bin| bins.spread(bin, weight), given, &mut test);
            }
        }
    }

    fn clear(&mut self, processors: usize) {
        let TaskPlaces { bins, misfits, untried, overflowed } = &mut self.placement;
        bins.resize_with(processors, Vec::new);
        bins.iter_mut().chain([misfits, untried, overflowed]).for_each(Vec::clear);
        self.loads.resize_with(processors, Load::default);
        self.loads.iter_mut().for_each(Load::clear);
        self.next = 0;
    }

    /// Puts `task` on one of the candidates, or on none. Without a test, a task with a `given` place goes there,
    /// whatever the load; with a test, a given place has to be accepted as any other.
    fn put(
        &mut self,
        packing: &Packing,
        task: TaskId,
        weight: impl Fn(usize) -> (u64, u64),
        given: bool,
        test: &mut Option<Test<'_>>,
    ) {
        let Packer { placement: TaskPlaces { bins, misfits, untried, overflowed }, loads, .. } = self;
        let stopped = packing.fit == Fit::Next && self.next == loads.len() && !given;
        let admits = |bin: usize| packing.fit_bound.admits(&loads[bin], weight(bin));
        let fits = |bin: usize| {
            let Some(test) = test.as_mut().filter(|_| admits(bin)) else { return admits(bin) };
            bins[bin].push(task);
            let accepts = test(bin, &bins[bin]);
            bins[bin].pop();
            accepts
        };
        let rule = if given { Fit::First } else { packing.fit };
        let mut chosen = rule.choose(loads, &mut self.candidates, &mut self.next, fits);
        let is_forced = given && test.is_none();
        if chosen.is_none() && (is_forced || packing.overflow == Overflow::LeastLoaded) {
            chosen = least_loaded(loads, &self.candidates);
            overflowed.extend(chosen.filter(|bin| test.is_some() || !admits(*bin)).map(|_| task));
        }
        match chosen {
            Some(bin) => {
                loads[bin].add(weight(bin));
                bins[bin].push(task);
            }
            None if stopped => untried.push(task),
            None => misfits.push(task),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PlacementOrder, PlacementWeight};
    use super::*;
    use crate::random::{Purpose, Random};
    use schedlab_model::{Duration, Work};
    use strum::VariantArray;

    /// Nothing of a set is left when the next one is placed, be it smaller, on fewer processors or by another rule.
    #[test]
    fn every_set_starts_afresh() {
        let mut random = Random::stream(6, Purpose::Periods, 0);
        let mut packer = Packer::default();
        let mut misfits = 0;
        for _ in 0..2_000 {
            let task = |random: &mut Random| {
                let period = random.between(2, 12);
                Task::implicit(Work::from_ns(random.between(1, period)), Duration::from_ns(period))
            };
            let tasks: Vec<Task> = (0..random.between(1, 12)).map(|_| task(&mut random)).collect();
            let packing = Packing {
                fit: Fit::VARIANTS[random.below(5) as usize],
                order: [PlacementOrder::Given, PlacementOrder::Decreasing(PlacementWeight::Utilization)]
                    [random.below(2) as usize],
                overflow: [Overflow::Misfit, Overflow::LeastLoaded][random.below(2) as usize],
                ..Packing::default()
            };
            let processors = random.between(1, 6) as u16;
            let alone = packing.place(&tasks, processors).unwrap();
            misfits += u32::from(!alone.fits());
            assert_eq!(packer.place(&packing, &tasks, processors).unwrap(), &alone, "{packing:?} {tasks:?}");
        }
        assert!(misfits > 500, "{misfits}");
    }
}
