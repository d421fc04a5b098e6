//! Checks of mutexes of POSIX, which have protocols of their own: the kernel's fixed priorities decide, and they are
//! mutexes.

use crate::convert::mutex_of;
use crate::fault::{Faults, Part};
use crate::scenario::Scenario;
use schedlab_model::MutexProtocol;
use schedlab_policy::{kernel_classes, KernelClass};

/// True if the scenario's scheduler is the kernel's fixed priorities.
pub(super) fn is_fifo(scenario: &Scenario) -> bool {
    scenario.known_scheduler().is_some_and(|known| known.kernel_class() == Some(KernelClass::Fifo))
}

/// Lists the schedulers that are the kernel's fixed priorities.
pub(super) fn fixed_priorities() -> String {
    let known = kernel_classes().into_iter().filter(|known| known.kernel_class() == Some(KernelClass::Fifo));
    known.map(|known| known.name).collect::<Vec<_>>().join(" or ")
}

/// Checks the resources that state a protocol of their own, and the protocol of the others beside them.
pub(super) fn mutexes(scenario: &Scenario, faults: &mut Faults) {
    let is_fifo = is_fifo(scenario);
    for (index, spec) in scenario.resources.iter().enumerate() {
        let Some(protocol) = spec.protocol else { continue };
        let (part, value) = (Part::Resource(index), format!("\"{}\"", protocol.name()));
        if !is_fifo {
            let why = format!(
                "is of a mutex under the kernel's fixed priorities, which {} is not",
                scenario.scheduler_name()
            );
            let allowed = format!("scheduler = {}, or no protocol of a resource", fixed_priorities());
            faults.of(part).refuse("protocol", value, why, allowed);
        } else if spec.object.is_some() {
            faults.of(part).refuse("protocol", value, "is not for an object", "a scheme, or no kind");
        } else if spec.units > 1 {
            faults.of(part).refuse("units", spec.units, "is not for a mutex", "1, or no units");
        }
    }
    let states = |protocol: Option<MutexProtocol>| protocol.is_some();
    let (some, all) = (
        scenario.resources.iter().any(|spec| states(spec.protocol)),
        scenario.resources.iter().all(|spec| states(spec.protocol)),
    );
    let given = schedlab_lock::find_protocol(&scenario.protocol);
    if some && !all && given.is_ok_and(|given| mutex_of(given).is_none()) {
        let why = "is for the resources without a protocol of their own, and not one of POSIX";
        let allowed = "none, pip or ipcp, or a protocol for each resource";
        faults.of(Part::File).refuse("protocol", format!("\"{}\"", scenario.protocol), why, allowed);
    }
}
