//! Resources that one task alone uses.
//!
//! Under most protocols a section disturbs only jobs that want its resource, or that are less urgent than a job that
//! may want it. If all of these are jobs of one task, the section disturbs no job, and analyses take it for plain
//! execution: ceilings and levels are those of the task itself, no job waits so that nothing is inherited, and no
//! operation of another task fails an attempt. The exceptions follow from the protocols' own rules:
//!
//! * Non-preemptive sections, as those of spin locks, delay every more urgent job of their processor.
//! * Holders that are boosted, as under the FMLP+ and the DFLP, do so too, and a token or a donated priority of the
//!   OMLP is the processor's.
//! * The P-PCP refuses a request while m other sections are open, whichever tasks hold them.
//! * Under Pfair, a section does not begin in a zone before the end of a quantum, or a server serves it.
//! * The stack resource policy compares levels, which under EDF are ranks of relative deadlines: with jitter or
//!   self-suspension, a job with an earlier deadline may have no higher level, and may have to wait.
//!
//! A resource of a task that suspends itself is left as it is: the task might do so within the section, while ceilings
//! hold back others. Resources that nest are treated as one.

use crate::prepare::prepared::Prepared;
use schedlab_analysis::blocking::with_requests;
use schedlab_lock::{Length, Nesting};
use schedlab_model::{LockingClass, ResourceId, Step, Task, TaskId};
use std::borrow::Cow;

/// Returns `tasks` with sections that disturb no job as plain execution. They are those of `prepared`, or as analyses
/// count them.
pub(crate) fn without_private<'a>(prepared: &Prepared, tasks: Cow<'a, [Task]>) -> Cow<'a, [Task]> {
    if !prepared.shares() {
        return tasks;
    }
    let private = are_private(prepared);
    if !private.contains(&true) {
        return tasks;
    }
    let others = |resource: ResourceId| !private[resource.index()];
    Cow::Owned(tasks.iter().map(|task| with_requests(task, others)).collect())
}

/// Returns for each resource whether one task alone uses it and all that nests with it, and its sections disturb no
/// job.
fn are_private(prepared: &Prepared) -> Vec<bool> {
    let groups = Groups::of(prepared);
    let is_private = |index: usize| {
        let group = groups.group[index];
        let resource = &prepared.resources[index];
        let is_understood = (resource.units == 1 || prepared.protocol.several_units)
            && (!groups.nests[group] || may_nest(prepared));
        let user = match groups.users[group] {
            Users::One(task) => &prepared.tasks[task.index()],
            Users::None | Users::Several => return false,
        };
        is_understood && user.suspension_bound().is_zero() && !disturbs(prepared, index)
    };
    // A group of resources that nest is private only if each of them is.
    let mut private: Vec<bool> = (0..prepared.resources.len()).map(is_private).collect();
    for index in 0..private.len() {
        if !private[index] {
            let group = groups.group[index];
            (0..private.len())
                .filter(|other| groups.group[*other] == group)
                .for_each(|other| private[other] = false);
        }
    }
    private
}

fn may_nest(prepared: &Prepared) -> bool {
    match prepared.protocol.nesting {
        Nesting::Any => true,
        Nesting::Local => is_partitioned(prepared),
        Nesting::Never => false,
    }
}

fn is_partitioned(prepared: &Prepared) -> bool {
    prepared.platform.clusters.iter().all(|cluster| cluster.cpus.len() == 1)
}

/// True if a section on a resource that one task alone uses may delay jobs of other tasks.
fn disturbs(prepared: &Prepared, resource: usize) -> bool {
    match prepared.classes[resource] {
        // Without a protocol a job waits only while another job holds the resource.
        LockingClass::Unanalysed => !prepared.protocol.is_none(),
        LockingClass::Inheritance
        | LockingClass::Ceilings
        | LockingClass::ImmediateCeilings
        | LockingClass::Mpcp
        | LockingClass::MpcpAllUsers
        | LockingClass::Dpcp
        | LockingClass::Mrsp
        | LockingClass::Omlp
        | LockingClass::GlobalInheritance
        | LockingClass::Posix
        | LockingClass::LockFree
        | LockingClass::WaitFree => false,
        LockingClass::Stack | LockingClass::Msrp => !levels_follow_urgency(prepared),
        LockingClass::Fmlp => is_short(prepared, resource) || !long_is_quiet(prepared),
        LockingClass::FmlpLong => !long_is_quiet(prepared),
        LockingClass::NonPreemptive
        | LockingClass::TaskFair
        | LockingClass::FmlpShort
        | LockingClass::FmlpPlus
        | LockingClass::Dflp
        | LockingClass::OmlpPartitioned
        | LockingClass::OmlpClustered
        | LockingClass::ParallelCeilings
        | LockingClass::RwTaskFair
        | LockingClass::RwPhaseFair
        | LockingClass::SpinPriority
        | LockingClass::SpinUnordered
        | LockingClass::SpinFifoPreemptable
        | LockingClass::SpinPriorityPreemptable
        | LockingClass::SpinUnorderedPreemptable
        | LockingClass::Zones
        | LockingClass::Server => true,
    }
}

fn is_short(prepared: &Prepared, resource: usize) -> bool {
    prepared.scenario.resources.get(resource).is_none_or(|spec| spec.length == Length::Short)
}

/// True if long resources of the FMLP disturb no job: on one processor they follow the stack resource policy, on
/// several the holder inherits.
fn long_is_quiet(prepared: &Prepared) -> bool {
    !is_partitioned(prepared) || levels_follow_urgency(prepared)
}

/// True if a job that is more urgent than an executing one always has a higher preemption level.
fn levels_follow_urgency(prepared: &Prepared) -> bool {
    let class = prepared.order_class();
    let is_plain = |task: &Task| task.jitter.is_zero() && task.suspension_bound().is_zero();
    class.fixed_key().is_some() || (class.is_deadline() && prepared.tasks.iter().all(is_plain))
}

/// The tasks that use the resources of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Users {
    None,
    One(TaskId),
    Several,
}

/// Groups of resources that nest, directly or by way of others.
struct Groups {
    /// Lowest resource of its group, by resource.
    group: Vec<usize>,
    /// Users of each group, indexed by its lowest resource.
    users: Vec<Users>,
    nests: Vec<bool>,
}

impl Groups {
    fn of(prepared: &Prepared) -> Groups {
        let count = prepared.resources.len();
        let mut group: Vec<usize> = (0..count).collect();
        for task in &prepared.tasks {
            let mut open: Vec<usize> = Vec::new();
            for step in &task.program {
                match *step {
                    Step::Request(resource, _) => {
                        for outer in &open {
                            let (a, b) = (group[*outer], group[resource.index()]);
                            group.iter_mut().filter(|one| **one == a.max(b)).for_each(|one| *one = a.min(b));
                        }
                        open.push(resource.index());
                    }
                    Step::Release(resource, _) => {
                        if let Some(last) = open.iter().rposition(|one| *one == resource.index()) {
                            open.remove(last);
                        }
                    }
                    Step::Execute(_) | Step::Suspend(_) | Step::Serve(_) | Step::NpEnter | Step::NpExit => {}
                }
            }
        }
        let (mut users, mut nests) = (vec![Users::None; count], vec![false; count]);
        for (index, of) in group.iter().enumerate() {
            nests[*of] |= *of != index;
        }
        for (task, spec) in (0..).map(TaskId).zip(&prepared.tasks) {
            for resource in spec.program.iter().filter_map(Step::requested) {
                let users = &mut users[group[resource.index()]];
                *users = match *users {
                    Users::None => Users::One(task),
                    Users::One(other) if other == task => Users::One(task),
                    Users::One(_) | Users::Several => Users::Several,
                };
            }
        }
        Groups { group, users, nests }
    }
}
