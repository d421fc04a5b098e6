//! Checks of objects: a scheduler that can follow their schemes, and in real runs an object that is there.

use crate::fault::{Fault, Faults, Part};
use crate::resource::ResourceSpec;
use crate::scenario::Scenario;
use schedlab_lock::{protocol_of, Protocol};
use schedlab_policy::Scheduler;

/// The resources that tasks request.
fn requested(scenario: &Scenario) -> impl Iterator<Item = (usize, &ResourceSpec)> {
    let is_requested = |index: usize| scenario.tasks.iter().any(|task| task.requests(index));
    scenario.resources.iter().enumerate().filter(move |(index, _)| is_requested(*index))
}

/// Returns the schemes that `scheduler` cannot follow.
pub(crate) fn faults(scenario: &Scenario, scheduler: &Scheduler) -> Vec<Fault> {
    let mut faults = Faults::default();
    for (index, spec) in requested(scenario) {
        let Some(scheme) = spec.scheme() else { continue };
        let (resource, scheduler_name) = (&spec.name, &scheduler.name);
        let (why, allowed) = if scheduler.kernel_class().is_some() {
            (
                "the kernel's mutexes know no schemes",
                "no kind and no scheme, or a scheduler of schedlab's own",
            )
        } else if scheduler.accrues_utility() && protocol_of(scheme).attempts() {
            ("jobs may be given up within attempts", "scheme = \"locked\"")
        } else {
            continue;
        };
        let sentence = format!("\"{resource}\" is {} under {scheduler_name}, where {why}", scheme.name());
        faults.rule(Part::Resource(index), "scheme", sentence, allowed);
    }
    faults.all()
}

/// Returns resources on which jobs attempt operations although their kind is unknown: a real run would have to know it.
pub(crate) fn unknown(scenario: &Scenario) -> Vec<Fault> {
    let mut faults = Faults::default();
    let Some(protocol) = scenario.known_protocol().filter(|known: &&Protocol| known.attempts()) else {
        // A user's own protocol says itself what it can do.
        return faults.all();
    };
    for (index, spec) in requested(scenario).filter(|(_, spec)| spec.object.is_none()) {
        let sentence = format!(
            "\"{}\" has no kind, and under \"{}\" jobs attempt operations on it: a real run needs an object",
            spec.name, protocol.name
        );
        let allowed =
            "such as kind = \"queue\" and scheme = \"lock-free\", or a protocol under which jobs hold it";
        faults.rule(Part::Resource(index), "kind", sentence, allowed);
    }
    faults.all()
}
