//! Settings of threads and mutexes that can be typed in.

use super::numbers::numbers;
use crate::prepare::prepared::Prepared;
use schedlab_model::{Duration, MutexProtocol, Resource, ThreadClass};
use schedlab_policy::{class_name, KernelClass, Scope};
use schedlab_scenario::{Scenario, TaskSpec};
use schemars::JsonSchema;
use serde::Serialize;

/// The settings of a thread on Linux.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinuxThread {
    /// Name of the task.
    pub name: String,
    /// Scheduling class: `SCHED_FIFO`, `SCHED_DEADLINE` or `SCHED_OTHER`.
    pub class: String,
    /// Priority under `SCHED_FIFO`, 98 the most urgent; None in other classes.
    pub priority: Option<u32>,
    /// Runtime, deadline and period under `SCHED_DEADLINE`, in nanoseconds; None in other classes.
    pub reservation_ns: Option<[u64; 3]>,
    /// Processors that the thread may use.
    pub processors: Vec<u16>,
    /// Names of the mutexes that the thread takes.
    pub mutexes: Vec<String>,
    /// Command that sets the class, where `TID` is the thread's id.
    pub chrt: String,
    /// Command that binds the thread; None if it may use all processors.
    pub taskset: Option<String>,
}

/// The settings of a mutex on Linux.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinuxMutex {
    /// Name of the resource.
    pub name: String,
    /// Protocol as in `resource.protocol`: `none`, `inherit` or `protect`.
    pub protocol: &'static str,
    /// Argument of `pthread_mutexattr_setprotocol`.
    pub attribute: &'static str,
    /// Argument of `pthread_mutexattr_setprioceiling`: the priority of the most urgent user; None without protection.
    pub ceiling: Option<u32>,
    /// Names of the tasks that take the mutex.
    pub users: Vec<String>,
}

/// True if the task states a place.
pub(super) fn has_place(task: &TaskSpec) -> bool {
    task.processor.is_some() || task.cluster.is_some() || !task.affinity.is_empty()
}

/// Returns the settings of all threads under `class`.
pub(super) fn threads(prepared: &Prepared, class: KernelClass) -> Vec<LinuxThread> {
    let scenario = &prepared.scenario;
    let numbers = numbers(scenario, &prepared.tasks, true);
    let all = prepared.platform.clusters.iter().map(|cluster| cluster.cpus.len()).sum::<usize>();
    let thread = |(index, spec): (usize, &TaskSpec)| {
        let task = &prepared.tasks[index];
        let cluster = &prepared.platform.clusters[task.cluster.index()];
        let processors: Vec<u16> = cluster.cpus.iter().map(|cpu| cpu.0).collect();
        let list = processors.iter().map(u16::to_string).collect::<Vec<_>>().join(",");
        // The machine may have more processors than the scenario. Linux binds no thread of SCHED_DEADLINE.
        let is_bound = prepared.scheduler.scope == Scope::Partitioned || processors.len() < all;
        let may_be = class == KernelClass::Fifo && task.class != ThreadClass::Deadline;
        let taskset = (is_bound && may_be).then(|| format!("taskset --cpu-list --pid {list} TID"));
        let reservation =
            [spec.wcet.at_unit_speed(), spec.relative_deadline, spec.period].map(Duration::as_ns);
        let [runtime, deadline, period] = reservation;
        let (name, priority, reservation_ns, chrt) = match class {
            KernelClass::Fifo if task.class == ThreadClass::Ordinary => {
                ("SCHED_OTHER".to_owned(), None, None, "chrt --other --pid 0 TID".to_owned())
            }
            KernelClass::Fifo if task.class == ThreadClass::Fifo => {
                let priority = numbers[index];
                (
                    class_name(class, Scope::Global),
                    Some(priority),
                    None,
                    format!("chrt --fifo --pid {priority} TID"),
                )
            }
            KernelClass::Fifo | KernelClass::Deadline => {
                let times =
                    format!("--sched-runtime {runtime} --sched-deadline {deadline} --sched-period {period}");
                (
                    class_name(KernelClass::Deadline, Scope::Global),
                    None,
                    Some(reservation),
                    format!("chrt --deadline {times} --pid 0 TID"),
                )
            }
        };
        let mutexes = mutexes_of(scenario, spec);
        LinuxThread {
            name: spec.name.clone(),
            class: name,
            priority,
            reservation_ns,
            processors,
            mutexes,
            chrt,
            taskset,
        }
    };
    scenario.tasks.iter().enumerate().map(thread).collect()
}

fn mutexes_of(scenario: &Scenario, task: &TaskSpec) -> Vec<String> {
    let taken = scenario.resources.iter().enumerate().filter(|(index, _)| task.requests(*index));
    taken.map(|(_, spec)| spec.name.clone()).collect()
}

/// Returns the settings of all mutexes that the threads take.
pub(super) fn mutexes(prepared: &Prepared, class: KernelClass) -> Vec<LinuxMutex> {
    let scenario = &prepared.scenario;
    let numbers = numbers(scenario, &prepared.tasks, true);
    let Ok(kinds) = prepared.kernel_locks(class) else { return Vec::new() };
    let mutex = |index: usize, kind: MutexProtocol| {
        let spec = &scenario.resources[index];
        let users: Vec<usize> =
            (0..scenario.tasks.len()).filter(|task| scenario.tasks[*task].requests(index)).collect();
        let is_mutex = spec.object.is_none() && prepared.resources[index] == Resource { units: 1 };
        (is_mutex && !users.is_empty()).then(|| LinuxMutex {
            name: spec.name.clone(),
            protocol: kind.name(),
            attribute: match kind {
                MutexProtocol::None => "PTHREAD_PRIO_NONE",
                MutexProtocol::Inherit => "PTHREAD_PRIO_INHERIT",
                MutexProtocol::Protect => "PTHREAD_PRIO_PROTECT",
            },
            ceiling: (kind == MutexProtocol::Protect)
                .then(|| users.iter().map(|task| numbers[*task]).max())
                .flatten(),
            users: users.iter().map(|task| scenario.tasks[*task].name.clone()).collect(),
        })
    };
    kinds.iter().enumerate().filter_map(|(index, kind)| mutex(index, *kind)).collect()
}
