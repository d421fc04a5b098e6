//! Linux's settings for each task. A scenario that Linux would schedule differently is refused.
//!
//! Under `SCHED_FIFO` each task of a cluster has a priority of its own. Tasks of one key differ by their order, as they
//! do here: ties are broken by job id. Under Linux's own class, which the scenario may name, they share one.
//!
//! `SCHED_DEADLINE` is EDF where the server's deadlines are those of jobs. A thread that is released later than it
//! arrives, or sleeps, gets later ones. A mutex that inherits gives the holder a deadline counted from then on, not the
//! waiter's. A thread can only be bound to a part of the machine by an exclusive cpuset, which no file here sets up.

use crate::aspect::shortened;
use crate::placement::place;
use crate::scenario::{Scenario, TaskSpec};
use crate::words::{Priorities, UrgentPriority};
use schedlab_lock::{OnLinux, Protocol};
use schedlab_model::{
    ClusterId, Duration, LockingClass, OrderClass, ResourceId, Step, Suspension, Task, ThreadClass,
};
use schedlab_policy::{KernelClass, Needs, Scheduler, Scope, Throttling, ALL_ORDERS};
use std::collections::BTreeSet;

/// The most urgent `SCHED_FIFO` priority that tasks get: 99 belongs to the kernel's own threads.
pub const MOST_URGENT: u32 = 98;
/// The least `SCHED_DEADLINE` runtime that the kernel accepts (kernel/sched/deadline.c, `__checkparam_dl`).
pub const LEAST_RUNTIME: Duration = Duration::from_ns(1 << 10);
/// The longest `SCHED_DEADLINE` period that the kernel accepts (`sched_deadline_period_max_us`).
pub const LONGEST_PERIOD: Duration = Duration::from_us(1 << 22);
/// The shortest `SCHED_DEADLINE` period that the kernel accepts (`sched_deadline_period_min_us`).
const SHORTEST_PERIOD: Duration = Duration::from_us(100);

/// Setting of Linux for a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setting {
    /// `SCHED_FIFO` at this priority, 99 being the most urgent.
    Fifo(u32),
    /// `SCHED_DEADLINE`: runtime, deadline and period are the task's.
    Deadline,
}

/// A task with its settings.
pub(super) struct Launched<'a> {
    pub(super) spec: &'a TaskSpec,
    pub(super) setting: Setting,
    /// Processors that the task may use.
    pub(super) processors: Vec<u16>,
}

/// Settings of Linux for a scenario.
pub(super) struct Settings<'a> {
    pub(super) tasks: Vec<Launched<'a>>,
    /// The scheduler's name.
    pub(super) scheduler: String,
    /// Kind of mutexes.
    pub(super) mutexes: OnLinux,
    /// Protocol by which the tasks share.
    pub(super) protocol: &'a Protocol,
    /// Number of processors that the machine has for the tasks.
    pub(super) processors: u16,
    /// What the kernel leaves to such threads: as the scenario states it, else as it is by default.
    pub(super) throttling: Throttling,
    /// A remark if the priorities are not those that the scenario states.
    pub(super) renumbered: Option<String>,
}

/// Part of a scenario that Linux would treat differently.
pub(super) struct Refusal {
    pub(super) field: String,
    pub(super) value: String,
    /// Reason, as the end of a sentence that the value begins.
    pub(super) why: String,
    pub(super) allowed: String,
}

impl Refusal {
    pub(super) fn of(field: impl Into<String>, value: impl ToString, why: &str, allowed: &str) -> Refusal {
        let value = value.to_string();
        Refusal { field: field.into(), value, why: why.to_owned(), allowed: allowed.to_owned() }
    }

    pub(super) fn of_scheduler(name: &str, why: impl Into<String>, allowed: impl Into<String>) -> Refusal {
        let (field, value) = ("scheduler.name".to_owned(), format!("{name:?}"));
        Refusal { field, value, why: why.into(), allowed: allowed.into() }
    }

    pub(super) fn of_task(
        task: &TaskSpec,
        field: &str,
        value: impl ToString,
        why: &str,
        allowed: &str,
    ) -> Refusal {
        Refusal::of(format!("task \"{}\".{field}", task.name), value, why, allowed)
    }
}

/// Policy of Linux with which a scheduler's order can be had.
enum Order {
    /// `SCHED_FIFO`: a smaller key is more urgent.
    Fifo {
        key: fn(&Task) -> u64,
        ties_share: bool,
    },
    Deadline,
}

/// Returns Linux's settings for `scenario` under `protocol`, or an error if Linux would treat it differently.
pub(super) fn settings<'a>(scenario: &'a Scenario, protocol: &'a Protocol) -> Result<Settings<'a>, Refusal> {
    if let Some(server) = scenario.servers.first() {
        let why = "is a budget server, and no setting of Linux's own schedulers stands for its rule";
        let allowed = "a scenario without [[server]]";
        return Err(Refusal::of("server", format!("\"{}\"", server.name), why, allowed));
    }
    let (scheduler, order) = order(scenario)?;
    if scheduler.needs() == Needs::Priority && scenario.scheduler.priorities != Priorities::Given {
        let why = "leaves priorities to a rule, which analysis has to decide before";
        return Err(Refusal::of_scheduler(&scheduler.name, why, "priorities of the tasks' own"));
    }
    let place_error = |error: crate::placement::PlaceError| {
        Refusal::of_scheduler(&scheduler.name, format!("has no places: {error}"), "tasks that can be placed")
    };
    let (mut tasks, _) = place(scenario).map_err(place_error)?;
    scenario.rank_for_kernel(&mut tasks, &scheduler);
    let priorities = match &order {
        Order::Deadline => {
            scenario.tasks.iter().try_for_each(suits_server)?;
            one_queue(scenario, &scheduler, &tasks)?;
            None
        }
        Order::Fifo { key, ties_share } => {
            let stated = stated_priorities(scenario, &scheduler);
            let is_kept = |stated: &Vec<u32>| *ties_share || are_different(&tasks, stated);
            Some(match stated.filter(is_kept) {
                Some(stated) => stated,
                None => priorities(&scheduler, &tasks, *key, *ties_share)?,
            })
        }
    };
    let mutexes = mutexes(scenario, protocol, &tasks, priorities.is_some())?;
    let setting =
        |index: usize| priorities.as_ref().map_or(Setting::Deadline, |all| Setting::Fifo(all[index]));
    let launch = |(index, (spec, task)): (usize, (&'a TaskSpec, &Task))| Launched {
        spec,
        setting: setting(index),
        processors: processors_of(scenario, task.cluster),
    };
    let all = scenario.tasks.iter().zip(&tasks).enumerate().map(launch).collect();
    let renumbered = priorities.as_ref().and_then(|numbers| renumbered(scenario, &scheduler, numbers));
    let (scheduler, processors) = (scheduler.name, scenario.platform.processors);
    let throttling = scenario.scheduler.throttling.unwrap_or_default();
    Ok(Settings { tasks: all, scheduler, mutexes, protocol, processors, throttling, renumbered })
}

fn processors_of(scenario: &Scenario, cluster: ClusterId) -> Vec<u16> {
    scenario.model_platform().clusters[cluster.index()].cpus.iter().map(|cpu| cpu.0).collect()
}

fn order(scenario: &Scenario) -> Result<(Scheduler, Order), Refusal> {
    let lacking = || {
        Refusal::of_scheduler(scenario.scheduler_name(), "is no scheduler that stock Linux has", allowed())
    };
    let scheduler = scenario.known_scheduler().ok_or_else(lacking)?;
    let order = match (scheduler.kernel_class(), scheduler.class()) {
        (Some(KernelClass::Fifo), _) => {
            Order::Fifo { key: |task| task.fixed_priority.into(), ties_share: true }
        }
        (Some(KernelClass::Deadline), _) => Order::Deadline,
        (None, _) if !scheduler.is_preemptive() => return Err(lacking()),
        (None, OrderClass::Fixed(key)) => Order::Fifo { key, ties_share: false },
        (None, OrderClass::Deadline) => Order::Deadline,
        (
            None,
            OrderClass::FixedOpenTies(_)
            | OrderClass::AfterArrival(_)
            | OrderClass::Pfair { .. }
            | OrderClass::Theorem(_)
            | OrderClass::Unanalysed,
        ) => return Err(lacking()),
    };
    Ok((scheduler, order))
}

/// The schedulers that stock Linux has: `SCHED_FIFO` for fixed priorities, `SCHED_DEADLINE` for deadlines.
fn allowed() -> String {
    let of = |is_linux: fn(OrderClass) -> bool| {
        let orders = ALL_ORDERS.iter().filter(|order| is_linux(order.rule.class())).map(|order| order.name);
        orders.collect::<Vec<_>>().join(", ")
    };
    let fixed = of(|class| matches!(class, OrderClass::Fixed(_)));
    let deadline = of(|class| matches!(class, OrderClass::Deadline));
    format!("P-, C- or G- with {fixed}; G- with {deadline}")
}

/// Returns the priorities that the tasks state if these are such of `SCHED_FIFO`: from 1 to 98, the largest the most
/// urgent, and the scheduler reads them.
pub fn stated_priorities(scenario: &Scenario, scheduler: &Scheduler) -> Option<Vec<u32>> {
    let is_one = |number: &u32| (1..=MOST_URGENT).contains(number);
    let all = || scenario.tasks.iter().map(|task| task.priority.filter(is_one)).collect();
    states_urgencies(scenario, scheduler).then(all).flatten()
}

/// True if the scheduler reads the tasks' priorities, and the largest is the most urgent, as under `SCHED_FIFO`.
fn states_urgencies(scenario: &Scenario, scheduler: &Scheduler) -> bool {
    let is_read = scheduler.needs() == Needs::Priority || scheduler.kernel_class() == Some(KernelClass::Fifo);
    let is_upward = scenario.scheduler.urgent_priority == UrgentPriority::Largest;
    is_read && is_upward && scenario.scheduler.priorities == Priorities::Given
}

/// Returns a remark if `numbers`, by task, are not the priorities that the scenario states, though these look like such
/// of `SCHED_FIFO`: which thread gets which instead, and the reason.
pub fn renumbered(scenario: &Scenario, scheduler: &Scheduler, numbers: &[u32]) -> Option<String> {
    let stated = scenario
        .tasks
        .iter()
        .zip(numbers)
        .filter_map(|(task, number)| task.priority.map(|stated| (task.name.as_str(), stated, *number)));
    let all: Vec<(&str, u32, u32)> = stated.filter(|_| states_urgencies(scenario, scheduler)).collect();
    let names_of = |is_it: fn(u32) -> bool| {
        let names = all.iter().filter(|(_, stated, _)| is_it(*stated)).map(|(name, ..)| *name);
        names.collect::<Vec<_>>()
    };
    let others: Vec<String> = all
        .iter()
        .filter(|(_, stated, number)| stated != number)
        .map(|(name, stated, number)| format!("{name} {number} (stated {stated})"))
        .collect();
    if others.is_empty() {
        return None;
    }
    let (kernels, unknown) = (names_of(|one| one == 99), names_of(|one| one == 0 || one > 99));
    let why = match (kernels.is_empty(), unknown.is_empty()) {
        (false, _) => format!(
            "99 of {} is that of the kernel's own threads, which no file sets; leave out a thread that is one of them",
            shortened(&kernels)
        ),
        (true, false) => format!("SCHED_FIFO has 1 to 98 for tasks, and {} states another one", shortened(&unknown)),
        (true, true) => {
            format!("{} takes equal ones by their order, so that each thread needs its own", scheduler.name)
        }
    };
    Some(format!(
        "priorities are not those of the scenario, in the same order: {}: {why}",
        shortened(&others)
    ))
}

/// True if no two tasks of a cluster have the same number.
fn are_different(tasks: &[Task], numbers: &[u32]) -> bool {
    let mut seen = BTreeSet::new();
    tasks.iter().zip(numbers).all(|(task, number)| seen.insert((task.cluster, *number)))
}

/// By task: its `SCHED_FIFO` priority, where each cluster has all priorities for itself.
fn priorities(
    scheduler: &Scheduler,
    tasks: &[Task],
    key: fn(&Task) -> u64,
    ties_share: bool,
) -> Result<Vec<u32>, Refusal> {
    let levels_of =
        |(index, task): (usize, &Task)| (task.cluster, key(task), if ties_share { 0 } else { index });
    let all: Vec<(ClusterId, u64, usize)> = tasks.iter().enumerate().map(levels_of).collect();
    let levels: BTreeSet<_> = all.iter().copied().collect();
    let rank = |own: &(ClusterId, u64, usize)| levels.range((own.0, 0, 0)..*own).count() as u32;
    let ranks: Vec<u32> = all.iter().map(rank).collect();
    let levels = ranks.iter().max().map_or(0, |last| last + 1);
    if levels > MOST_URGENT {
        let why = format!("needs {levels} priorities on one processor, and SCHED_FIFO has 98 for tasks");
        return Err(Refusal::of_scheduler(&scheduler.name, why, "at most 98 tasks that share processors"));
    }
    Ok(ranks.into_iter().map(|rank| MOST_URGENT - rank).collect())
}

/// Refuses servers that are not all on one set of processors: `SCHED_DEADLINE` is global.
fn one_queue(scenario: &Scenario, scheduler: &Scheduler, tasks: &[Task]) -> Result<(), Refusal> {
    let used: BTreeSet<ClusterId> = tasks.iter().map(|task| task.cluster).collect();
    let all = usize::from(scenario.platform.processors);
    let is_one = used.iter().all(|cluster| processors_of(scenario, *cluster).len() == all);
    if is_one || scheduler.scope == Scope::Global {
        return Ok(());
    }
    let why =
        "divides the machine, and the kernel binds threads of SCHED_DEADLINE to a part of it by exclusive \
               cpusets alone, which are not written here";
    Err(Refusal::of_scheduler(
        &scheduler.name,
        why,
        "one set of processors for all tasks, or fixed priorities",
    ))
}

/// Refuses a task whose server has other deadlines than its jobs, or none.
fn suits_server(task: &TaskSpec) -> Result<(), Refusal> {
    let refused = |field: &str, value: &dyn std::fmt::Display, why: &str, allowed: &str| {
        Err(Refusal::of_task(task, field, value, why, allowed))
    };
    if task.relative_deadline > task.period {
        let why = "is beyond the period, which the kernel refuses under SCHED_DEADLINE";
        return refused("deadline", &task.relative_deadline, why, "at most the period");
    }
    if task.wcet.at_unit_speed() > task.relative_deadline {
        let why = "is beyond the deadline, which the kernel refuses under SCHED_DEADLINE";
        return refused("wcet", &task.wcet, why, "at most the deadline");
    }
    if task.wcet.at_unit_speed() < LEAST_RUNTIME {
        let why = "is below the least runtime of SCHED_DEADLINE";
        return refused("wcet", &task.wcet, why, "1024 ns or more");
    }
    if !(SHORTEST_PERIOD..=LONGEST_PERIOD).contains(&task.period) {
        let why = "is a period that the kernel refuses under SCHED_DEADLINE";
        return refused(
            "period",
            &task.period,
            why,
            "from 100 us to 4194304 us, unless its sysctls say otherwise",
        );
    }
    if !task.jitter.is_zero() {
        let why = "delays a job's release, and SCHED_DEADLINE counts its deadline from then on";
        return refused("jitter", &task.jitter, why, "no jitter");
    }
    if task.suspension != Suspension::None {
        let why = "suspends itself, and SCHED_DEADLINE may give it a later deadline when it resumes";
        return refused("suspension", &"it", why, "no suspension");
    }
    Ok(())
}

/// Returns the kind of mutexes for `protocol`, or an error with what Linux lacks of it.
fn mutexes(
    scenario: &Scenario,
    protocol: &Protocol,
    tasks: &[Task],
    is_fifo: bool,
) -> Result<OnLinux, Refusal> {
    if let Some(task) = scenario.tasks.iter().find(|task| task.class != ThreadClass::Fifo) {
        let why = "is of a thread that no such file sets up yet";
        return Err(Refusal::of_task(task, "class", task.class.name(), why, "fifo"));
    }
    let has_sections = |task: &&TaskSpec| task.program.contains(&Step::NpEnter);
    if let Some(task) = scenario.tasks.iter().find(has_sections) {
        let why = "is a section without preemption, which threads of stock Linux have not";
        return Err(Refusal::of_task(task, "program", "np_enter", why, "critical sections"));
    }
    if !scenario.tasks.iter().any(TaskSpec::has_requests) {
        return Ok(OnLinux::Plain);
    }
    let refused =
        |why: &str, allowed: &str| Err(Refusal::of("protocol", format!("{:?}", protocol.name), why, allowed));
    match (protocol.on_linux, is_fifo) {
        (OnLinux::Nothing, _) => refused("is no protocol that the mutexes of stock Linux have", &known()),
        (OnLinux::Inherit | OnLinux::Protect | OnLinux::ByResource, false) => refused(
            "is none under SCHED_DEADLINE: a holder's deadline there is not that of the thread that waits",
            "fixed priorities, or no sharing",
        ),
        (OnLinux::InProgram, false) if protocol.class != LockingClass::WaitFree => refused(
            "repeats operations beyond the WCET, and SCHED_DEADLINE stops the thread there",
            "fixed priorities, or wait-free objects",
        ),
        (OnLinux::Inherit | OnLinux::Protect | OnLinux::ByResource, true) => {
            if let Some(resource) = scenario.resources.iter().find(|resource| resource.units > 1) {
                let why = format!("is a mutex, and resource \"{}\" has several units", resource.name);
                return refused(&why, "resources of one unit");
            }
            let shared = (0..scenario.resources.len()).find(|index| !is_local(scenario, *index, tasks));
            match shared {
                None => Ok(protocol.on_linux),
                Some(index) => {
                    let name = &scenario.resources[index].name;
                    let why = format!(
                        "is a mutex of Linux on one processor alone, and resource \"{name}\" has users on several"
                    );
                    refused(&why, "resources whose users are all on one processor")
                }
            }
        }
        (OnLinux::Plain | OnLinux::InProgram, _) => Ok(protocol.on_linux),
    }
}

/// Lists the protocols that mutexes of Linux follow.
fn known() -> String {
    let is_mutex = |known: &&Protocol| matches!(known.on_linux, OnLinux::Inherit | OnLinux::Protect);
    let known = schedlab_lock::ALL_PROTOCOLS.iter().filter(is_mutex);
    known.map(|known| known.name).collect::<Vec<_>>().join(", ")
}

/// True if one processor executes all users of a resource.
fn is_local(scenario: &Scenario, resource: usize, tasks: &[Task]) -> bool {
    let asks =
        |task: &&Task| task.program.iter().any(|step| step.requested() == Some(ResourceId(resource as u32)));
    let mut clusters: Vec<ClusterId> = tasks.iter().filter(asks).map(|task| task.cluster).collect();
    let users = clusters.len();
    clusters.dedup();
    users < 2 || (clusters.len() == 1 && processors_of(scenario, clusters[0]).len() == 1)
}
