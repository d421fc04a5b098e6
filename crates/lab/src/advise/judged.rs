//! Judgement of one way: whether it meets its deadlines, with a short reason.

use crate::prepare::error::PrepareError;
use crate::prepare::prepared::Prepared;
use crate::reason::Reason;
use crate::verdict::analysis::prove;
use crate::verdict::conclusion::{conclude, Said};
use crate::verdict::findings::{findings, no_test, Assumption, Finding};
use schedlab_analysis::multiprocessor::one_each;
use schedlab_analysis::overload;
use schedlab_analysis::sentences::Say;
use schedlab_analysis::Reason as Stated;
use schedlab_analysis::{Analysis, Answer, ClusterAnalysis, Guarantee, Verdict};
use schedlab_model::{Duration, TaskId};
use schedlab_report::metrics::Metrics;

/// True if all deadlines are proved to be met; the test that decides, if one does; and the reason.
pub(crate) type Proof = (bool, Option<&'static str>, Reason);

pub(crate) fn judged(prepared: &Prepared) -> Proof {
    let open = |reason| (false, None, reason);
    let found = match prove(prepared) {
        Ok(found) => found,
        Err(PrepareError::Analysis { error, .. }) => return open(Reason::OfTest(Stated::System(error))),
        Err(error) => return open(Reason::Refused { error: error.to_string() }),
    };
    let all = findings(prepared, &found);
    if let Some(proof) = proof(&all) {
        return proof;
    }
    let Some(analysis) = found.analysis else {
        let said = all.into_iter().next().map(|finding| finding.reason);
        return open(said.or(found.reason).unwrap_or(Reason::NoTasks));
    };
    if let (Answer::Unknown, Some(reason)) = (analysis.hard, no_test(prepared)) {
        return open(observed(prepared, reason));
    }
    let decisive =
        analysis.clusters.iter().find(|cluster| cluster.hard == analysis.hard && !cluster.tasks.is_empty());
    match (&analysis.not_bounded, decisive) {
        (Some(why), _) if analysis.hard == Answer::Unknown => open(Reason::OfTest(why.clone())),
        (_, None) => open(Reason::NoTasks),
        (_, Some(cluster)) => {
            let (test, reason) = in_short(cluster, &analysis);
            let processor = cluster.cluster.0;
            let of_cluster = |reason| Reason::OnProcessor { processor, reason: Box::new(reason) };
            (false, test, if analysis.clusters.len() > 1 { of_cluster(reason) } else { reason })
        }
    }
}

/// Returns the proof that all deadlines are met, if there is one, with the first test that gives it, or the tests that
/// give it together.
fn proof(all: &[Finding]) -> Option<Proof> {
    let said: Vec<Said<'_>> = all.iter().map(Said::from).collect();
    let hard = conclude(&said).hard.filter(|hard| hard.answer == Answer::Schedulable)?;
    let is_alone = |one: &&Finding| one.guarantee == Guarantee::Hard && one.answer == Answer::Schedulable;
    let first = all.iter().find(is_alone).or_else(|| {
        let named = all.iter().find(|one| hard.tests.first() == Some(&one.test));
        named.filter(|_| hard.tests.len() == 1)
    });
    Some(match first {
        Some(finding) => {
            let reason = Reason::Proves { test: finding.test, reason: Box::new(finding.reason.clone()) };
            (true, Some(finding.test), reason)
        }
        None => (true, None, Reason::ProvedTogether { tests: hard.tests.join(", ") }),
    })
}

/// Returns the assumptions of the proof that all deadlines are met, and that Linux decides at once: those of the first
/// test that proves it alone, else of all that prove it together. Empty without a proof.
pub(crate) fn assumptions(prepared: &Prepared) -> Vec<String> {
    let Ok(found) = prove(prepared) else { return Vec::new() };
    let all = findings(prepared, &found);
    let said: Vec<Said<'_>> = all.iter().map(Said::from).collect();
    let Some(hard) = conclude(&said).hard.filter(|hard| hard.answer == Answer::Schedulable) else {
        return Vec::new();
    };
    let is_alone = |one: &&Finding| one.guarantee == Guarantee::Hard && one.answer == Answer::Schedulable;
    let together = || all.iter().filter(|one| hard.tests.contains(&one.test)).collect();
    let proving: Vec<&Finding> = all.iter().find(is_alone).map_or_else(together, |one| vec![one]);
    let mut stated: Vec<Assumption> = Vec::new();
    let decides = std::iter::once(Assumption::of_linux(prepared));
    for one in proving.iter().flat_map(|one| one.assumptions.iter().cloned()).chain(decides) {
        if !stated.contains(&one) {
            stated.push(one);
        }
    }
    stated.iter().map(Assumption::to_string).collect()
}

/// Simulates until the horizon, and adds the result to `reason`, for which nothing is proved.
fn observed(prepared: &Prepared, reason: Reason) -> Reason {
    let mut metrics = Metrics::new(prepared.tasks.len(), prepared.platform.processors().into());
    let reason = Box::new(reason);
    match prepared.simulate(&mut metrics, &mut |_| true) {
        Ok(_) => {
            let (all, until) = (metrics.all_tasks(), prepared.scenario.horizon);
            Reason::Observed { reason, missed: all.missed, arrived: all.arrived, until }
        }
        Err(error) => Reason::NotSimulated { reason, error: error.to_string() },
    }
}

/// Returns the reason why this cluster is not proved, and the test that decides, if one does. Else the reason is that
/// of the last test that names a late task. If no test is about deadlines, a test of tardiness gives the bound on
/// lateness.
fn in_short(cluster: &ClusterAnalysis, analysis: &Analysis) -> (Option<&'static str>, Reason) {
    let of = |guarantee| cluster.verdicts.iter().filter(move |verdict| verdict.guarantee == guarantee);
    let hard = || of(Guarantee::Hard);
    let decided = |verdict: &Verdict| (verdict.test, verdict.reason.clone());
    if let Some((test, reason)) =
        hard().find(|verdict| verdict.answer == cluster.hard && cluster.hard != Answer::Unknown).map(decided)
    {
        return (Some(test), Reason::Decided { test, reason });
    }
    let any_scheduler = [overload::HARD.name, one_each::TEST.name];
    let silent = || hard().filter(|verdict| !any_scheduler.contains(&verdict.test));
    let best = silent().rfind(|verdict| verdict.reason.task().is_some()).or_else(|| silent().next_back());
    let of_tardiness = || of(Guarantee::Soft).find(|verdict| verdict.test != overload::SOFT.name);
    let reason = match (best.map(decided), silent().count()) {
        (Some((test, reason)), 1) => Reason::Decided { test, reason },
        (Some((test, reason)), tests) => Reason::NoneProves { test, reason, tests },
        (None, _) => of_tardiness().map_or(Reason::NoTestHere, |verdict| {
            let test = verdict.test;
            late_by(test, cluster, analysis)
                .unwrap_or(Reason::Decided { test, reason: verdict.reason.clone() })
        }),
    };
    (None, reason)
}

/// Returns the task of the cluster with the largest bound on tardiness, if it is above zero.
fn late_by(test: &'static str, cluster: &ClusterAnalysis, analysis: &Analysis) -> Option<Reason> {
    let bound = |id: &TaskId| Some((analysis.tardiness[id.index()]?, *id));
    let (by, task) =
        cluster.tasks.iter().filter_map(bound).max_by_key(|(by, id)| (*by, std::cmp::Reverse(*id)))?;
    (by > Duration::ZERO).then_some(Reason::MayBeLateBy { test, task, by })
}
