//! Where do tasks go? Bin packing of tasks on processors, and clusters as groups of processors.
//!
//! A [`Packing`] is a weight (utilization or density), an order in which tasks are taken, a rule that
//! chooses among the processors ([`Fit`]), a bound on what a processor takes, and what to do with a task
//! that fits nowhere. All sums and comparisons are exact. Ties go to the lower index, of tasks and of
//! processors. That a task fits says only that the bound is kept; whether the processor is schedulable is
//! a question for an analysis.
//!
//! Text forms: `first_fit`, `first_fit_decreasing`, `density:worst_fit_decreasing`, and for an order that is
//! not that of the weight `first_fit_decreasing_density`, `first_fit_by_deadline`; `-` may stand for `_`.
//! Without a weight it is `utilization:`. `least_utilization` is the name of `worst_fit_decreasing` in
//! chronos-scalability-2011 and stands for it here.

mod bins;
mod fit;
mod joined;
mod packer;
mod queue;
mod spread;
mod tested;
mod together;

pub use bins::Bins;
pub use fit::Fit;
pub use joined::{InBins, PlacementWays};
pub use packer::Packer;
pub use together::place_together;

use crate::load::Load;
use crate::ratio::Ratio;
use core::cmp::Ordering;
use core::str::FromStr;
use schedlab_model::{ClusterId, CpuId, Task, TaskId};
use strum::VariantArray;

/// Quantity of a task that is summed up on a processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlacementWeight {
    /// `C/T`.
    #[default]
    Utilization,
    /// `C/min(D,T)`.
    Density,
}

/// Order in which tasks are placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlacementOrder {
    /// Tasks go as the scenario lists them.
    #[default]
    Given,
    /// The heaviest task goes first; equal ones go as listed. The weight that orders tasks need not be the one that is
    /// summed up.
    Decreasing(PlacementWeight),
    /// The shortest relative deadline goes first; equal ones go as listed (S. Baruah, N. Fisher, "The partitioned
    /// multiprocessor scheduling of sporadic task systems", RTSS 2005).
    RisingDeadline,
}

/// Restriction on where a task may go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Pin {
    /// The task may go anywhere.
    #[default]
    Free,
    /// The task goes to this processor, whether it fits there or not. Such tasks are placed before all others.
    On(CpuId),
    /// The task may go to one of these processors.
    Among(Vec<CpuId>),
}

/// Fit bound: how full a processor may get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FitBound {
    /// The sum of the weights on one processor stays at or below this.
    pub bound: Ratio,
    /// True if the sum must stay below the bound: section 3.3 of chronos-scalability-2011 says "less than 1", with 1
    /// replaced by 0.95 afterwards. Elsewhere a processor can be filled up.
    pub strictly_below: bool,
}

/// Treatment of a task that fits nowhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// The task stays unplaced.
    #[default]
    Misfit,
    /// The task goes to the least loaded processor all the same, and counts there (chronos-scalability-2011, section
    /// 3.3). The result lists it.
    LeastLoaded,
}

/// A way to place tasks on processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packing {
    /// Quantity that is summed up.
    pub weight: PlacementWeight,
    /// Order in which tasks are placed.
    pub order: PlacementOrder,
    /// Choice of the processor.
    pub fit: Fit,
    /// Fit bound of a processor.
    pub fit_bound: FitBound,
    /// Treatment of tasks that fit nowhere.
    pub overflow: Overflow,
}

/// Result of a placement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskPlaces {
    /// The tasks of each processor, or of each cluster, in the order in which they were placed.
    pub bins: Vec<Vec<TaskId>>,
    /// Tasks that fit nowhere and are on no processor.
    pub misfits: Vec<TaskId>,
    /// Tasks that next fit never tried, because it stops at the first misfit. They are on no processor either.
    pub untried: Vec<TaskId>,
    /// Tasks that fit nowhere and went to the least loaded processor all the same, and tasks pinned to a processor on
    /// which they do not fit. They are in `bins`, too.
    pub overflowed: Vec<TaskId>,
}

/// Reason why tasks cannot be placed at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlacementError {
    /// There is no processor.
    #[error("there are no processors to place tasks on")]
    NoProcessors,
    /// The task may go to a processor that does not exist, or to none at all.
    #[error(
        "{0} is to run on {place}",
        place = .1.map_or_else(|| "no processor at all".to_owned(), |cpu| format!("{cpu}, which does not exist"))
    )]
    NoSuchProcessor(TaskId, Option<CpuId>),
    /// There must be one pin for each task.
    #[error("{pins} pins for {tasks} tasks; allowed: one for each")]
    WrongNumberOfPins {
        /// Number of tasks.
        tasks: usize,
        /// Number of pins.
        pins: usize,
    },
    /// The task's period is zero, or, where density is the weight, its relative deadline.
    #[error("the period or relative deadline of {0} is 0; allowed: 1 ns and above")]
    NoWeight(TaskId),
}

impl Default for FitBound {
    fn default() -> Self {
        FitBound { bound: Ratio::ONE, strictly_below: false }
    }
}

impl FitBound {
    /// True if `load` plus `extra` is within the bound.
    #[inline]
    fn admits(&self, load: &Load, extra: (u64, u64)) -> bool {
        match load.compare_with(extra, self.bound) {
            Ordering::Less => true,
            Ordering::Equal => !self.strictly_below,
            Ordering::Greater => false,
        }
    }
}

impl PlacementWeight {
    /// The weight of `task` as numerator and denominator.
    #[inline]
    fn of(self, task: &Task) -> (u64, u64) {
        let denominator = match self {
            PlacementWeight::Utilization => task.period,
            PlacementWeight::Density => task.relative_deadline.min(task.period),
        };
        (task.wcet.as_ns(), denominator.as_ns())
    }
}

impl Packing {
    /// Places `tasks` on `processors` processors.
    pub fn place(&self, tasks: &[Task], processors: u16) -> Result<TaskPlaces, PlacementError> {
        let mut packer = Packer::default();
        packer.place(self, tasks, processors)?;
        Ok(packer.placement)
    }

    /// Places `tasks` in `bins`, such as a number of processors, where `pins[i]` restricts where task `i` may go.
    pub fn place_pinned<'b>(
        &self,
        tasks: &[Task],
        bins: impl Into<Bins<'b>>,
        pins: &[Pin],
    ) -> Result<TaskPlaces, PlacementError> {
        let bins = bins.into();
        self.check(tasks, bins, pins)?;
        let mut packer = Packer::default();
        packer.place_pinned(self, tasks, bins, pins, None);
        Ok(packer.placement)
    }

    fn check(&self, tasks: &[Task], bins: Bins<'_>, pins: &[Pin]) -> Result<(), PlacementError> {
        if tasks.len() != pins.len() {
            return Err(PlacementError::WrongNumberOfPins { tasks: tasks.len(), pins: pins.len() });
        }
        self.check_free(tasks, bins.count())?;
        for (task, pin) in pins.iter().enumerate() {
            let id = TaskId(task as u32);
            let cpus = match pin {
                Pin::Free => continue,
                Pin::On(cpu) => core::slice::from_ref(cpu),
                Pin::Among(cpus) => cpus,
            };
            if let Some(cpu) = cpus.iter().find(|cpu| bins.of(**cpu).is_none()) {
                return Err(PlacementError::NoSuchProcessor(id, Some(*cpu)));
            }
            if cpus.is_empty() {
                return Err(PlacementError::NoSuchProcessor(id, None));
            }
        }
        Ok(())
    }

    /// Checks that there is a processor, and every task has a weight.
    fn check_free(&self, tasks: &[Task], bins: usize) -> Result<(), PlacementError> {
        if bins == 0 {
            return Err(PlacementError::NoProcessors);
        }
        let by_density = [Some(self.weight), self.order.weight()].contains(&Some(PlacementWeight::Density));
        let weightless =
            |task: &Task| task.period.is_zero() || by_density && task.relative_deadline.is_zero();
        match tasks.iter().position(weightless) {
            Some(index) => Err(PlacementError::NoWeight(TaskId(index as u32))),
            None => Ok(()),
        }
    }
}

impl PlacementOrder {
    /// Returns the weight that orders tasks, if one does.
    fn weight(self) -> Option<PlacementWeight> {
        match self {
            PlacementOrder::Decreasing(weight) => Some(weight),
            PlacementOrder::Given | PlacementOrder::RisingDeadline => None,
        }
    }
}

impl TaskPlaces {
    /// True if every task is on a processor, be it as overflow.
    pub fn is_complete(&self) -> bool {
        self.misfits.is_empty() && self.untried.is_empty()
    }

    /// True if every task is on a processor whose bound it keeps.
    pub fn fits(&self) -> bool {
        self.is_complete() && self.overflowed.is_empty()
    }

    /// Returns the bin of each task, by task; `None` for a task in no bin.
    pub fn by_task(&self) -> Vec<Option<usize>> {
        let placed: usize = self.bins.iter().map(Vec::len).sum();
        let mut found = vec![None; placed + self.misfits.len() + self.untried.len()];
        for (index, bin) in self.bins.iter().enumerate() {
            bin.iter().for_each(|task| found[task.index()] = Some(index));
        }
        found
    }

    /// Returns the processor of each task, by task, where tasks were placed on processors; `None` for a task on none.
    pub fn cpus(&self) -> Vec<Option<CpuId>> {
        self.by_task().into_iter().map(|bin| bin.map(|index| CpuId(index as u16))).collect()
    }

    /// Puts each placed task into the cluster of its processor, one processor per cluster.
    pub fn assign(&self, tasks: &mut [Task]) {
        for (task, cpu) in tasks.iter_mut().zip(self.cpus()) {
            if let Some(cpu) = cpu {
                task.cluster = ClusterId(cpu.0);
            }
        }
    }
}

/// The text is not the name of a packing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown placement `{0}`; allowed: first_fit, worst_fit, best_fit, almost_worst_fit or next_fit, with _decreasing, \
     _decreasing_utilization, _decreasing_density, _by_deadline or nothing, after utilization: or density: or nothing; least_utilization"
)]
pub struct UnknownPacking(pub String);

impl FromStr for Packing {
    type Err = UnknownPacking;

    fn from_str(text: &str) -> Result<Self, UnknownPacking> {
        let unknown = || UnknownPacking(text.into());
        let name = text.replace('-', "_");
        let (weight, rule) = match name.split_once(':') {
            None => (PlacementWeight::Utilization, name.as_str()),
            Some(("utilization", rule)) => (PlacementWeight::Utilization, rule),
            Some(("density", rule)) => (PlacementWeight::Density, rule),
            Some(_) => return Err(unknown()),
        };
        let rule = if rule == "least_utilization" { "worst_fit_decreasing" } else { rule };
        let orders = [
            ("_decreasing", PlacementOrder::Decreasing(weight)),
            ("_decreasing_utilization", PlacementOrder::Decreasing(PlacementWeight::Utilization)),
            ("_decreasing_density", PlacementOrder::Decreasing(PlacementWeight::Density)),
            ("_by_deadline", PlacementOrder::RisingDeadline),
        ];
        let ordered = orders.iter().find_map(|(suffix, order)| Some((rule.strip_suffix(suffix)?, *order)));
        let (fit, order) = ordered.unwrap_or((rule, PlacementOrder::Given));
        let fit = *Fit::VARIANTS.iter().find(|known| known.as_ref() == fit).ok_or_else(unknown)?;
        Ok(Packing { weight, order, fit, ..Packing::default() })
    }
}

#[cfg(test)]
mod tests;
