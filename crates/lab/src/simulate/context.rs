//! The context that readers of a trace need, from a prepared scenario or from the trace's own header.

use crate::prepare::machine::{platform, quanta};
use crate::prepare::prepared::Prepared;
use crate::simulate::promises;
use schedlab_model::{Invariant, Platform, Task};
use schedlab_policy::servers::BudgetServer;
use schedlab_policy::{find, KernelClass, Needs, Scheduler, Throttling};
use schedlab_report::context::UnknownInvariant;
use schedlab_report::invariants::Checker;
use schedlab_report::metrics::Worth;
use schedlab_report::Context;
use schedlab_scenario::{Errors, Scenario, ServerSpec, TaskSpec, UrgentPriority};
use schedlab_trace::{Backend, Header};
use std::collections::BTreeMap;

/// The reason why a trace's header does not give the context that readers need.
#[derive(Clone, Debug, thiserror::Error)]
pub enum HeaderProblem {
    /// The header holds no scenario.
    #[error("the trace's header holds no scenario")]
    NoScenario,
    /// The header's scenario cannot be read.
    #[error("the scenario in the trace's header: {0}")]
    Scenario(Errors),
    /// The header promises an invariant that is not known.
    #[error("the promises in the trace's header: {0}")]
    Promise(UnknownInvariant),
    /// The header lists overlong sections in a form that cannot be read.
    #[error("{OVERLONG_SECTIONS} in the trace's header: {0}: not like T3.17@250000")]
    Overlong(String),
}

/// Name of the header's line that lists the sections of a real run which took longer than the scenario says.
pub const OVERLONG_SECTIONS: &str = "overlong_sections";

/// Invariants about budgets, which count the time for which decisions let a job execute. Threads follow decisions late,
/// so that the times of threads keep no budget exactly: of a real run, only its decisions promise these.
pub const OF_DECISIONS: [Invariant; 2] = [Invariant::PiecesAreKept, Invariant::ServersKeepTheirBudgets];

/// Reads the scenario from a trace's header, and the context that readers of its records need.
pub fn context_of(header: &Header) -> Result<(Scenario, Context), HeaderProblem> {
    let text = header.get("scenario").ok_or(HeaderProblem::NoScenario)?;
    let scenario = Scenario::parse("scenario", text).map_err(HeaderProblem::Scenario)?;
    // A scheduler of the user's own is not known here; it is taken for one without quanta.
    let scheduler = find(&scenario.scheduler.name).ok();
    let machine =
        scheduler.as_ref().map_or_else(|| scenario.model_platform(), |one| platform(&scenario, one));
    let context = described(&scenario, scheduler.as_ref(), &machine, &scenario.model_tasks());
    let promises = header.get("promises").unwrap_or_default();
    let context = context.promising_text(promises).map_err(HeaderProblem::Promise)?;
    let overlong = header.get(OVERLONG_SECTIONS).unwrap_or_default();
    let context = context.excusing_text(overlong).map_err(HeaderProblem::Overlong)?;
    Ok((scenario, context))
}

/// Describes the scenario for readers of traces, without promises, with these tasks on this machine.
fn described(
    scenario: &Scenario,
    scheduler: Option<&Scheduler>,
    platform: &Platform,
    tasks: &[Task],
) -> Context {
    // Reservations of the kernel have budgets that it does not tell.
    let is_told = scheduler.is_none_or(|known| known.kernel_class().is_none());
    let servers = Some(&scenario.servers).filter(|servers| is_told && !servers.is_empty());
    Context {
        quanta: scheduler.and_then(|known| quanta(scenario, known, platform)),
        worths: worths(tasks, scheduler),
        chooses_by_utility: scheduler.is_some_and(Scheduler::accrues_utility),
        stated_priorities: stated_priorities(scenario, scheduler, tasks),
        throttles: scenario.heeded_throttling().as_ref().is_some_and(Throttling::ever_stops),
        pieces: tasks.iter().map(|task| task.pieces.clone()).collect(),
        tasks: scenario.tasks.iter().map(|task| task.name.clone()).collect(),
        servers: servers.iter().flat_map(|servers| by_task(scenario, servers)).collect(),
        server_names: servers.iter().flat_map(|servers| servers.iter()).map(|one| one.name.clone()).collect(),
        resource_names: scenario.resources.iter().map(|resource| resource.name.clone()).collect(),
        resources: scenario.model_resources(),
        ..Context::of_platform(platform)
    }
}

/// Maps the priority points of `tasks` to the priorities that the scenario states. Empty unless the scheduler orders by
/// them and the larger priority is the more urgent one.
fn stated_priorities(
    scenario: &Scenario,
    scheduler: Option<&Scheduler>,
    tasks: &[Task],
) -> BTreeMap<u64, u32> {
    let orders = scheduler.is_some_and(|scheduler| {
        scheduler.needs() == Needs::Priority || scheduler.kernel_class() == Some(KernelClass::Fifo)
    });
    if !orders || scenario.scheduler.urgent_priority == UrgentPriority::Smallest {
        return BTreeMap::new();
    }
    let of = |(spec, task): (&TaskSpec, &Task)| Some((u64::from(task.fixed_priority), spec.priority?));
    let of_server = |(spec, server): (&ServerSpec, BudgetServer)| {
        Some((u64::from(server.fixed_priority), spec.priority?))
    };
    let servers = scenario.servers.iter().zip(scenario.model_servers()).filter_map(of_server);
    scenario.tasks.iter().zip(tasks).filter_map(of).chain(servers).collect()
}

/// Returns, by task, which of `servers` executes its jobs.
fn by_task(scenario: &Scenario, servers: &[ServerSpec]) -> Vec<Option<u32>> {
    let index = |name: &String| servers.iter().position(|server| server.name == *name);
    let of = |task: &TaskSpec| task.server.as_ref().and_then(index).map(|index| index as u32);
    scenario.tasks.iter().map(of).collect()
}

/// Returns the utility functions of the jobs of `tasks`; empty if neither a task nor the scheduler speaks of utility.
fn worths(tasks: &[Task], scheduler: Option<&Scheduler>) -> Vec<Worth> {
    let accrues = scheduler.is_some_and(Scheduler::accrues_utility);
    match accrues || tasks.iter().any(|task| task.utility.is_some()) {
        true => tasks.iter().map(Worth::of).collect(),
        false => Vec::new(),
    }
}

impl Prepared {
    /// Returns the invariants that the policies of all clusters promise. A cluster's promises may depend on its tasks.
    fn promises_of_policies(&self) -> Vec<Invariant> {
        // Policies that cannot be made, such as a user's own that fails, promise nothing.
        let Ok(policies) = self.policies() else { return Vec::new() };
        let [first, others @ ..] = policies.as_slice() else { return Vec::new() };
        let by_all = |promise: &&Invariant| others.iter().all(|policy| policy.promises().contains(promise));
        first.promises().iter().filter(by_all).copied().collect()
    }

    /// Returns the context that readers of this scenario's simulated traces need, with the promises of policy and
    /// protocol.
    pub fn context(&self) -> Context {
        let mut promises = self.promises_of_policies();
        let is_ideal = self.setup().charges.are_none() && self.scheduler.kernel_class().is_none();
        // If interrupts and switches take time, links follow decisions late.
        promises.retain(|promise| is_ideal || *promise != Invariant::UnusedQuantaAreWasted);
        if let (true, Ok(locks)) = (is_ideal, self.locks()) {
            promises.extend(locks.promises());
            promises.extend(promises::of_protocol(self));
        }
        if self.retries() {
            promises.push(Invariant::RetriesAreBounded);
        }
        // Invariants of the user's own are checked on every trace here, but no other installation knows them.
        promises.retain(|promise| !matches!(promise, Invariant::Own(_)));
        promises.sort_unstable();
        promises.dedup();
        let described = described(&self.scenario, Some(&self.scheduler), &self.platform, &self.tasks);
        Context { fails: self.fails(), promises, ..described }
    }

    /// Returns the context for traces of this scenario by `backend`. If the kernel decides, nothing is promised.
    pub fn context_by(&self, backend: Backend) -> Context {
        let mut context = self.context();
        if backend.is_kernel() {
            context.promises.clear();
        } else if backend != Backend::Simulation {
            context.promises.retain(|promise| !OF_DECISIONS.contains(promise));
        }
        context
    }

    /// Returns a checker of this scenario's traces, with the invariants of the user's own.
    pub fn checker(&self) -> Checker {
        let context = self.context();
        Checker::new(&context).also(&self.own_invariants, &context)
    }

    /// Returns the header of this scenario's simulated traces.
    pub fn header(&self) -> Header {
        self.header_by(Backend::Simulation)
    }

    /// Returns the header of this scenario's traces by `backend`, with the lines that follow from the scenario.
    pub fn header_by(&self, backend: Backend) -> Header {
        let context = self.context_by(backend);
        let promises: Vec<&str> = context.promises.iter().map(|promise| promise.name()).collect();
        Header::new(backend)
            .with("scenario", &self.scenario.to_toml())
            .with("scheduler", &self.scheduler.name)
            .with("protocol", self.protocol.name)
            .with("promises", &promises.join(" "))
            .with("source", "simulation")
            .with("clock", "simulated nanoseconds")
            .with("machine", &self.scenario.overheads.profile.machine)
            .with("producer", concat!("schedlab ", env!("CARGO_PKG_VERSION")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{Instant, JobId, TaskId};

    #[test]
    fn a_header_says_which_sections_took_too_long() {
        let text = "schedlab = 1\nscheduler = \"G-EDF\"\n[platform]\nprocessors = 1\n\
                    [[task]]\nname = \"a\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\n";
        let prepared = Prepared::new(&Scenario::parse("a.toml", text).unwrap()).unwrap();
        let read = |said: &str| context_of(&prepared.header().with(OVERLONG_SECTIONS, said));
        let (_, context) = read("T0.3@5").unwrap();
        let section = (JobId { task: TaskId(0), number: 3 }, Instant::from_ns(5));
        assert_eq!(context.overlong.into_iter().collect::<Vec<_>>(), [section]);
        let why = read("T0.3").unwrap_err().to_string();
        assert_eq!(why, "overlong_sections in the trace's header: T0.3: not like T3.17@250000");
    }

    #[test]
    fn times_of_threads_promise_no_budgets() {
        let text = "schedlab = 1\nscheduler = \"P-RM\"\n[[server]]\nname = \"s\"\nkind = \"polling\"\n\
                    budget = \"1 ms\"\nperiod = \"5 ms\"\n[[task]]\nname = \"a\"\nserver = \"s\"\n\
                    wcet = \"1 ms\"\nperiod = \"10 ms\"\n";
        let prepared = Prepared::new(&Scenario::parse("a.toml", text).unwrap()).unwrap();
        let promises = |backend| prepared.context_by(backend).promises;
        let all = [Invariant::RespectsPriority, Invariant::ServersKeepTheirBudgets];
        assert_eq!(promises(Backend::Simulation), all);
        assert_eq!(promises(Backend::Threads), all[..1]);
        assert_eq!(prepared.context().promises, all, "by which the decisions of a run are judged");
    }
}
