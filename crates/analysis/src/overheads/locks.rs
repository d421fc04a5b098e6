//! Overheads of jobs that take locks: longer costs and longer critical sections.
//!
//! The published accounting ([`super::requests`]; B. Brandenburg, dissertation, Chapel Hill 2011, section 7.4) assumes
//! that nothing interrupts. The accounting here adds interrupts in the way of [`super::jlfp`] and, from table 1 of
//! block-or-not-2008, the cost of leaving sections without preemption. With lock = acquire + release, kernel = entry +
//! exit, switch = scheduling + context switch, an outermost section of length L takes, once its job executes it,
//!
//! ```text
//! retrying:     L
//! spinning:     L + lock
//! stacking:     L + lock + 2 kernel
//! suspending:   L + lock + 2 kernel + switch + cache + ipi
//! boosted:      the same and one more switch and cache
//! distributed:  L + lock + 2 kernel + 3 switch + 2 cache + 2 ipi
//! section' =    that / (1 - u_0 - u_r) + c_pre
//! ```
//!
//! A retrying job's section is one attempt, which is executed again as often as others come between: interrupts make
//! each of its attempts longer. A preemption within it is paid for by the job that preempts.
//!
//! *Why.* A job that resumes as the holder is first notified by an ipi, switched to, and reloads its working set. Where
//! holders may preempt each other or jobs of higher base priority, each section pays besides for the return of the job
//! that it preempted. A distributed section executes on another processor: the agent goes there and back, and the
//! dearest interrupts of all clusters count. A job that spins or is not preempted may end a section by a delayed
//! preemption, after it: leaving + kernel. Costs contain all of this once more, whichever job waits. A job that
//! suspends itself comes back once for each section, as after any self-suspension. Under priority donation it comes
//! back once more, as a donor.
//!
//! [`LockAccount::AsIn2008`] is the accounting of block-or-not-2008, section 4.1: the terms of its table 1 alone, which
//! prove nothing. A section contains its job's own work and lock operations:
//!
//! ```text
//! spinning:     section' = L + lock
//! suspending:   section' = L + lock + 2 kernel
//! ```
//!
//! and a job that waits by suspension pays for its return in its own cost. This assumes that a job executes as soon as
//! it is handed the lock, and that nothing interrupts it until it releases the lock. Both assumptions fail: the next
//! job in the queue waits for the holder's switch, its reload and the interrupts, too, and so may miss a deadline
//! (`crates/sim/tests/locks/under_overheads.rs` has schedules).
//!
//! Where resources that nest are one group, the outermost section alone takes a lock; otherwise each section does, and
//! contains what those within it take. Helping (MrsP) is not covered.

use super::jlfp::{inflate, Accounting, NotInflated, Rates};
use crate::exact::Fraction;
use num_traits::ToPrimitive;
use schedlab_model::{
    Duration, LockingClass, OverheadKind, Overheads, Platform, Statistic, Step, Suspension, Task, TaskId,
    Work,
};

/// Way in which a job waits for a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// A job spins.
    Spins,
    /// A job never waits, and retries operations: no lock is taken.
    Retries,
    /// A job never waits once it executes, or spins. The kernel does what locks need.
    Stacks,
    /// A job suspends itself. Jobs of higher priority than all waiters preempt the holder, and pay for that.
    Suspends,
    /// A job suspends itself. Holders go before more urgent jobs.
    Boosted,
    /// As [`Waits::Boosted`], and jobs may donate their priority when they arrive.
    Donates,
    /// A job suspends itself while its section executes on the resource's processor.
    Distributed,
}

/// Parts of the machine's time that count as critical sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockAccount {
    /// All time that may pass until a section ends.
    Safe,
    /// Lock operations alone, as block-or-not-2008 has it.
    AsIn2008,
}

/// Properties of locks that the accounting reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Locks {
    /// Parts of the machine's time that count as critical sections.
    pub account: LockAccount,
    /// Way in which jobs wait.
    pub waits: Waits,
    /// True if resources that nest are one group with one lock.
    pub groups: bool,
    /// Time of the delayed preemption at the end of a section, besides entering and leaving the kernel.
    pub leaving: Duration,
}

impl Locks {
    /// Returns the accounting of locks of this class, where leaving a section takes `leaving`. `None` where the cost of
    /// its requests is not covered.
    pub fn of_class(class: LockingClass, leaving: Duration) -> Option<Locks> {
        let waits = match class {
            LockingClass::TaskFair
            | LockingClass::FmlpShort
            | LockingClass::RwTaskFair
            | LockingClass::RwPhaseFair => Waits::Spins,
            LockingClass::NonPreemptive
            | LockingClass::ImmediateCeilings
            | LockingClass::Stack
            | LockingClass::Msrp
            | LockingClass::SpinPriority
            | LockingClass::SpinUnordered
            | LockingClass::SpinFifoPreemptable
            | LockingClass::SpinPriorityPreemptable
            | LockingClass::SpinUnorderedPreemptable => Waits::Stacks,
            LockingClass::FmlpLong | LockingClass::Omlp => Waits::Suspends,
            LockingClass::Inheritance
            | LockingClass::Ceilings
            | LockingClass::Mpcp
            | LockingClass::MpcpAllUsers
            | LockingClass::Fmlp
            | LockingClass::FmlpPlus
            | LockingClass::GlobalInheritance
            | LockingClass::ParallelCeilings => Waits::Boosted,
            LockingClass::OmlpPartitioned | LockingClass::OmlpClustered => Waits::Donates,
            LockingClass::Dpcp | LockingClass::Dflp => Waits::Distributed,
            LockingClass::LockFree => Waits::Retries,
            LockingClass::Unanalysed
            | LockingClass::Posix
            | LockingClass::Mrsp
            | LockingClass::Zones
            | LockingClass::Server
            | LockingClass::WaitFree => return None,
        };
        // Under the FMLP a short section inside a long one takes its own lock.
        let groups =
            matches!(class, LockingClass::TaskFair | LockingClass::FmlpShort | LockingClass::FmlpLong);
        Some(Locks { account: LockAccount::Safe, waits, groups, leaving })
    }
}

/// Time that a machine takes for itself.
#[derive(Clone, Copy, Debug)]
pub struct MachineCharges<'a> {
    /// Clusters and quantum of the machine.
    pub platform: &'a Platform,
    /// Measured overheads of the machine.
    pub overheads: &'a Overheads,
    /// Statistic of the measured values that counts.
    pub statistic: Statistic,
}

impl MachineCharges<'_> {
    fn accounting(&self, cluster: usize, tasks: usize, account: LockAccount) -> Accounting<'_> {
        Accounting {
            overheads: self.overheads,
            statistic: self.statistic,
            quantum: self.platform.quantum,
            processors: self.platform.clusters[cluster].cpus.len() as u32,
            machine_tasks: tasks,
            // The delay of releases at ticks is accounted for as jitter.
            release_latency: Duration::ZERO,
            polled: self.platform.release_delay(),
            dedicated_interrupts: false,
            switches_in_progress: account == LockAccount::Safe,
        }
    }

    /// All tasks, each in its cluster, with overheads and lock overheads accounted for. Programs keep their requests,
    /// with longer sections; costs are as long as they have to be.
    pub fn inflate(&self, tasks: &[Task], locks: Locks) -> Result<Vec<Task>, NotInflated> {
        let clusters = self.platform.clusters.len();
        let members = |cluster: usize| -> Vec<usize> {
            (0..tasks.len()).filter(|&index| tasks[index].cluster.index() == cluster).collect()
        };
        let mut met = Vec::with_capacity(clusters);
        for cluster in 0..clusters {
            let here: Vec<Task> = members(cluster).into_iter().map(|index| tasks[index].clone()).collect();
            let rates = Rates::new(&here, &self.accounting(cluster, tasks.len(), locks.account))?;
            met.push(Interrupts { left: rates.left, met: rates.met });
        }
        let dearest = Interrupts::dearest(&met);
        let mut result = tasks.to_vec();
        for (cluster, own) in met.iter().enumerate() {
            let members = members(cluster);
            let here: Vec<Task> = members.iter().map(|&index| tasks[index].clone()).collect();
            let accounting = self.accounting(cluster, tasks.len(), locks.account);
            let distributed = locks.waits == Waits::Distributed;
            let interrupts = if distributed { &dearest } else { own };
            let costs = Costs::new(if distributed { tasks } else { &here }, &accounting, locks);
            let longer = inflate_cluster(&here, &accounting, &costs, interrupts);
            let longer = longer.map_err(|why| why.renamed(|id| TaskId(members[id.index()] as u32)))?;
            members.into_iter().zip(longer).for_each(|(index, task)| result[index] = task);
        }
        Ok(result)
    }
}

/// Share of the processor that interrupts leave to a section, and the time that they add to it.
struct Interrupts {
    left: Fraction,
    met: Fraction,
}

impl Interrupts {
    fn dearest(all: &[Interrupts]) -> Interrupts {
        let mut dearest = Interrupts { left: Fraction::integer(1), met: Fraction::integer(0) };
        for each in all {
            if each.left.compare(&dearest.left).is_lt() {
                dearest.left = each.left.clone();
            }
            if each.met.compare(&dearest.met).is_gt() {
                dearest.met = each.met.clone();
            }
        }
        dearest
    }
}

fn inflate_cluster(
    tasks: &[Task],
    accounting: &Accounting<'_>,
    costs: &Costs,
    interrupts: &Interrupts,
) -> Result<Vec<Task>, NotInflated> {
    let mut longer = Vec::with_capacity(tasks.len());
    let mut programs = Vec::with_capacity(tasks.len());
    for (index, task) in tasks.iter().enumerate() {
        let id = TaskId(index as u32);
        let lengthened = lengthen(&task.program, costs, |length| costs.section(length, interrupts));
        let (program, sections) = lengthened.ok_or(NotInflated::Task(id))?;
        if matches!(task.suspension, Suspension::Dynamic(bound) if !bound.is_zero()) {
            return Err(NotInflated::UnboundedSuspensions(id));
        }
        let added = u128::from(sections) * costs.of_request();
        let Ok(wcet) = u64::try_from(u128::from(task.wcet.as_ns()) + added) else {
            return Err(NotInflated::Task(id));
        };
        let own = task.program.iter().filter(|step| matches!(step, Step::Suspend(_))).count() as u64;
        let returns = own + if costs.returns { sections } else { 0 } + u64::from(costs.donates);
        let program_of_returns = vec![Step::Suspend(Duration::ZERO); returns as usize];
        longer.push(Task { wcet: Work::from_ns(wcet), program: program_of_returns, ..task.clone() });
        programs.push(program);
    }
    let with_program = |(task, program)| Task { program, ..task };
    Ok(inflate(&longer, accounting)?.into_iter().zip(programs).map(with_program).collect())
}

/// Costs of a request, in ns.
struct Costs {
    /// Time while the lock is held.
    held: u128,
    /// Time after the lock is released.
    after: u128,
    /// True if a job pays for one return in each section.
    returns: bool,
    /// True if a job may pay for one more return, as a donor.
    donates: bool,
    /// True if only outermost sections take locks.
    groups: bool,
    account: LockAccount,
}

impl Costs {
    fn new(tasks: &[Task], accounting: &Accounting<'_>, locks: Locks) -> Self {
        let of = |kind| accounting.of(kind);
        let kernel = of(OverheadKind::SyscallEntry) + of(OverheadKind::SyscallExit);
        let lock = of(OverheadKind::LockAcquire) + of(OverheadKind::LockRelease);
        let switch = of(OverheadKind::Scheduling) + of(OverheadKind::ContextSwitch);
        let ipi = of(OverheadKind::Ipi);
        // Agents change processors, whatever the clusters.
        let everywhere = Accounting {
            processors: if locks.waits == Waits::Distributed { 2 } else { accounting.processors },
            ..*accounting
        };
        // Who is handed a lock, or comes back to its section, may find a processor of several switching to another job.
        let progress = accounting.in_progress();
        let cache = u128::from(tasks.iter().map(|task| everywhere.cache_of(task)).max().unwrap_or(0));
        let handed_over = match locks.waits {
            Waits::Spins | Waits::Stacks | Waits::Retries => 0,
            Waits::Suspends => switch + cache + ipi + progress,
            Waits::Boosted | Waits::Donates => 2 * (switch + cache + progress) + ipi,
            Waits::Distributed => 3 * switch + 2 * cache + 2 * ipi + 2 * progress,
        };
        let operations = match locks.waits {
            Waits::Retries => 0,
            Waits::Spins => lock,
            Waits::Stacks | Waits::Suspends | Waits::Boosted | Waits::Donates | Waits::Distributed => {
                lock + 2 * kernel
            }
        };
        let held = match locks.account {
            LockAccount::Safe => operations + handed_over,
            LockAccount::AsIn2008 => operations,
        };
        let after = match locks.waits {
            Waits::Retries => 0,
            Waits::Distributed => cache + u128::from(locks.leaving.as_ns()),
            Waits::Spins | Waits::Stacks | Waits::Suspends | Waits::Boosted | Waits::Donates => {
                u128::from(locks.leaving.as_ns()) + kernel
            }
        };
        Costs {
            held,
            after,
            returns: !matches!(locks.waits, Waits::Retries | Waits::Spins | Waits::Stacks),
            donates: locks.waits == Waits::Donates,
            groups: locks.groups,
            account: locks.account,
        }
    }

    fn of_request(&self) -> u128 {
        self.held + self.after
    }

    /// Returns the longest time in ns that a section of this length takes once its job executes it.
    fn section(&self, length: u64, interrupts: &Interrupts) -> Option<u64> {
        let executed = u128::from(length) + self.held;
        if self.account == LockAccount::AsIn2008 {
            return executed.to_u64();
        }
        let executed = Fraction::integer(executed);
        executed.over(&interrupts.left).plus(&interrupts.met).ceiling().to_u64()
    }
}

/// The program with longer sections that take locks, and how many of these there are; `None` if one is beyond all
/// bounds.
fn lengthen(
    program: &[Step],
    costs: &Costs,
    longer: impl Fn(u64) -> Option<u64>,
) -> Option<(Vec<Step>, u64)> {
    let mut result = Vec::with_capacity(program.len());
    let mut sections = 0;
    // By open section: where it begins in `result`, how long it is so far.
    let mut open: Vec<(usize, u64)> = Vec::new();
    for &step in program {
        result.push(step);
        match step {
            Step::Request(..) => open.push((result.len(), 0)),
            Step::Release(..) => {
                let Some((begin, mut length)) = open.pop() else { continue };
                if !costs.groups || open.is_empty() {
                    let extra = longer(length)?.saturating_sub(length);
                    result.insert(begin, Step::Execute(Work::from_ns(extra)));
                    length = length.saturating_add(extra);
                    sections += 1;
                }
                if let Some((_, outer)) = open.last_mut() {
                    *outer = outer.saturating_add(length);
                    if !costs.groups {
                        // What follows the inner section is within the outer one.
                        let after = u64::try_from(costs.after).ok()?;
                        result.push(Step::Execute(Work::from_ns(after)));
                        *outer = outer.saturating_add(after);
                    }
                }
            }
            Step::Execute(work) => {
                if let Some((_, length)) = open.last_mut() {
                    *length = length.saturating_add(work.as_ns());
                }
            }
            Step::Suspend(_) | Step::Serve(_) | Step::NpEnter | Step::NpExit => {}
        }
    }
    Some((result, sections))
}

#[cfg(test)]
mod tests;
