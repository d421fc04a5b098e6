//! What stock Linux can run by itself: scenarios as settings of its own schedulers.
//!
//! Two of Linux's policies carry real-time theory: `SCHED_FIFO` is preemptive fixed priorities, `SCHED_DEADLINE`
//! preemptive global EDF of constant bandwidth servers. A thread bound to one processor is partitioned;
//! `SCHED_DEADLINE` threads can only be bound by an exclusive cpuset. Every other scheduler is refused. What a setting
//! cannot say is a line of caution.

mod rt_app;
mod sched_deadline;
mod systemd;

use crate::converted::Converted;
use crate::error::{Errors, Problem};
use crate::placement::place;
use crate::scenario::{Scenario, TaskSpec};
use crate::words::Arrival;
use schedlab_model::{ClusterId, OrderClass, Suspension, Task};
use schedlab_policy::{Scope, ALL_ORDERS};

/// The most urgent `SCHED_FIFO` priority that tasks get: 99 belongs to the kernel's own threads.
const MOST_URGENT: u32 = 98;
/// The least `SCHED_DEADLINE` runtime that the kernel accepts, in nanoseconds (kernel/sched/deadline.c,
/// `__checkparam_dl`).
const LEAST_RUNTIME: u64 = 1 << 10;

/// A way to start tasks on stock Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launcher {
    /// A workload for `rt-app`, in JSON.
    RtApp,
    /// A shell script that starts each task's command by `chrt`.
    SchedDeadline,
    /// A unit file of systemd for each task, one after the other.
    Systemd,
}

/// What Linux makes of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Setting {
    /// `SCHED_FIFO` at this priority, 99 being the most urgent.
    Fifo(u32),
    /// `SCHED_DEADLINE`: runtime, deadline and period are the task's.
    Deadline,
}

/// A task with its settings.
struct Launched<'a> {
    spec: &'a TaskSpec,
    setting: Setting,
    /// The processors to which it is bound, if not all.
    processors: Option<Vec<u16>>,
}

impl Launcher {
    /// Writes the settings of `scenario`'s tasks, and what they cannot say.
    pub fn write(self, scenario: &Scenario) -> Result<Converted<String>, Errors> {
        let launched = launched(scenario).map_err(|problem| refused(scenario, problem))?;
        let mut lost = cautions(scenario, &launched);
        let value = match self {
            Launcher::RtApp => rt_app::write(scenario, &launched, &mut lost),
            Launcher::SchedDeadline => sched_deadline::write(&launched),
            Launcher::Systemd => systemd::write(&launched).map_err(|problem| refused(scenario, problem))?,
        };
        Ok(Converted { value, lost })
    }
}

/// The services of systemd that run `scenario`, each a file name and its text, and what they cannot say.
pub fn services(scenario: &Scenario) -> Result<Converted<Vec<(String, String)>>, Errors> {
    let launched = launched(scenario).map_err(|problem| refused(scenario, problem))?;
    let value = systemd::units(&launched).map_err(|problem| refused(scenario, problem))?;
    Ok(Converted { value, lost: cautions(scenario, &launched) })
}

fn refused(scenario: &Scenario, (why, allowed): (String, String)) -> Errors {
    let problem = Problem::refused(format!("{:?}", scenario.scheduler.name), why, allowed);
    Errors::one(None, "scheduler.name", problem)
}

/// By task: how Linux runs it as the scenario's scheduler would.
fn launched(scenario: &Scenario) -> Result<Vec<Launched<'_>>, (String, String)> {
    let allowed = allowed();
    let refused = || Err(("is no scheduler that stock Linux has".to_owned(), allowed.clone()));
    let scheduler = scenario.known_scheduler().filter(|scheduler| scheduler.is_preemptive());
    let Some(scheduler) = scheduler.filter(|known| known.scope != Scope::Clustered) else {
        return refused();
    };
    let (tasks, _) =
        place(scenario).map_err(|error| (error.to_string(), "tasks that can be placed".to_owned()))?;
    let ranks = match scheduler.class() {
        OrderClass::Deadline => None,
        OrderClass::Fixed(key) => Some(ranks(tasks.iter().map(key).collect())),
        OrderClass::AfterArrival(_) | OrderClass::Pfair { .. } | OrderClass::Unanalysed => return refused(),
    };
    let levels = ranks.iter().flatten().max().map_or(0, |last| last + 1);
    if levels > MOST_URGENT {
        return Err((format!("needs {levels} priorities, and SCHED_FIFO has 98 for tasks"), allowed));
    }
    let setting = |index: usize| match &ranks {
        None => Setting::Deadline,
        Some(ranks) => Setting::Fifo(MOST_URGENT - ranks[index]),
    };
    let bound =
        |task: &Task| (scheduler.scope == Scope::Partitioned).then(|| processors_of(scenario, task.cluster));
    let launch = |(index, (spec, task))| Launched { spec, setting: setting(index), processors: bound(task) };
    Ok(scenario.tasks.iter().zip(&tasks).enumerate().map(launch).collect())
}

fn processors_of(scenario: &Scenario, cluster: ClusterId) -> Vec<u16> {
    scenario.model_platform().clusters[cluster.index()].cpus.iter().map(|cpu| cpu.0).collect()
}

/// By task: how many distinct keys are smaller. Tasks of one rank share a priority, first come first served.
fn ranks(of_tasks: Vec<u64>) -> Vec<u32> {
    let mut keys = of_tasks.clone();
    keys.sort_unstable();
    keys.dedup();
    of_tasks.iter().map(|key| keys.partition_point(|other| other < key) as u32).collect()
}

/// The schedulers that stock Linux has: `SCHED_FIFO` for fixed priorities, `SCHED_DEADLINE` for deadlines.
fn allowed() -> String {
    let is_linux = |class| matches!(class, OrderClass::Fixed(_) | OrderClass::Deadline);
    let orders = ALL_ORDERS.iter().filter(|order| is_linux(order.rule.class())).map(|order| order.name);
    format!("P- or G- with {}", orders.collect::<Vec<_>>().join(", "))
}

/// Where the settings are not what the scenario says, a line each.
fn cautions(scenario: &Scenario, launched: &[Launched<'_>]) -> Vec<String> {
    let mut lines = Vec::new();
    let deadline = launched.iter().any(|task| task.setting == Setting::Deadline);
    if deadline {
        lines.push("SCHED_DEADLINE postpones the deadline of a task that overruns its runtime: leave room above the WCET".into());
        lines.push(
            "the kernel admits at most 95% of the processors (sched_rt_runtime_us) to SCHED_DEADLINE".into(),
        );
        for task in launched.iter().filter(|task| task.spec.relative_deadline > task.spec.period) {
            lines.push(format!("{}: SCHED_DEADLINE knows no deadline beyond the period", task.spec.name));
        }
        for task in launched.iter().filter(|task| task.spec.wcet.as_ns() < LEAST_RUNTIME) {
            lines.push(format!("the WCET of {} is below the least runtime, 1024 ns", task.spec.name));
        }
    }
    if deadline && scenario.scope() == Scope::Partitioned {
        lines.push("a SCHED_DEADLINE task can only be bound to processors by an exclusive cpuset: set one up for each".into());
    }
    if !deadline && scenario.scope() == Scope::Global {
        lines.push("SCHED_FIFO balances over processors by pushing and pulling: for an instant, not always the most urgent run".into());
    }
    if scenario.known_protocol().is_some_and(|protocol| !protocol.is_none()) {
        lines.push(format!(
            "protocol {}: use mutexes with PTHREAD_PRIO_INHERIT or _PROTECT in the program",
            scenario.protocol
        ));
    }
    for task in scenario.tasks.iter().filter(|task| is_special(task)) {
        lines.push(format!("{}: arrivals, suspensions and lifetime are the program's own affair", task.name));
    }
    lines
}

fn is_special(task: &TaskSpec) -> bool {
    task.suspension != Suspension::None
        || !matches!(task.arrival, Arrival::Periodic)
        || task.join != schedlab_model::Instant::ZERO
        || task.leave != schedlab_model::Instant::NEVER
}
