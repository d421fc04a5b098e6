//! What would keep the deadlines.

use crate::advise::sensitivity::Factor;
use crate::advise::{Advice, Change, Way};
use schemars::JsonSchema;
use serde::Serialize;

/// A change that alone would help, in words.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
struct SingleChange {
    kind: String,
    what: String,
    margin_percent: Option<f64>,
}

/// A way to schedule a scenario. What is None is as in the scenario, or not needed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Way")]
struct WayResult {
    scheduler: String,
    placement: Option<&'static str>,
    priorities: Option<&'static str>,
    protocol: String,
    /// Another scheme of objects, such as "events lock-free".
    schemes: Option<String>,
    /// How many of these differ from the scenario.
    changes: u32,
    schedulable: bool,
    /// The critical scaling factor to a hundredth: 100 or more if proved, 0 if smaller costs do not help.
    margin_percent: f64,
    /// With the smallest of the overheads that were measured of the same code; else the same.
    margin_at_best_percent: f64,
    /// From 1 on; margins that differ by less than is known of them share one.
    rank: usize,
    /// The one that decides, if one does.
    test: Option<&'static str>,
    reason: String,
    /// Jobs that were late in a simulation until the horizon, where no test knows the scheduler; else None.
    missed: Option<u64>,
    /// Under Pfair, where weights leave no time to lose: what cures that; else None.
    in_a_real_run: Option<String>,
}

/// What `advise` finds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Advice")]
pub struct AdviceResult {
    /// The scenario itself is proved.
    as_it_is: bool,
    single_changes: Vec<SingleChange>,
    /// The best first.
    ways: Vec<WayResult>,
}

impl From<Advice> for AdviceResult {
    fn from(found: Advice) -> Self {
        AdviceResult {
            as_it_is: found.as_it_is,
            single_changes: found.single_changes.into_iter().map(change).collect(),
            ways: found.ways.into_iter().map(way).collect(),
        }
    }
}

fn way(way: Way) -> WayResult {
    WayResult {
        scheduler: way.candidate.scheduler,
        placement: way.candidate.placement,
        priorities: way.candidate.priorities,
        protocol: way.candidate.protocol,
        schemes: way.candidate.schemes.as_ref().map(ToString::to_string),
        changes: way.changes,
        schedulable: way.proved,
        margin_percent: way.margin.percent(),
        margin_at_best_percent: way.margin_at_best.percent(),
        rank: way.rank,
        test: way.test,
        reason: way.reason,
        missed: way.missed,
        in_a_real_run: way.in_a_real_run,
    }
}

fn change(change: Change) -> SingleChange {
    SingleChange {
        kind: change.kind.as_ref().to_owned(),
        what: change.what,
        margin_percent: change.margin.map(Factor::percent),
    }
}
