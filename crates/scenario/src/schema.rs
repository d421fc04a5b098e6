//! JSON Schemas (draft 2020-12) of the files, written from the same tables that the reader uses.

use crate::field::{self, Section};
use crate::write::quoted;
use schedlab_lock::ALL_PROTOCOLS;
use schedlab_policy::{all_schedulers, Scheduler};

/// Which file a schema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// The scenario file.
    Scenario,
    /// The overheads file.
    Overheads,
}

const SCENARIO_DEFINITIONS: &[&Section] = &[
    &field::SCHEDULER,
    &field::PLACEMENT,
    &field::PLATFORM,
    &field::RESOURCE,
    &field::SUPERTASK,
    &field::TASK,
    &field::WEIGHTS,
    &field::ARRIVAL,
    &field::TASK_COST,
];

const DURATION: &str = r#"{"type": "string", "pattern": "^ *[0-9][0-9_]*(\\.[0-9][0-9_]*)? *(h|min|s|ms|us|µs|μs|ns|ps) *$", "description": "A duration with a unit, such as 2.5 ms; a whole number of nanoseconds, at most a year"}"#;
const BYTES: &str = r#"{"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^ *[0-9][0-9_]*(\\.[0-9][0-9_]*)? *(B|kB|KB|KiB|MB|MiB|GB|GiB)? *$"}], "description": "Bytes, such as 64 KiB; at most 1024 GiB"}"#;
const FRACTION: &str = r#"{"anyOf": [{"type": "number", "exclusiveMinimum": 0, "maximum": 1}, {"type": "string"}], "description": "Above 0, at most 1, at most six decimals"}"#;
const OVERHEAD_COST: &str = r##"{"anyOf": [{"const": "not applicable"}, {"$ref": "#/$defs/duration"}, {"type": "string", "pattern": "^[^+]*\\+[^+]*\\* *N *$"}, {"$ref": "#/$defs/by_table"}], "description": "A duration, growth with the number N of tasks such as 22.96 us + 0.075 us * N, a table over working-set size or number of tasks, or not applicable"}"##;

/// The JSON Schema of a file.
pub fn schema(kind: Schema) -> String {
    let (root, own): (&[&Section], &[&Section]) = match kind {
        Schema::Scenario => (&[&field::SCENARIO], SCENARIO_DEFINITIONS),
        Schema::Overheads => (&[&field::OVERHEADS_FILE, &field::OVERHEADS], &[]),
    };
    let mut definitions: Vec<(String, String)> = own.iter().map(|section| definition(&[section])).collect();
    if kind == Schema::Scenario {
        definitions.push(definition(&[&field::OVERHEADS_CHOICE, &field::OVERHEADS]));
    }
    definitions.extend([
        definition(&[&field::KINDS]),
        definition(&[&field::OF_SCHEDULER, &field::KINDS]),
        definition(&[&field::OF_PROTOCOL, &field::KINDS]),
        definition(&[&field::BY_TABLE]),
    ]);
    let (_, table) = definition(&[&field::OVERHEAD]);
    let overhead = format!("{{\"anyOf\": [{{\"$ref\": \"#/$defs/overhead_cost\"}}, {table}]}}");
    let protocols: Vec<String> = ALL_PROTOCOLS.iter().map(|protocol| quoted(protocol.name)).collect();
    let protocols = format!(
        "{{\"enum\": [{}], \"description\": \"A locking protocol, in any case\"}}",
        protocols.join(", ")
    );
    let schedulers = scheduler_names();
    if kind == Schema::Scenario {
        definitions.push(("protocol_name".to_owned(), protocols));
    }
    let shared = [
        ("overhead", overhead.as_str()),
        ("overhead_cost", OVERHEAD_COST),
        ("scheduler_name", schedulers.as_str()),
        ("duration", DURATION),
        ("bytes", BYTES),
        ("fraction", FRACTION),
    ];
    definitions.extend(shared.map(|(name, text)| (name.to_owned(), text.to_owned())));
    let definitions: Vec<String> =
        definitions.iter().map(|(name, text)| format!("    \"{name}\": {text}")).collect();
    format!(
        "{{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"title\": {},\n  {},\n  \"$defs\": {{\n{}\n  }}\n}}\n",
        quoted(root[0].about),
        members(root, "  "),
        definitions.join(",\n")
    )
}

/// The schedulers' names, for editors to propose, and all that is understood besides: aliases, and any case.
fn scheduler_names() -> String {
    let known = all_schedulers();
    let names: Vec<String> = known.iter().map(|scheduler| quoted(&scheduler.name)).collect();
    let patterns: Vec<String> = known.iter().flat_map(Scheduler::names).map(in_any_case).collect();
    format!(
        "{{\"anyOf\": [{{\"enum\": [{}]}}, {{\"type\": \"string\", \"pattern\": \"^ *({}) *$\"}}], \"description\": \"Such as P-EDF, C-RM, NG-EDF; in any case\"}}",
        names.join(", "),
        patterns.join("|")
    )
}

/// A pattern that `name` matches, written in any case: the patterns of JSON Schema have no flag for that.
fn in_any_case(name: &str) -> String {
    let either = |letter: char| match letter.is_ascii_alphabetic() {
        true => format!("[{}{}]", letter.to_ascii_uppercase(), letter.to_ascii_lowercase()),
        false => letter.to_string(),
    };
    name.chars().map(either).collect()
}

/// A table as a definition: its name and its schema.
fn definition(sections: &[&Section]) -> (String, String) {
    let about = quoted(sections[0].about);
    let text = format!("{{\n      \"description\": {about},\n      {}\n    }}", members(sections, "      "));
    (sections[0].name.to_owned(), text)
}

fn members(sections: &[&Section], indent: &str) -> String {
    let fields = || sections.iter().flat_map(|section| section.fields);
    let properties: Vec<String> = fields()
        .map(|f| format!("{indent}  \"{}\": {{\"description\": {}, {}}}", f.name, quoted(f.about), f.schema))
        .collect();
    let required: Vec<String> = fields().filter(|f| f.required).map(|f| format!("\"{}\"", f.name)).collect();
    let required = match required.len() {
        0 => String::new(),
        _ => format!("\n{indent}\"required\": [{}],", required.join(", ")),
    };
    format!(
        "\"type\": \"object\",{required}\n{indent}\"additionalProperties\": false,\n{indent}\"properties\": {{\n{}\n{indent}}}",
        properties.join(",\n")
    )
}
