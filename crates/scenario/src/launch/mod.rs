//! Scenarios as settings of the schedulers of stock Linux.
//!
//! Two of Linux's policies carry real-time theory: `SCHED_FIFO` is preemptive fixed priorities, `SCHED_DEADLINE`
//! preemptive EDF of constant bandwidth servers. [`settings`] computes what each task's thread gets, or refuses what
//! Linux would do otherwise than the scenario's scheduler and protocol; [`cautions`] says what the machine must be
//! like. What a file has no setting for stands in its comments, and is listed as lost where the program cannot know it.

mod cautions;
mod comment;
mod distinct;
mod rt_app;
mod sched_deadline;
mod settings;
mod systemd;
mod threads;

use crate::aspect::{lost, Aspect};
use crate::converted::Converted;
use crate::error::{Errors, Problem};
use crate::scenario::Scenario;
use cautions::cautions;
use comment::Remarks;
use schedlab_lock::Protocol;
use settings::{settings, Refusal, Settings};

pub use settings::{renumbered, stated_priorities, LEAST_RUNTIME, LONGEST_PERIOD, MOST_URGENT};
pub use threads::ThreadsFile;

/// A way to start tasks on stock Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launcher {
    /// A workload for `rt-app`, in JSON.
    RtApp,
    /// A shell script that starts each task's command by `chrt`.
    SchedDeadline,
    /// A unit file of systemd for each task, one after the other.
    Systemd,
    /// A file for tasks that are threads of one program.
    Threads(ThreadsFile),
}

/// Aspects that the settings hold, whichever way tasks are started.
const SET: &[Aspect] = &[
    Aspect::LeftOut,
    Aspect::Wcets,
    Aspect::Scheduler,
    Aspect::UrgentPriority,
    Aspect::Priorities,
    Aspect::Placement,
    Aspect::Protocol,
    Aspect::Processors,
    Aspect::Clusters,
    Aspect::Priority,
    Aspect::Processor,
    Aspect::Affinity,
    Aspect::Cluster,
];

/// Aspects that say nothing of threads: texts about the scenario, and what only simulations take. The kernel's
/// throttling is among the cautions.
pub(crate) const OTHER: &[Aspect] =
    &[Aspect::Title, Aspect::Source, Aspect::Notes, Aspect::Seed, Aspect::Horizon, Aspect::Throttling];

/// Aspects that comments of files hold besides: everything of a task, and the mutexes.
const TOLD: &[Aspect] = &[
    Aspect::Resources,
    Aspect::Units,
    Aspect::Mutexes,
    Aspect::Objects,
    Aspect::ShortDeadline,
    Aspect::LongDeadline,
    Aspect::Offset,
    Aspect::Jitter,
    Aspect::Suspension,
    Aspect::WorkingSet,
    Aspect::PriorityPoint,
    Aspect::Utility,
    Aspect::AbortHandler,
    Aspect::Component,
    Aspect::Sporadic,
    Aspect::Listed,
    Aspect::Cost,
    Aspect::Presence,
    Aspect::Program,
    Aspect::Workload,
];

impl Launcher {
    /// Writes the settings of `scenario`'s tasks under `protocol`, and lists what they cannot hold. The lines of
    /// `remarks` stand in the file, as comments.
    pub fn write(
        self,
        scenario: &Scenario,
        protocol: &Protocol,
        remarks: &[String],
    ) -> Result<Converted<String>, Errors> {
        let settings = settings(scenario, protocol).map_err(refused)?;
        let lost = self.losses(scenario, &settings);
        let remarks = Remarks::of(scenario, &settings, remarks, &lost);
        let value = match self {
            Launcher::RtApp => rt_app::write(scenario, &settings, &remarks),
            Launcher::SchedDeadline => sched_deadline::write(&settings, &remarks),
            Launcher::Systemd => systemd::write(&settings, &remarks).map_err(refused)?,
            Launcher::Threads(file) => file.write(scenario, &settings, &remarks).map_err(refused)?,
        };
        Ok(Converted { value, lost })
    }

    /// Returns the scenario with the times that the file can hold, and a line on the tasks whose times changed. Proofs
    /// about the file are to use this scenario.
    pub fn rounded(self, scenario: &Scenario) -> (Scenario, Option<String>) {
        match self {
            Launcher::RtApp => (rt_app::in_microseconds(scenario), rt_app::rounded(scenario)),
            Launcher::SchedDeadline | Launcher::Systemd | Launcher::Threads(_) => (scenario.clone(), None),
        }
    }

    /// Returns an error if the settings of `scenario` cannot be written this way at all.
    pub fn accepts(self, scenario: &Scenario, protocol: &Protocol) -> Result<(), Errors> {
        self.write(scenario, protocol, &[]).map(|_| ())
    }

    /// Lists what the file does not hold, and what the machine must be like.
    fn losses(self, scenario: &Scenario, settings: &Settings<'_>) -> Vec<String> {
        let kept = match self {
            Launcher::SchedDeadline | Launcher::Systemd | Launcher::Threads(_) => [SET, OTHER, TOLD].concat(),
            Launcher::RtApp => [SET, OTHER, &rt_app::kept(scenario, settings)].concat(),
        };
        let lost = lost(scenario, &kept);
        let mut lines: Vec<String> = lost.into_iter().map(|what| format!("not written: {what}")).collect();
        if self == Launcher::RtApp {
            lines.extend(rt_app::rounded(scenario));
            lines.extend(rt_app::unbound(settings));
        }
        if let Launcher::Threads(file) = self {
            lines.extend(file.said(scenario, settings));
        }
        lines.extend(settings.renumbered.clone());
        lines.extend(cautions(settings));
        lines
    }
}

/// The services of systemd that run `scenario`, each a file name and its text, and lists what they cannot hold.
pub fn services(
    scenario: &Scenario,
    protocol: &Protocol,
    remarks: &[String],
) -> Result<Converted<Vec<(String, String)>>, Errors> {
    let settings = settings(scenario, protocol).map_err(refused)?;
    let lost = Launcher::Systemd.losses(scenario, &settings);
    let remarks = Remarks::of(scenario, &settings, remarks, &lost);
    let value = systemd::units(&settings, &remarks).map_err(refused)?;
    Ok(Converted { value, lost })
}

fn refused(Refusal { field, value, why, allowed }: Refusal) -> Errors {
    Errors::one(None, &field, Problem::refused(value, why, allowed))
}
