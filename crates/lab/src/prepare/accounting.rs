//! Accounts for the overheads of a prepared scenario in an analysis: as higher costs, by `charge`, or not at all.

use crate::charge::{Charging, Group, Taken};
use crate::prepare::lock_overheads;
use crate::prepare::prepared::Prepared;
use crate::prepare::scheduler::quanta;
use crate::reason::Reason;
use schedlab_analysis::overheads::jlfp::NotInflated;
use schedlab_analysis::overheads::locks::{Locks, MachineCharges};
use schedlab_analysis::overheads::pfair::Continuity;
use schedlab_analysis::Quanta;
use schedlab_model::{CpuId, MigrationPath, OrderClass, Overheads, Platform, Task, TaskId, Theorem};
use schedlab_policy::pfair::Affinity;
use schedlab_policy::Make;

/// The way in which overheads enter an analysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OverheadOutcome {
    /// There are no overheads.
    None,
    /// Costs were inflated; these are the tasks with the inflated costs.
    Inflated(Vec<Task>),
    /// The overheads leave no room or cannot be bounded, for this reason.
    NotAccounted(Reason),
}

/// True if jobs take locks under a scheduler that is not one of Pfair.
pub(crate) fn takes_locks(prepared: &Prepared) -> bool {
    quanta(prepared).is_none() && prepared.shares()
}

/// Inflates costs and critical sections by the overheads, with what locks take.
fn account_with_locks(prepared: &Prepared) -> OverheadOutcome {
    let profile = &prepared.scenario.overheads.profile;
    let leaving = lock_overheads::leaving(profile, prepared.statistic()).unwrap_or_default();
    let protocol = prepared.protocol.name;
    let Some(locks) = Locks::of_class(prepared.protocol.class, leaving) else {
        return OverheadOutcome::NotAccounted(Reason::LocksUnknown { protocol });
    };
    // The protocol may let a job execute on any processor.
    let all: Vec<CpuId> = (0..prepared.platform.processors()).map(CpuId).collect();
    let overheads = &over_paths(&prepared.charged.overheads, &prepared.platform, &all);
    let machine = MachineCharges { platform: &prepared.platform, overheads, statistic: prepared.statistic() };
    match machine.inflate(&prepared.analysed_tasks(), locks) {
        Ok(tasks) => OverheadOutcome::Inflated(tasks),
        Err(why) => OverheadOutcome::NotAccounted(reason(why)),
    }
}

/// Inflates costs cluster by cluster: the interrupts of a processor are those of its cluster's tasks.
pub(crate) fn account(prepared: &Prepared) -> OverheadOutcome {
    if prepared.charged.overheads.deciding().is_some() {
        return OverheadOutcome::NotAccounted(Reason::DecisionsNotAccounted);
    }
    let has_run_queues = prepared.platform.clusters.iter().any(|cluster| cluster.cpus.len() > 1);
    if has_run_queues && prepared.charged.overheads.moves_take_time() {
        return OverheadOutcome::NotAccounted(Reason::MovesNotAccounted);
    }
    if prepared.charged.overheads.are_none() {
        return OverheadOutcome::None;
    }
    // Costs that are enlarged still count on all of the reserves, of which overheads take a part.
    if matches!(prepared.order_class(), OrderClass::Theorem(Theorem::ReservesInSlots(_))) {
        return OverheadOutcome::NotAccounted(Reason::ReservesNotAccounted);
    }
    if matches!(prepared.order_class(), OrderClass::Theorem(Theorem::QuasiPartitions)) {
        return OverheadOutcome::NotAccounted(Reason::BudgetsNotAccounted);
    }
    // Each arrival is charged with the preemption that it may cause, but others come of laxities.
    if matches!(prepared.order_class(), OrderClass::Theorem(Theorem::OptimalOnOneProcessor)) {
        return OverheadOutcome::NotAccounted(Reason::PreemptionsNotAccounted);
    }
    if takes_locks(prepared) {
        return account_with_locks(prepared);
    }
    let given = prepared.analysed_tasks();
    let mut inflated = given.to_vec();
    let is_preemptive = match prepared.scheduler.make {
        Make::Clustered { preemptive, .. } => preemptive,
        // Other schedulers may take a job off its processor; nothing excludes it.
        Make::Pfair { .. } | Make::Utility(_) | Make::Other { .. } | Make::Kernel(_) => true,
    };
    let taken = Taken::new(prepared.charged.overheads.clone(), is_preemptive);
    let charging = match quanta(prepared) {
        Some(quanta) => Charging::Pfair(continuity(prepared, quanta)),
        None => Charging::Jobs,
    };
    for (index, cluster) in prepared.platform.clusters.iter().enumerate() {
        let members: Vec<usize> =
            (0..inflated.len()).filter(|&one| inflated[one].cluster.index() == index).collect();
        let tasks: Vec<Task> = members.iter().map(|&one| given[one].clone()).collect();
        let group = Group {
            overheads: &over_paths(taken.by(&given), &prepared.platform, &cluster.cpus),
            statistic: prepared.statistic(),
            quantum: prepared.platform.quantum,
            processors: cluster.cpus.len() as u32,
            machine_tasks: given.len(),
            polled: prepared.platform.release_delay(),
        };
        let member = |id: TaskId| TaskId(members[id.index()] as u32);
        let mut charged = Vec::new();
        match group.charge(&tasks, charging, &mut charged) {
            Ok(()) => members.iter().zip(charged).for_each(|(&one, task)| inflated[one] = task),
            Err(why) => return OverheadOutcome::NotAccounted(reason(why.renamed(member))),
        }
    }
    OverheadOutcome::Inflated(inflated)
}

/// Returns the overheads for jobs that migrate only between `cpus`.
fn over_paths(overheads: &Overheads, platform: &Platform, cpus: &[CpuId]) -> Overheads {
    overheads.over(&MigrationPath::among(&platform.caches, cpus))
}

/// Returns whether a Pfair scheduler keeps a task on its processor in slots that follow each other.
fn continuity(prepared: &Prepared, quanta: Quanta) -> Continuity {
    match prepared.scenario.scheduler.affinity {
        Affinity::BackToBack | Affinity::LastScheduled if quanta.staggered => Continuity::StaysStaggered,
        Affinity::BackToBack
        | Affinity::LastScheduled
        | Affinity::MostRecent
        | Affinity::MostRecentAvailable => Continuity::Stays,
        Affinity::None | Affinity::DirectedMigration => Continuity::Moves,
    }
}

fn reason(why: NotInflated) -> Reason {
    match why {
        NotInflated::Interrupts => Reason::InterruptOverload,
        NotInflated::Task(task) => Reason::TaskOverload(task),
        NotInflated::UnboundedSuspensions(task) => Reason::UnboundedSuspensions(task),
    }
}
