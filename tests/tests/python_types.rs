//! Python's types of results are those that the Rust structs say.
//!
//! `make renew` writes them anew.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

const RENEW: &str = "`make renew` writes it anew.";

/// Types that hold all fields of another: `serde` flattens it into them.
const EXTENDED: [(&str, &str); 6] = [
    ("Account", "Accounted"),
    ("Findings", "Accounted"),
    ("MetricsDict", "Totals"),
    ("TaskMetricsDict", "OfTask"),
    ("ObservedTask", "OfTask"),
    ("ComparedTask", "ObservedTask"),
];

/// A file of types: its name, what it is about, and the results that it begins with.
struct Module {
    name: &'static str,
    about: &'static str,
    roots: Vec<String>,
}

/// The name of a result's type in Python.
fn root<T: JsonSchema>(generator: &mut SchemaGenerator) -> String {
    generator.subschema_for::<T>();
    T::schema_name().into_owned()
}

fn modules(generator: &mut SchemaGenerator) -> Vec<Module> {
    use schedlab_lab::results as lab;
    use schedlab_report::{invariants, measured, schedule, why};
    let of_lab = vec![
        root::<lab::AnalysisResult>(generator),
        root::<lab::ConclusionResult>(generator),
        root::<lab::Advice>(generator),
        root::<lab::PlacementResult>(generator),
        root::<lab::DeployedProof>(generator),
        root::<lab::FeasibilityResult>(generator),
        root::<lab::SupertaskResult>(generator),
        root::<lab::ExploredJobs>(generator),
        root::<lab::TaskRow>(generator),
        root::<invariants::CheckedResult>(generator),
    ];
    let of_runs = vec![
        root::<schedlab_account::Accounted>(generator),
        root::<schedlab_account::AccountResult>(generator),
        root::<schedlab_account::LostResult>(generator),
        root::<schedlab_runtime::program::results::RunFindings>(generator),
        root::<schedlab_measure::Doctor>(generator),
    ];
    let of_schedules = vec![
        root::<measured::Totals>(generator),
        root::<measured::OfTask>(generator),
        root::<measured::MetricsResult>(generator),
        root::<lab::MeasuredResult>(generator),
        root::<schedlab_batch::SimulationRow>(generator),
        root::<why::WhyResult>(generator),
        root::<schedule::TraceDifference>(generator),
        root::<schedule::Drawing>(generator),
    ];
    let of_memory = vec![root::<lab::MemoryUseResult>(generator), root::<lab::BusSeen>(generator)];
    let of_comparisons = vec![
        root::<lab::ComparedScenarioResult>(generator),
        root::<schedlab_report::compared::ComparedResult>(generator),
        root::<schedlab_report::compared::ObservedResult>(generator),
        root::<schedlab_account::OverBound>(generator),
        root::<lab::BesideCharged>(generator),
    ];
    let module = |name, about, roots| Module { name, about, roots };
    vec![
        module("results", "What was proved, placed or explored", of_lab),
        module("runs", "What real runs found, and what this machine can run", of_runs),
        module("schedules", "What jobs experienced, simulated or real", of_schedules),
        module("memory", "What waiting for memory is", of_memory),
        module("compared", "What stands beside each other in a comparison", of_comparisons),
    ]
}

/// All types by name, and in which file those stand that have been written.
struct Types {
    all: Map<String, Value>,
    written: BTreeMap<String, &'static str>,
}

/// A file as it comes to exist.
struct Written {
    module: &'static str,
    text: String,
    /// By file: the types of it that are used here.
    imported: BTreeMap<&'static str, Vec<String>>,
}

impl Types {
    /// Writes the type `name` into `out`, those that it is made of before it.
    fn write(&mut self, name: &str, out: &mut Written) {
        match self.written.get(name) {
            Some(module) if *module == out.module => return,
            Some(module) => {
                let imported = out.imported.entry(module).or_default();
                if !imported.iter().any(|known| known == name) {
                    imported.push(name.to_owned());
                }
                return;
            }
            None => {}
        }
        self.written.insert(name.to_owned(), out.module);
        let schema = self.all[name].clone();
        let Some(mut fields) = schema.get("properties").and_then(Value::as_object).cloned() else {
            let hint = self.hint(&schema, out);
            let _ = write!(out.text, "\n{name} = {hint}\n");
            return;
        };
        let base = EXTENDED.iter().find(|(extended, _)| *extended == name).map(|(_, base)| *base);
        if let Some(base) = base {
            self.write(base, out);
            for (field, said) in self.all[base]["properties"].as_object().expect("a base has fields") {
                assert_eq!(fields.remove(field).as_ref(), Some(said), "{name} is no {base}: {field}");
            }
        }
        let required: Vec<&str> = schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .filter(|field| fields.contains_key(*field))
            .collect();
        let optional = fields.keys().map(String::as_str).filter(|field| !required.contains(field));
        let mut body = String::new();
        for field in required.iter().copied().chain(optional) {
            for line in wrapped(description(&fields[field]), 112) {
                let _ = writeln!(body, "    #: {line}");
            }
            let hint = self.hint(&fields[field], out);
            match required.contains(&field) {
                true => writeln!(body, "    {field}: {hint}"),
                // What may be missing is never null.
                false => writeln!(body, "    {field}: NotRequired[{}]", hint.trim_end_matches(" | None")),
            }
            .expect("a text takes what it is given");
        }
        let doc = wrapped(description(&schema), 110).join("\n    ");
        assert!(!doc.is_empty(), "{name} says nothing of itself");
        let base = base.unwrap_or("TypedDict");
        let _ = write!(out.text, "\n\nclass {name}({base}):\n    \"\"\"{doc}\"\"\"\n\n{body}");
    }

    /// The type of a value.
    fn hint(&mut self, schema: &Value, out: &mut Written) -> String {
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.rsplit('/').next().expect("a reference ends with a name").to_owned();
            self.write(&name, out);
            return name;
        }
        let cases = schema.get("anyOf").or(schema.get("oneOf")).and_then(Value::as_array);
        if let Some(cases) = cases {
            let names: Option<Vec<&Value>> = cases.iter().map(|case| case.get("const")).collect();
            return match names {
                Some(names) => literal(names.into_iter()),
                None => cases.iter().map(|case| self.hint(case, out)).collect::<Vec<_>>().join(" | "),
            };
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            return literal(values.iter());
        }
        match &schema["type"] {
            Value::Array(kinds) => {
                let each: Vec<String> = kinds.iter().map(|kind| self.of_kind(kind, schema, out)).collect();
                each.join(" | ")
            }
            kind => self.of_kind(kind, schema, out),
        }
    }

    fn of_kind(&mut self, kind: &Value, schema: &Value, out: &mut Written) -> String {
        match kind.as_str().unwrap_or_default() {
            "null" => "None".into(),
            "boolean" => "bool".into(),
            "integer" => "int".into(),
            "number" => "float".into(),
            "string" => "str".into(),
            "object" => format!("dict[str, {}]", self.hint(&schema["additionalProperties"], out)),
            "array" => match schema.get("prefixItems").and_then(Value::as_array) {
                None => format!("list[{}]", self.hint(&schema["items"], out)),
                Some(cells) => {
                    let cells: Vec<String> = cells.iter().map(|cell| self.hint(cell, out)).collect();
                    let all =
                        if cells.iter().all(|cell| *cell == cells[0]) { cells[0].as_str() } else { "Any" };
                    format!("Annotated[list[{all}], Cells({})]", cells.join(", "))
                }
            },
            other => panic!("no type in Python for \"{other}\": {schema}"),
        }
    }
}

fn description(schema: &Value) -> &str {
    schema["description"].as_str().unwrap_or_default()
}

fn literal<'a>(values: impl Iterator<Item = &'a Value>) -> String {
    format!("Literal[{}]", values.map(Value::to_string).collect::<Vec<_>>().join(", "))
}

/// The words of `text` in lines of at most so many letters.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= most => *line = format!("{line} {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The whole file.
fn file(module: &Module, types: &mut Types) -> String {
    let mut out = Written { module: module.name, text: String::new(), imported: BTreeMap::new() };
    for root in &module.roots {
        types.write(root, &mut out);
    }
    let used = ["Annotated", "Any", "Literal", "NotRequired", "TypedDict"];
    let used: Vec<&str> = used
        .into_iter()
        .filter(|name| {
            out.text.contains(&format!("{name}["))
                || out.text.contains(&format!("[{name}]"))
                || out.text.contains(&format!("({name})"))
        })
        .collect();
    let mut text = format!(
        "\"\"\"{}: types of plain values, generated from structs of Rust.\n\n{RENEW}\n\"\"\"\n\n\
         # Not `from __future__ import annotations`: under it, Python 3.11 does not see `NotRequired`.\n\n\
         from typing import {}\n",
        module.about,
        used.join(", ")
    );
    let mut imports: Vec<String> = out
        .imported
        .iter_mut()
        .map(|(from, names)| {
            names.sort();
            format!("from schedlab.outputs.{from} import {}\n", names.join(", "))
        })
        .collect();
    if out.text.contains("Cells(") {
        imports.push("from schedlab.outputs.shapes import Cells\n".into());
    }
    imports.sort();
    if !imports.is_empty() {
        let _ = write!(text, "\n{}", imports.concat());
    }
    text + &out.text
}

#[test]
fn python_knows_the_types_of_results() {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let modules = modules(&mut generator);
    let all = generator.take_definitions(true);
    let twice: Vec<&String> = all.keys().filter(|name| name.ends_with('2')).collect();
    assert!(twice.is_empty(), "one name, one type: {twice:?}");
    let mut types = Types { all, written: BTreeMap::new() };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../python/schedlab/outputs");
    for module in modules {
        let path = folder.join(module.name).with_extension("py");
        let text = file(&module, &mut types);
        if std::env::var_os("RENEW").is_some() {
            std::fs::write(&path, &text).expect("a file that can be written");
        }
        let known = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(known == text, "{} is not current: {RENEW}", path.display());
    }
}
