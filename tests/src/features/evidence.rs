//! What is refuted comes with a late job, of a run that the scenario allows.

use schedlab_analysis::Answer;
use schedlab_lab::{Evidence, Finding, ListedJob, Prepared};
use schedlab_scenario::Arrival;

/// An error names the test that refutes without evidence, or the job that no run has.
pub(super) fn check(prepared: &Prepared, found: &[Finding], evidence: &[Evidence]) -> Result<(), String> {
    let refutes = found.iter().find(|finding| finding.answer == Answer::Unschedulable);
    if let (Some(finding), true) = (refutes, evidence.is_empty()) {
        return Err(format!("{} says unschedulable, and nothing shows it: {}", finding.test, finding.reason));
    }
    evidence.iter().try_for_each(|evidence| is_allowed(prepared, &evidence.jobs))
}

fn is_allowed(prepared: &Prepared, jobs: &[ListedJob]) -> Result<(), String> {
    for (index, (task, spec)) in prepared.tasks.iter().zip(&prepared.scenario.tasks).enumerate() {
        let own: Vec<&ListedJob> = jobs.iter().filter(|job| job.id.task.index() == index).collect();
        let first = task.offset.max(task.join).as_ns();
        for (number, job) in own.iter().enumerate() {
            let arrival = job.arrival.as_ns();
            let before = number.checked_sub(1).map(|before| own[before].arrival.as_ns());
            let earliest = before.map_or(first, |before| before + task.period.as_ns());
            let fits = match &spec.arrival {
                Arrival::Periodic => arrival == earliest,
                Arrival::Sporadic { .. } => arrival >= earliest,
                Arrival::Listed(times) => times.get(number).is_some_and(|time| *time == job.arrival),
            };
            let late =
                job.release.as_ns().checked_sub(arrival).is_some_and(|late| late <= task.jitter.as_ns());
            let stays = job.arrival < task.leave;
            if !fits || !late || !stays || job.cost > task.wcet || job.cost < task.bcet {
                return Err(format!("the evidence has a job that the scenario does not allow: {job:?}"));
            }
        }
    }
    Ok(())
}
