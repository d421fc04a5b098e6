//! Guarantees of subsystems: clients of budget servers under schedulers of their own.
//!
//! A server that has had its budget by its deadline in each period supplies its clients as the model of its kind says,
//! and the test of their scheduler holds the clients' demand against that supply. Which kind supplies what, and why, is
//! said in the header of `policy/src/servers/periodic.rs`.

use super::finding::Finding;
use crate::prepare::prepared::Prepared;
use crate::reason::Reason;
use schedlab_analysis::subsystem::{self, Client, SubsystemOutcome, SubsystemRule};
use schedlab_analysis::supply::{BoundedDelay, ExplicitDeadline, PeriodicResource, Supply};
use schedlab_analysis::Answer;
use schedlab_model::{Duration, OrderClass, Task, TaskId};
use schedlab_policy::servers::{BudgetServer, ServerKind};

/// Added to the source of a finding that judges subsystems.
const SOURCE: &str =
    "Shin and Lee, RTSS 2003; Easwaran, Anand and Lee, RTSS 2007; Mok, Feng and Chen, RTAS 2001; Davis \
                      and Burns, RTSS 2005";

/// The least supply of a server that has had its budget by its deadline in each period; `None` if no bound is known.
pub(crate) fn supply_of(server: &BudgetServer) -> Option<Box<dyn Supply>> {
    let [budget, period] = [server.budget.at_unit_speed(), server.period].map(Duration::as_ns);
    let relative_deadline = server.relative_deadline.as_ns();
    let delayed = |wait: u64| BoundedDelay::new((budget, period), u128::from(wait));
    let supply: Box<dyn Supply> = match server.kind {
        ServerKind::Periodic if relative_deadline == period => {
            Box::new(PeriodicResource::new(budget, period))
        }
        ServerKind::Periodic => Box::new(ExplicitDeadline::new(budget, period, relative_deadline)),
        ServerKind::HardConstantBandwidth => Box::new(delayed(2 * (period - budget))),
        // A client that just missed the begin of a period waits for the next one, and then for the budget.
        ServerKind::Polling => Box::new(delayed(2 * period - budget)),
        ServerKind::Deferrable
        | ServerKind::Sporadic
        | ServerKind::PosixSporadic
        | ServerKind::CorrectedSporadic
        | ServerKind::DynamicSporadic
        | ServerKind::SoftConstantBandwidth
        | ServerKind::Reclaiming
        | ServerKind::LinuxReclaiming
        | ServerKind::ConstantUtilization
        | ServerKind::TotalBandwidth => return None,
    };
    Some(supply)
}

/// The clients of `server` and the kind of their scheduler, as tests take them; `None` if they have none of their own.
pub(crate) fn clients_of(server: &BudgetServer, tasks: &[Task]) -> Option<(Vec<Client>, SubsystemRule)> {
    let (rule, key): (SubsystemRule, fn(&Task) -> u64) = match server.order.within()?.rule.class() {
        OrderClass::Fixed(key) => (SubsystemRule::FixedPriority, key),
        OrderClass::Deadline => (SubsystemRule::Edf, |_| 0),
        OrderClass::FixedOpenTies(_)
        | OrderClass::AfterArrival(_)
        | OrderClass::Theorem(_)
        | OrderClass::Pfair { .. }
        | OrderClass::Unanalysed => return None,
    };
    let client = |id: &TaskId| {
        let task = &tasks[id.index()];
        Client {
            cost: task.wcet.as_ns(),
            period: task.period.as_ns(),
            relative_deadline: task.relative_deadline.as_ns(),
            priority: key(task),
        }
    };
    Some((server.clients.iter().map(client).collect(), rule))
}

/// Judges the clients with deadlines of all servers, after all other tasks were found to be in time. By server, `kept`
/// says whether it has had its budget by its deadline.
pub(super) fn judge(prepared: &Prepared, servers: &[BudgetServer], kept: &[bool], finding: &mut Finding) {
    let has_deadline = |id: &&TaskId| prepared.tasks[id.index()].relative_deadline < Task::NO_DEADLINE;
    let mut bounds: Vec<(TaskId, Duration)> = Vec::new();
    let mut is_any = false;
    for (index, (server, kept)) in servers.iter().zip(kept).enumerate() {
        let Some(due) = server.clients.iter().find(has_deadline) else { continue };
        let found = match clients_of(server, &prepared.tasks) {
            Some(clients) => within(prepared, server, index, *kept, clients),
            None => Err(Reason::DeadlineOfClient(*due)),
        };
        match found {
            Ok(found) => bounds.extend(found),
            Err(reason) => {
                (finding.answer, finding.reason) = (Answer::Unknown, reason);
                return;
            }
        }
        is_any = true;
    }
    if !is_any {
        return;
    }
    finding.reason = Reason::SubsystemsFit;
    finding.source = SOURCE;
    let known = finding.response_times.get_or_insert_with(|| vec![None; prepared.tasks.len()]);
    bounds.into_iter().for_each(|(id, bound)| known[id.index()] = Some(bound));
    finding.tardiness = Some(vec![Some(Duration::ZERO); prepared.tasks.len()]);
}

/// Bounds of the clients of the server at `index`, as far as their test gives some, or the reason why one may be late.
fn within(
    prepared: &Prepared,
    server: &BudgetServer,
    index: usize,
    kept: bool,
    (clients, rule): (Vec<Client>, SubsystemRule),
) -> Result<Vec<(TaskId, Duration)>, Reason> {
    let name = prepared.scenario.servers[index].name.clone();
    let Some(supply) = supply_of(server) else {
        return Err(Reason::NoSupplyKnown { server: name, kind: server.kind.name() });
    };
    if !kept {
        return Err(Reason::BudgetMayBeLate { server: name });
    }
    let ns = |amount: u128| Duration::from_ns(u64::try_from(amount).unwrap_or(u64::MAX));
    match subsystem::judge(&clients, rule, &*supply) {
        SubsystemOutcome::Fits(bounds) => {
            let bounded = server.clients.iter().zip(bounds);
            Ok(bounded.filter_map(|(id, bound)| Some((*id, Duration::from_ns(bound?)))).collect())
        }
        SubsystemOutcome::Overload => Err(Reason::SubsystemOverload { server: name }),
        SubsystemOutcome::Exceeds { length, demand, supply } => Err(Reason::SubsystemBeyondSupply {
            server: name,
            length: Duration::from_ns(length),
            demand: ns(demand),
            supply: ns(supply),
        }),
        SubsystemOutcome::Late(client) => {
            Err(Reason::SubsystemMayBeLate { server: name, task: server.clients[client] })
        }
        SubsystemOutcome::Spent => Err(Reason::SubsystemTooLong { server: name }),
    }
}
