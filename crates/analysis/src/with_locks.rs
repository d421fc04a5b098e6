//! Analysis of a system with locks: the methods beside the tests of clusters.

use crate::analyze::{analyze_by, systems, Analysis};
use crate::blocking::methods::heard;
use crate::blocking::retry::beside_locks::WithRetries;
use crate::blocking::{
    fmlp_oblivious, parts, retry, Blocking, Case, DelayingSections, Judged, Locking, Method, Sharing, Terms,
};
use crate::decide::{meets_deadlines, Scratch};
use crate::reason::Reason;
use crate::registry::TESTS;
use crate::steps::{Recorder, Show, Steps};
use crate::system::AnalysedScheduler;
use crate::system_error::SystemError;
use crate::verdict::{bounds_prove, Answer, Bounds, Guarantee, Verdict};
use schedlab_model::{Duration, LockingClass, Platform, Step, Task};

/// Analyses as [`analyze`] does, with a locking protocol. Where jobs request resources, the protocol's method decides
/// whether deadlines are met; if there is none, the reason says so. Every method of `more` that fits runs too, and the
/// first of them decides if there is no other. Verdicts have the steps that `show` names.
pub fn analyze_with_locks(
    tasks: &[Task],
    platform: &Platform,
    scheduler: &AnalysedScheduler<'_>,
    locking: Locking<'_>,
    more: &[Method],
    show: Show,
) -> Result<Analysis, SystemError> {
    let mut analysis = analyze_by(&TESTS, tasks, platform, scheduler, show)?;
    let requests = |task: &Task| task.program.iter().any(|step| matches!(step, Step::Request(..)));
    if !tasks.iter().any(requests) {
        return Ok(analysis);
    }
    if EXECUTE_ELSEWHERE.contains(&locking.class) {
        forget_what_is_proved(&mut analysis);
    }
    let case = Case { tasks, platform, scheduler, locking };
    let judged = match WithRetries::of(&case) {
        None => judge(&case, None, more, show, &mut analysis),
        Some(with) => with.and_then(|with| judge(&with.case(&case), Some(&with), more, show, &mut analysis)),
    };
    if let Err(reason) = judged {
        analysis.not_bounded = Some(reason);
    }
    Ok(analysis)
}

/// Returns whether [`analyze_with_locks`] proves that no deadline is missed, and no more than that: each question is
/// asked only while the ones before it leave the answer open.
pub fn deadlines_are_met(
    tasks: &[Task],
    platform: &Platform,
    scheduler: &AnalysedScheduler<'_>,
    locking: Locking<'_>,
    more: &[Method],
) -> Result<bool, SystemError> {
    let shares = tasks.iter().any(|task| task.program.iter().any(|step| matches!(step, Step::Request(..))));
    let mut scratch = Scratch::default();
    let mut is_open = shares && EXECUTE_ELSEWHERE.contains(&locking.class);
    for system in systems(tasks, platform, scheduler)? {
        match meets_deadlines(&system, &mut scratch) {
            Answer::Schedulable => {}
            Answer::Unknown if shares => is_open = true,
            Answer::Unknown | Answer::Unschedulable => return Ok(false),
        }
    }
    let case = Case { tasks, platform, scheduler, locking };
    if !is_open {
        return Ok(true);
    }
    let with_retries = match WithRetries::of(&case) {
        None => None,
        Some(Ok(with)) => Some(with),
        Some(Err(_)) => return Ok(false),
    };
    let case = with_retries.as_ref().map_or(case, |with| with.case(&case));
    let mut methods = heard(&case, more);
    let Some(first) = methods.next().filter(|_| case.refusal().is_none()) else { return Ok(false) };
    let proves = |method: &Method| {
        case.sharing(method.sections).is_ok_and(|sharing| (method.judge)(&case, &sharing).met.is_ok())
    };
    // As in `judge`: where the first method does not speak of these sections, no other is heard.
    let is_heard = case.sharing(first.sections).is_ok();
    Ok(is_heard && (proves(first) || methods.any(proves) || is_never_late(&case, with_retries.as_ref())))
}

/// Protocols under which sections execute on processors that may have no user of the resource.
const EXECUTE_ELSEWHERE: &[LockingClass] = &[LockingClass::Dpcp, LockingClass::Dflp];

/// Withdraws proofs for single clusters: where clusters share resources, a proof that ignores the others does not hold.
fn forget_what_is_proved(analysis: &mut Analysis) {
    for verdict in analysis.clusters.iter_mut().flat_map(|cluster| &mut cluster.verdicts) {
        if verdict.answer == Answer::Schedulable {
            verdict.answer = Answer::Unknown;
            verdict.reason = Reason::SectionsOfOthers;
        }
        verdict.bounds = Bounds::None;
    }
    analysis.forget_bounds();
}

/// Judges `case`; `retries` holds the parts of its tasks' costs that are retries.
fn judge(
    case: &Case<'_>,
    retries: Option<&WithRetries>,
    more: &[Method],
    show: Show,
    analysis: &mut Analysis,
) -> Result<(), Reason> {
    let mut methods = heard(case, more);
    let method = methods.next().ok_or_else(|| {
        let protocol = case.locking.protocol.to_owned();
        Reason::NoMethod { protocol }
    })?;
    if let Some(reason) = case.refusal() {
        return Err(reason);
    }
    analysis.blocking = Some(hear(method, case, retries, show, analysis)?);
    if let Some(verdict) = tardiness(case, retries) {
        for index in 0..analysis.clusters.len() {
            analysis.hear(index, verdict.clone(), case.tasks);
        }
    }
    for method in methods {
        // One that does not speak of these sections says nothing.
        if let Ok(blocking) = hear(method, case, retries, show, analysis) {
            analysis.more_blocking.push(blocking);
        }
    }
    analysis.conclude();
    Ok(())
}

/// Runs one method and adds its result to `analysis`.
fn hear(
    method: &Method,
    case: &Case<'_>,
    retries: Option<&WithRetries>,
    show: Show,
    analysis: &mut Analysis,
) -> Result<Blocking, Reason> {
    let sharing = case.sharing(method.sections).map_err(Reason::Sharing)?;
    let (mut found, steps) = judged(method, case, &sharing, show);
    found.met = found.met.map_err(|reason| blamed(reason, method, case, &sharing, &found.terms));
    for (terms, retries) in found.terms.iter_mut().zip(retries.iter().flat_map(|with| &with.retries)) {
        *terms = terms.and(*retries);
    }
    // From the arrival: a release comes as much later at most.
    let delay = case.platform.release_delay();
    let met =
        found.met.map(|responses| responses.into_iter().map(|response| response + delay).collect::<Vec<_>>());
    for index in 0..analysis.clusters.len() {
        let ids = &analysis.clusters[index].tasks;
        let mut verdict = match &met {
            Ok(responses) => {
                let bounds = ids.iter().map(|id| Some(responses[id.index()])).collect();
                method.test.schedulable(Reason::NoMissWithBlocking, Bounds::ResponseTime(bounds))
            }
            Err(reason) => method.test.unknown(reason.clone()),
        };
        verdict.steps = steps.as_ref().map(|steps| Box::new(steps.about(ids)));
        analysis.hear(index, verdict, case.tasks);
    }
    Ok(Blocking {
        protocol: case.locking.protocol.to_owned(),
        method: method.test.name,
        source: method.test.source,
        assumptions: method.test.assumptions,
        not_a_bound: met.err(),
        terms: found.terms,
    })
}

/// Asks a method, and returns its steps if they are wanted and it hands out any.
fn judged(method: &Method, case: &Case<'_>, sharing: &Sharing, show: Show) -> (Judged, Option<Steps>) {
    match method.watched.filter(|_| show != Show::Nothing) {
        None => ((method.judge)(case, sharing), None),
        Some(judge) => {
            let mut recorder = Recorder::of(show);
            let found = judge(case, sharing, &mut recorder);
            (found, Some(recorder.into_steps()))
        }
    }
}

/// Returns the reason with the sections that block its task, where these are known.
fn blamed(reason: Reason, method: &Method, case: &Case<'_>, sharing: &Sharing, terms: &[Terms]) -> Reason {
    let (Reason::BlockedTooLong { task, .. } | Reason::WaitingNotProved { task, .. }) = &reason else {
        return reason;
    };
    let totals: Vec<Option<u64>> = terms.iter().map(|terms| terms.total()).collect();
    let by = parts::take_apart(method, case, sharing, &totals).swap_remove(task.index());
    match by.is_empty() {
        true => reason,
        false => Reason::BlockedBy { reason: Box::new(reason), by: DelayingSections(by) },
    }
}

/// Bounds the tardiness where deadlines may be missed; `None` if no bound applies to the system. All such bounds are
/// for systems of one cluster.
fn tardiness(case: &Case<'_>, retries: Option<&WithRetries>) -> Option<Verdict> {
    // Jobs that are late repeat more than was counted.
    if retries.is_some() {
        return None;
    }
    fmlp_oblivious::tardiness(case).or_else(|| retry::tardiness::tardiness(case))
}

/// Returns whether bounds on the tardiness of jobs that share resources prove that no deadline is missed.
fn is_never_late(case: &Case<'_>, retries: Option<&WithRetries>) -> bool {
    let (Some(verdict), Ok(system)) = (tardiness(case, retries), case.independent(case.tasks)) else {
        return false;
    };
    let due = system.tasks.iter().map(|task| Duration::from_ns(task.relative_deadline));
    let late = due.enumerate().map(|(place, due)| Some(verdict.bounds_of(place, due)?.tardiness));
    bounds_prove(Guarantee::Hard, late)
}
