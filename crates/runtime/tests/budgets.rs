//! Jobs that execute for longer than their WCETs: their budgets end them.

mod support;

use schedlab_model::*;
use schedlab_runtime::{each_job, Body, Outcome};
use schedlab_trace::Record;
use std::sync::{Arc, Mutex};
use support::*;

/// Jobs by number, each with an instant in nanoseconds.
type Times = Vec<(u32, u64)>;

/// The times when each budget ended, and when each job was complete.
fn ends(outcome: &Outcome, task: u32) -> (Times, Times) {
    let (mut budgets, mut completions) = (Vec::new(), Vec::new());
    for (at, record) in &outcome.decisions {
        match record {
            Record::Budget { job } if job.task.0 == task => budgets.push((job.number, at.as_ns())),
            Record::Complete { job } if job.task.0 == task => completions.push((job.number, at.as_ns())),
            _ => {}
        }
    }
    (budgets, completions)
}

/// The first job whose code runs takes 5 ms of a task with a WCET of 3 ms: the jobs whose code ran.
fn overrunning(overruns: Overrun) -> Option<(Outcome, Vec<u32>)> {
    let begun = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&begun);
    let body: Body = each_job(move |context| {
        let is_first = {
            let mut seen = seen.lock().unwrap();
            seen.push(context.job().number);
            seen.len() == 1
        };
        burn(if is_first { 5_000 } else { 500 });
    });
    let outcome = Run { overruns, ..Run::of(vec![task(3, 20, 20)], "P-EDF", 1, 150, vec![body]) }.go()?;
    let begun = begun.lock().unwrap().clone();
    Some((outcome, begun))
}

/// The end of the only task's budget for this job: no decision stops it before.
fn budget_of(outcome: &Outcome, number: u32) -> u64 {
    let begins = |(_, record): &&(Instant, Record)| matches!(record, Record::Dispatch { job, .. } if job.number == number);
    let (begin, _) = outcome.decisions.iter().find(begins).expect("the job was let execute");
    begin.as_ns() + 3_000_000
}

fn has(times: &Times, number: u32) -> bool {
    times.iter().any(|(other, _)| *other == number)
}

#[test]
fn a_warned_job_goes_on() {
    let Some((outcome, begun)) = overrunning(Overrun::Warn) else { return };
    let (budgets, completions) = ends(&outcome, 0);
    let end = budget_of(&outcome, 0);
    assert_eq!((begun[0], budgets.first()), (0, Some(&(0, end))), "exactly after 3 ms of service");
    assert!(completions[0].0 == 0 && completions[0].1 >= end + 2_000_000, "{completions:?}");
    assert!(begun.iter().copied().eq(0..begun.len() as u32), "{begun:?}");
    let Some((outcome, _)) = overrunning(Overrun::Ignore) else { return };
    assert_eq!(ends(&outcome, 0).0, []);
}

/// The job ends at its budget; what is left of its code runs in the next jobs, whose own code does not run any more.
/// The host may take time from their budgets, too, so the run itself says how many that are.
#[test]
fn a_cut_job_goes_on_in_the_next() {
    let Some((outcome, begun)) = overrunning(Overrun::Cut) else { return };
    let (budgets, completions) = ends(&outcome, 0);
    let first = begun[0];
    let cut = (first, budget_of(&outcome, first));
    assert!(budgets.contains(&cut) && completions.contains(&cut), "{cut:?} of {budgets:?} {completions:?}");
    let last = (first..).find(|number| !has(&budgets, *number)).expect("the run ends");
    assert!(last > first, "5 ms are more than one budget");
    // A job that gets nothing of its processor is cut before its own code begins.
    let is_own = |number: &u32| !has(&budgets, *number) || begun.contains(number);
    let next = (last + 1..).find(is_own).expect("the run ends");
    assert_eq!(begun.get(1).copied().unwrap_or(next), next, "{begun:?} {budgets:?}");
}

/// A loop without end in one task takes nothing from the budget of another, though its jobs are more urgent.
#[test]
fn a_runaway_is_cut_in_every_job() {
    let bodies = vec![
        each_job(|_| loop {
            std::hint::spin_loop();
        }),
        each_job(|_| burn(2_000)),
    ];
    let tasks = vec![task(4, 10, 10), task(5, 20, 20)];
    let run = Run { overruns: Overrun::Cut, ..Run::of(tasks, "P-EDF", 1, 300, bodies) };
    let Some(outcome) = run.go() else { return };
    assert_eq!(outcome.runaways, [TaskId(0)]);
    let (budgets, completions) = ends(&outcome, 0);
    assert_eq!(budgets, completions);
    assert!(budgets.len() >= 25 || is_too_noisy(&outcome), "{budgets:?}");
    assert!(ends(&outcome, 1).1.len() >= 12 || is_too_noisy(&outcome), "{:?}", ends(&outcome, 1));
}

/// The same, a hundred times over.
#[test]
fn a_hundred_overruns_are_cut() {
    let body: Body = each_job(|_| burn(6_000));
    let run = Run { overruns: Overrun::Cut, ..Run::of(vec![task(4, 10, 10)], "P-EDF", 1, 2_500, vec![body]) };
    let Some(outcome) = run.go() else { return };
    let (budgets, completions) = ends(&outcome, 0);
    assert!(
        (budgets.len() >= 100 && completions.len() >= 200) || is_too_noisy(&outcome),
        "{} {}",
        budgets.len(),
        completions.len()
    );
}

/// An overrunning job waits for less urgent ones.
#[test]
fn a_job_beyond_its_budget_runs_in_the_background() {
    let bodies = vec![each_job(|_| burn(8_000)), each_job(|_| burn(3_000))];
    // The other one's budget leaves room for what the host may take from it.
    let tasks = vec![task(2, 40, 20), task(20, 40, 40)];
    let run = Run { overruns: Overrun::BestEffort, ..Run::of(tasks, "G-EDF", 1, 220, bodies) };
    let Some(outcome) = run.go() else { return };
    let ((budgets, late), (_, others)) = (ends(&outcome, 0), ends(&outcome, 1));
    assert!(
        (budgets.len() >= 4 && late.len() >= 4 && others.len() >= 4) || is_too_noisy(&outcome),
        "{late:?} {others:?}"
    );
    for ((number, slow), (_, other)) in late.iter().zip(&others) {
        assert!(other < slow, "job {number}: the other one was complete first");
    }
}
