//! Overheads as text: of a scenario, or a file of their own.

use super::cache;
use super::values::{inline, list, name_of, pair, time, whole, Fields};
use crate::overheads::{
    path_name, DecisionCosts, Kinds, Measured, OfObject, OfProtocol, OfScheduler, OverheadProfile,
    OverheadsChoice, Value,
};
use crate::quantity::{write_bytes, write_cost};
use crate::words::{QUEUE_HAND_OVER, STATISTICS};
use schedlab_model::{Architecture, Cost, Statistic};
use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Table};

pub(super) fn overheads(choice: &OverheadsChoice) -> Table {
    let mut table = Table::new();
    table.optional("use", choice.name.as_ref());
    table.field("statistic", name_of(STATISTICS, choice.statistic));
    if choice.name.is_none() {
        profile(&choice.profile, &mut table);
    }
    table
}

fn profile(profile: &OverheadProfile, table: &mut Table) {
    table.text("title", &profile.title);
    table.text("machine", &profile.machine);
    table.text("source", &profile.source);
    table.text("notes", &profile.notes);
    table.list("caches", &profile.caches, cache);
    if !profile.all.is_empty() {
        let mut all = Table::new();
        kinds(&profile.all, &mut all);
        table.insert("all", all.into());
    }
    let sections: [(&str, ArrayOfTables); 3] = [
        ("scheduler", profile.schedulers.iter().map(of_scheduler).collect()),
        ("protocol", profile.protocols.iter().map(of_protocol).collect()),
        ("object", profile.objects.iter().map(of_object).collect()),
    ];
    for (name, tables) in sections.into_iter().filter(|(_, tables)| !tables.is_empty()) {
        table.insert(name, tables.into());
    }
    if !profile.unmodelled.is_empty() {
        let mut unmodelled = Table::new();
        for (name, value) in &profile.unmodelled {
            unmodelled.field(name, measured(value));
        }
        table.insert("unmodelled", unmodelled.into());
    }
}

fn of_scheduler(section: &OfScheduler) -> Table {
    let mut table = Table::new();
    table.field("name", &section.name);
    table.list("stands_for", &section.stands_for, |name| name);
    table.optional("decisions", section.decisions.as_ref().map(decisions));
    kinds(&section.kinds, &mut table);
    table
}

fn of_protocol(section: &OfProtocol) -> Table {
    let mut table = Table::new();
    table.field("name", &section.name);
    kinds(&section.kinds, &mut table);
    table
}

fn of_object(section: &OfObject) -> Table {
    let mut table = Table::new();
    table.field("kind", section.kind.name());
    table.field("scheme", section.scheme.name());
    table.field("access", measured(&section.access));
    table
}

fn decisions(known: &DecisionCosts) -> InlineTable {
    let mut table = InlineTable::new();
    table.field("architecture", known.costs.architecture.to_string());
    table.field("lock", known.costs.lock.to_string());
    let unpaid = |name| name == "access" && known.costs.architecture == Architecture::Concurrent;
    for (name, length) in known.parts().into_iter().filter(|(name, _)| !unpaid(*name)) {
        table.field(name, time(length));
    }
    if let Some(own) = known.costs.queue {
        table.field("queue_lock", own.lock.to_string());
        table.field(QUEUE_HAND_OVER, time(own.hand_over));
    }
    table.list("fitted", &known.fitted, |name| *name);
    table.field("source", &known.source);
    table
}

impl OverheadProfile {
    /// The canonical text of an overheads file. Reading it gives an equal profile.
    pub fn to_toml(&self) -> String {
        let mut document = DocumentMut::new();
        document.field("schedlab-overheads", 1);
        profile(self, &mut document);
        document.to_string()
    }
}

fn kinds(kinds: &Kinds, table: &mut Table) {
    for (kind, value) in kinds {
        table.field(kind.name(), measured(value));
    }
}

fn measured(measured: &Measured) -> InlineTable {
    let mut table = InlineTable::new();
    for (name, statistic) in STATISTICS {
        let value = match statistic {
            Statistic::Max | Statistic::Mean => measured.get(*statistic),
            Statistic::Percentile(tenths) => measured.percentiles.get(tenths),
        };
        table.optional(name, value.map(overhead_value));
    }
    table.optional("samples", measured.samples.map(whole));
    if !measured.paths.is_empty() {
        let paths: InlineTable =
            measured.paths.iter().map(|(path, of)| (path_name(*path), self::measured(of))).collect();
        table.field("paths", paths);
    }
    table
}

fn overhead_value(value: &Value) -> toml_edit::Value {
    match value {
        Value::NotApplicable => "not applicable".into(),
        Value::Cost(Cost::Constant(length)) => time(*length),
        Value::Cost(Cost::Linear { base, per_task_ps }) => write_cost(*base, *per_task_ps).into(),
        Value::Cost(Cost::ByWorkingSet(rows)) => {
            let rows = list(rows, |(size, length)| pair(write_bytes(*size), time(*length)));
            inline([("working_set", rows)]).into()
        }
        Value::Cost(Cost::ByTaskCount(rows)) => {
            let rows = list(rows, |(tasks, length)| pair(whole(*tasks), time(*length)));
            inline([("tasks", rows)]).into()
        }
        Value::Cost(Cost::ByReadyJobs(rows)) => {
            let rows = list(rows, |(jobs, length)| pair(whole(*jobs), time(*length)));
            inline([("ready", rows)]).into()
        }
    }
}
