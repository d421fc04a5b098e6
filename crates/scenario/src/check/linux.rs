//! Checks whether stock Linux has what a scenario asks for: its scheduler, its protocols, and what its tasks do.

use crate::convert::mutex_of;
use crate::fault::{Fault, Faults, Part};
use crate::scenario::{Scenario, TaskSpec};
use schedlab_lock::{OnLinux, Protocol, ALL_PROTOCOLS};
use schedlab_model::{MutexProtocol, OrderClass, Overrun, Step};
use schedlab_policy::{kernel_classes, KernelClass, Scheduler, Scope};

/// Returns what stock Linux lacks of `scenario`, which is under `scheduler` and `protocol`, with what it has instead.
pub(crate) fn faults(scenario: &Scenario, scheduler: &Scheduler, protocol: &Protocol) -> Vec<Fault> {
    let mut faults = Faults::default();
    let class = scheduler.kernel_class();
    if class.is_none() {
        let value = format!("\"{}\"", scheduler.name);
        let why = "is no scheduler of stock Linux";
        faults.of(Part::Scheduler).refuse("name", value, why, instead(scheduler));
    }
    // Under fixed priorities and deadlines alike, what mutexes there are is the same question.
    mutexes(scenario, class.unwrap_or(KernelClass::Fifo), protocol, &mut faults);
    for (index, task) in scenario.tasks.iter().enumerate() {
        if let Some(step) = task.program.iter().position(|step| *step == Step::NpEnter) {
            let why = "begins a section without preemption, which threads of stock Linux have not";
            faults.of(Part::Step(index, step)).refuse(
                "program",
                "np_enter",
                why,
                "a mutex with protocol \"protect\"",
            );
        }
    }
    if scenario.overruns != Overrun::Ignore {
        let why = "cuts jobs off, which stock Linux does not";
        faults.of(Part::File).refuse("overruns", "it", why, "\"ignore\"");
    }
    faults.all()
}

/// Checks the protocols of the resources that tasks request, and that each is one mutex.
fn mutexes(scenario: &Scenario, class: KernelClass, protocol: &Protocol, faults: &mut Faults) {
    let is_used = |index: usize| scenario.tasks.iter().any(|task| task.requests(index));
    for (index, spec) in scenario.resources.iter().enumerate().filter(|(index, _)| is_used(*index)) {
        if spec.units > 1 {
            faults.of(Part::Resource(index)).refuse("units", spec.units, "is not for a mutex of Linux", "1");
        }
    }
    let has_mutex = |task: &TaskSpec| {
        let asked = task.program.iter().filter_map(Step::requested);
        asked.into_iter().any(|id| {
            let spec = &scenario.resources[id.index()];
            spec.object.is_none() && spec.protocol.is_none()
        })
    };
    if !scenario.tasks.iter().any(has_mutex) {
        return;
    }
    let is_linux = match (mutex_of(protocol), class) {
        (Some(_), KernelClass::Fifo) | (Some(MutexProtocol::Inherit), KernelClass::Deadline) => true,
        (Some(MutexProtocol::None | MutexProtocol::Protect), KernelClass::Deadline) => false,
        // Operations that are retried are the program's own affair.
        (None, _) => protocol.on_linux == OnLinux::InProgram,
    };
    if !is_linux {
        let has = |wanted: OnLinux| {
            let known = ALL_PROTOCOLS.iter().find(|known| known.on_linux == wanted);
            known.map_or_else(String::new, |known| format!("\"{}\"", known.name))
        };
        let inherits = format!("{} (PTHREAD_PRIO_INHERIT)", has(OnLinux::Inherit));
        let allowed = match class {
            KernelClass::Fifo => {
                format!("\"none\", {inherits}, {} (PTHREAD_PRIO_PROTECT)", has(OnLinux::Protect))
            }
            KernelClass::Deadline => inherits,
        };
        let why = "is no protocol of mutexes of stock Linux there";
        faults.of(Part::File).refuse("protocol", format!("\"{}\"", protocol.name), why, allowed);
    }
}

/// Says which class of Linux comes closest to `scheduler`, and which there are.
fn instead(scheduler: &Scheduler) -> String {
    let class = match (scheduler.class(), scheduler.is_preemptive()) {
        (OrderClass::Fixed(_), true) => Some(KernelClass::Fifo),
        (OrderClass::Deadline, true) => Some(KernelClass::Deadline),
        (
            OrderClass::Fixed(_)
            | OrderClass::FixedOpenTies(_)
            | OrderClass::Deadline
            | OrderClass::AfterArrival(_)
            | OrderClass::Pfair { .. }
            | OrderClass::Theorem(_)
            | OrderClass::Unanalysed,
            _,
        ) => None,
    };
    let all = kernel_classes();
    let scope = if scheduler.scope == Scope::Partitioned { Scope::Partitioned } else { Scope::Global };
    let closest = all.iter().find(|one| one.kernel_class() == class && class.is_some() && one.scope == scope);
    let names = all.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(", ");
    let finds = "`schedlab advise --for linux` finds settings";
    match closest {
        Some(one) => format!("{}, which comes closest, of {names}; {finds}", one.name),
        None => format!("{names}; {finds}"),
    }
}
