//! Checks of budget servers: their budgets, their clients, and what may be beside them.
//!
//! Published rules of servers know jobs that only execute, and no overheads, and most of them one processor. What they
//! do not know is refused, so that no answer leaves a server out of account.

use super::name;
use crate::error::Problem;
use crate::fault::{Faults, OfPart, Part};
use crate::scenario::{Scenario, ServerSpec, TaskSpec};
use crate::words::{Priorities, Split};
use schedlab_model::{Overrun, ReleasePoint, Step, Suspension};
use schedlab_policy::servers::{with_servers, ClientOrder, ServerKind, Unserved, Urgency};
use schedlab_policy::{KernelClass, Needs, Scheduler, Scope};
use std::collections::BTreeMap;

/// Checks all servers, their clients, and what is beside them.
pub(super) fn servers(scenario: &Scenario, faults: &mut Faults) {
    let mut clients: BTreeMap<&str, u32> = BTreeMap::new();
    for (index, server) in scenario.servers.iter().enumerate() {
        let part = Part::Server(index);
        name(&server.name, part, faults);
        if clients.insert(&server.name, 0).is_some() {
            faults.add(part, "name", Problem::duplicate("server", &server.name));
        }
        own(scenario, server, &mut faults.of(part));
    }
    for (index, task) in scenario.tasks.iter().enumerate() {
        let Some(wanted) = task.server.as_deref() else { continue };
        match clients.get_mut(wanted) {
            Some(count) => *count += 1,
            None => {
                let names = scenario.servers.iter().map(|server| server.name.as_str());
                faults.add(Part::Task(index), "server", Problem::unknown_name("server", wanted, names));
            }
        }
        let server = scenario.servers.iter().find(|server| server.name == wanted);
        let order = server.map_or_else(ClientOrder::default, |server| server.order);
        client(task, order, &mut faults.of(Part::Task(index)));
    }
    for (index, server) in scenario.servers.iter().enumerate() {
        if clients[server.name.as_str()] == 0 {
            let value = format!("\"{}\"", server.name);
            let allowed = "a server that some task names in its field server";
            faults.of(Part::Server(index)).refuse("name", value, "has no client", allowed);
        }
    }
    if !scenario.servers.is_empty() {
        beside(scenario, faults);
    }
}

/// True if servers are reservations of the kernel, which knows all processors.
fn is_reserving(scenario: &Scenario) -> bool {
    scenario.known_scheduler().is_some_and(|known| known.kernel_class() == Some(KernelClass::Deadline))
}

/// Checks the values of one server.
fn own(scenario: &Scenario, server: &ServerSpec, faults: &mut OfPart<'_>) {
    for (field, length) in [("budget", server.budget.at_unit_speed()), ("period", server.period)] {
        faults.positive(field, length);
    }
    if server.budget.at_unit_speed() > server.period {
        let why = format!("is more than the period of {}", server.period);
        faults.refuse("budget", server.budget, why, format!("at most {}", server.period));
    }
    times(server, faults);
    if server.background && server.kind.urgency() == Urgency::Deadline {
        let why =
            format!("is not for \"{}\": its clients have deadlines also without budget", server.kind.name());
        faults.refuse("background", "true", why, "false, or no background");
    }
    let needs = scenario.known_scheduler().map_or(Needs::Nothing, |scheduler| scheduler.needs());
    if needs == Needs::Priority && server.priority.is_none() {
        let name = &scenario.scheduler.name;
        let allowed = format!("a whole number from 0 to {}, since the scheduler is {name}", u32::MAX);
        faults.add("priority", Problem::missing(allowed));
    }
    let processors = scenario.platform.processors;
    let scope = scenario.known_scheduler().map(|known| known.scope);
    match server.processor {
        Some(processor) if is_reserving(scenario) => {
            let why = format!("is not kept: the kernel binds no thread of {}", scenario.scheduler.name);
            faults.refuse("processor", processor, why, "no processor");
        }
        Some(processor) if processor >= processors => {
            let allowed = format!("from 0 to {}", processors.saturating_sub(1));
            faults.refuse("processor", processor, "does not exist", allowed);
        }
        Some(processor) if processors > 1 && scope == Some(Scope::Global) => {
            let why =
                format!("is not kept: all processors share one queue under {}", scenario.scheduler.name);
            faults.refuse("processor", processor, why, "no processor");
        }
        None if processors > 1 && !is_reserving(scenario) && scope != Some(Scope::Global) => {
            let missing = match scope {
                Some(Scope::Clustered) => "a processor of the cluster of the server and its clients",
                Some(Scope::Partitioned | Scope::Global) | None => {
                    "the processor of the server and its clients"
                }
            };
            faults.add("processor", Problem::missing(missing));
        }
        Some(_) | None => {}
    }
}

/// Checks a server's deadline and the order of its clients.
fn times(server: &ServerSpec, faults: &mut OfPart<'_>) {
    let (kind, deadline) = (server.kind, server.relative_deadline);
    let budget = server.budget.at_unit_speed();
    if kind != ServerKind::Periodic && deadline != server.period {
        let why = format!("is not for \"{}\": only a periodic server has a deadline of its own", kind.name());
        faults.refuse("deadline", deadline, why, "no deadline");
    } else if deadline > server.period {
        let why = format!("is more than the period of {}", server.period);
        faults.refuse("deadline", deadline, why, format!("from {budget} to {}", server.period));
    } else if budget > deadline && budget <= server.period {
        let why = format!("is more than the deadline of {deadline}");
        faults.refuse("budget", budget, why, format!("at most {deadline}"));
    }
    if kind.is_by_job() && server.order.is_subsystem() {
        let why =
            format!("is not for \"{}\": its deadlines are those of jobs in order of arrival", kind.name());
        let value = format!("\"{}\"", server.order.name());
        faults.refuse("order", value, why, format!("{}, or no order", ClientOrder::default().name()));
    }
}

/// Checks that a client states nothing that its server decides, and only executes. Within a server of this `order`, a
/// client may have a priority.
fn client(task: &TaskSpec, order: ClientOrder, faults: &mut OfPart<'_>) {
    if order == ClientOrder::Fp && task.priority.is_none() {
        let order = order.name();
        let allowed = format!("a whole number from 0 to {}, since the server's order is {order}", u32::MAX);
        faults.add("priority", Problem::missing(allowed));
    }
    let stated = [
        ("priority", task.priority.is_some() && order != ClientOrder::Fp),
        ("processor", task.processor.is_some()),
        ("affinity", !task.affinity.is_empty()),
        ("cluster", task.cluster.is_some()),
        ("supertask", task.supertask.is_some()),
    ];
    for (field, _) in stated.into_iter().filter(|(_, is_stated)| *is_stated) {
        let sentence = "a client of a server has its urgency and its place from the server";
        faults.add(field, Problem::rule(sentence, "no such field"));
    }
    let waits = [
        ("program", !task.program.is_empty()),
        ("suspension", task.suspension != Suspension::None),
        ("jitter", !task.jitter.is_zero()),
    ];
    for (field, _) in waits.into_iter().filter(|(_, is_stated)| *is_stated) {
        let sentence =
            "a client of a server only executes: rules of servers know no waiting of their clients";
        faults.add(field, Problem::rule(sentence, "no such field"));
    }
}

/// Checks the scheduler and the machine, and that no task has sections.
fn beside(scenario: &Scenario, faults: &mut Faults) {
    let is_alone = scenario.platform.processors == 1;
    match scenario.known_scheduler() {
        None => {
            faults.add(Part::Scheduler, "name", rule("budget servers under a scheduler of the user's own"))
        }
        Some(known) => {
            if let Err(why) = with_servers(&known, scenario.model_servers()) {
                let (part, field) = match why {
                    Unserved::Reservation { server, .. } => (Part::Server(server), "kind"),
                    Unserved::Scheduler(_) | Unserved::Kind(..) => (Part::Scheduler, "name"),
                };
                faults.add(part, field, Problem::rule(why.to_string(), why.allowed() + ", or no server"));
            } else if known.scope != Scope::Partitioned && !is_alone && !is_reserving(scenario) {
                of_several_processors(scenario, &known, faults);
            }
        }
    }
    let scheduler = &scenario.scheduler;
    if scheduler.priorities != Priorities::Given {
        faults.add(Part::Scheduler, "priorities", rule("a rule for priorities beside budget servers"));
    }
    let placement = &scheduler.placement;
    if placement.split != Split::None || placement.test.is_some() || placement.together {
        faults.add(Part::Scheduler, "placement", rule("a split, a test or `together` beside budget servers"));
    }
    if scenario.platform.releases != ReleasePoint::Timer {
        faults.add(Part::Platform, "releases", rule("releases at ticks beside budget servers"));
    }
    if scenario.overruns == Overrun::BestEffort {
        let sentence = "\"best-effort\" beside budget servers";
        faults.add(Part::File, "overruns", rule(sentence));
    }
    if !scenario.charged().overheads.are_none() {
        faults.add(Part::File, "overheads", rule("overheads beside budget servers"));
    }
    let has_sections = |task: &TaskSpec| {
        task.program.iter().any(|step| matches!(step, Step::Request(..) | Step::Serve(_) | Step::NpEnter))
    };
    for (index, _) in scenario.tasks.iter().enumerate().filter(|(_, task)| has_sections(task)) {
        let sentence = "critical and non-preemptive sections beside budget servers";
        faults.add(Part::Task(index), "program", rule(sentence));
    }
}

/// Checks that the rules of all servers know several processors that share a ready queue.
fn of_several_processors(scenario: &Scenario, known: &Scheduler, faults: &mut Faults) {
    let knows = |kind: ServerKind| kind.knows_several_processors();
    let Some(odd) = scenario.servers.iter().find(|server| !knows(server.kind)) else { return };
    let sentence = format!("kind \"{}\" under {}: its rule knows one processor", odd.kind.name(), known.name);
    let kinds = ServerKind::NAMED.into_iter().filter(|(_, kind)| knows(*kind)).map(|(name, _)| name);
    let kinds: Vec<&str> = kinds.collect();
    let allowed = format!("a partitioned scheduler, one processor, or under EDF kind {}", kinds.join(", "));
    faults.add(Part::Scheduler, "name", Problem::rule(sentence, allowed));
}

/// A combination that no published rule of servers knows.
fn rule(what: &str) -> Problem {
    Problem::rule(format!("{what}: no published rule of servers knows of this"), "one of the two")
}
