//! Preemption-centric accounting for job-level fixed priorities.
//!
//! B. Brandenburg, *Scheduling and locking in multiprocessor real-time operating systems*, dissertation,
//! Chapel Hill 2011, chapter 3, section 3.4 (preemption-centric interrupt accounting), for P-, C- and
//! G-EDF and whatever else keeps a job's priority. With n tasks and a quantum Q, ticks take the share
//! u_0 = tick / Q and releases u_r = sum(release / T_i) of a processor; a preemption meets
//!
//! ```text
//! c_pre = (tick + lat u_0 + n release + lat u_r + sum(J_i release / T_i)) / (1 - u_0 - u_r)
//! C' = (C + 2 (scheduling + context switch) + cache) / (1 - u_0 - u_r) + 2 c_pre + ipi
//! T' = T - lat,  D' = D - lat
//! ```
//!
//! A job pays for the job that it preempts: `cache` is the dearest reload of any *other* task. `lat` is
//! how late an arrival may be noticed. J_i is the jitter of releases (not in the dissertation, which has none): so many
//! more of them may come together, also where they wait for a tick. Inter-processor interrupts occur with more than one
//! processor. With a processor of its own for interrupts, `release` leaves u_r and c_pre and is added to C' once.
//!
//! A job that suspends itself k times according to its program comes back k times, each time as a new
//! arrival would, but for the release: it is switched to, preempts and reloads k + 1 times. How often a
//! job of dynamic self-suspension comes back is not known, so its overheads are unbounded.
//!
//! With several processors the published account is too small: a job may meet two switches in progress that it does not
//! pay for. The interrupt that releases it waits until its processor has switched, which adds to `lat`; and the
//! processor that it is then linked to may be switching to a less urgent job, which adds to C'. On one processor the
//! two are one, and 2 (scheduling + context switch) are enough: a busy interval of k jobs has at most 2 k switches, the
//! one in progress among them. `switches_in_progress` says whether they are paid for: they are for verdicts, and not
//! where published numbers are compared. `crates/lab/tests/switches_in_progress.rs` keeps a system that the published
//! account calls schedulable and that misses a deadline.
//!
//! Assumes overheads bounded by the values used and independent jobs. Exact fractions; costs round up,
//! periods and relative deadlines down. Linear in n, but for the size of the numbers.

mod nearly;

use crate::exact::Fraction;
use nearly::NearRates;
use num_traits::ToPrimitive;
use schedlab_model::{
    Duration, OverheadKind, OverheadSpec, Overheads, Statistic, Step, Suspension, Task, TaskId, Work,
};

/// Input of the accounting, besides the tasks.
#[derive(Clone, Copy, Debug)]
pub struct Accounting<'a> {
    /// The machine's overheads.
    pub overheads: &'a Overheads,
    /// Statistic of the measured values: largest for guarantees, mean for typical costs.
    pub statistic: Statistic,
    /// Distance of ticks.
    pub quantum: Duration,
    /// Processors of the cluster.
    pub processors: u32,
    /// Number of tasks of the whole machine, with which linear overheads grow.
    pub machine_tasks: usize,
    /// Latest time after an arrival at which it is noticed.
    pub release_latency: Duration,
    /// Longest time that releases wait to be noticed together; the caller counts it as jitter.
    pub polled: Duration,
    /// True if another processor takes the release interrupts.
    pub dedicated_interrupts: bool,
    /// True if jobs on several processors pay for switches in progress, as no published account does.
    pub switches_in_progress: bool,
}

/// One task with its overheads. Times in ns.
#[derive(Clone, Debug)]
pub struct Inflated {
    /// Cost C' with overheads.
    pub cost: Fraction,
    /// Period T' with overheads.
    pub period: u64,
    /// Relative deadline D' with overheads.
    pub relative_deadline: u64,
}

/// Reason why overheads cannot be put into the costs of tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotInflated {
    /// Interrupts take a whole processor.
    Interrupts,
    /// The task needs more than a processor.
    Task(TaskId),
    /// The task suspends itself an unknown number of times, each of which has a cost.
    UnboundedSuspensions(TaskId),
}

impl NotInflated {
    /// Returns this reason with the task called as `name` says.
    pub fn renamed(self, name: impl FnOnce(TaskId) -> TaskId) -> NotInflated {
        match self {
            NotInflated::Interrupts => NotInflated::Interrupts,
            NotInflated::Task(task) => NotInflated::Task(name(task)),
            NotInflated::UnboundedSuspensions(task) => NotInflated::UnboundedSuspensions(name(task)),
        }
    }
}

/// The overheads of jobs that are never preempted and do not suspend themselves ([`never_leave`]): no cache is
/// reloaded.
///
/// All else is as for preemptive jobs: interrupts still stop them, and each job is switched to and from.
pub fn without_reloads(overheads: &Overheads) -> Overheads {
    let mut charged = overheads.clone();
    charged.set(OverheadKind::CacheRelatedPreemption, OverheadSpec::default());
    charged.set(OverheadKind::CacheRelatedMigration, OverheadSpec::default());
    charged
}

/// True if no job suspends itself.
pub fn never_leave(tasks: &[Task]) -> bool {
    tasks.iter().all(|task| times_ready(task) == Some(1))
}

/// The tasks with overheads accounted for, in whole nanoseconds, each of density at most 1.
///
/// Programs are left as they are: only their suspensions matter to analysis.
pub fn inflate(tasks: &[Task], accounting: &Accounting<'_>) -> Result<Vec<Task>, NotInflated> {
    let mut inflated = Vec::with_capacity(tasks.len());
    inflate_into(tasks, accounting, &mut inflated)?;
    Ok(inflated)
}

/// Accounts for overheads as [`inflate`] does, and writes the result to `inflated`.
///
/// Costs are computed in floating point with a bound on the error; the fractions are asked only where that leaves more
/// than one whole nanosecond.
pub fn inflate_into(
    tasks: &[Task],
    accounting: &Accounting<'_>,
    inflated: &mut Vec<Task>,
) -> Result<(), NotInflated> {
    inflated.clear();
    let nearly = NearRates::new(tasks, accounting);
    let mut exactly: Option<Rates> = None;
    if nearly.is_none() {
        exactly = Some(Rates::new(tasks, accounting)?);
    }
    let caches = Caches::new(tasks, accounting);
    for task in 0..tasks.len() {
        let Lengths { period, relative_deadline, executed, times } =
            accounting.lengths(tasks, &caches, task)?;
        let cost = nearly.as_ref().and_then(|rates| rates.cost(executed, times)).or_else(|| {
            let rates = exactly.get_or_insert_with(|| {
                Rates::new(tasks, accounting).expect("interrupts leave something, if only nearly as much")
            });
            rates.cost(executed, times).ceiling().to_u64()
        });
        let least = period.min(relative_deadline);
        match cost {
            Some(cost) if cost <= least && least > 0 => inflated.push(Task {
                wcet: Work::from_ns(cost),
                period: Duration::from_ns(period),
                relative_deadline: Duration::from_ns(relative_deadline),
                ..tasks[task].clone()
            }),
            _ => return Err(NotInflated::Task(TaskId(task as u32))),
        }
    }
    Ok(())
}

/// Accounts for overheads without rounding.
pub fn inflate_exactly(tasks: &[Task], accounting: &Accounting<'_>) -> Result<Vec<Inflated>, NotInflated> {
    let rates = Rates::new(tasks, accounting)?;
    let caches = Caches::new(tasks, accounting);
    let of = |task: usize| {
        let Lengths { period, relative_deadline, executed, times } =
            accounting.lengths(tasks, &caches, task)?;
        let cost = rates.cost(executed, times);
        match cost.compare(&Fraction::integer(period.min(relative_deadline))).is_gt() {
            true => Err(NotInflated::Task(TaskId(task as u32))),
            false => Ok(Inflated { cost, period, relative_deadline }),
        }
    };
    (0..tasks.len()).map(of).collect()
}

/// Parts of one task's accounting that need no fraction.
struct Lengths {
    /// Period T' with overheads.
    period: u64,
    /// Relative deadline D' with overheads.
    relative_deadline: u64,
    /// Work on the job's own processor.
    executed: u128,
    /// Number of times that a job becomes able to execute.
    times: u128,
}

/// Returns how often a job becomes able to execute: once, and after each self-suspension. `None` if unknown.
pub(super) fn times_ready(task: &Task) -> Option<u128> {
    if matches!(task.suspension, Suspension::Dynamic(bound) if !bound.is_zero()) {
        return None;
    }
    let suspends = |step: &&Step| matches!(step, Step::Suspend(_));
    Some(1 + task.program.iter().filter(suspends).count() as u128)
}

impl Accounting<'_> {
    fn switch(&self) -> u128 {
        self.of(OverheadKind::Scheduling) + self.of(OverheadKind::ContextSwitch)
    }

    /// Returns the time for which a processor of several may be switching to another job when it is needed.
    pub(super) fn in_progress(&self) -> u128 {
        match self.switches_in_progress && self.processors > 1 {
            true => self.switch(),
            false => 0,
        }
    }

    /// Returns the latest time after an arrival at which it is handled: a release that was noticed late may wait for a
    /// switch in progress.
    fn latency(&self) -> u64 {
        let latency = u128::from(self.release_latency.as_ns()) + self.in_progress();
        u64::try_from(latency).unwrap_or(u64::MAX)
    }

    /// Returns what a job executes on its own processor if it becomes able to execute `times` times: its cost, and each
    /// time two switches, the rest of a switch in progress and a reload. Coming back from a suspension waits for a
    /// switch as an arrival does.
    fn executed(&self, task: &Task, times: u128, cache: u128) -> u128 {
        let each = 2 * self.switch() + self.in_progress() + cache;
        u128::from(task.wcet.as_ns()) + times * each + (times - 1) * self.in_progress()
    }

    /// Returns the lengths of the task at place `index`, if the release latency leaves any.
    fn lengths(&self, tasks: &[Task], caches: &Caches, index: usize) -> Result<Lengths, NotInflated> {
        let (task, id, latency) = (&tasks[index], TaskId(index as u32), self.latency());
        let shortened = |length: Duration| length.as_ns().checked_sub(latency).ok_or(NotInflated::Task(id));
        let (period, relative_deadline) = (shortened(task.period)?, shortened(task.relative_deadline)?);
        let times = times_ready(task).ok_or(NotInflated::UnboundedSuspensions(id))?;
        let executed = self.executed(task, times, caches.of_others_than(index));
        Ok(Lengths { period, relative_deadline, executed, times })
    }

    /// Length of time within which releases of `task` may come together.
    fn bunch(&self, task: &Task) -> u128 {
        u128::from(task.jitter.as_ns()) + u128::from(self.polled.as_ns())
    }

    /// Returns the time that is added to each cost besides the preemptions.
    fn constant(&self) -> u128 {
        let mut constant = 0;
        if self.processors > 1 || self.dedicated_interrupts {
            constant += self.of(OverheadKind::Ipi);
        }
        if self.dedicated_interrupts {
            constant += self.of(OverheadKind::Release);
        }
        constant
    }

    pub(super) fn of(&self, kind: OverheadKind) -> u128 {
        u128::from(self.overheads.evaluate(kind, self.statistic, self.machine_tasks, 0).as_ns())
    }

    pub(super) fn cache_of(&self, task: &Task) -> u64 {
        let of = |kind| self.overheads.evaluate(kind, self.statistic, self.machine_tasks, task.working_set);
        let preemption = of(OverheadKind::CacheRelatedPreemption);
        let migration = of(OverheadKind::CacheRelatedMigration);
        // On one processor nothing migrates.
        if self.processors > 1 {
            preemption.max(migration).as_ns()
        } else {
            preemption.as_ns()
        }
    }
}

/// Share of the processor that interrupts leave to jobs.
pub(super) struct Rates {
    /// Share of the processor that is left: 1 - u_0 - u_r.
    pub(super) left: Fraction,
    /// Cost c_pre of a preemption.
    pub(super) met: Fraction,
    /// Time that is added to each cost after scaling.
    added: Fraction,
}

impl Rates {
    pub(super) fn new(tasks: &[Task], accounting: &Accounting<'_>) -> Result<Self, NotInflated> {
        let tick = accounting.of(OverheadKind::Tick);
        let release = accounting.of(OverheadKind::Release);
        let latency = Fraction::integer(accounting.latency());
        let mut share = Fraction::new(tick, accounting.quantum.as_ns());
        let mut met = Fraction::integer(tick);
        if !accounting.dedicated_interrupts {
            let of_task = |task: &Task| Fraction::new(release, task.period.as_ns());
            share = share.plus(&Fraction::sum_of(tasks.iter().map(of_task).collect()));
            met = met.plus(&Fraction::integer(release * tasks.len() as u128));
            let bunched = |task: &Task| Fraction::new(release * accounting.bunch(task), task.period.as_ns());
            met = met.plus(&Fraction::sum_of(tasks.iter().map(bunched).collect()));
        }
        let left = Fraction::integer(1).minus(&share);
        if !left.is_positive() {
            return Err(NotInflated::Interrupts);
        }
        let preemption = met.plus(&latency.times(&share)).over(&left);
        let constant = Fraction::integer(accounting.constant());
        let added = preemption.times(&Fraction::integer(2)).plus(&constant);
        Ok(Rates { left, met: preemption, added })
    }

    /// Returns the cost C' with overheads.
    fn cost(&self, executed: u128, times: u128) -> Fraction {
        let added = self.added.times(&Fraction::integer(times));
        Fraction::integer(executed).over(&self.left).plus(&added)
    }
}

/// The two dearest cache reloads.
struct Caches {
    dearest: Option<usize>,
    first: u64,
    second: u64,
}

impl Caches {
    fn new(tasks: &[Task], accounting: &Accounting<'_>) -> Self {
        let mut caches = Caches { dearest: None, first: 0, second: 0 };
        for (index, task) in tasks.iter().enumerate() {
            let cost = accounting.cache_of(task);
            if caches.dearest.is_none() || cost > caches.first {
                caches = Caches { dearest: Some(index), first: cost, second: caches.first };
            } else {
                caches.second = caches.second.max(cost);
            }
        }
        caches
    }

    fn of_others_than(&self, task: usize) -> u128 {
        u128::from(if self.dearest == Some(task) { self.second } else { self.first })
    }
}
