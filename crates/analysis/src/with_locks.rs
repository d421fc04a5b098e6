//! What is known of a system with locks: the methods beside the tests of clusters.

use crate::analyze::{analyze, systems, Analysis};
use crate::blocking::methods::heard;
use crate::blocking::retry::beside_locks::WithRetries;
use crate::blocking::{
    fmlp_oblivious, parts, retry, Blocking, Case, DelayingSections, Locking, Method, Sharing, Terms,
};
use crate::decide::{meets_deadlines, Scratch};
use crate::reason::Reason;
use crate::system::AnalysedScheduler;
use crate::system_error::SystemError;
use crate::verdict::{Answer, Bounds};
use schedlab_model::{LockingClass, Platform, Step, Task, TaskId};

/// As [`analyze`], with a locking protocol: where jobs request resources, its method says whether deadlines are met;
/// without one, the reason says so. Every method of `more` that fits is heard too, the first of them where there is no
/// other.
pub fn analyze_with_locks(
    tasks: &[Task],
    platform: &Platform,
    scheduler: &AnalysedScheduler<'_>,
    locking: Locking<'_>,
    more: &[Method],
) -> Result<Analysis, SystemError> {
    let mut analysis = analyze(tasks, platform, scheduler)?;
    let requests = |task: &Task| task.program.iter().any(|step| matches!(step, Step::Request(..)));
    if !tasks.iter().any(requests) {
        return Ok(analysis);
    }
    if EXECUTE_ELSEWHERE.contains(&locking.class) {
        forget_what_is_proved(&mut analysis);
    }
    let case = Case { tasks, platform, scheduler, locking };
    let judged = match WithRetries::of(&case) {
        None => judge(&case, None, more, &mut analysis),
        Some(with) => with.and_then(|with| judge(&with.case(&case), Some(&with), more, &mut analysis)),
    };
    if let Err(reason) = judged {
        analysis.not_bounded = Some(reason);
    }
    Ok(analysis)
}

/// Whether [`analyze_with_locks`] proves that no deadline is missed, and no more than that: each question is asked only
/// while the ones before it leave the answer open.
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
    Ok(is_heard && (proves(first) || methods.any(proves)))
}

/// Protocols under which sections execute on processors that may have no user of the resource.
const EXECUTE_ELSEWHERE: &[LockingClass] = &[LockingClass::Dpcp, LockingClass::Dflp];

/// No cluster is on its own: what was proved of one without a look at the others does not hold.
fn forget_what_is_proved(analysis: &mut Analysis) {
    let doubt = |answer: &mut Answer| {
        if *answer == Answer::Schedulable {
            *answer = Answer::Unknown;
        }
    };
    for cluster in &mut analysis.clusters {
        doubt(&mut cluster.hard);
        doubt(&mut cluster.soft);
        for verdict in &mut cluster.verdicts {
            if verdict.answer == Answer::Schedulable {
                verdict.reason = Reason::SectionsOfOthers;
            }
            doubt(&mut verdict.answer);
            verdict.bounds = Bounds::None;
        }
    }
    doubt(&mut analysis.hard);
    doubt(&mut analysis.soft);
    analysis.response_times.fill(None);
    analysis.tardiness.fill(None);
}

/// Judges `case`; `retries` says what of its tasks' costs are retries.
fn judge(
    case: &Case<'_>,
    retries: Option<&WithRetries>,
    more: &[Method],
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
    analysis.blocking = Some(hear(method, case, retries, analysis)?);
    if retries.is_none() {
        // Jobs that are late repeat more than was counted.
        add_tardiness(case, analysis);
    }
    analysis.combine_clusters();
    for method in methods {
        // One that does not speak of these sections says nothing.
        if let Ok(blocking) = hear(method, case, retries, analysis) {
            analysis.more_blocking.push(blocking);
        }
    }
    Ok(())
}

/// What one method says, added to what is known.
fn hear(
    method: &Method,
    case: &Case<'_>,
    retries: Option<&WithRetries>,
    analysis: &mut Analysis,
) -> Result<Blocking, Reason> {
    let sharing = case.sharing(method.sections).map_err(Reason::Sharing)?;
    let mut found = (method.judge)(case, &sharing);
    found.met = found.met.map_err(|reason| blamed(reason, method, case, &sharing, &found.terms));
    for (terms, retries) in found.terms.iter_mut().zip(retries.iter().flat_map(|with| &with.retries)) {
        *terms = terms.and(*retries);
    }
    // From the arrival: a release comes as much later at most.
    let delay = case.platform.release_delay();
    let met =
        found.met.map(|responses| responses.into_iter().map(|response| response + delay).collect::<Vec<_>>());
    for cluster in &mut analysis.clusters {
        let verdict = match &met {
            Ok(responses) => {
                let bounds = cluster.tasks.iter().map(|id| Some(responses[id.index()])).collect();
                method.test.schedulable(Reason::NoMissWithBlocking, Bounds::ResponseTime(bounds))
            }
            Err(reason) => method.test.unknown(reason.clone()),
        };
        if cluster.hard == Answer::Unknown {
            cluster.hard = verdict.answer;
        }
        if verdict.answer == Answer::Schedulable && cluster.soft == Answer::Unknown {
            cluster.soft = Answer::Schedulable;
        }
        cluster.verdicts.push(verdict);
    }
    for (task, response) in met.iter().flatten().enumerate() {
        analysis.keep(TaskId(task as u32), case.tasks[task].relative_deadline.as_ns(), *response, false);
    }
    analysis.combine_clusters();
    Ok(Blocking {
        protocol: case.locking.protocol.to_owned(),
        method: method.test.name,
        source: method.test.source,
        assumptions: method.test.assumptions,
        not_a_bound: met.err(),
        terms: found.terms,
    })
}

/// The reason with the sections that block its task, where those are known.
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

/// What is known of tardiness where deadlines may be missed.
fn add_tardiness(case: &Case<'_>, analysis: &mut Analysis) {
    let Some(verdict) = fmlp_oblivious::tardiness(case).or_else(|| retry::tardiness::tardiness(case)) else {
        return;
    };
    if let Bounds::Tardiness(bounds) = &verdict.bounds {
        // The system is one cluster then.
        let ids = analysis.clusters.iter().flat_map(|cluster| cluster.tasks.clone());
        for (id, bound) in ids.collect::<Vec<_>>().into_iter().zip(bounds) {
            if let Some(bound) = *bound {
                analysis.keep(id, case.tasks[id.index()].relative_deadline.as_ns(), bound, true);
            }
        }
    }
    for cluster in &mut analysis.clusters {
        if cluster.soft == Answer::Unknown {
            cluster.soft = verdict.answer;
        }
        cluster.verdicts.push(verdict.clone());
    }
}
