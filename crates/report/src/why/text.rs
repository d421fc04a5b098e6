//! An explanation as text.

use super::{Cause, Earned, JobEnding, Why};
use crate::context::Context;
use crate::deadline::deadline;
use core::cmp::Reverse;
use core::fmt::Write;
use schedlab_model::{Duration, JobId, ResourceId};

/// Width of the longest bar.
const BAR: u128 = 30;

/// Most parts that are printed one by one: a job that starves has as many as other jobs went before it.
const MOST: usize = 40;

impl Why {
    /// A few lines for people: the response time and its parts, which sum to it.
    pub fn text(&self, context: &Context) -> String {
        let total = self.response_time();
        let mut out = self.headline(context);
        let rows = rows(&self.parts(), context);
        let width = rows.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
        let numbers = rows.iter().map(|(_, length)| length.to_string().len()).max().unwrap_or(0);
        for (label, length) in &rows {
            let (part, whole) = (u128::from(length.as_ns()), u128::from(total.as_ns()).max(1));
            let per_mille = (part * 1_000 + whole / 2) / whole;
            let bar = "#".repeat((part * BAR).div_ceil(whole) as usize);
            let (percent, tenth) = (per_mille / 10, per_mille % 10);
            // A length of time knows no width of its own.
            let length = length.to_string();
            let _ = writeln!(out, "  {label:width$}  {length:>numbers$}  {percent:>3}.{tenth}%  {bar}");
        }
        let _ = writeln!(out, "  {:width$}  {:>numbers$}", "sum", total.to_string());
        out
    }

    fn headline(&self, context: &Context) -> String {
        let total = self.response_time();
        let did = match self.ending {
            JobEnding::Completed => "took",
            JobEnding::Aborted => "was given up after",
            JobEnding::Unfinished => "is not complete after",
        };
        let (job, arrival, end) = (context.job_name(self.job), self.arrival, self.end);
        let mut out = format!("{job} {did} {total}, from its arrival at {arrival} to {end}");
        let _ = match (deadline(self.absolute_deadline), self.ending) {
            (None, _) => writeln!(out, "; it has no deadline"),
            (Some(due), _) if end > due => writeln!(out, ": {} after its deadline {due}", end - due),
            (Some(due), JobEnding::Completed) => writeln!(out, ": {} before its deadline {due}", due - end),
            (Some(due), JobEnding::Aborted | JobEnding::Unfinished) => {
                writeln!(out, "; its deadline is {due}")
            }
        };
        if let Some(at) = self.given_up {
            let _ = writeln!(out, "  from {at} on, its own work is its abort handler");
        }
        if let Some(Earned { accrued, at_most }) = self.earned {
            let what = match self.given_up {
                Some(_) => "its abort handler",
                None => "its end",
            };
            let _ = writeln!(out, "  {what} is worth {accrued}, of {at_most} at its arrival");
        }
        out
    }
}

/// Writes a line for each part; if there are too many, the shortest share one.
fn rows(parts: &[(Cause, Duration)], context: &Context) -> Vec<(String, Duration)> {
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|index| Reverse(parts[*index].1));
    let rest = order.split_off(MOST.min(order.len()));
    // As they were.
    order.sort_unstable();
    let told = order.into_iter().map(|index| &parts[index]);
    let mut rows: Vec<_> = told.map(|(cause, length)| (words(cause, context), *length)).collect();
    if !rest.is_empty() {
        let sum = rest.iter().fold(Duration::ZERO, |sum, index| sum + parts[*index].1);
        rows.push((format!("{} shorter parts", rest.len()), sum));
    }
    rows
}

fn names(jobs: &[JobId], context: &Context) -> String {
    jobs.iter().map(|job| context.job_name(*job)).collect::<Vec<_>>().join(", ")
}

fn words(cause: &Cause, context: &Context) -> String {
    let resource = cause.resource().map(|resource| context.resource_name(resource)).unwrap_or_default();
    let jobs = names(cause.jobs(), context);
    let with = |before: &str, jobs: &str| match jobs {
        "" => String::new(),
        _ => format!("{before}{jobs}"),
    };
    let behind = with(", which waits behind ", &names(cause.behind(), context));
    match cause {
        Cause::Own => "own work".into(),
        Cause::Release => "waiting for its release".into(),
        Cause::Predecessor(_) => format!("waiting for its task's {}", cause.jobs()[0]),
        Cause::Interference(_) => format!("interference by {jobs}"),
        Cause::Inversion(_) => format!("less urgent, not preempted: {jobs}"),
        Cause::Chosen(_) => format!("due later, chosen by utility: {jobs}"),
        Cause::Section { .. } => format!("less urgent, holds {resource}: {jobs}"),
        Cause::NonPreemptive(_) => format!("non-preemptive section of {jobs}"),
        Cause::Blocking { .. } => format!("suspended for {resource}{}{behind}", with(", held by ", &jobs)),
        Cause::Ceiling { .. } => {
            format!(
                "suspended for {resource}, free, but denied{}{behind}",
                with(" by the ceiling of ", &jobs)
            )
        }
        Cause::Deadlock { holders, resources } => deadlock(holders, resources, context),
        Cause::Spinning { .. } => format!("spinning for {resource}{}{behind}", with(", held by ", &jobs)),
        Cause::Zone(_) => format!("request of {resource} ignored until the quantum's end"),
        Cause::Retry(_) => format!("failed attempts on {resource}"),
        Cause::SelfSuspension => "self-suspension".into(),
        Cause::HeldBack { .. } => {
            format!("held back by the protocol{}{behind}", with(", in a section: ", &jobs))
        }
        Cause::Overhead(kind) => format!("overhead: {}", kind.name().replace('_', " ")),
        Cause::DispatchLatency => "dispatch latency".into(),
        Cause::Idle => "no job linked in its cluster".into(),
        Cause::Throttled => "throttled: a processor has run jobs for as long as it may".into(),
        Cause::NoBudget => "its server has no budget".into(),
        Cause::Boundary => "waiting for a quantum boundary".into(),
        Cause::Window => "the window of its next subtask has not begun".into(),
        Cause::Waste => "the rest of another job's quantum, wasted".into(),
        Cause::Supertask => "its supertask has no quantum".into(),
    }
}

/// The circle, one job after the other.
fn deadlock(holders: &[JobId], resources: &[ResourceId], context: &Context) -> String {
    let mut out = String::from("deadlock: it waits for ");
    for (holder, resource) in holders.iter().zip(resources) {
        let (resource, holder) = (context.resource_name(*resource), context.job_name(*holder));
        let _ = write!(out, "{resource}, held by {holder}, which waits for ");
    }
    let own = resources.last().map(|resource| context.resource_name(*resource)).unwrap_or_default();
    out + &own + ", which it holds itself"
}
