//! The analysis of a scenario as plain values.

use super::conclusion::{AnswerName, GuaranteeName};
use super::steps::{AskedSteps, TestSteps};
use crate::advise::sections::{resource_costs, ResourceCost};
use crate::advise::sensitivity::{critical_scaling, margins, Factor};
use crate::caveats::Caveats;
use crate::explain::{demands, explain, Breakdown};
use crate::prepare::catalog::Catalog;
use crate::prepare::error::PrepareError;
use crate::prepare::prepared::Prepared;
use crate::reason::in_words;
use crate::verdict::analysis::{analyze_showing, ScenarioAnalysis};
use crate::verdict::evidence::{Evidence, ListedJob};
use crate::verdict::findings::{ask_showing, findings, only, Finding, ARRIVALS};
use schedlab_analysis::blocking::{Blocking, Terms};
use schedlab_analysis::interference::Tightest;
use schedlab_analysis::steps::Show;
use schedlab_analysis::uniprocessor::qpa;
use schedlab_analysis::Test;
use schedlab_model::{ClusterId, Duration, TaskId};
use schedlab_policy::Scope;
use schedlab_scenario::Scenario;
use schemars::JsonSchema;
use serde::Serialize;

/// A `Verdict` as plain values.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "VerdictDict")]
struct VerdictResult {
    test: &'static str,
    source: &'static str,
    kind: GuaranteeName,
    answer: AnswerName,
    reason: String,
    assumptions: Vec<String>,
    response_time_bounds_ns: Option<Vec<Option<u64>>>,
    tardiness_bounds_ns: Option<Vec<Option<u64>>>,
    /// The test's computation; None unless it was asked for and the test hands it out.
    steps: Option<TestSteps>,
}

/// Bounds on blocking by task: `remote_ns` while others hold, `local_ns` on the processor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Blocking")]
struct BlockingResult {
    method: &'static str,
    protocol: String,
    source: &'static str,
    assumptions: Vec<String>,
    /// False where the method proves nothing, with a `reason`: its terms are then no bounds.
    is_bound: bool,
    reason: Option<String>,
    remote_ns: Vec<Option<u64>>,
    local_ns: Vec<Option<u64>>,
    total_ns: Vec<Option<u64>>,
}

/// A job that arrives before the deadline of a late job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ListedJob")]
struct ListedJobResult {
    task: u32,
    job: u32,
    arrival_ns: u64,
    release_ns: u64,
    cost_ns: u64,
}

/// A late job that the simulator found: evidence that a cluster is not schedulable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "LateJob")]
struct LateJobResult {
    cluster: u16,
    rule: String,
    task: u32,
    name: String,
    job: u32,
    absolute_deadline_ns: u64,
    /// Tardiness of the job; None where it is not known.
    late_by_ns: Option<u64>,
    /// Jobs that arrive until the deadline; empty if they are too many, or the scenario's own.
    jobs: Vec<ListedJobResult>,
}

/// A part of a bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct BoundPart {
    what: String,
    length_ns: u64,
}

/// The parts of a task's bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct ExplainedBound {
    task: u32,
    name: String,
    bound_ns: u64,
    parts: Vec<BoundPart>,
}

/// The demand of a task in an interval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct DemandPart {
    task: u32,
    name: String,
    demand_ns: u64,
}

/// The interval in which EDF has the least room on a processor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct Demand {
    cluster: u16,
    within_ns: u64,
    demand_ns: u64,
    exceeds: bool,
    parts: Vec<DemandPart>,
}

/// The parts of bounds, and how far costs may grow.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
struct Explanation {
    /// How much all costs may grow in percent, to a hundredth: negative if they must shrink, -100 if no smaller costs
    /// are proved. None where only some tests were asked, because a margin takes all tests. The search ends at 1500:
    /// the margin is then at least that.
    margin_percent: Option<Factor>,
    /// By task, how much its cost alone may grow, rounded down to a 65,536th of relative deadline - cost; None if the
    /// deadlines are not proved, and as the margin above.
    margins_ns: Vec<Option<u64>>,
    /// Costs of the resources that tasks share, the most important first; empty where the margin is None.
    resources: Vec<ResourceCost>,
    bounds: Vec<ExplainedBound>,
    demands: Vec<Demand>,
}

/// An `Analysis` as plain values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "AnalysisOfScheduler")]
pub struct AnalysisResult {
    scheduler: String,
    error: Option<String>,
    #[serde(flatten)]
    caveats: Caveats,
    placement: Option<Vec<u16>>,
    /// Tasks that fit nowhere and are placed best-effort: the verdicts are about that placement.
    overflowed: Vec<String>,
    verdicts: Vec<VerdictResult>,
    blocking: Option<BlockingResult>,
    more_blocking: Vec<BlockingResult>,
    evidence: Vec<LateJobResult>,
    explanation: Option<Explanation>,
}

impl AnalysisResult {
    /// A result that has no verdicts yet.
    fn of(scheduler: &str) -> Self {
        AnalysisResult { scheduler: scheduler.to_owned(), ..AnalysisResult::default() }
    }
}

/// Analyses `scenario` by the tests of `catalog` that speak of its scheduler, or by `tests` alone. A demand that the
/// scheduler cannot meet, such as tasks that fit nowhere, is a result with an error; bad input is an error in words.
/// Verdicts have the `steps` that are asked for.
pub fn analysis_of(
    scenario: &Scenario,
    catalog: &Catalog,
    tests: Option<&[String]>,
    explained: bool,
    steps: &AskedSteps,
) -> Result<AnalysisResult, String> {
    let found = match Prepared::for_analysis(scenario, catalog) {
        Ok(prepared) => {
            let show = steps.show(&prepared.scenario)?;
            let found = match added(catalog, tests) {
                Some(own) => by_tests(&prepared, &own, show),
                None => report(&prepared, tests, explained, show),
            };
            found.map_err(|error| error.to_string())
        }
        Err(error) if error.is_of_scheduler() => Ok(AnalysisResult {
            error: Some(error.to_string()),
            ..AnalysisResult::of(scenario.scheduler_name())
        }),
        Err(error) => Err(error.to_string()),
    }?;
    Ok(AnalysisResult { caveats: Caveats::of(scenario), ..found })
}

/// Returns the named tests if a user added all of them; nothing else is then analysed.
fn added(catalog: &Catalog, tests: Option<&[String]>) -> Option<Vec<&'static Test>> {
    let find = |name: &String| catalog.added_tests().iter().copied().find(|test| test.name == name);
    tests?.iter().map(find).collect::<Option<Vec<_>>>().filter(|own| !own.is_empty())
}

/// Asks these tests alone.
fn by_tests(
    prepared: &Prepared,
    tests: &[&'static Test],
    show: Show,
) -> Result<AnalysisResult, PrepareError> {
    let mut verdicts = Vec::new();
    for test in tests {
        verdicts.extend(ask_showing(prepared, test, show)?.map(|found| verdict(&found, prepared)));
    }
    let overflowed = prepared.overflowed_names();
    Ok(AnalysisResult { verdicts, overflowed, ..AnalysisResult::of(&prepared.scheduler.name) })
}

fn report(
    prepared: &Prepared,
    tests: Option<&[String]>,
    explained: bool,
    show: Show,
) -> Result<AnalysisResult, PrepareError> {
    let analysis = analyze_showing(prepared, show)?;
    let always = ["overheads", "blocking", "scheduler", ARRIVALS];
    let wanted = |finding: &&Finding| {
        tests.is_none_or(|names| {
            always.contains(&finding.test) || names.iter().any(|name| name == finding.test)
        })
    };
    let found = findings(prepared, &analysis);
    let clusters = || prepared.tasks.iter().map(|task| task.cluster.0).collect();
    let more = analysis.analysis.iter().flat_map(|found| &found.more_blocking);
    let bound = analysis.analysis.as_ref().and_then(|found| found.blocking.as_ref());
    Ok(AnalysisResult {
        placement: (prepared.scheduler.scope != Scope::Global).then(clusters),
        overflowed: prepared.overflowed_names(),
        verdicts: found.iter().filter(wanted).map(|found| verdict(found, prepared)).collect(),
        evidence: analysis.evidence.iter().map(|found| late_job(found, prepared)).collect(),
        explanation: explained.then(|| match tests {
            None => Explanation {
                margin_percent: Some(critical_scaling(prepared)),
                resources: resource_costs(prepared),
                margins_ns: margins(prepared).iter().map(|margin| margin.map(Duration::as_ns)).collect(),
                ..explanation(prepared, &analysis, true)
            },
            Some(names) => {
                let given: Vec<&Finding> = found.iter().filter(wanted).collect();
                let demanded = names.iter().any(|name| name == qpa::TEST.name);
                explanation(prepared, &only(&analysis, &given), demanded)
            }
        }),
        blocking: bound.map(|found| blocking(found, prepared)),
        more_blocking: more.map(|found| blocking(found, prepared)).collect(),
        ..AnalysisResult::of(&prepared.scheduler.name)
    })
}

/// Writes a simulated late job, and the jobs that led to it, as plain values.
fn late_job(found: &Evidence, prepared: &Prepared) -> LateJobResult {
    let job = |job: &ListedJob| ListedJobResult {
        task: job.id.task.0,
        job: job.id.number,
        arrival_ns: job.arrival.as_ns(),
        release_ns: job.release.as_ns(),
        cost_ns: job.cost.as_ns(),
    };
    LateJobResult {
        cluster: found.cluster.0,
        rule: found.rule.clone(),
        task: found.late.task.0,
        name: name(prepared, found.late.task),
        job: found.late.number,
        absolute_deadline_ns: found.absolute_deadline.as_ns(),
        late_by_ns: found.late_by.map(Duration::as_ns),
        jobs: found.jobs.iter().map(job).collect(),
    }
}

fn name(prepared: &Prepared, task: TaskId) -> String {
    prepared.scenario.tasks[task.index()].name.clone()
}

/// Explains the parts of the bounds of `analysis`, and where processors have the least room if `demanded`.
fn explanation(prepared: &Prepared, analysis: &ScenarioAnalysis, demanded: bool) -> Explanation {
    let bound = |one: Breakdown| {
        let part = |part: crate::explain::BoundPart| BoundPart {
            what: part.what.in_words(&prepared.scenario),
            length_ns: part.length.as_ns(),
        };
        ExplainedBound {
            task: one.task.0,
            name: name(prepared, one.task),
            bound_ns: one.bound.as_ns(),
            parts: one.parts.into_iter().map(part).collect(),
        }
    };
    let demand = |(cluster, found): (ClusterId, Tightest)| {
        let part = |(task, demand): &(TaskId, u128)| DemandPart {
            task: task.0,
            name: name(prepared, *task),
            demand_ns: *demand as u64,
        };
        Demand {
            cluster: cluster.0,
            within_ns: found.within,
            demand_ns: found.demand as u64,
            exceeds: found.demand > u128::from(found.within),
            parts: found.by.iter().map(part).collect(),
        }
    };
    let demands = if demanded { demands(prepared) } else { Vec::new() };
    Explanation {
        margin_percent: None,
        margins_ns: vec![None; prepared.tasks.len()],
        resources: Vec::new(),
        bounds: explain(prepared, analysis).into_iter().map(bound).collect(),
        demands: demands.into_iter().map(demand).collect(),
    }
}

/// Writes blocking by task, in nanoseconds. A method that does not prove that deadlines are met stopped before its
/// terms were bounds.
fn blocking(found: &Blocking, prepared: &Prepared) -> BlockingResult {
    let column = |of: fn(&Terms) -> Option<u64>| -> Vec<Option<u64>> { found.terms.iter().map(of).collect() };
    BlockingResult {
        protocol: found.protocol.clone(),
        method: found.method,
        source: found.source,
        assumptions: found.assumptions.iter().map(ToString::to_string).collect(),
        is_bound: found.not_a_bound.is_none(),
        reason: found.not_a_bound.as_ref().map(|why| in_words(why, &prepared.scenario)),
        remote_ns: column(|terms| terms.remote),
        local_ns: column(|terms| Some(terms.local)),
        total_ns: column(|terms| terms.total()),
    }
}

fn verdict(finding: &Finding, prepared: &Prepared) -> VerdictResult {
    let bounds = |bounds: &Option<Vec<Option<Duration>>>| {
        bounds.as_ref().map(|list| list.iter().map(|bound| bound.map(Duration::as_ns)).collect())
    };
    VerdictResult {
        test: finding.test,
        source: finding.source,
        kind: finding.guarantee.into(),
        answer: finding.answer.into(),
        reason: finding.reason.in_words(&prepared.scenario),
        assumptions: finding.assumptions.iter().map(ToString::to_string).collect(),
        response_time_bounds_ns: bounds(&finding.response_times),
        tardiness_bounds_ns: bounds(&finding.tardiness),
        steps: TestSteps::of(finding.test, &finding.steps, &prepared.scenario),
    }
}
