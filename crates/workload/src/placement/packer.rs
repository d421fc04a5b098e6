//! A placement in the making, in buffers that serve one task set after the other.

use super::loads::Loads;
use super::queue::Queue;
use super::spread::Spread;
use super::{Fit, Overflow, Packing, Pin, PlacementError, TaskPlaces};
use crate::load::Load;
use schedlab_model::{Task, TaskId};

/// Places sets of tasks, one after the other, without a new allocation for sets that are no larger than earlier ones.
#[derive(Clone, Debug, Default)]
pub struct Packer {
    pub(super) placement: TaskPlaces,
    queue: Queue,
    loads: Loads,
    spread: Spread,
    /// The processors that a task may go to.
    candidates: Vec<usize>,
    /// The processor of next fit; none is left if there is none of this index.
    next: usize,
}

impl Packer {
    /// As [`Packing::place`]. The result is good until the next set is placed.
    pub fn place(
        &mut self,
        packing: &Packing,
        tasks: &[Task],
        processors: u16,
    ) -> Result<&TaskPlaces, PlacementError> {
        packing.check_free(tasks, processors)?;
        self.clear(processors.into());
        let mut queue = core::mem::take(&mut self.queue);
        let order = queue.fill(packing.order, tasks);
        let placed = match packing.fit {
            Fit::Worst => self.spread.place(packing, order, tasks, &mut self.placement),
            Fit::First | Fit::Best | Fit::AlmostWorst | Fit::Next => 0,
        };
        if placed < order.len() {
            for (at, bin) in self.placement.bins.iter().enumerate() {
                bin.iter().for_each(|task| self.loads.add(at, packing.weight.of(&tasks[task.index()])));
            }
            self.put_all(packing, tasks, &order[placed..], |_| &Pin::Free);
        }
        self.queue = queue;
        Ok(&self.placement)
    }

    /// Places every task: those that may go to one processor alone before all others.
    pub(super) fn place_pinned<'p>(
        &mut self,
        packing: &Packing,
        tasks: &[Task],
        processors: u16,
        pin: impl Fn(TaskId) -> &'p Pin,
    ) {
        self.clear(processors.into());
        let mut queue = core::mem::take(&mut self.queue);
        self.put_all(packing, tasks, queue.fill(packing.order, tasks), pin);
        self.queue = queue;
    }

    /// Places the tasks of `order` beside those that have been placed.
    fn put_all<'p>(
        &mut self,
        packing: &Packing,
        tasks: &[Task],
        order: &[TaskId],
        pin: impl Fn(TaskId) -> &'p Pin,
    ) {
        let processors = self.loads.len();
        let weight = |task: TaskId| packing.weight.of(&tasks[task.index()]);
        for &task in order {
            if let Pin::On(cpu) = pin(task) {
                self.put_on(packing, task, weight(task), cpu.index());
            }
        }
        let mut all = true;
        self.candidates.extend(0..processors);
        for &task in order {
            match pin(task) {
                Pin::On(_) => continue,
                Pin::Free if all => {}
                Pin::Free => {
                    self.candidates.clear();
                    self.candidates.extend(0..processors);
                }
                Pin::Among(cpus) => {
                    self.candidates.clear();
                    self.candidates.extend(cpus.iter().map(|cpu| cpu.index()));
                    self.candidates.sort_unstable();
                }
            }
            all = matches!(pin(task), Pin::Free);
            self.put(packing, task, weight(task));
        }
    }

    fn clear(&mut self, processors: usize) {
        let TaskPlaces { bins, misfits, untried, overflowed } = &mut self.placement;
        bins.resize_with(processors, Vec::new);
        bins.iter_mut().chain([misfits, untried, overflowed]).for_each(Vec::clear);
        self.loads.clear(processors);
        self.candidates.clear();
        self.next = 0;
    }

    /// Puts `task` on processor `at`, whatever is there.
    fn put_on(&mut self, packing: &Packing, task: TaskId, weight: (u64, u64), at: usize) {
        if !packing.fit_bound.admits(&self.loads[at], weight) {
            self.placement.overflowed.push(task);
        }
        self.take(task, weight, at);
    }

    fn take(&mut self, task: TaskId, weight: (u64, u64), at: usize) {
        self.loads.add(at, weight);
        self.placement.bins[at].push(task);
    }

    /// Puts `task` on one of the candidates, or on none.
    fn put(&mut self, packing: &Packing, task: TaskId, weight: (u64, u64)) {
        let fits = |load: &Load| packing.fit_bound.admits(load, weight);
        let stopped = packing.fit == Fit::Next && self.next == self.loads.len();
        match (packing.fit.choose(&self.loads, &self.candidates, &mut self.next, fits), packing.overflow) {
            (Some(at), _) => self.take(task, weight, at),
            (None, Overflow::LeastLoaded) => {
                if let Some(at) = self.loads.least(&self.candidates) {
                    self.put_on(packing, task, weight, at);
                }
            }
            (None, Overflow::Misfit) if stopped => self.placement.untried.push(task),
            (None, Overflow::Misfit) => self.placement.misfits.push(task),
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
