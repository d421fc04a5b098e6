//! Quantum-based accounting, as it is published for Pfair schedulers.
//!
//! B. Brandenburg, *Scheduling and locking in multiprocessor real-time operating systems*, dissertation, Chapel Hill
//! 2011, chapter 3 (quantum-driven scheduling). Every quantum is shorter by the overheads that may fall into it; costs
//! are rounded up to such quanta; a job waits for the boundary after its release; staggered quanta end later:
//!
//! ```text
//! Q' = Q - lat - tick - scheduling - context switch - cache [- (n-1) release]
//! e  = ceil(C / Q')
//! T' = floor((T - delay) / Q),  D' = floor((D - delay) / Q),  delay = [Q + lat + release] [+ (m-1)/m Q]
//! ```
//!
//! The releases leave Q' if a processor of their own takes them; the first part of the delay vanishes if
//! periodic releases are polled at quantum boundaries. `cache` is that of the dearest task. What the simulator
//! charges, where interrupts queue up and boundaries need not be so tidy, is bounded in [`super::pfair`].
//!
//! Exact fractions of nanoseconds.

use super::jlfp::Accounting;
use crate::exact::Fraction;
use schedlab_model::{OverheadKind, Task};

/// A task's parameters, in nanoseconds.
#[derive(Clone, Debug)]
pub struct Parameters {
    /// Cost C.
    pub cost: Fraction,
    /// Period T.
    pub period: Fraction,
    /// Relative deadline D.
    pub relative_deadline: Fraction,
}

/// Densities that the accounting allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Densities {
    /// Up to 1: a task of weight 1 always runs.
    UpToOne,
    /// Below 1, as SchedCAT has it.
    BelowOne,
}

/// Kind of releases and quanta.
#[derive(Clone, Copy, Debug)]
pub struct Mode {
    /// Periodic releases are polled at quantum boundaries, without delay.
    pub polled: bool,
    /// Quanta are staggered over this many processors.
    pub staggered_over: Option<u32>,
    /// Densities that are allowed.
    pub densities: Densities,
}

impl Parameters {
    /// Parameters of `task`.
    pub fn of(task: &Task) -> Parameters {
        Parameters {
            cost: Fraction::integer(task.wcet.as_ns()),
            period: Fraction::integer(task.period.as_ns()),
            relative_deadline: Fraction::integer(task.relative_deadline.as_ns()),
        }
    }

    fn is_within(&self, densities: Densities) -> bool {
        let shorter = match self.period.compare(&self.relative_deadline).is_lt() {
            true => &self.period,
            false => &self.relative_deadline,
        };
        let order = self.cost.compare(shorter);
        shorter.is_positive() && (order.is_lt() || (order.is_eq() && densities == Densities::UpToOne))
    }
}

/// Changes every task, unless one is too dense then.
fn each(
    tasks: &[Parameters],
    densities: Densities,
    change: impl Fn(&Parameters) -> Parameters,
) -> Option<Vec<Parameters>> {
    let change = |task| Some(change(task)).filter(|task: &Parameters| task.is_within(densities));
    tasks.iter().map(change).collect()
}

/// Costs as whole quanta, of which `useful` each is left to the task. `useful` is positive.
pub fn round_costs(
    tasks: &[Parameters],
    quantum: u64,
    useful: &Fraction,
    densities: Densities,
) -> Option<Vec<Parameters>> {
    each(tasks, densities, |task| {
        let quanta = Fraction::integer(task.cost.over(useful).ceiling());
        Parameters { cost: quanta.times(&Fraction::integer(quantum)), ..task.clone() }
    })
}

/// Periods and relative deadlines as whole quanta, rounded down.
pub fn round_periods(tasks: &[Parameters], quantum: u64, densities: Densities) -> Option<Vec<Parameters>> {
    let quantum = Fraction::integer(quantum);
    let whole = |value: &Fraction| Fraction::integer(value.over(&quantum).floor()).times(&quantum);
    each(tasks, densities, |task| Parameters {
        cost: task.cost.clone(),
        period: whole(&task.period),
        relative_deadline: whole(&task.relative_deadline),
    })
}

/// Shortens periods and relative deadlines by `delay`, because jobs may be noticed that late.
pub fn delay_releases(
    tasks: &[Parameters],
    delay: &Fraction,
    densities: Densities,
) -> Option<Vec<Parameters>> {
    each(tasks, densities, |task| Parameters {
        cost: task.cost.clone(),
        period: task.period.minus(delay),
        relative_deadline: task.relative_deadline.minus(delay),
    })
}

/// Largest delay by staggered quanta: (m-1)/m of a quantum.
pub fn stagger_delay(quantum: u64, processors: u32) -> Fraction {
    let others = u128::from(processors.saturating_sub(1));
    Fraction::new(others * u128::from(quantum), processors.max(1))
}

/// The tasks with overheads accounted for, in whole quanta; `None` if nothing is left of a quantum or a task is too
/// dense.
pub fn account(tasks: &[Task], accounting: &Accounting<'_>, mode: Mode) -> Option<Vec<Parameters>> {
    let quantum = accounting.quantum.as_ns();
    let release = accounting.of(OverheadKind::Release);
    let latency = u128::from(accounting.release_latency.as_ns());
    let mut lost = latency
        + accounting.of(OverheadKind::Tick)
        + accounting.of(OverheadKind::Scheduling)
        + accounting.of(OverheadKind::ContextSwitch)
        + u128::from(tasks.iter().map(|task| accounting.cache_of(task)).max().unwrap_or(0));
    if !accounting.dedicated_interrupts {
        lost += tasks.len().saturating_sub(1) as u128 * release;
    }
    let useful = u128::from(quantum).checked_sub(lost).filter(|&left| left > 0)?;
    let mut delay = Fraction::integer(if mode.polled { 0 } else { u128::from(quantum) + latency + release });
    if let Some(processors) = mode.staggered_over {
        delay = delay.plus(&stagger_delay(quantum, processors));
    }
    let given: Vec<Parameters> = tasks.iter().map(Parameters::of).collect();
    let rounded = round_costs(&given, quantum, &Fraction::integer(useful), mode.densities)?;
    round_periods(&delay_releases(&rounded, &delay, mode.densities)?, quantum, mode.densities)
}
