//! Overheads as text: of a scenario, or a file of their own.

use super::{caches, list, name_of, quoted, time, Lines};
use crate::overheads::{
    path_name, DecisionCosts, Kinds, Measured, OverheadProfile, OverheadsChoice, Value, STATISTICS,
};
use crate::quantity::{write_bytes, write_cost};
use schedlab_model::{Architecture, Cost, Duration, MigrationPath, Statistic};

pub(super) fn overheads(choice: &OverheadsChoice, lines: &mut Lines) {
    lines.section("[overheads]");
    if let Some(name) = &choice.name {
        lines.field("use", quoted(name));
    }
    lines.field("statistic", name_of(STATISTICS, choice.statistic));
    if choice.name.is_none() {
        profile(&choice.profile, "overheads.", lines);
    }
}

/// Writes a profile whose tables are called `prefix` and their name.
fn profile(profile: &OverheadProfile, prefix: &str, lines: &mut Lines) {
    lines.text("title", &profile.title);
    lines.text("machine", &profile.machine);
    lines.text("source", &profile.source);
    lines.text("notes", &profile.notes);
    if !profile.caches.is_empty() {
        lines.field("caches", caches(&profile.caches));
    }
    if !profile.all.is_empty() {
        lines.section(&format!("[{prefix}all]"));
        kinds(&profile.all, lines);
    }
    for section in &profile.schedulers {
        lines.section(&format!("[[{prefix}scheduler]]"));
        lines.field("name", quoted(&section.name));
        if !section.stands_for.is_empty() {
            lines.field("stands_for", list(&section.stands_for, |name| quoted(name)));
        }
        if let Some(known) = &section.decisions {
            lines.field("decisions", decisions(known));
        }
        kinds(&section.kinds, lines);
    }
    for section in &profile.protocols {
        lines.section(&format!("[[{prefix}protocol]]"));
        lines.field("name", quoted(&section.name));
        kinds(&section.kinds, lines);
    }
    for section in &profile.objects {
        lines.section(&format!("[[{prefix}object]]"));
        lines.field("kind", quoted(section.kind.name()));
        lines.field("scheme", quoted(section.scheme.name()));
        lines.field("access", measured(&section.access));
    }
    if !profile.unmodelled.is_empty() {
        lines.section(&format!("[{prefix}unmodelled]"));
        for (name, value) in &profile.unmodelled {
            lines.field(&quoted(name), measured(value));
        }
    }
}

fn decisions(known: &DecisionCosts) -> String {
    let mut parts = vec![
        format!("architecture = {}", quoted(&known.costs.architecture.to_string())),
        format!("lock = {}", quoted(&known.costs.lock.to_string())),
    ];
    let unpaid = |name| name == "access" && known.costs.architecture == Architecture::Concurrent;
    let paid = known.parts().into_iter().filter(|(name, _)| !unpaid(*name));
    parts.extend(paid.map(|(name, length)| format!("{name} = {}", time(length))));
    if !known.fitted.is_empty() {
        parts.push(format!("fitted = {}", list(&known.fitted, |name| quoted(name))));
    }
    parts.push(format!("source = {}", quoted(&known.source)));
    format!("{{ {} }}", parts.join(", "))
}

impl OverheadProfile {
    /// The canonical text of an overheads file. Reading it gives an equal profile.
    pub fn to_toml(&self) -> String {
        let mut lines = Lines::default();
        lines.field("schedlab-overheads", 1);
        profile(self, "", &mut lines);
        lines.0
    }
}

fn kinds(kinds: &Kinds, lines: &mut Lines) {
    for (kind, value) in kinds {
        lines.field(kind.name(), measured(value));
    }
}

fn measured(measured: &Measured) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (name, statistic) in STATISTICS {
        let value = match statistic {
            Statistic::Max | Statistic::Mean => measured.get(*statistic),
            Statistic::Percentile(tenths) => measured.percentiles.get(tenths),
        };
        parts.extend(value.map(|value| format!("{name} = {}", overhead_value(value))));
    }
    if let Some(samples) = measured.samples {
        parts.push(format!("samples = {samples}"));
    }
    if !measured.paths.is_empty() {
        let path = |(path, of): (&MigrationPath, &Measured)| {
            format!("{} = {}", path_name(*path), self::measured(of))
        };
        let paths: Vec<String> = measured.paths.iter().map(path).collect();
        parts.push(format!("paths = {{ {} }}", paths.join(", ")));
    }
    format!("{{ {} }}", parts.join(", "))
}

fn overhead_value(value: &Value) -> String {
    match value {
        Value::NotApplicable => "\"not applicable\"".to_owned(),
        Value::Cost(Cost::Constant(length)) => time(*length),
        Value::Cost(Cost::Linear { base, per_task_ps }) => quoted(&write_cost(*base, *per_task_ps)),
        Value::Cost(Cost::ByWorkingSet(rows)) => {
            let row = |(size, length): &(u64, Duration)| {
                format!("[{}, {}]", quoted(&write_bytes(*size)), time(*length))
            };
            format!("{{ working_set = {} }}", list(rows, row))
        }
        Value::Cost(Cost::ByTaskCount(rows)) => {
            let row = |(tasks, length): &(u64, Duration)| format!("[{tasks}, {}]", time(*length));
            format!("{{ tasks = {} }}", list(rows, row))
        }
    }
}
