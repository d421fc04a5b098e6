//! Where do tasks go? Bin packing of tasks on processors, and clusters as groups of processors.
//!
//! A [`Packing`] is a weight (utilization or density), an order in which tasks are taken, a rule that
//! chooses among the processors ([`Fit`]), a bound on what a processor takes, and what to do with a task
//! that fits nowhere. All sums and comparisons are exact. Ties go to the lower index, of tasks and of
//! processors. That a task fits says only that the bound is kept; whether the processor is schedulable is
//! a question for an analysis.
//!
//! Text forms: `first_fit`, `first_fit_decreasing`, `density:worst_fit_decreasing`; `-` may stand for `_`.
//! Without a weight it is `utilization:`. `least_utilization` is the name of `worst_fit_decreasing` in
//! chronos-scalability-2011 and stands for it here.

mod clusters;
mod fit;

pub use clusters::Clusters;
pub use fit::Fit;

use crate::load::Load;
use crate::ratio::Ratio;
use core::cmp::Ordering;
use core::fmt;
use core::str::FromStr;
use schedlab_model::{ClusterId, CpuId, Task, TaskId};

/// What of a task is summed up on a processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weight {
    /// `C/T`.
    #[default]
    Utilization,
    /// `C/min(D,T)`.
    Density,
}

/// In which order tasks are placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As the scenario lists them.
    #[default]
    Given,
    /// The heaviest first; equal ones as listed.
    Decreasing,
}

/// How much a processor takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FitBound {
    /// The sum of the weights on one processor stays at or below this.
    pub bound: Ratio,
    /// The sum must stay below: section 3.3 of chronos-scalability-2011 says "less than 1", with 1 replaced
    /// by 0.95 afterwards. Elsewhere a processor can be filled up.
    pub strictly_below: bool,
}

/// What becomes of a task that fits nowhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// It stays unplaced.
    #[default]
    Misfit,
    /// It goes to the least loaded processor all the same, and counts there (chronos-scalability-2011,
    /// section 3.3). The result names it.
    LeastLoaded,
}

/// A way to place tasks on processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packing {
    /// What is summed up.
    pub weight: Weight,
    /// Who is placed first.
    pub order: Order,
    /// Which processor is chosen.
    pub fit: Fit,
    /// How much it takes.
    pub fit_bound: FitBound,
    /// What becomes of the rest.
    pub overflow: Overflow,
}

/// Which task went where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The tasks of each processor, in the order in which they were placed.
    pub bins: Vec<Vec<TaskId>>,
    /// Tasks that fit nowhere and are on no processor.
    pub misfits: Vec<TaskId>,
    /// Tasks that next fit never tried, as it stops at the first misfit. On no processor either.
    pub untried: Vec<TaskId>,
    /// Tasks that fit nowhere and went to the least loaded processor all the same. Each is in `bins` too.
    pub overflowed: Vec<TaskId>,
}

/// Why tasks cannot be placed at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlacementError {
    /// There is no processor.
    NoProcessors,
    /// The task's period is zero, or, where density is the weight, its relative deadline.
    NoWeight(TaskId),
}

impl fmt::Display for PlacementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlacementError::NoProcessors => write!(f, "there are no processors to place tasks on"),
            PlacementError::NoWeight(task) => {
                write!(f, "the period or relative deadline of {task} is 0; allowed: 1 ns and above")
            }
        }
    }
}

impl std::error::Error for PlacementError {}

impl Default for FitBound {
    fn default() -> Self {
        FitBound { bound: Ratio::ONE, strictly_below: false }
    }
}

impl FitBound {
    /// True if `load` plus `extra` is within the bound.
    fn admits(&self, load: &Load, extra: (u64, u64)) -> bool {
        match load.compare_with(extra, self.bound) {
            Ordering::Less => true,
            Ordering::Equal => !self.strictly_below,
            Ordering::Greater => false,
        }
    }
}

impl Weight {
    /// The weight of `task` as numerator and denominator.
    fn of(self, task: &Task) -> (u64, u64) {
        let denominator = match self {
            Weight::Utilization => task.period,
            Weight::Density => task.relative_deadline.min(task.period),
        };
        (task.wcet.as_ns(), denominator.as_ns())
    }
}

impl Packing {
    /// P-EDF's placement in chronos-scalability-2011, section 3.3: first fit by decreasing utilization, below
    /// 0.95, with best-effort overflow.
    pub fn chronos_first_fit() -> Packing {
        Packing {
            order: Order::Decreasing,
            fit: Fit::First,
            fit_bound: FitBound { bound: Ratio::new(95, 100).unwrap_or(Ratio::ONE), strictly_below: true },
            overflow: Overflow::LeastLoaded,
            ..Packing::default()
        }
    }

    /// P-RMS' and C-EDF's placement in the same section: each task, by decreasing utilization, to the
    /// processor with the least total utilization, whatever that is.
    pub fn chronos_least_utilization() -> Packing {
        Packing {
            order: Order::Decreasing,
            fit: Fit::Worst,
            overflow: Overflow::LeastLoaded,
            ..Packing::default()
        }
    }

    /// The task ids in the order in which this packing places them.
    fn queue(&self, weights: &[(u64, u64)]) -> Vec<TaskId> {
        let mut queue: Vec<TaskId> = (0..weights.len() as u32).map(TaskId).collect();
        if self.order == Order::Decreasing {
            let cross = |a: (u64, u64), b: (u64, u64)| u128::from(a.0) * u128::from(b.1);
            queue.sort_by(|a, b| {
                let (a, b) = (weights[a.index()], weights[b.index()]);
                cross(b, a).cmp(&cross(a, b))
            });
        }
        queue
    }

    /// Places `tasks` on `processors` processors.
    pub fn place(&self, tasks: &[Task], processors: u16) -> Result<Placement, PlacementError> {
        if processors == 0 {
            return Err(PlacementError::NoProcessors);
        }
        let weights: Vec<(u64, u64)> = tasks.iter().map(|task| self.weight.of(task)).collect();
        if let Some(at) = weights.iter().position(|(_, denominator)| *denominator == 0) {
            return Err(PlacementError::NoWeight(TaskId(at as u32)));
        }
        let mut loads = vec![Load::default(); processors.into()];
        let mut placement = Placement { bins: vec![Vec::new(); processors.into()], ..Placement::default() };
        let mut next = 0;
        for task in self.queue(&weights) {
            let weight = weights[task.index()];
            let fits = |load: &Load| self.fit_bound.admits(load, weight);
            let stopped = self.fit == Fit::Next && next == loads.len();
            let at = match self.fit.choose(&loads, &mut next, fits) {
                Some(at) => at,
                None if self.overflow == Overflow::LeastLoaded => {
                    placement.overflowed.push(task);
                    fit::least_loaded(&loads)
                }
                None if stopped => {
                    placement.untried.push(task);
                    continue;
                }
                None => {
                    placement.misfits.push(task);
                    continue;
                }
            };
            loads[at].add(weight.0, weight.1);
            placement.bins[at].push(task);
        }
        Ok(placement)
    }
}

impl Placement {
    /// True if every task is on a processor, be it as overflow.
    pub fn is_complete(&self) -> bool {
        self.misfits.is_empty() && self.untried.is_empty()
    }

    /// True if every task is on a processor whose bound it keeps.
    pub fn fits(&self) -> bool {
        self.is_complete() && self.overflowed.is_empty()
    }

    /// The processor of each task, by task; `None` for those on none.
    pub fn cpus(&self) -> Vec<Option<CpuId>> {
        let placed: usize = self.bins.iter().map(Vec::len).sum();
        let mut cpus = vec![None; placed + self.misfits.len() + self.untried.len()];
        for (cpu, bin) in self.bins.iter().enumerate() {
            for task in bin {
                cpus[task.index()] = Some(CpuId(cpu as u16));
            }
        }
        cpus
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPacking(pub String);

impl fmt::Display for UnknownPacking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown placement `{}`; allowed: first_fit, worst_fit, best_fit or next_fit, with _decreasing or \
             without, after utilization: or density: or nothing; least_utilization",
            self.0
        )
    }
}

impl std::error::Error for UnknownPacking {}

impl FromStr for Packing {
    type Err = UnknownPacking;

    fn from_str(text: &str) -> Result<Self, UnknownPacking> {
        let unknown = || UnknownPacking(text.into());
        let name = text.replace('-', "_");
        let (weight, rule) = match name.split_once(':') {
            None => (Weight::Utilization, name.as_str()),
            Some(("utilization", rule)) => (Weight::Utilization, rule),
            Some(("density", rule)) => (Weight::Density, rule),
            Some(_) => return Err(unknown()),
        };
        let rule = if rule == "least_utilization" { "worst_fit_decreasing" } else { rule };
        let (fit, order) = match rule.strip_suffix("_decreasing") {
            Some(fit) => (fit, Order::Decreasing),
            None => (rule, Order::Given),
        };
        let fit = Fit::ALL.into_iter().find(|known| known.name() == fit).ok_or_else(unknown)?;
        Ok(Packing { weight, order, fit, ..Packing::default() })
    }
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let weight = match self.weight {
            Weight::Utilization => "utilization",
            Weight::Density => "density",
        };
        let order = match self.order {
            Order::Given => "",
            Order::Decreasing => "_decreasing",
        };
        write!(f, "{weight}:{}{order}", self.fit.name())
    }
}

#[cfg(test)]
mod tests;
