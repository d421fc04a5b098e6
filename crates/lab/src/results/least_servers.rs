//! The least budgets of servers with subsystems as plain values: which period needs the least bandwidth?

use super::conclusion::AnswerName;
use crate::prepare::catalog::Catalog;
use crate::prepare::error::PrepareError;
use crate::prepare::prepared::Prepared;
use crate::verdict::findings::servers;
use crate::verdict::findings::subsystems::{clients_of, supply_of};
use schedlab_analysis::exact::{compare, Fraction, Pair};
use schedlab_analysis::subsystem::{latest_deadline, least_budget, Client, SubsystemRule};
use schedlab_analysis::supply::Supply;
use schedlab_model::{Duration, Work};
use schedlab_policy::servers::{BudgetServer, ClientOrder};
use schedlab_scenario::Scenario;
use schemars::JsonSchema;
use serde::Serialize;

/// Number of periods that are tried if none are stated.
const TRIED: u64 = 20;

/// Most periods that are tried.
const MOST_TRIED: u64 = 10_000;

/// Periods to try: from the first to the second, in steps of the third.
pub type TriedPeriods = (Duration, Duration, Duration);

/// Reason why nothing is searched.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NotSearched {
    /// The scenario cannot be prepared.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// No server has clients with a scheduler of their own.
    #[error(
        "no server has clients with a scheduler of their own; allowed: a [[server]] whose order is {}",
        orders()
    )]
    NoSubsystem,
    /// The stated periods are none.
    #[error("periods from {0} to {1} in steps of {2}: {3}")]
    Periods(Duration, Duration, Duration, &'static str),
}

/// The orders of clients that have a scheduler of their own.
fn orders() -> String {
    let of_subsystems = ClientOrder::NAMED.into_iter().filter(|(_, order)| order.is_subsystem());
    of_subsystems.map(|(name, _)| name).collect::<Vec<_>>().join(", ")
}

/// The least budget with one period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct BudgetAt {
    period_ns: u64,
    /// None if no budget suffices with this period.
    budget_ns: Option<u64>,
    /// The latest deadline with that budget; the period, unless the server states a deadline.
    relative_deadline_ns: Option<u64>,
    /// The budget over the period, such as 7/25.
    bandwidth: Option<String>,
}

/// The least bandwidth of one server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct LeastServer {
    name: String,
    kind: &'static str,
    order: &'static str,
    clients: Vec<String>,
    /// What the clients need in the long run: no bandwidth below suffices.
    utilization: String,
    /// By period, in rising order.
    tried: Vec<BudgetAt>,
    /// The index among those with the least bandwidth, of equal ones the longest period; none if no budget suffices.
    best: Option<usize>,
}

/// The least bandwidths of all servers with subsystems.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeastServers {
    scheduler: String,
    servers: Vec<LeastServer>,
    /// Answer about the whole scenario with the best servers; none if one has none.
    answer: Option<AnswerName>,
    /// The reason for the answer, or why a server has no period.
    reason: String,
    /// The servers as a scenario file states them.
    toml: Option<String>,
}

/// Returns the least budget of each server of `given` that has a subsystem, for each of `periods`, and the scenario
/// with the best ones. Without `periods`, twentieths of the shortest period or relative deadline of a server's clients
/// are tried.
pub fn least_servers(
    given: &Scenario,
    catalog: &Catalog,
    periods: Option<TriedPeriods>,
) -> Result<(LeastServers, Option<Scenario>), NotSearched> {
    let prepared = Prepared::for_analysis(given, catalog)?;
    let mut scenario = prepared.scenario.clone();
    let (mut found, mut reason) = (Vec::new(), None);
    for (index, server) in scenario.model_servers().into_iter().enumerate() {
        let Some((clients, rule)) = clients_of(&server, &prepared.tasks) else { continue };
        let tried = match supply_of(&server) {
            None => Vec::new(),
            Some(_) => periods_of(&clients, periods)?
                .into_iter()
                .map(|period| budget_at(&server, &clients, rule, period))
                .collect(),
        };
        let spec = &mut scenario.servers[index];
        let best = best_of(&tried);
        match best.map(|best| &tried[best]) {
            Some(BudgetAt {
                period_ns,
                budget_ns: Some(budget),
                relative_deadline_ns: Some(deadline),
                ..
            }) => {
                (spec.budget, spec.period) = (Work::from_ns(*budget), Duration::from_ns(*period_ns));
                spec.relative_deadline = Duration::from_ns(*deadline);
            }
            _ => reason = reason.or(Some(without(&spec.name, server.kind.name(), tried.is_empty()))),
        }
        let terms: Vec<Pair> = clients.iter().map(|client| (client.cost, client.period)).collect();
        found.push(LeastServer {
            name: spec.name.clone(),
            kind: server.kind.name(),
            order: server.order.name(),
            clients: server.clients.iter().map(|id| given.task_name(*id).to_owned()).collect(),
            utilization: Fraction::sum(&terms).to_string(),
            tried,
            best,
        });
    }
    if found.is_empty() {
        return Err(NotSearched::NoSubsystem);
    }
    let scheduler = prepared.scheduler.name.clone();
    if let Some(reason) = reason {
        return Ok((LeastServers { scheduler, servers: found, answer: None, reason, toml: None }, None));
    }
    let finding = servers::findings(&Prepared::for_analysis(&scenario, catalog)?).swap_remove(0);
    let result = LeastServers {
        scheduler,
        servers: found,
        answer: Some(finding.answer.into()),
        reason: finding.reason.in_words(&scenario),
        toml: Some(scenario.servers_toml()),
    };
    Ok((result, Some(scenario)))
}

fn without(name: &str, kind: &str, is_unknown: bool) -> String {
    match is_unknown {
        true => format!("no test knows what server \"{name}\" of the kind {kind} supplies at least"),
        false => format!("no budget suffices for server \"{name}\" with any of the periods"),
    }
}

/// The periods to try for these clients, in rising order.
fn periods_of(clients: &[Client], stated: Option<TriedPeriods>) -> Result<Vec<u64>, NotSearched> {
    let Some((from, to, step)) = stated else {
        let shortest = clients.iter().map(|client| client.period.min(client.relative_deadline)).min();
        let shortest = u128::from(shortest.unwrap_or(1));
        let mut tried: Vec<u64> =
            (1..=TRIED).map(|part| (shortest * u128::from(part) / u128::from(TRIED)) as u64).collect();
        tried.retain(|period| *period > 0);
        tried.dedup();
        return Ok(tried);
    };
    let wrong = |why| Err(NotSearched::Periods(from, to, step, why));
    if from.is_zero() || step.is_zero() {
        return wrong("the first period and the step have to be above zero");
    }
    if to < from {
        return wrong("the last period has to be the first one or longer");
    }
    if (to.as_ns() - from.as_ns()) / step.as_ns() >= MOST_TRIED {
        return wrong("at most 10000 periods can be tried");
    }
    let steps = (to.as_ns() - from.as_ns()) / step.as_ns();
    Ok((0..=steps).map(|index| from.as_ns() + index * step.as_ns()).collect())
}

/// The least budget of `server` with this period.
fn budget_at(server: &BudgetServer, clients: &[Client], rule: SubsystemRule, period: u64) -> BudgetAt {
    let of = |budget: u64, deadline: u64| -> Box<dyn Supply> {
        let server = BudgetServer {
            budget: Work::from_ns(budget),
            period: Duration::from_ns(period),
            relative_deadline: Duration::from_ns(deadline),
            ..server.clone()
        };
        supply_of(&server).expect("the kind has a known supply")
    };
    let states_deadline = server.relative_deadline != server.period;
    let budget = match states_deadline {
        true => least_budget(clients, rule, period, |budget| of(budget, budget)),
        false => least_budget(clients, rule, period, |budget| of(budget, period)),
    };
    let deadline = budget.and_then(|budget| match states_deadline {
        true => latest_deadline(clients, rule, (budget, period), |deadline| of(budget, deadline)),
        false => Some(period),
    });
    BudgetAt {
        period_ns: period,
        budget_ns: budget,
        relative_deadline_ns: deadline,
        bandwidth: budget.map(|budget| Fraction::new(budget, period).to_string()),
    }
}

/// The index of the least bandwidth, of equal ones that of the longest period.
fn best_of(tried: &[BudgetAt]) -> Option<usize> {
    let with =
        tried.iter().enumerate().filter_map(|(index, one)| Some((index, (one.budget_ns?, one.period_ns))));
    with.rev().min_by(|(_, a), (_, b)| compare(*a, *b)).map(|(index, _)| index)
}
