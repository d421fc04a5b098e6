//! Reasons of findings about a scenario, and their wording for people. No code reads the words.

use schedlab_analysis::sentences::{Names, Said, Say};
use schedlab_analysis::Reason as Stated;
use schedlab_model::{Duration, Instant, JobId, ResourceId, TaskId};
use schedlab_scenario::Scenario;
use std::fmt;

schedlab_analysis::sentences! {
    /// The reason for a finding about a scenario.
    pub enum Reason {
        // What tests say of clusters.
        OfTest(reason: Stated) => "{reason}",
        OfCluster { cluster: u16, reason: Stated } => "cluster {cluster}: {reason}",
        SilentOnCluster { cluster: u16 } => "it does not speak of cluster {cluster}",
        HoldsOnEach { clusters: usize } => "it holds on each of {clusters} clusters",
        NoTestSpeaks { scheduler: String } => "no test speaks of {scheduler}",
        NoTestKnown { scheduler: String } => "no test is known for {scheduler}",
        KernelDecides { scheduler: String, why: &'static str, field: &'static str }
            => "under {scheduler} Linux itself decides: no test is known {why} ({field})",
        KernelDecidesOf { scheduler: String, task: TaskId, why: &'static str, field: &'static str }
            => "under {scheduler} Linux itself decides: no test is known {why} (task \"{task}\", {field})",
        Throttled { scheduler: String, runtime: Duration, period: Duration }
            => "under {scheduler} Linux may stop threads after {runtime} of {period} (throttling, or the fair server), and nothing bounds what they take; a machine without both (kernel.sched_rt_runtime_us = -1, and 0 as runtime of the fair server) is stated by throttling = {{ runtime = \"{period}\", period = \"{period}\" }}",
        ThrottledBeyond { scheduler: String, processor: u16, busy: Duration, runtime: Duration, period: Duration }
            => "under {scheduler} threads may take processor {processor} for {busy} of {period}, and Linux may stop them after {runtime} (throttling, or the fair server); a machine without both (kernel.sched_rt_runtime_us = -1, and 0 as runtime of the fair server) is stated by throttling = {{ runtime = \"{period}\", period = \"{period}\" }}",
        NotAdmitted { scheduler: String, needed: String, admitted: String }
            => "under {scheduler} threads of SCHED_DEADLINE need {needed} of a processor, and the kernel admits {admitted}: what throttling leaves (kernel.sched_rt_runtime_us), less 5% of each processor for its fair server (from Linux 6.12 on)",
        NoTestHere => "no test for this scheduler is known here",
        NothingArrives => "no job arrives: every task leaves before its first arrival, or at it",

        // In short.
        Decided { test: &'static str, reason: Stated } => "{test}: {reason}",
        Proves { test: &'static str, reason: Box<Reason> } => "{test}: {reason}",
        ProvedTogether { tests: String } => "{tests} prove it together",
        MayBeLateBy { test: &'static str, task: TaskId, by: Duration } => "{test}: {task} may be late by {by}",
        NoneProves { test: &'static str, reason: Stated, tests: usize }
            => "{test}: {reason} (none of {tests} tests proves it)",
        OnProcessor { processor: u16, reason: Box<Reason> } => "processor {processor}: {reason}",
        NoTasks => "",
        Observed { reason: Box<Reason>, missed: u64, arrived: u64, until: Instant }
            => "{reason}; observed: {missed} of {arrived} jobs late until {until}",
        NotSimulated { reason: Box<Reason>, error: String } => "{reason}; not simulated: {error}",
        Refused { error: String } => "{error}",

        // The scenario's own run.
        LateBy { task: TaskId, number: u32, id: ById, by: Duration, due: Instant }
            => "{task}'s job {number} ({id}) was late by {by}: its deadline was at {due}",
        NotComplete { task: TaskId, number: u32, id: ById, due: Instant }
            => "{task}'s job {number} ({id}) was not complete at the end: its deadline was at {due}",

        // Overheads.
        LocksUnknown { protocol: &'static str }
            => "what requests cost under \"{protocol}\" besides their sections is not known",
        DecisionsNotAccounted => "no test accounts for the decisions of the overheads: for processors that wait for each other",
        MovesNotAccounted => "no test accounts for the pushes and pulls of the overheads: for threads that move between run queues",
        PreemptionsNotAccounted => "no test accounts for overheads of preemptions at other times than arrivals",
        BudgetsNotAccounted => "no test accounts for overheads that take time from the budgets of execution sets",
        ReservesNotAccounted => "no test accounts for overheads that take time from the reserves of notional processors",
        InterruptOverload => "interrupts alone take a whole processor or quantum",
        TaskOverload(task: TaskId) => "with its overheads, task \"{task}\" needs more than a processor",
        UnboundedSuspensions(task: TaskId)
            => "task \"{task}\" suspends itself an unknown number of times, and pays overheads each time: give it a program with segments",

        // Requests under Pfair.
        RequestsWithOverheads => "requests together with overheads are not accounted for",
        RequestsWithQuanta { protocol: &'static str }
            => "what requests cost under \"{protocol}\" with quanta is not known",
        ServerSuspendsClients
            => "clients suspend themselves until their server responds: section IV-E of Holman and Anderson 2005 bounds each response, but not the quanta that suspensions waste",
        SectionsBeyondQuantum => "the sections that may go before a request do not fit into a quantum with its own",

        // Budget servers.
        BesideServers => "no other test knows of budget servers",
        ServersOfLinux => "no test knows of budget servers where Linux itself decides",
        SuspendsBesideServers(task: TaskId) => "task \"{task}\" suspends itself, and no test knows of that beside budget servers",
        NothingBoundsServer { server: String }
            => "nothing bounds what server \"{server}\" takes: its rule gives budget back too early; sporadic-corrected is bounded",
        MayBeLateBesideServers(task: TaskId) => "a job of \"{task}\" may be late beside the servers",
        DeadlineOfClient(task: TaskId)
            => "all tasks that are no clients are in time, but \"{task}\" is a client with a deadline, and no test is known for it: its server serves first come, first served",
        ServersLeaveRoom => "all tasks that are no clients are in time, with each server as a task of its budget and period",
        BandwidthsBeyond { processor: u16 }
            => "on processor {processor}, the densities of tasks and the bandwidths of servers add up to more than 1",
        ServersFit => "the demand of tasks and of periodic servers fits on each processor",
        DemandBeyond { processor: u16 }
            => "on processor {processor}, tasks and periodic servers may need more than the time to their deadlines",
        BandwidthsFit => "the densities of tasks and the bandwidths of servers add up to at most 1",
        DynamicGivesBackTooEarly { server: String }
            => "nothing bounds what server \"{server}\" takes: its rule gives budget back too early; hard-cbs is bounded",
        BandwidthsPassEdf
            => "on the processors of each cluster, the densities of tasks and the bandwidths of servers add up to at most m - (m - 1) times the largest",
        BandwidthsFailEdf { cluster: u16 }
            => "on the processors of cluster {cluster}, the densities of tasks and the bandwidths of servers add up to more than m - (m - 1) times the largest, or a deadline is beyond its period",
        ReclaimsOnSeveral { server: String }
            => "nothing bounds what server \"{server}\" reclaims on several processors: Linux promises no deadlines there; hard-cbs is bounded",

        // Subsystems in budget servers.
        NoSupplyKnown { server: String, kind: &'static str }
            => "no test knows what server \"{server}\" supplies at least: kind {kind} is none of periodic, hard-cbs and polling",
        BudgetMayBeLate { server: String }
            => "server \"{server}\" may not have had its budget by its deadline",
        SubsystemOverload { server: String }
            => "the clients of server \"{server}\" need more than its bandwidth",
        SubsystemBeyondSupply { server: String, length: Duration, demand: Duration, supply: Duration }
            => "in {length}, the clients of server \"{server}\" may need {demand}, and it may supply only {supply}",
        SubsystemMayBeLate { server: String, task: TaskId }
            => "a job of \"{task}\" may be late in server \"{server}\"",
        SubsystemTooLong { server: String }
            => "the demand of the clients of server \"{server}\" has to be examined over too long an interval",
        SubsystemsFit
            => "all servers have their budgets in time, and each supplies its clients with what they need at any time",

        // Supertasks.
        OverheadsOfSupertasks => "overheads are not accounted for in the weights of supertasks",
        OfSupertask { supertask: String, reason: Box<Reason> } => "supertask \"{supertask}\": {reason}",
        MayBeLate(task: TaskId) => "a job of \"{task}\", which is in no supertask, may be late",
        SupertasksFit => "each supertask's weight is enough, and all weights fit",
        LongWindows { supertask: String } => "the windows of \"{supertask}\" are too long",
        SmallWeight { weight: String } => "a weight of {weight} is too small",
        SuspendingComponent(task: TaskId) => "component \"{task}\" suspends itself",
        SectionsOfComponent(task: TaskId) => "component \"{task}\" has critical or non-preemptive sections",
        NoWeight { error: String } => "{error}",
    }
}

impl Reason {
    /// Returns the reason in words, with the names of the scenario's tasks and resources.
    pub fn in_words(&self, scenario: &Scenario) -> String {
        in_words(self, scenario)
    }

    /// Returns the number of late jobs in the simulation that the reason reports; `None` if it reports none.
    pub(crate) fn observed_misses(&self) -> Option<u64> {
        if let Reason::Observed { missed, .. } = self {
            return Some(*missed);
        }
        None
    }
}

/// Returns `what` in words, with the names of the scenario's tasks and resources.
pub fn in_words(what: &dyn Say, scenario: &Scenario) -> String {
    Said::new(what, &NamesIn(scenario)).to_string()
}

/// The names of a scenario's tasks and resources, for sentences.
struct NamesIn<'a>(&'a Scenario);

impl Names for NamesIn<'_> {
    fn task(&self, id: TaskId) -> Option<&str> {
        self.0.tasks.get(id.index()).map(|task| task.name.as_str())
    }

    fn resource(&self, id: ResourceId) -> Option<&str> {
        self.0.resources.get(id.index()).map(|resource| resource.name.as_str())
    }
}

/// A job that sentences show by its id, beside its task's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ById(pub JobId);

impl Say for ById {
    fn say(&self, _: &dyn Names, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_analysis::sentences::Ns;

    #[test]
    fn ids_become_names_where_they_are_values() {
        let text = "schedlab = 1\nresource = [{ name = \"bus\" }]\ntask = [{ name = \"T1\", wcet = \"1 ms\", period = \"9 ms\" }, \
            { name = \"b c\", wcet = \"1 ms\", period = \"9 ms\" }]\n";
        let scenario = Scenario::parse("test", text).unwrap();
        let (task, due) = (TaskId(1), Duration::from_ms(3));
        let crosses = Stated::CrossesProcessors { resource: ResourceId(0), protocol: "R0".to_owned() };
        let late = |task| Stated::LateAlone { task, needs: Ns(2), has: Ns(1) };
        let miss = |task| Stated::MissFound { job: JobId::new(task, 12), due };
        for (given, named, plain) in [
            (
                late(task),
                "a job of b c alone may need 2 ns, but has 1 ns",
                "a job of T1 alone may need 2 ns, but has 1 ns",
            ),
            (
                late(TaskId(0)).but(Stated::BudgetSpentOn(TaskId(9))),
                "a job of T1 alone may need 2 ns, but has 1 ns; but T9: the iteration's budget is spent",
                "a job of T0 alone may need 2 ns, but has 1 ns; but T9: the iteration's budget is spent",
            ),
            (
                miss(task),
                "job 12 of b c misses its deadline at 3 ms in a schedule that was found",
                "T1J12 misses its deadline at 3 ms in a schedule that was found",
            ),
            (
                crosses,
                "bus is used on several processors, but bounds of \"R0\" are for one",
                "R0 is used on several processors, but bounds of \"R0\" are for one",
            ),
            (Stated::Own("T1 of R0".into()), "T1 of R0", "T1 of R0"),
            (Stated::OwnOf { task, text: "is odd".into() }, "b c is odd", "T1 is odd"),
        ] {
            let given = Reason::OfTest(given);
            assert_eq!((given.in_words(&scenario), given.to_string()), (named.to_owned(), plain.to_owned()));
        }
    }

    #[test]
    fn a_sentence_knows_which_task_it_is_about() {
        let reason = Stated::BudgetSpentOn(TaskId(3));
        let of_cluster = Reason::OfCluster { cluster: 0, reason };
        assert_eq!(of_cluster.task(), Some(TaskId(3)));
        assert_eq!(Reason::OfTest(Stated::NoBound).task(), None);
        let said = Stated::Own("T3 is late".into());
        assert_eq!(said.task(), None);
    }
}
