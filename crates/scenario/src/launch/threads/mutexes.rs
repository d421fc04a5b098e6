//! The mutexes of a program's threads, each with the protocol of POSIX that it has.

use super::super::comment::{ceiling, on_linux};
use super::super::settings::{Refusal, Settings};
use super::names::identifiers;
use crate::scenario::Scenario;
use schedlab_lock::OnLinux;

/// A mutex.
pub(super) struct Mutex {
    /// Name of the resource.
    pub(super) resource: String,
    /// The mutex's part of identifiers in C.
    pub(super) id: String,
    pub(super) attribute: Attribute,
}

/// The protocol of a mutex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attribute {
    None,
    Inherit,
    /// With this ceiling.
    Protect(u32),
}

impl Attribute {
    /// The constant of POSIX.
    pub(super) fn constant(self) -> &'static str {
        match self {
            Attribute::None => "PTHREAD_PRIO_NONE",
            Attribute::Inherit => "PTHREAD_PRIO_INHERIT",
            Attribute::Protect(_) => "PTHREAD_PRIO_PROTECT",
        }
    }

    /// The ceiling; 0 where the mutex has none.
    pub(super) fn ceiling(self) -> u32 {
        match self {
            Attribute::None | Attribute::Inherit => 0,
            Attribute::Protect(ceiling) => ceiling,
        }
    }
}

/// The mutexes that tasks request. Objects with a scheme of their own, and what a protocol of the program shares, are
/// the program's; a resource of several units is refused.
pub(super) fn mutexes(scenario: &Scenario, settings: &Settings<'_>) -> Result<Vec<Mutex>, Refusal> {
    let ids = identifiers(scenario.resources.iter().map(|resource| &resource.name));
    let mut all = Vec::new();
    for (index, (resource, id)) in scenario.resources.iter().zip(ids).enumerate() {
        if resource.object.is_some() || !scenario.tasks.iter().any(|task| task.requests(index)) {
            continue;
        }
        let attribute = match on_linux(scenario, index, settings) {
            OnLinux::Plain => Attribute::None,
            OnLinux::Inherit => Attribute::Inherit,
            OnLinux::Protect => {
                Attribute::Protect(ceiling(settings, index).expect("its users have priorities"))
            }
            OnLinux::InProgram => continue,
            OnLinux::ByResource | OnLinux::Nothing => unreachable!("what Linux lacks is refused before"),
        };
        if resource.units > 1 {
            let field = format!("resource \"{}\".units", resource.name);
            let why = "is no mutex, and a header has no others";
            return Err(Refusal::of(field, resource.units, why, "1, or a script (.sh)"));
        }
        all.push(Mutex { resource: resource.name.clone(), id, attribute });
    }
    Ok(all)
}

/// True if a mutex has a ceiling.
pub(super) fn has_ceilings(scenario: &Scenario, settings: &Settings<'_>) -> bool {
    let is_used = |index: usize| scenario.tasks.iter().any(|task| task.requests(index));
    let protects = |index: usize| {
        let resource = &scenario.resources[index];
        resource.object.is_none() && on_linux(scenario, index, settings) == OnLinux::Protect
    };
    (0..scenario.resources.len()).any(|index| is_used(index) && protects(index))
}
