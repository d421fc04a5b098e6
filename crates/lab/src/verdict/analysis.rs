//! Analyses a scenario: accounts for overheads, then applies every test that speaks of the scheduler.

use crate::prepare::accounting::{account, OverheadOutcome};
use crate::prepare::error::PrepareError;
use crate::prepare::pfair;
use crate::prepare::prepared::Prepared;
use crate::prepare::private::without_private;
use crate::prepare::scheduler::{arrivals, cluster_size, pfair_scheduler, quanta, Ordered};
use crate::reason::Reason;
use crate::verdict::evidence::{self, Evidence, LateJob};
use schedlab_analysis::blocking::Locking;
use schedlab_analysis::registry::TESTS;
use schedlab_analysis::steps::Show;
use schedlab_analysis::{
    analyze_by, overload, AnalysedOrder, AnalysedScheduler, Analysis, Answer, Arrivals, Test,
};
use schedlab_analysis::{analyze_with_locks, deadlines_are_met};
use schedlab_lock::Length;
use schedlab_lp_blocking::PROGRAMS;
use schedlab_model::{LockingClass, OrderClass, Task};
use std::borrow::Cow;

/// Everything that theory and simulation find about a scenario.
#[derive(Clone, Debug)]
pub struct ScenarioAnalysis {
    /// Way in which overheads were accounted for, or the reason why they were not.
    pub overheads: OverheadOutcome,
    /// Results of the tests for the tasks with their overheads; `None` if the overheads cannot be accounted for or no
    /// test speaks of the scheduler.
    pub analysis: Option<Analysis>,
    /// The reason if there is no analysis.
    pub reason: Option<Reason>,
    /// For each cluster that is refuted, a simulated job that is late.
    pub evidence: Vec<Evidence>,
    /// The first late job of the scenario's own run; looked for only in clusters that no test decides.
    pub own_run: Option<LateJob>,
}

impl ScenarioAnalysis {
    /// A result that holds nothing but how overheads were accounted for.
    fn of(overheads: OverheadOutcome) -> ScenarioAnalysis {
        ScenarioAnalysis { overheads, analysis: None, reason: None, evidence: Vec::new(), own_run: None }
    }
}

/// Returns what theory guarantees for `prepared`. Refutations are confirmed by simulation. Clusters that no test
/// decides are refuted if a job of theirs misses its deadline in the scenario's own run.
pub fn analyze(prepared: &Prepared) -> Result<ScenarioAnalysis, PrepareError> {
    analyze_showing(prepared, Show::Nothing)
}

/// Analyses as [`analyze`] does. Verdicts have the steps that `show` names.
pub(crate) fn analyze_showing(prepared: &Prepared, show: Show) -> Result<ScenarioAnalysis, PrepareError> {
    let mut found = prove_by(prepared, None, show)?;
    if let Some(analysis) = &mut found.analysis {
        found.evidence = evidence::bear_out(prepared, analysis);
    }
    found.own_run = evidence::first_late_of_own_run(prepared, found.analysis.as_ref());
    found.evidence.extend(found.own_run.map(|late| evidence::of_own_run(prepared, late)));
    Ok(found)
}

/// Asks every test, as [`analyze`] does, but simulates no evidence.
pub(crate) fn prove(prepared: &Prepared) -> Result<ScenarioAnalysis, PrepareError> {
    prove_by(prepared, None, Show::Nothing)
}

/// Asks the test `only` alone if it is given, else every test that applies; simulates no evidence. Verdicts have the
/// steps that `show` names.
pub(crate) fn prove_by(
    prepared: &Prepared,
    only: Option<&'static Test>,
    show: Show,
) -> Result<ScenarioAnalysis, PrepareError> {
    let counted = match counted(prepared) {
        Ok(counted) => counted,
        Err(silent) => {
            let Silent { overheads, reason } = *silent;
            return Ok(ScenarioAnalysis { reason: Some(reason), ..ScenarioAnalysis::of(overheads) });
        }
    };
    let scheduler = counted.scheduler();
    let by = |tests: &[&Test]| analyze_by(tests, &counted.tasks, &prepared.platform, &scheduler, show);
    let found = match (only, scheduler.order) {
        (Some(test), _) => by(&[test]),
        (None, AnalysedOrder::Pfair(_)) => by(&TESTS),
        // A job that is given up has no tardiness, so tests of bounded tardiness say nothing here.
        (None, _) if prepared.scheduler.accrues_utility() => by(&[&overload::HARD]),
        (None, AnalysedOrder::Theorem(_)) => by(&TESTS),
        (None, _) if prepared.is_unanalysed() => by(&[&overload::HARD, &overload::SOFT]),
        (
            None,
            AnalysedOrder::Edf
            | AnalysedOrder::FixedPriority
            | AnalysedOrder::FixedPriorityOpenTies
            | AnalysedOrder::AfterArrival
            | AnalysedOrder::Unanalysed,
        ) => with_locking(prepared, |locking| {
            analyze_with_locks(&counted.tasks, &prepared.platform, &scheduler, locking, PROGRAMS, show)
        }),
    };
    let unanalysed = |error| PrepareError::analysis(error, &prepared.scenario);
    let mut analysis = found.map_err(unanalysed)?;
    for test in prepared.own_tests.iter().filter(|_| only.is_none()) {
        analysis = analysis.and(by(&[test]).map_err(unanalysed)?);
    }
    if prepared.scheduler.accrues_utility() {
        analysis = analysis.of_aborted_jobs();
    }
    let with_requests = matches!(scheduler.order, AnalysedOrder::Pfair(_)) && prepared.shares();
    if with_requests || matches!(counted.overheads, OverheadOutcome::Inflated(_)) {
        analysis = analysis.of_inflated_tasks(&prepared.tasks, &counted.tasks);
    }
    Ok(ScenarioAnalysis { analysis: Some(analysis), ..ScenarioAnalysis::of(counted.overheads) })
}

/// Returns true if all deadlines are proved. Agrees with [`prove`], but stops at the first proof; does not ask tests
/// that a user adds.
pub(crate) fn is_proved_quickly(prepared: &Prepared) -> bool {
    let Ok(counted) = counted(prepared) else { return false };
    // If no task ever arrives, no test is needed, whatever is known of the scheduler and the protocol.
    if !counted.tasks.iter().any(Task::arrives) {
        return prove(prepared).is_ok();
    }
    if prepared.is_unanalysed() {
        return false;
    }
    let (tasks, platform, scheduler) = (&counted.tasks, &prepared.platform, counted.scheduler());
    match scheduler.order {
        AnalysedOrder::Pfair(_) | AnalysedOrder::Theorem(_) => {
            schedlab_analysis::analyze(tasks, platform, &scheduler)
                .is_ok_and(|analysis| analysis.hard == Answer::Schedulable)
        }
        AnalysedOrder::Edf
        | AnalysedOrder::FixedPriority
        | AnalysedOrder::FixedPriorityOpenTies
        | AnalysedOrder::AfterArrival
        | AnalysedOrder::Unanalysed => with_locking(prepared, |locking| {
            deadlines_are_met(tasks, platform, &scheduler, locking, PROGRAMS).unwrap_or(false)
        }),
    }
}

/// The tasks with their overheads, and the scheduler as the analysis names it.
pub(crate) struct Counted {
    overheads: OverheadOutcome,
    pub(crate) tasks: Vec<Task>,
    ordered: Ordered,
    preemptive: bool,
    arrivals: Arrivals,
}

/// The reason why nothing is analysed, and how overheads were accounted for.
pub(crate) struct Silent {
    overheads: OverheadOutcome,
    reason: Reason,
}

impl Counted {
    pub(crate) fn scheduler(&self) -> AnalysedScheduler<'_> {
        self.ordered.scheduler(self.preemptive, self.arrivals)
    }
}

pub(crate) fn counted(prepared: &Prepared) -> Result<Counted, Box<Silent>> {
    let overheads = account(prepared);
    if !prepared.scenario.servers.is_empty() {
        return Err(Box::new(Silent { overheads, reason: Reason::BesideServers }));
    }
    let given = prepared.analysed_tasks();
    let tasks: &[Task] = match &overheads {
        OverheadOutcome::None => &given,
        OverheadOutcome::Inflated(tasks) => tasks,
        OverheadOutcome::NotAccounted(reason) => {
            let reason = reason.clone();
            return Err(Box::new(Silent { overheads, reason }));
        }
    };
    if let Some(quanta) = quanta(prepared) {
        let AnalysedScheduler { order, preemptive, arrivals, .. } = pfair_scheduler(prepared, quanta);
        return match pfair::with_waits(prepared, tasks) {
            Ok(tasks) => {
                let ordered = Ordered { order, ranks: Vec::new(), points: Vec::new() };
                Ok(Counted { tasks, overheads, ordered, preemptive, arrivals })
            }
            Err(reason) => {
                Err(Box::new(Silent { overheads: OverheadOutcome::NotAccounted(reason.clone()), reason }))
            }
        };
    }
    let scheduler = &prepared.scheduler;
    if matches!(prepared.order_class(), OrderClass::Theorem(_)) {
        if let Err(error) = prepared.policies() {
            let reason = Reason::Refused { error: error.to_string() };
            return Err(Box::new(Silent { overheads, reason }));
        }
    }
    let ordered = Ordered::new(prepared.order_class(), &prepared.tasks, cluster_size(&prepared.platform));
    let Some(ordered) = ordered else {
        let reason = Reason::NoTestSpeaks { scheduler: scheduler.name.to_string() };
        return Err(Box::new(Silent { overheads, reason }));
    };
    let tasks = without_private(prepared, Cow::Borrowed(tasks)).into_owned();
    // Accounting shortens periods, so jobs no longer arrive at periodic times, but stay as far apart as sporadic ones.
    let arrivals = match overheads {
        OverheadOutcome::Inflated(_) => Arrivals::Sporadic,
        OverheadOutcome::None | OverheadOutcome::NotAccounted(_) => arrivals(prepared),
    };
    Ok(Counted { tasks, overheads, ordered, preemptive: scheduler.is_preemptive(), arrivals })
}

/// Calls `then` with the scenario's locking protocol, as analyses of blocking take it.
pub(crate) fn with_locking<T>(prepared: &Prepared, then: impl FnOnce(Locking<'_>) -> T) -> T {
    let is_short = |resource: &schedlab_scenario::ResourceSpec| resource.length == Length::Short;
    let short: Vec<bool> = prepared.scenario.resources.iter().map(is_short).collect();
    let (protocol, class) = (prepared.protocol.name, prepared.protocol.class);
    let attempts: Vec<bool> = match prepared.retries_beside_locks() {
        true => prepared.classes.iter().map(|class| *class == LockingClass::LockFree).collect(),
        false => Vec::new(),
    };
    let fails = prepared.fails();
    then(Locking {
        protocol,
        class,
        resources: &prepared.resources,
        short: &short,
        attempts: &attempts,
        fails: &fails,
        mutexes: &prepared.mutexes,
    })
}
