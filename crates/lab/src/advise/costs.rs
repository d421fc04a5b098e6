//! Costs of operations on objects that the scenario's overheads do not state.

use schedlab_model::Scheme;
use schedlab_scenario::{ObjectSpec, Scenario};
use schemars::JsonSchema;
use serde::Serialize;

/// Objects whose operations have unknown costs under some schemes. Under each of these schemes, an operation counts as
/// long as its section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnknownCosts {
    /// Names of the objects.
    pub objects: Vec<String>,
    /// Kind of the objects; None where the scenario states none, so that no cost can be known.
    pub kind: Option<&'static str>,
    /// The schemes with unknown costs; protocols where the scenario states no kind.
    pub schemes: Vec<&'static str>,
}

/// Finds the requested objects with unknown costs, by kind. If `attempts` is set, resources without a kind count as
/// objects too, because their sections may be operations that are retried.
pub(super) fn unknown(scenario: &Scenario, attempts: bool) -> Vec<UnknownCosts> {
    let mut found: Vec<UnknownCosts> = Vec::new();
    for (index, spec) in scenario.resources.iter().enumerate() {
        let users = scenario.tasks.iter().filter(|task| task.requests(index)).count();
        if users == 0 {
            continue;
        }
        let (kind, schemes) = match spec.object {
            Some(object) => (Some(object.kind.name()), unknown_of(scenario, &object, users)),
            None if attempts => (None, vec![Scheme::LockFree.name(), Scheme::WaitFree.name()]),
            None => continue,
        };
        if schemes.is_empty() {
            continue;
        }
        match found.iter_mut().find(|known| known.kind == kind && known.schemes == schemes) {
            Some(known) => known.objects.push(spec.name.clone()),
            None => found.push(UnknownCosts { objects: vec![spec.name.clone()], kind, schemes }),
        }
    }
    found
}

/// Returns the schemes under which the cost of an operation on `object` is unknown, with `users` tasks that request it.
fn unknown_of(scenario: &Scenario, object: &ObjectSpec, users: usize) -> Vec<&'static str> {
    let made_for = object.tasks.map_or(users, |tasks| tasks as usize);
    let (profile, statistic) = (&scenario.overheads.profile, scenario.overheads.statistic);
    let is_unknown = |scheme: &Scheme| profile.access(object.kind, *scheme, statistic, made_for).is_none();
    Scheme::ALL.into_iter().filter(is_unknown).map(Scheme::name).collect()
}
