//! Surroundings of the tasks in SimSo's files: which attributes and elements SimSo reads, and which of them cost time.

use super::xml::Reader;
use crate::loss::LossKind;
use roxmltree::Node;
use std::collections::BTreeSet;

/// Attributes and children that SimSo reads of each element, by the element's name. Further attributes of tasks and
/// processors are declared by a `field`.
const KNOWN: [(&str, &[&str], &[&str]); 9] = [
    (
        "simulation",
        &["duration", "cycles_per_ms", "etm", "use_wcet", "penalty_preemption", "penalty_migration"],
        &["sched", "caches", "processors", "tasks"],
    ),
    ("sched", &["class", "className", "overhead", "overhead_activate", "overhead_terminate"], &["field"]),
    ("caches", &["memory_access_time"], &["cache"]),
    ("cache", &["name", "id", "policy", "type", "size", "access_time", "associativity", "ref"], &[]),
    ("processors", &["migration_overhead"], &["field", "processor"]),
    ("processor", &["name", "id", "cl_overhead", "cs_overhead", "speed"], &["cache"]),
    ("tasks", &[], &["field", "task"]),
    (
        "task",
        &[
            "name",
            "id",
            "task_type",
            "periodic",
            "abort_on_miss",
            "period",
            "activationDate",
            "deadline",
            "WCET",
            "ACET",
            "et_stddev",
            "list_activation_dates",
            "base_cpi",
            "instructions",
            "mix",
            "stack",
            "followed_by",
            "preemption_cost",
        ],
        &[],
    ),
    ("field", &["name", "type", "value"], &[]),
];

/// Notes the surroundings of the tasks, and the unknown parts of any element.
pub(super) fn surroundings(reader: &mut Reader<'_>, root: Node<'_, '_>) {
    execution_times(reader, root);
    let (_, model) = model_of(root);
    let fields: BTreeSet<&str> = root
        .descendants()
        .filter(|node| {
            node.has_tag_name("field")
                && !node.parent_element().is_some_and(|parent| parent.has_tag_name("sched"))
        })
        .filter_map(|node| node.attribute("name"))
        .collect();
    for node in root.descendants().filter(Node::is_element) {
        let name = node.tag_name().name();
        let what = match node.attribute("name") {
            Some(own) => format!("{name} {own}"),
            None => name.to_owned(),
        };
        let known = KNOWN.iter().find(|(known, ..)| *known == name);
        if let Some((_, attributes, elements)) = known {
            let attributes: Vec<&str> = attributes.iter().chain(&fields).copied().collect();
            reader.note_unknown(node, &what, &attributes, elements);
        }
        // A scheduler that exists here reads no data; another one is lost itself.
        match name {
            "cache" if node.attribute("name").is_some() => {
                reader.losses.harmless(LossKind::Caches, reader.place(node), what.clone());
            }
            "field" => {
                let lost = format!("{what}, data for a scheduler");
                reader.losses.harmless(LossKind::Settings, reader.place(node), lost);
            }
            _ => {}
        }
        // An attribute that is not of this element is unknown, whatever it is called.
        let of_element = |called: &str| known.is_some_and(|(_, attributes, _)| attributes.contains(&called));
        for attribute in node.attributes().filter(|attribute| of_element(attribute.name())) {
            let (called, value) = (attribute.name(), attribute.value());
            let place = reader.place_of(node, called);
            let lost = format!("{called} {value} of {what}");
            match costs_time(called, value, model) {
                Some(Cost::Charged(kind)) => reader.losses.flatters(kind, place, lost),
                Some(Cost::Unread) => {
                    let lost = format!("{lost}, which SimSo does not charge under etm {model}");
                    reader.losses.harmless(LossKind::Overheads, place, lost);
                }
                None => {}
            }
        }
    }
}

/// Returns SimSo's model of execution times, and the attribute that names it.
fn model_of<'a>(root: Node<'a, '_>) -> (Option<&'static str>, &'a str) {
    let without_wcet = root.attribute("use_wcet").is_some_and(|value| !matches!(value, "true" | "yes"));
    match root.attribute("etm") {
        Some(model) => (Some("etm"), model),
        None if without_wcet => (Some("use_wcet"), "cache"),
        None => (None, "wcet"),
    }
}

/// Notes a model of execution times other than that of the WCET.
fn execution_times(reader: &mut Reader<'_>, root: Node<'_, '_>) {
    let (Some(attribute), model) = model_of(root) else { return };
    let place = reader.place_of(root, attribute);
    let lost = format!("execution-time model {model}");
    match model {
        "wcet" => {}
        // Jobs execute less than their WCET.
        "acet" => reader.losses.harmless(
            LossKind::ExecutionTimes,
            place,
            format!("{lost}: jobs execute their WCET"),
        ),
        _ => reader.losses.flatters(LossKind::ExecutionTimes, place, lost),
    }
}

/// Effect of an overhead or a speed in SimSo.
enum Cost {
    /// The attribute changes a simulation.
    Charged(LossKind),
    /// SimSo reads the attribute only under other models of execution times, or never.
    Unread,
}

/// Returns the effect of the attribute `name` under this `model` of execution times. Penalties are those of the model
/// `fixedpenalty`, and a task's cost of preemptions is that of `cache`; SimSo writes a default of 100000 for the
/// former. SimSo stores the overhead of migrations, and never uses it. As in `simso/core/etm`.
fn costs_time(name: &str, value: &str, model: &str) -> Option<Cost> {
    let is = |number: f64| value.trim().parse::<f64>() == Ok(number);
    let charged = match name {
        "speed" => return (!is(1.0)).then_some(Cost::Charged(LossKind::Speed)),
        "overhead" | "overhead_activate" | "overhead_terminate" | "cl_overhead" | "cs_overhead" => true,
        // A model that SimSo does not have is no known reason to leave them out.
        "penalty_preemption" | "penalty_migration" => !matches!(model, "wcet" | "acet" | "cache"),
        "preemption_cost" => !matches!(model, "wcet" | "acet" | "fixedpenalty"),
        "migration_overhead" => false,
        _ => return None,
    };
    let cost = if charged { Cost::Charged(LossKind::Overheads) } else { Cost::Unread };
    (!is(0.0)).then_some(cost)
}
