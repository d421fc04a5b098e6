//! Checks for schedulers that give jobs up: handlers that leave sections, and a protocol whose rules they keep.

use crate::check::objects;
use crate::fault::{Fault, Faults, Part};
use crate::resource::ResourceSpec;
use crate::scenario::{Scenario, TaskSpec};
use schedlab_lock::{protocol_of, GrantOrder, Preemption, Protocol, ALL_PROTOCOLS};
use schedlab_model::{LockingClass, Step};
use schedlab_policy::Scheduler;

/// Lists, in words, the protocols that are allowed where a utility-accrual scheduler would break the rules of others.
pub fn protocols_under_aborts() -> String {
    let named = |is_meant: fn(&&Protocol) -> bool| {
        let names: Vec<String> =
            ALL_PROTOCOLS.iter().filter(is_meant).map(|known| format!("\"{}\"", known.name)).collect();
        names.join(" and ")
    };
    let by_schedule = named(|protocol| protocol.grants == GrantOrder::BySchedule);
    let examples =
        named(|protocol| matches!(protocol.class, LockingClass::TaskFair | LockingClass::FmlpShort));
    format!("{by_schedule} and protocols without preempted holders, such as {examples}")
}

/// True if a scheduler that ignores priorities and gives jobs up breaks the rules of `protocol`, or gives jobs up
/// within attempts on resources of `classes`.
pub fn breaks_under_aborts(protocol: &Protocol, classes: &[LockingClass]) -> bool {
    let is_attempt = |class: &LockingClass| matches!(class, LockingClass::LockFree | LockingClass::WaitFree);
    let is_preempted = match protocol.preemption {
        Preemption::Never | Preemption::NeverOnceHeld => false,
        // No rule is about priorities where the schedule picks who gets a resource.
        Preemption::Any => protocol.grants != GrantOrder::BySchedule,
        Preemption::Inherited | Preemption::Ceiling | Preemption::Boosted => true,
    };
    is_preempted || classes.iter().any(is_attempt)
}

/// Returns what the scenario's own scheduler refuses of its tasks and its protocol, if it gives jobs up.
pub(crate) fn faults(scenario: &Scenario) -> Vec<Fault> {
    let Some(scheduler) = scenario.known_scheduler().filter(Scheduler::accrues_utility) else {
        return Vec::new();
    };
    let mut faults = Faults::default();
    for (index, task) in scenario.tasks.iter().enumerate() {
        sections(index, task, &mut faults);
    }
    let of_objects = objects::faults(scenario, &scheduler);
    if !of_objects.is_empty() {
        return faults.all().into_iter().chain(of_objects).collect();
    }
    // A file without a protocol may be given one when it is run.
    let is_given = |known: &&Protocol| !known.is_none();
    let given = scenario.known_protocol().filter(is_given);
    if let Some(given) = given.filter(|_| scenario.tasks.iter().any(TaskSpec::has_requests)) {
        let class_of = |spec: &ResourceSpec| spec.scheme().map_or(given.class, |own| protocol_of(own).class);
        let classes: Vec<LockingClass> = scenario.resources.iter().map(class_of).collect();
        if breaks_under_aborts(&scenario.composed(given), &classes) {
            let sentence = format!(
                "\"{}\" is not for {}, which heeds no priorities and gives jobs up",
                scenario.protocol_name(),
                scheduler.name
            );
            faults.rule(Part::File, "protocol", sentence, protocols_under_aborts());
        }
    }
    faults.all()
}

/// Checks that a job that is given up within a section leaves it.
fn sections(index: usize, task: &TaskSpec, faults: &mut Faults) {
    let is_section = |step: &Step| matches!(step, Step::Request(..) | Step::NpEnter);
    let first = task.program.iter().position(is_section).filter(|_| task.abort_handler.is_none());
    if let Some(step) = first {
        let sentence = format!(
            "task \"{}\" has critical or non-preemptive sections, within which the scheduler gives jobs up",
            task.name
        );
        let allowed = "no sections, or an abort_handler such as abort_handler = {}";
        faults.rule(Part::Step(index, step), "program", sentence, allowed);
    }
}
