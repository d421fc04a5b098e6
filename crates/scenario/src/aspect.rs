//! Parts of a scenario besides its tasks' names, costs and periods, each of which a format may be unable to hold.
//!
//! The functions here take a scenario apart field by field, without a rest (`..`). So the compiler asks where a new
//! field belongs, and a writer that does not name its part lists it as lost.

use crate::resource::ResourceSpec;
use crate::scenario::{default_horizon, PlatformSpec, Scenario, SchedulerSpec, TaskSpec};
use crate::words::{Arrival, CostModel};
use crate::workload::Workload;
use schedlab_lock::Length;
use schedlab_model::{Instant, Suspension, ThreadClass};

macro_rules! aspects {
    ($($name:ident: $text:literal $(, $eases:ident)?;)*) => {
        /// A part of a scenario that formats may lose.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Aspect {
            $(#[doc = $text] $name,)*
        }

        impl Aspect {
            /// All parts.
            #[cfg(test)]
            const ALL: &[Aspect] = &[$(Aspect::$name,)*];

            /// Name of the part in lists of losses.
            const fn text(self) -> &'static str {
                match self {
                    $(Aspect::$name => $text,)*
                }
            }

            /// True if tasks without this part are easier to schedule, so that an analysis of the written file could
            /// prove too much.
            const fn eases(self) -> bool {
                match self {
                    $(Aspect::$name => aspects!(@ $($eases)?),)*
                }
            }
        }
    };
    (@ eases) => { true };
    (@) => { false };
}

aspects! {
    Title: "title";
    Source: "source";
    Notes: "notes";
    LeftOut: "left_out", eases;
    Seed: "seed";
    DeadlineRule: "deadlines";
    Wcets: "wcets", eases;
    Overruns: "overruns";
    Scheduler: "scheduler";
    UrgentPriority: "scheduler.urgent_priority";
    Priorities: "scheduler.priorities";
    Weights: "scheduler.weights";
    Placement: "scheduler.placement";
    PfairAffinity: "scheduler.affinity";
    Throttling: "scheduler.throttling", eases;
    Protocol: "protocol";
    Processors: "platform.processors";
    Clusters: "platform.clusters";
    Quantum: "platform.quantum";
    Alignment: "platform.alignment";
    Releases: "platform.releases", eases;
    SharedCaches: "platform.caches";
    Memory: "platform.memory";
    Overheads: "overheads", eases;
    Resources: "resource";
    Units: "units";
    Lengths: "length";
    Mutexes: "protocol";
    Objects: "kind and scheme";
    Supertasks: "supertask";
    Servers: "server", eases;
    Horizon: "horizon";
    ShortDeadline: "deadline before the period's end", eases;
    LongDeadline: "deadline after the period's end";
    Offset: "offset";
    Jitter: "jitter", eases;
    Suspension: "suspension", eases;
    WorkingSet: "working_set";
    Priority: "priority";
    Class: "class", eases;
    PriorityPoint: "priority_point";
    Utility: "utility";
    AbortHandler: "abort_handler";
    Processor: "processor";
    Pieces: "pieces";
    Affinity: "affinity";
    Cluster: "cluster";
    Component: "supertask";
    Client: "server", eases;
    Sporadic: "sporadic arrival", eases;
    Listed: "listed arrival";
    Cost: "cost";
    Presence: "join or leave";
    Program: "program", eases;
    Workload: "workload";
}

/// A part of a scenario that differs from the default.
struct Said {
    aspect: Aspect,
    /// Tasks or resources with a value of their own; empty if the part belongs to none in particular.
    of: Vec<String>,
}

impl Said {
    fn line(&self) -> String {
        let (text, eases) = (self.aspect.text(), self.aspect.eases());
        loss(text, &self.of, eases).unwrap_or_else(|| warned(text.to_owned(), eases))
    }
}

/// Returns a line that `what` of the tasks or resources `of` is lost; nothing if `of` is empty.
pub(crate) fn loss(what: &str, of: &[impl AsRef<str>], eases: bool) -> Option<String> {
    (!of.is_empty()).then(|| warned(format!("{what} of {}", shortened(of)), eases))
}

fn warned(what: String, eases: bool) -> String {
    match eases {
        true => format!("{what}; without it, the tasks look easier than they are"),
        false => what,
    }
}

/// Returns what a format that can write only `kept` loses of `scenario`: a line for each aspect.
pub(crate) fn lost(scenario: &Scenario, kept: &[Aspect]) -> Vec<String> {
    let all = said(scenario).into_iter().filter(|one| !kept.contains(&one.aspect));
    all.map(|one| one.line()).collect()
}

/// Joins the names, or the first few of them and the number of the others.
pub fn shortened(names: &[impl AsRef<str>]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<&str> = names.iter().take(SHOWN).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Returns all parts that differ from the defaults.
fn said(scenario: &Scenario) -> Vec<Said> {
    let around = around(scenario).into_iter().filter(|(_, is_said)| *is_said);
    let mut all: Vec<Said> = around.map(|(aspect, _)| Said { aspect, of: Vec::new() }).collect();
    all.extend(named(&scenario.resources, |resource| &resource.name, of_resource));
    all.extend(named(&scenario.tasks, |task| &task.name, of_task));
    all
}

/// Returns the aspects that some of `all` have, each with the names of those that have it.
fn named<T, const N: usize>(
    all: &[T],
    name: fn(&T) -> &str,
    parts: fn(&T) -> [(Aspect, bool); N],
) -> Vec<Said> {
    let by_one: Vec<[(Aspect, bool); N]> = all.iter().map(parts).collect();
    let Some(aspects) = by_one.first() else { return Vec::new() };
    let said = aspects.iter().enumerate().map(|(index, (aspect, _))| {
        let has = all.iter().zip(&by_one).filter(|(_, parts)| parts[index].1);
        Said { aspect: *aspect, of: has.map(|(one, _)| name(one).to_owned()).collect() }
    });
    said.filter(|said| !said.of.is_empty()).collect()
}

/// Returns each aspect of the tasks' surroundings, and whether it differs from the default.
fn around(scenario: &Scenario) -> Vec<(Aspect, bool)> {
    let plain = Scenario::new(Vec::new());
    let Scenario {
        title,
        source,
        notes,
        left_out,
        seed,
        horizon,
        deadlines,
        wcets,
        overruns,
        protocol,
        own_protocol,
        scheduler,
        platform,
        overheads,
        resources,
        supertasks,
        servers,
        tasks,
        // Where it was read is no part of what it says.
        origin: _,
        // It says how the other fields came about.
        what_if: _,
    } = scenario;
    let mut all = vec![
        (Aspect::Title, *title != plain.title),
        (Aspect::Source, *source != plain.source),
        (Aspect::Notes, *notes != plain.notes),
        (Aspect::LeftOut, !left_out.is_empty()),
        (Aspect::Seed, *seed != plain.seed),
        (Aspect::DeadlineRule, *deadlines != plain.deadlines),
        (Aspect::Wcets, *wcets != plain.wcets),
        (Aspect::Overruns, *overruns != plain.overruns),
        (Aspect::Protocol, *protocol != plain.protocol || own_protocol.is_some()),
    ];
    all.extend(of_scheduler(scheduler));
    all.extend(of_platform(platform));
    all.extend([
        (Aspect::Overheads, *overheads != plain.overheads),
        (Aspect::Resources, !resources.is_empty()),
        (Aspect::Supertasks, !supertasks.is_empty()),
        (Aspect::Servers, !servers.is_empty()),
        (Aspect::Horizon, *horizon != default_horizon(tasks)),
    ]);
    all
}

fn of_scheduler(scheduler: &SchedulerSpec) -> [(Aspect, bool); 7] {
    let plain = SchedulerSpec::default();
    let SchedulerSpec { name, own, urgent_priority, priorities, weights, placement, affinity, throttling } =
        scheduler;
    [
        (Aspect::Scheduler, *name != plain.name || own.is_some()),
        (Aspect::UrgentPriority, *urgent_priority != plain.urgent_priority),
        (Aspect::Priorities, *priorities != plain.priorities),
        (Aspect::Weights, *weights != plain.weights),
        (Aspect::Placement, *placement != plain.placement),
        (Aspect::PfairAffinity, *affinity != plain.affinity),
        (Aspect::Throttling, *throttling != plain.throttling),
    ]
}

fn of_platform(platform: &PlatformSpec) -> [(Aspect, bool); 7] {
    let plain = PlatformSpec::default();
    let PlatformSpec { processors, clusters, quantum, alignment, releases, caches, memory } = platform;
    [
        (Aspect::Processors, *processors != plain.processors),
        (Aspect::Clusters, *clusters != plain.clusters),
        (Aspect::Quantum, *quantum != plain.quantum),
        (Aspect::Alignment, *alignment != plain.alignment),
        (Aspect::Releases, *releases != plain.releases),
        (Aspect::SharedCaches, *caches != plain.caches),
        (Aspect::Memory, *memory != plain.memory),
    ]
}

fn of_resource(resource: &ResourceSpec) -> [(Aspect, bool); 4] {
    // A format that holds resources at all calls them something.
    let ResourceSpec { name: _, units, length, protocol, object } = resource;
    [
        (Aspect::Units, *units != 1),
        (Aspect::Lengths, *length != Length::default()),
        (Aspect::Mutexes, protocol.is_some()),
        (Aspect::Objects, object.is_some()),
    ]
}

fn of_task(task: &TaskSpec) -> [(Aspect, bool); 23] {
    let TaskSpec {
        // Every format has these three.
        name: _,
        wcet: _,
        period,
        relative_deadline,
        offset,
        jitter,
        suspension,
        working_set,
        priority,
        class,
        priority_point,
        utility,
        abort_handler,
        processor,
        pieces,
        affinity,
        cluster,
        supertask,
        server,
        arrival,
        cost,
        join,
        leave,
        program,
        workload,
        // Allows two other fields what they say.
        wcet_may_exceed_deadline: _,
    } = task;
    [
        (Aspect::ShortDeadline, relative_deadline < period),
        (Aspect::LongDeadline, relative_deadline > period),
        (Aspect::Offset, *offset != Instant::ZERO),
        (Aspect::Jitter, !jitter.is_zero()),
        // Segmented suspensions are steps of the program.
        (Aspect::Suspension, matches!(suspension, Suspension::Dynamic(_))),
        (Aspect::WorkingSet, *working_set > 0),
        (Aspect::Priority, priority.is_some()),
        (Aspect::Class, *class != ThreadClass::Fifo),
        (Aspect::PriorityPoint, priority_point.is_some()),
        (Aspect::Utility, utility.is_some()),
        (Aspect::AbortHandler, abort_handler.is_some()),
        (Aspect::Processor, processor.is_some()),
        (Aspect::Pieces, !pieces.is_empty()),
        (Aspect::Affinity, !affinity.is_empty()),
        (Aspect::Cluster, cluster.is_some()),
        (Aspect::Component, supertask.is_some()),
        (Aspect::Client, server.is_some()),
        (Aspect::Sporadic, matches!(arrival, Arrival::Sporadic { .. })),
        (Aspect::Listed, matches!(arrival, Arrival::Listed(_))),
        (Aspect::Cost, *cost != CostModel::Wcet),
        (Aspect::Presence, *join != Instant::ZERO || *leave != Instant::NEVER),
        (Aspect::Program, !program.is_empty()),
        (Aspect::Workload, *workload != Workload::default()),
    ]
}

#[cfg(test)]
mod tests;
