//! Explanations as plain values: parts that sum to the response time, and the intervals with the whole sets of jobs.

use super::{Cause, Why};
use crate::deadline::deadline;
use schedlab_model::{JobId, Utility};
use schemars::JsonSchema;
use serde::Serialize;

/// A cause, with the fields that only some causes have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct CauseResult {
    cause: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    jobs: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    behind: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resources: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
}

/// Reason why a job did not go on in an interval, or that it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct WhyInterval {
    #[serde(flatten)]
    cause: CauseResult,
    start_ns: u64,
    end_ns: u64,
}

/// A cause with its total length.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct WhyPart {
    #[serde(flatten)]
    cause: CauseResult,
    length_ns: u64,
}

/// A job's response time as parts that sum to it exactly.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "WhyParts")]
pub struct WhyResult {
    job: String,
    arrival_ns: u64,
    /// Absolute deadline; None for a job that has none, such as a server's.
    absolute_deadline_ns: Option<u64>,
    end_ns: u64,
    /// Begin of the job's abort handler.
    handler_ns: Option<u64>,
    #[schemars(extend("enum" = ["completed", "aborted", "unfinished"]))]
    ending: &'static str,
    response_time_ns: u64,
    /// Utility of the job's end; None where neither a task nor the scheduler has utilities, or the job has not ended.
    accrued_utility: Option<f64>,
    /// Utility that a completion at the job's arrival would have had.
    largest_utility: Option<f64>,
    intervals: Vec<WhyInterval>,
    parts: Vec<WhyPart>,
}

impl Why {
    /// The explanation as plain values.
    pub fn result(&self) -> WhyResult {
        let intervals = self.intervals.iter().map(|interval| WhyInterval {
            cause: cause_result(&interval.cause),
            start_ns: interval.from.as_ns(),
            end_ns: interval.to.as_ns(),
        });
        let part = |(cause, length): (Cause, schedlab_model::Duration)| WhyPart {
            cause: cause_result(&cause),
            length_ns: length.as_ns(),
        };
        WhyResult {
            job: self.job.to_string(),
            arrival_ns: self.arrival.as_ns(),
            absolute_deadline_ns: deadline(self.absolute_deadline).map(|at| at.as_ns()),
            handler_ns: self.given_up.map(|at| at.as_ns()),
            ending: self.ending.into(),
            end_ns: self.end.as_ns(),
            response_time_ns: self.response_time().as_ns(),
            accrued_utility: self.earned.map(|earned| in_units(earned.accrued)),
            largest_utility: self.earned.map(|earned| in_units(earned.at_most)),
            parts: self.parts().into_iter().map(part).collect(),
            intervals: intervals.collect(),
        }
    }
}

/// Converts a utility to units, for people; a utility itself is exact.
fn in_units(utility: Utility) -> f64 {
    utility.as_millionths() as f64 / 1e6
}

fn cause_result(cause: &Cause) -> CauseResult {
    let list = |jobs: &[JobId]| {
        (!jobs.is_empty()).then(|| jobs.iter().map(ToString::to_string).collect::<Vec<String>>())
    };
    CauseResult {
        cause: cause.as_ref().to_owned(),
        jobs: list(cause.jobs()),
        behind: list(cause.behind()),
        resource: cause.resource().map(|resource| resource.to_string()),
        resources: if let Cause::Deadlock { resources, .. } = cause {
            Some(resources.iter().map(ToString::to_string).collect())
        } else {
            None
        },
        kind: if let Cause::Overhead(kind) = cause { Some(kind.name()) } else { None },
    }
}
