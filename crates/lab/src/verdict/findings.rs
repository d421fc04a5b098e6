//! The verdict of each test about a whole scenario, put together from its verdicts about clusters.
//!
//! A test holds for a scenario if it holds for every cluster that has tasks. A test that does not speak of some cluster
//! leaves the whole unknown.

mod assumption;
mod finding;
pub(crate) mod servers;
pub(crate) mod subsystems;
pub(crate) mod supertasks;

use crate::prepare::accounting::{takes_locks, OverheadOutcome};
use crate::prepare::catalog::all_tests;
use crate::prepare::error::PrepareError;
use crate::prepare::lock_overheads;
use crate::prepare::pfair::SHARING;
use crate::prepare::prepared::Prepared;
use crate::prepare::scheduler::quanta;
use crate::reason::{ById, Reason};
use crate::verdict::analysis::{prove_by, ScenarioAnalysis};
use crate::verdict::evidence::{self, LateJob};
use schedlab_analysis::blocking::Blocking;
use schedlab_analysis::steps::{Show, Steps};
use schedlab_analysis::{Answer, ClusterAnalysis, Test, Verdict};
use schedlab_model::{ClusterId, Duration, OrderClass, OverheadKind};

pub use assumption::Assumption;
pub use finding::Finding;

/// The assumption of tests that do not account for overheads themselves. Inflated costs replace it.
const NO_OVERHEADS: Assumption = Assumption::OfTest(schedlab_analysis::Assumption::NoOverheads);

/// Returns the findings of all tests that speak of the scheduler, in the order of the registry. If the scenario's own
/// run misses a deadline, the last finding says so.
pub fn findings(prepared: &Prepared, analysis: &ScenarioAnalysis) -> Vec<Finding> {
    let mut all = of_tests(prepared, analysis);
    all.extend(analysis.own_run.map(|late| refuted(prepared, late)));
    all.iter_mut().for_each(|one| state_conditions(one, prepared));
    all
}

/// Adds the conditions that the scenario itself puts on every promise, unless an assumption about its overheads states
/// them.
fn state_conditions(finding: &mut Finding, prepared: &Prepared) {
    for condition in prepared.scenario.rests_on() {
        let states = |one: &Assumption| match one {
            Assumption::MachineTakes { statistic, .. } | Assumption::OverheadsAtMost { statistic, .. } => {
                statistic.as_ref() == Some(&condition)
            }
            Assumption::OfTest(_)
            | Assumption::ArrivalsAsStated
            | Assumption::OfScenario(_)
            | Assumption::NoValue { .. }
            | Assumption::NoValueOfLeaving { .. }
            | Assumption::CostsIncludeRequests { .. }
            | Assumption::OperationsWaitForNobody
            | Assumption::LinuxDecidesAtOnce { .. } => false,
        };
        if !finding.assumptions.iter().any(states) {
            finding.assumptions.push(Assumption::OfScenario(condition));
        }
    }
}

/// The finding that the scenario's own run missed a deadline.
fn refuted(prepared: &Prepared, late: LateJob) -> Finding {
    let (id, due) = (ById(late.id), late.absolute_deadline);
    let (task, number) = (late.id.task, late.id.number);
    let reason = match late.by {
        Some(by) => Reason::LateBy { task, number, id, by, due },
        None => Reason::NotComplete { task, number, id, due },
    };
    let mut finding = Finding::unknown("simulation", reason);
    finding.answer = Answer::Unschedulable;
    finding.source = "the scenario's own run";
    finding.assumptions = vec![Assumption::ArrivalsAsStated];
    if !prepared.setup().charges.are_none() {
        let overheads = prepared.scenario.overheads.in_words().to_owned();
        let statistic = prepared.scenario.rests_on_statistic();
        finding.assumptions.push(Assumption::MachineTakes { overheads, statistic });
    }
    finding
}

/// Returns the findings of all tests that speak of the scheduler.
fn of_tests(prepared: &Prepared, analysis: &ScenarioAnalysis) -> Vec<Finding> {
    if !prepared.supertasks.is_empty() {
        let mut found = supertasks::findings(prepared);
        if is_overhead_lacking(prepared, analysis) {
            found
                .iter_mut()
                .for_each(|found| found.assumptions.extend(overhead_assumptions(prepared, analysis)));
        }
        return found;
    }
    if !prepared.scenario.servers.is_empty() {
        return servers::findings(prepared);
    }
    let Some(found) = &analysis.analysis else { return not_analysed(prepared, analysis) };
    if found.clusters.iter().all(|cluster| cluster.tasks.is_empty()) {
        return vec![nothing_arrives(prepared)];
    }
    let tests = all_tests().chain(prepared.own_tests.iter().copied());
    let mut all: Vec<Finding> = tests.filter_map(|test| finding_of(test, prepared, analysis)).collect();
    // Two more answers: locks for which no blocking is bounded, and (below) orders that no test knows.
    let not_bounded = found.not_bounded.clone().map(Reason::OfTest);
    all.extend(not_bounded.map(|reason| Finding::unknown("blocking", reason)));
    // Tests of any order may still decide: where each task has a processor, say.
    if !all.iter().any(|one| one.answer == Answer::Schedulable) {
        all.extend(no_test(prepared).map(|reason| Finding::unknown("scheduler", reason)));
    }
    all
}

/// Name of the finding of [`nothing_arrives`], as if it were a test. It is reported whichever tests are asked.
pub(crate) const ARRIVALS: &str = "arrivals";

/// The finding that no deadline is missed because no task arrives. Tests speak only of clusters that have tasks.
fn nothing_arrives(prepared: &Prepared) -> Finding {
    let mut finding = Finding::unknown(ARRIVALS, Reason::NothingArrives);
    finding.answer = Answer::Schedulable;
    finding.tardiness = Some(vec![Some(Duration::ZERO); prepared.tasks.len()]);
    finding
}

/// Returns the reason why no deadlines are proved, for a scheduler whose order no test knows.
pub(crate) fn no_test(prepared: &Prepared) -> Option<Reason> {
    let name = || prepared.scheduler.name.to_string();
    matches!(prepared.order_class(), OrderClass::Unanalysed)
        .then(|| prepared.unknown_of_kernel().unwrap_or_else(|| Reason::NoTestKnown { scheduler: name() }))
}

/// The finding that nothing can be proved, because the scheduler refuses the tasks, or accounting for overheads leaves
/// no room.
fn not_analysed(prepared: &Prepared, analysis: &ScenarioAnalysis) -> Vec<Finding> {
    if let Some(refused @ Reason::Refused { .. }) = &analysis.reason {
        return vec![Finding::unknown("scheduler", refused.clone())];
    }
    let OverheadOutcome::NotAccounted(reason) = &analysis.overheads else { return Vec::new() };
    let shared = quanta(prepared).is_some() && prepared.shares();
    let (test, source) = match shared {
        true => ("requests", SHARING),
        false => ("overheads", "Brandenburg, dissertation 2011, section 3.4"),
    };
    let assumptions = overhead_assumptions(prepared, analysis);
    vec![Finding { source, assumptions, ..Finding::unknown(test, reason.clone()) }]
}

/// Asks one test alone, which need not be in the registry, about `prepared`. Returns `None` if the test does not speak
/// of the scheduler.
pub fn ask(prepared: &Prepared, test: &'static Test) -> Result<Option<Finding>, PrepareError> {
    ask_showing(prepared, test, Show::Nothing)
}

/// Asks as [`ask`] does. The finding has the steps that `show` names.
pub(crate) fn ask_showing(
    prepared: &Prepared,
    test: &'static Test,
    show: Show,
) -> Result<Option<Finding>, PrepareError> {
    let mut found = prove_by(prepared, Some(test), show)?;
    if let Some(analysis) = &mut found.analysis {
        found.evidence = evidence::bear_out(prepared, analysis);
    }
    let mut finding = finding_of(test, prepared, &found);
    finding.iter_mut().for_each(|one| state_conditions(one, prepared));
    Ok(finding)
}

/// Keeps of `analysis` only the response times and the blocking that `findings`, each of one test, contain.
pub(crate) fn only(analysis: &ScenarioAnalysis, findings: &[&Finding]) -> ScenarioAnalysis {
    let mut some = analysis.clone();
    let Some(analysis) = &mut some.analysis else { return some };
    let is_asked = |blocking: &Blocking| findings.iter().any(|found| found.test == blocking.method);
    let all = analysis.blocking.take().into_iter().chain(std::mem::take(&mut analysis.more_blocking));
    analysis.blocking = all.into_iter().find(is_asked);
    for (task, least) in analysis.response_times.iter_mut().enumerate() {
        *least = findings.iter().filter_map(|found| found.response_times.as_ref()?[task]).min();
    }
    some
}

/// Combines the verdicts of `test` about all clusters that have tasks; `None` if it has no verdict about any.
fn finding_of(test: &'static Test, prepared: &Prepared, analysis: &ScenarioAnalysis) -> Option<Finding> {
    let clusters = &analysis.analysis.as_ref()?.clusters;
    let clusters: Vec<&ClusterAnalysis> =
        clusters.iter().filter(|cluster| !cluster.tasks.is_empty()).collect();
    let clusters = clusters.as_slice();
    let of =
        |cluster: &ClusterAnalysis| cluster.verdicts.iter().find(|found| found.test == test.name).cloned();
    let verdicts: Vec<Option<Verdict>> = clusters.iter().map(|cluster| of(cluster)).collect();
    if verdicts.iter().all(Option::is_none) {
        return None;
    }
    let (answer, reason) = together(&verdicts, clusters);
    let bounds = Collected::of(&verdicts, clusters, prepared);
    let mut assumptions: Vec<Assumption> = test.assumptions.iter().copied().map(Assumption::OfTest).collect();
    if is_overhead_lacking(prepared, analysis) {
        assumptions.extend(overhead_assumptions(prepared, analysis));
    } else if analysis.overheads != OverheadOutcome::None {
        assumptions.retain(|one| *one != NO_OVERHEADS);
        assumptions.extend(overhead_assumptions(prepared, analysis));
    }
    if quanta(prepared).is_some() && prepared.shares() {
        assumptions.push(Assumption::CostsIncludeRequests { protocol: prepared.protocol.name });
    }
    if prepared.retries_beside_locks() {
        assumptions.push(Assumption::OfTest(schedlab_analysis::Assumption::RetriesAsExecution));
    }
    if prepared.scheduler.kernel_class().is_some() {
        assumptions.push(Assumption::of_linux(prepared));
    }
    if prepared.is_wait_free() {
        assumptions.push(Assumption::OperationsWaitForNobody);
    }
    Some(Finding {
        test: test.name,
        source: test.source,
        guarantee: test.guarantee,
        answer,
        reason,
        assumptions,
        response_times: bounds.any.then_some(bounds.response_times),
        tardiness: bounds.any.then_some(bounds.tardiness),
        steps: steps(verdicts, clusters),
    })
}

/// The steps of each cluster's verdict that has some.
fn steps(verdicts: Vec<Option<Verdict>>, clusters: &[&ClusterAnalysis]) -> Vec<(ClusterId, Steps)> {
    let of =
        |(verdict, cluster): (Option<Verdict>, &&ClusterAnalysis)| Some((cluster.cluster, *verdict?.steps?));
    verdicts.into_iter().zip(clusters).filter_map(of).collect()
}

/// Combines the verdicts of all clusters: one that is unschedulable decides, then one that is unknown.
fn together(verdicts: &[Option<Verdict>], clusters: &[&ClusterAnalysis]) -> (Answer, Reason) {
    let several = clusters.len() > 1;
    let first = |answer| {
        let mut said = (0..).zip(verdicts).filter_map(|(index, found)| Some((index, found.as_ref()?)));
        said.find(|(_, found)| found.answer == answer)
    };
    let decided = |(index, found): (usize, &Verdict)| match several {
        true => Reason::OfCluster { cluster: clusters[index].cluster.0, reason: found.reason.clone() },
        false => Reason::OfTest(found.reason.clone()),
    };
    for answer in [Answer::Unschedulable, Answer::Unknown] {
        if let Some(found) = first(answer) {
            return (answer, decided(found));
        }
    }
    if let Some(index) = verdicts.iter().position(Option::is_none) {
        return (Answer::Unknown, Reason::SilentOnCluster { cluster: clusters[index].cluster.0 });
    }
    match first(Answer::Schedulable).filter(|_| !several) {
        Some(found) => (Answer::Schedulable, decided(found)),
        None => (Answer::Schedulable, Reason::HoldsOnEach { clusters: clusters.len() }),
    }
}

/// Bounds by task of the whole scenario.
struct Collected {
    response_times: Vec<Option<Duration>>,
    tardiness: Vec<Option<Duration>>,
    any: bool,
}

impl Collected {
    fn of(verdicts: &[Option<Verdict>], clusters: &[&ClusterAnalysis], prepared: &Prepared) -> Self {
        let nothing = vec![None; prepared.tasks.len()];
        let mut all = Collected { response_times: nothing.clone(), tardiness: nothing, any: false };
        for (verdict, cluster) in verdicts.iter().zip(clusters) {
            let Some(verdict) = verdict else { continue };
            for (place, id) in cluster.tasks.iter().enumerate() {
                let task = id.index();
                let Some(bounds) = verdict.bounds_of(place, prepared.tasks[task].relative_deadline) else {
                    continue;
                };
                all.response_times[task] = bounds.response_time;
                all.tardiness[task] = Some(bounds.tardiness);
                all.any = true;
            }
        }
        // A task that leaves before it arrives is never late.
        let arrives = |task: usize| clusters.iter().any(|one| one.tasks.iter().any(|id| id.index() == task));
        for (_, bound) in all.tardiness.iter_mut().enumerate().filter(|(task, _)| !arrives(*task)) {
            *bound = Some(Duration::ZERO);
        }
        all
    }
}

/// True if no overheads are charged, only because their file has no values for this scheduler.
fn is_overhead_lacking(prepared: &Prepared, analysis: &ScenarioAnalysis) -> bool {
    analysis.overheads == OverheadOutcome::None
        && prepared.charged.unknown(prepared.statistic()).next().is_some()
}

/// Returns the assumptions about overheads: how they entered, and which kinds have no value.
fn overhead_assumptions(prepared: &Prepared, analysis: &ScenarioAnalysis) -> Vec<Assumption> {
    let overheads = prepared.scenario.overheads.in_words().to_owned();
    let mut all = Vec::new();
    if analysis.overheads != OverheadOutcome::None {
        let statistic = prepared.scenario.rests_on_statistic();
        all.push(Assumption::OverheadsAtMost { overheads: overheads.clone(), statistic });
    }
    let kinds: Vec<OverheadKind> = prepared.charged.unknown(prepared.statistic()).collect();
    if !kinds.is_empty() {
        all.push(Assumption::NoValue { overheads: overheads.clone(), kinds });
    }
    let leaving = lock_overheads::leaving(&prepared.scenario.overheads.profile, prepared.statistic());
    if leaving.is_none() && takes_locks(prepared) && analysis.overheads != OverheadOutcome::None {
        all.push(Assumption::NoValueOfLeaving { overheads });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::analysis::analyze;
    use schedlab_scenario::Scenario;

    /// Returns the finding of `test` for tasks pinned to two processors.
    fn say(scheduler: &str, tasks: &[(u64, u64, u16)], test: &str) -> Option<Finding> {
        let rows: Vec<String> = tasks
            .iter()
            .enumerate()
            .map(|(index, (wcet, period, cpu))| {
                let times = format!("wcet = \"{wcet} ms\", period = \"{period} ms\"");
                format!("{{ name = \"t{index}\", {times}, processor = {cpu} }}")
            })
            .collect();
        let platform = "platform = { processors = 2 }";
        let text =
            format!("schedlab = 1\nscheduler = \"{scheduler}\"\n{platform}\ntask = [{}]\n", rows.join(", "));
        let scenario = Scenario::parse("test", &text).expect("the test's scenario is well-formed");
        let prepared = Prepared::new(&scenario).expect("the tasks have places");
        let analysis = analyze(&prepared).expect("the tasks can be analysed");
        findings(&prepared, &analysis).into_iter().find(|found| found.test == test)
    }

    #[test]
    fn every_processor_must_agree_and_bounds_go_back_to_their_tasks() {
        let found = say("P-RM", &[(2, 10, 1), (1, 5, 0), (3, 20, 1)], "response_time").unwrap();
        assert_eq!(found.answer, Answer::Schedulable);
        assert_eq!(found.reason, Reason::HoldsOnEach { clusters: 2 });
        let ms = |n| Some(Duration::from_ms(n));
        assert_eq!(found.response_times, Some(vec![ms(2), ms(1), ms(5)]));
        assert_eq!(found.tardiness, Some(vec![ms(0); 3]));
    }

    #[test]
    fn one_processor_that_fails_is_named() {
        let found = say("P-RM", &[(2, 10, 0), (5, 10, 1), (5, 12, 1), (3, 14, 1)], "response_time").unwrap();
        assert_eq!(found.answer, Answer::Unschedulable);
        assert!(matches!(found.reason, Reason::OfCluster { cluster: 1, .. }), "{}", found.reason);
    }

    /// Returns the assumptions of the first finding under `scheduler`, if overheads were measured for P-EDF alone.
    fn assumptions(scheduler: &str, overheads: &str) -> Vec<Assumption> {
        all_findings(scheduler, overheads).remove(0).assumptions
    }

    fn all_findings(scheduler: &str, overheads: &str) -> Vec<Finding> {
        let text = format!(
            "schedlab = 1\nscheduler = \"{scheduler}\"\n{overheads}\n\
             platform = {{ processors = 2, quantum = \"1 ms\" }}\n\
             task = [{{ name = \"t\", wcet = \"1 ms\", period = \"10 ms\" }}]\n"
        );
        let scenario = Scenario::parse("test", &text).unwrap_or_else(|errors| panic!("{errors}"));
        let prepared = Prepared::new(&scenario).expect("the task has room");
        findings(&prepared, &analyze(&prepared).expect("it can be analysed"))
    }

    #[test]
    fn kinds_without_a_value_are_assumptions() {
        let of_p_edf = "overheads = { scheduler = [{ name = \"P-EDF\", tick = \"5 us\" }] }";
        for scheduler in ["PD2", "S-PD2", "PF", "G-EDF"] {
            let said = assumptions(scheduler, of_p_edf);
            let last = said.last().expect("it assumes something");
            let kinds = without_value(last);
            assert_eq!(kinds.first(), Some(&OverheadKind::Release), "{scheduler}: {last}");
            assert!(kinds.contains(&OverheadKind::Tick), "{scheduler}: {last}");
            let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
            let text = format!("the file of overheads has no value for {}: taken for zero", names.join(", "));
            assert_eq!(last.to_string(), text);
            let measured = assumptions(scheduler, "overheads = \"paper-2008-4k\"");
            let lacks_scheduling =
                without_value(measured.last().unwrap()).contains(&OverheadKind::Scheduling);
            assert_eq!(lacks_scheduling, scheduler != "G-EDF", "{measured:?}");
        }
        let of_p_edf = assumptions("P-EDF", of_p_edf);
        assert!(!without_value(of_p_edf.last().unwrap()).contains(&OverheadKind::Tick));
        assert!(assumptions("PD2", "").iter().all(|one| without_value(one).is_empty()));
    }

    /// Returns the kinds of overhead without a value, if the assumption is about such.
    fn without_value(assumption: &Assumption) -> &[OverheadKind] {
        if let Assumption::NoValue { kinds, .. } = assumption {
            return kinds;
        }
        &[]
    }

    #[test]
    fn inflated_costs_replace_the_assumption_of_no_overheads_alone() {
        let suspends_never = Assumption::OfTest(schedlab_analysis::Assumption::NoSelfSuspension);
        let of = |overheads| {
            let found = all_findings("NP-RM", overheads);
            let test = found.into_iter().find(|found| found.test == "np_response_time");
            test.expect("the test speaks of the scheduler").assumptions
        };
        let (plain, inflated) = (of(""), of("overheads = \"paper-2008-4k\""));
        for said in [&plain, &inflated] {
            assert!(said.contains(&suspends_never), "{said:?}");
        }
        assert!(plain.contains(&NO_OVERHEADS) && !inflated.contains(&NO_OVERHEADS), "{inflated:?}");
        let overheads = "paper-2008-4k".to_owned();
        assert!(
            inflated.contains(&Assumption::OverheadsAtMost { overheads, statistic: None }),
            "{inflated:?}"
        );
    }

    #[test]
    fn tests_of_other_schedulers_are_silent() {
        assert_eq!(say("P-RM", &[(1, 10, 0)], "qpa"), None);
        assert_eq!(say("P-EDF", &[(1, 10, 0)], "response_time"), None);
    }
}
