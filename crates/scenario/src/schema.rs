//! JSON Schemas (draft 2020-12) of the files, written from the same tables that the reader uses.

use crate::field::{self, FieldTable};
use crate::quantity;
use schedlab_lock::ALL_PROTOCOLS;
use schedlab_policy::{all_schedulers, kernel_classes, Parametric, Scheduler, PARAMETRIC};
use serde::{Serialize, Serializer};
use serde_json::{json, Value};

/// File that a schema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// The scenario file.
    Scenario,
    /// The overheads file.
    Overheads,
}

/// The tables of a scenario file, without the root and what overheads files have, too.
pub(crate) const SCENARIO_DEFINITIONS: &[&FieldTable] = &[
    &field::SCHEDULER,
    &field::PLACEMENT,
    &field::THROTTLING,
    &field::PLATFORM,
    &field::MEMORY,
    &field::RESOURCE,
    &field::SUPERTASK,
    &field::SERVER,
    &field::TASK,
    &field::PIECE,
    &field::WEIGHT_CHANGE,
    &field::ARRIVAL,
    &field::TASK_COST,
    &field::UTILITY,
    &field::ABORT_HANDLER,
];

/// Schema of a file, with fields in the order in which people read.
#[derive(Serialize)]
struct Document {
    #[serde(rename = "$schema")]
    dialect: &'static str,
    title: &'static str,
    #[serde(flatten)]
    fields: Fields,
    #[serde(rename = "$defs", serialize_with = "in_order")]
    definitions: Vec<(&'static str, Definition)>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Definition {
    Table(Table),
    Either {
        #[serde(rename = "anyOf")]
        these: (Value, Table),
    },
    Value(Value),
}

#[derive(Serialize)]
struct Table {
    description: &'static str,
    #[serde(flatten)]
    fields: Fields,
}

#[derive(Serialize)]
struct Fields {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    required: Vec<&'static str>,
    #[serde(rename = "oneOf", skip_serializing_if = "Vec::is_empty")]
    kinds: Vec<Value>,
    #[serde(rename = "additionalProperties")]
    others: bool,
    #[serde(serialize_with = "in_order")]
    properties: Vec<(&'static str, Property)>,
}

#[derive(Serialize)]
struct Property {
    description: &'static str,
    #[serde(flatten)]
    schema: Value,
}

fn in_order<T: Serialize, S: Serializer>(
    members: &[(&'static str, T)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(members.iter().map(|(name, member)| (name, member)))
}

/// The JSON Schema of a file.
pub fn schema(kind: Schema) -> String {
    let (root, own): (&[&FieldTable], &[&FieldTable]) = match kind {
        Schema::Scenario => (&[&field::SCENARIO], SCENARIO_DEFINITIONS),
        Schema::Overheads => (&[&field::OVERHEADS_FILE, &field::OVERHEADS], &[]),
    };
    let mut definitions: Vec<_> = own.iter().map(|section| definition(&[section])).collect();
    if kind == Schema::Scenario {
        definitions.push(definition(&[&field::OVERHEADS_CHOICE, &field::OVERHEADS]));
    }
    definitions.extend([
        definition(&[&field::KINDS]),
        definition(&[&field::OF_SCHEDULER, &field::KINDS]),
        definition(&[&field::OF_PROTOCOL, &field::KINDS]),
        definition(&[&field::DECISIONS]),
        definition(&[&field::OF_OBJECT]),
        definition(&[&field::BY_TABLE]),
        definition(&[&field::CACHE]),
    ]);
    if kind == Schema::Scenario {
        definitions.extend(values_of_scenarios().map(|(name, value)| (name, Definition::Value(value))));
    }
    let cost = json!({"$ref": "#/$defs/overhead_cost"});
    definitions.push(("overhead", Definition::Either { these: (cost, table(&[&field::OVERHEAD])) }));
    definitions.extend(values().map(|(name, value)| (name, Definition::Value(value))));
    let document = Document {
        dialect: "https://json-schema.org/draft/2020-12/schema",
        title: root[0].about.trim_start(),
        fields: fields(root),
        definitions,
    };
    let text = serde_json::to_string_pretty(&document).expect("a document of texts is JSON");
    format!("{text}\n")
}

/// A decimal number, as a pattern.
const NUMBER: &str = r"[0-9][0-9_]*(\.[0-9][0-9_]*)?";

/// The kinds of values that fields of both files refer to.
fn values() -> [(&'static str, Value); 4] {
    let sizes: Vec<&str> = quantity::size_units().collect();
    let duration = json!({
        "type": "string",
        "pattern": format!("^ *{} *$", duration()),
        "description": "A duration with a unit, such as 2.5 ms; a whole number of nanoseconds, at most a year",
    });
    let bytes = json!({
        "anyOf": [
            {"type": "integer", "minimum": 0},
            {"type": "string", "pattern": format!("^ *{NUMBER} *({})? *$", sizes.join("|"))},
        ],
        "description": "Bytes, such as 64 KiB; at most 1024 GiB",
    });
    let cost = json!({
        "anyOf": [
            {"const": "not applicable"},
            {"$ref": "#/$defs/duration"},
            {"type": "string", "pattern": r"^[^+]*\+[^+]*\* *N *$"},
            {"$ref": "#/$defs/by_table"},
        ],
        "description": "A duration, growth with the number N of tasks (22.96 us + 0.075 us * N), \
                        a table by working set or by tasks, or not applicable",
    });
    [("overhead_cost", cost), ("scheduler_name", scheduler_names()), ("duration", duration), ("bytes", bytes)]
}

/// The kinds of values that only fields of scenarios refer to.
fn values_of_scenarios() -> [(&'static str, Value); 5] {
    let text = |pattern: &str, about| json!({"type": "string", "pattern": format!("^ *({pattern}) *$"), "description": about});
    let fraction = json!({
        "anyOf": [
            {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
            {"type": "string", "pattern": format!("^ *{NUMBER} *$")},
        ],
        "description": "Above 0, at most 1, at most six decimals",
    });
    let step = format!(
        "(execute|suspend) +{}|(request|release) +[^ ]+( +[0-9]+)?|serve +[^ ]+|np_enter|np_exit",
        duration()
    );
    let workload = "compute|writes|reads|backtest( +[0-9]+)?";
    [
        ("protocol_name", protocol_names()),
        ("fraction", fraction),
        ("share", text("auto|[0-9]+( */ *[0-9]+)?", "Such as 3/10, or auto")),
        ("step", text(&step, "Such as execute 2 ms, or request R")),
        ("workload", text(workload, "Such as reads, or backtest 5000000: so many iterations")),
    ]
}

/// A duration, as a pattern.
fn duration() -> String {
    format!("{NUMBER} *({})", quantity::time_units().collect::<Vec<_>>().join("|"))
}

/// The schedulers' names, with their aliases.
fn scheduler_names() -> Value {
    let mut known = all_schedulers();
    known.extend(kernel_classes());
    let names = known.iter().map(|scheduler| scheduler.name.as_str());
    let with_parameter =
        |kind: &Parametric| format!("{} *\\[ *{} *\\]", in_any_case(kind.name), kind.pattern);
    let understood = known.iter().flat_map(Scheduler::names).map(in_any_case);
    proposed(
        names.collect(),
        understood.chain(PARAMETRIC.iter().map(with_parameter)),
        "Such as P-EDF, C-RM, NG-EDF; in any case",
    )
}

/// The locking protocols' names.
fn protocol_names() -> Value {
    let names = || ALL_PROTOCOLS.iter().map(|protocol| protocol.name);
    proposed(names().collect(), names().map(in_any_case), "A locking protocol, in any case")
}

/// Returns names for editors to propose, and a pattern of all that is understood, given by patterns.
fn proposed(names: Vec<&str>, understood: impl Iterator<Item = String>, about: &str) -> Value {
    let patterns: Vec<String> = understood.collect();
    json!({
        "anyOf": [{"enum": names}, {"type": "string", "pattern": format!("^ *({}) *$", patterns.join("|"))}],
        "description": about,
    })
}

/// A pattern that `name` matches, written in any case: the patterns of JSON Schema have no flag for that.
fn in_any_case(name: &str) -> String {
    let either = |letter: char| match letter {
        '+' => r"\+".to_owned(),
        _ if letter.is_ascii_alphabetic() => {
            format!("[{}{}]", letter.to_ascii_uppercase(), letter.to_ascii_lowercase())
        }
        _ => letter.to_string(),
    };
    name.chars().map(either).collect()
}

/// A table as a definition, which has the name and the description of the first of `sections`.
fn definition(sections: &[&FieldTable]) -> (&'static str, Definition) {
    (sections[0].name, Definition::Table(table(sections)))
}

fn table(sections: &[&FieldTable]) -> Table {
    Table { description: sections[0].about.trim_start(), fields: fields(sections) }
}

fn fields(sections: &[&FieldTable]) -> Fields {
    let all = || sections.iter().flat_map(|section| section.fields);
    let property =
        |field: &field::Field| Property { description: field.about.trim_start(), schema: field.shape.json() };
    Fields {
        r#type: "object",
        required: sections.iter().flat_map(|section| section.required).copied().collect(),
        kinds: sections.iter().flat_map(|section| section.kinds).map(kind).collect(),
        others: false,
        properties: all().map(|field| (field.name, property(field))).collect(),
    }
}

/// The schema of one way to fill in a table.
fn kind((needed, besides): &field::Kind) -> Value {
    let all = [*needed, *besides].concat();
    json!({"required": needed, "propertyNames": {"enum": all}})
}
