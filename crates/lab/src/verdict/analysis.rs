//! Analysing a scenario: overheads accounted for, then every test that applies.

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
use schedlab_analysis::{
    analyze_by, overload, AnalysedOrder, AnalysedScheduler, Analysis, Answer, Arrivals, Test,
};
use schedlab_analysis::{analyze_with_locks, deadlines_are_met};
use schedlab_lock::Length;
use schedlab_lp_blocking::PROGRAMS;
use schedlab_model::{LockingClass, Task};
use std::borrow::Cow;

/// What is known of a scenario.
#[derive(Clone, Debug)]
pub struct ScenarioAnalysis {
    /// How overheads entered.
    pub overheads: OverheadOutcome,
    /// What the tests say of the tasks with their overheads; `None` where they do not fit or no test speaks of the
    /// scheduler.
    pub analysis: Option<Analysis>,
    /// Why there is no analysis, if there is none.
    pub reason: Option<Reason>,
    /// A simulated late job for each cluster whose tasks are not schedulable.
    pub evidence: Vec<Evidence>,
    /// A late job of the scenario's own run, if no test decides.
    pub own_run: Option<LateJob>,
}

impl ScenarioAnalysis {
    /// Nothing but how overheads entered.
    fn of(overheads: OverheadOutcome) -> ScenarioAnalysis {
        ScenarioAnalysis { overheads, analysis: None, reason: None, evidence: Vec::new(), own_run: None }
    }
}

/// Says what theory guarantees for `prepared`; what it refutes is borne out by simulation. What it leaves open is
/// refuted if the scenario's own run misses a deadline.
pub fn analyze(prepared: &Prepared) -> Result<ScenarioAnalysis, PrepareError> {
    let mut found = prove(prepared)?;
    if let Some(analysis) = &mut found.analysis {
        found.evidence = evidence::bear_out(prepared, analysis);
    }
    found.own_run = evidence::first_late_of_own_run(prepared, found.analysis.as_ref());
    found.evidence.extend(found.own_run.map(|late| evidence::of_own_run(prepared, late)));
    Ok(found)
}

/// As [`analyze`], without evidence.
pub(crate) fn prove(prepared: &Prepared) -> Result<ScenarioAnalysis, PrepareError> {
    prove_by(prepared, None)
}

/// As [`prove`], by one test alone if one is named.
pub(crate) fn prove_by(
    prepared: &Prepared,
    only: Option<&'static Test>,
) -> Result<ScenarioAnalysis, PrepareError> {
    let counted = match counted(prepared) {
        Ok(counted) => counted,
        Err(silent) => {
            let Silent { overheads, reason } = *silent;
            return Ok(ScenarioAnalysis { reason: Some(reason), ..ScenarioAnalysis::of(overheads) });
        }
    };
    let scheduler = counted.scheduler();
    let by = |tests: &[&Test]| analyze_by(tests, &counted.tasks, &prepared.platform, &scheduler);
    let found = match (only, scheduler.order) {
        (Some(test), _) => by(&[test]),
        (None, AnalysedOrder::Pfair(_)) => by(&TESTS),
        // A job that is given up has no tardiness: what is unbounded under other schedulers is not here.
        (None, _) if prepared.scheduler.accrues_utility() => by(&[&overload::HARD]),
        (None, _) if prepared.is_unanalysed() => by(&[&overload::HARD, &overload::SOFT]),
        (
            None,
            AnalysedOrder::Edf
            | AnalysedOrder::FixedPriority
            | AnalysedOrder::FixedPriorityOpenTies
            | AnalysedOrder::AfterArrival
            | AnalysedOrder::Unanalysed,
        ) => with_locking(prepared, |locking| {
            analyze_with_locks(&counted.tasks, &prepared.platform, &scheduler, locking, PROGRAMS)
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

/// True if all deadlines are proved: as [`prove`] says, and no more than that. Tests of the user's own are not asked.
pub(crate) fn is_proved_quickly(prepared: &Prepared) -> bool {
    let Ok(counted) = counted(prepared) else { return false };
    // Then no test is needed, whatever is known of the scheduler and the protocol.
    if !counted.tasks.iter().any(Task::arrives) {
        return prove(prepared).is_ok();
    }
    if prepared.is_unanalysed() {
        return false;
    }
    let (tasks, platform, scheduler) = (&counted.tasks, &prepared.platform, counted.scheduler());
    match scheduler.order {
        AnalysedOrder::Pfair(_) => analyze_by(&TESTS, tasks, platform, &scheduler)
            .is_ok_and(|analysis| analysis.hard == Answer::Schedulable),
        AnalysedOrder::Edf
        | AnalysedOrder::FixedPriority
        | AnalysedOrder::FixedPriorityOpenTies
        | AnalysedOrder::AfterArrival
        | AnalysedOrder::Unanalysed => with_locking(prepared, |locking| {
            deadlines_are_met(tasks, platform, &scheduler, locking, PROGRAMS).unwrap_or(false)
        }),
    }
}

/// Tasks with their overheads, and the scheduler as the analysis names it.
pub(crate) struct Counted {
    overheads: OverheadOutcome,
    pub(crate) tasks: Vec<Task>,
    ordered: Ordered,
    preemptive: bool,
    arrivals: Arrivals,
}

/// Nothing is analysed: this is why.
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
    let ordered = Ordered::new(prepared.order_class(), &prepared.tasks, cluster_size(&prepared.platform));
    let Some(ordered) = ordered else {
        let reason = Reason::NoTestSpeaks { scheduler: scheduler.name.to_string() };
        return Err(Box::new(Silent { overheads, reason }));
    };
    let tasks = without_private(prepared, Cow::Borrowed(tasks)).into_owned();
    // Accounting shortens periods: no arrival is where it was, but all are as far apart as sporadic ones have to be.
    let arrivals = match overheads {
        OverheadOutcome::Inflated(_) => Arrivals::Sporadic,
        OverheadOutcome::None | OverheadOutcome::NotAccounted(_) => arrivals(prepared),
    };
    Ok(Counted { tasks, overheads, ordered, preemptive: scheduler.is_preemptive(), arrivals })
}

/// Asks `then` with the scenario's locking protocol.
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
    })
}
