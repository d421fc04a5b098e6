//! The schema of results, from which Python's types of them are generated, is the one that the Rust structs give.
//!
//! `make renew` writes it anew, and then has datamodel-code-generator write `python/schedlab/outputs/results.py`.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::{json, Map, Value};
use std::path::Path;

/// A reference to the schema of a result, which is added to the definitions of the generator.
fn root<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.subschema_for::<T>().to_value()
}

/// References to the schemas of all results that Rust hands to Python, or prints as JSON.
fn roots(generator: &mut SchemaGenerator) -> Vec<Value> {
    use schedlab_lab::results as lab;
    use schedlab_report::{invariants, measured, schedule, why};
    vec![
        root::<lab::AnalysisResult>(generator),
        root::<lab::ConclusionResult>(generator),
        root::<lab::Advice>(generator),
        root::<lab::LinuxAdvice>(generator),
        root::<lab::PlacementResult>(generator),
        root::<lab::DeployedProof>(generator),
        root::<lab::FeasibilityResult>(generator),
        root::<lab::LeastServers>(generator),
        root::<lab::SupertaskResult>(generator),
        root::<lab::ExploredJobs>(generator),
        root::<lab::TaskRow>(generator),
        root::<invariants::CheckedResult>(generator),
        root::<schedlab_account::Accounted>(generator),
        root::<schedlab_account::AccountResult>(generator),
        root::<schedlab_account::LostResult>(generator),
        root::<schedlab_runtime::program::results::RunFindings>(generator),
        root::<schedlab_measure::Doctor>(generator),
        root::<schedlab_tracepoints::RecordingResult>(generator),
        root::<measured::Totals>(generator),
        root::<measured::OfTask>(generator),
        root::<measured::MetricsResult>(generator),
        root::<lab::MeasuredResult>(generator),
        root::<schedlab_batch::SimulationRow>(generator),
        root::<why::WhyResult>(generator),
        root::<schedule::TraceDifference>(generator),
        root::<schedule::Drawing>(generator),
        root::<lab::MemoryUseResult>(generator),
        root::<lab::BusSeen>(generator),
        root::<lab::ComparedScenarioResult>(generator),
        root::<schedlab_report::compared::ComparedResult>(generator),
        root::<schedlab_report::compared::ObservedResult>(generator),
        root::<schedlab_account::OverBound>(generator),
        root::<lab::BesideCharged>(generator),
    ]
}

/// Readers ignore fields that they do not know, because later versions may add some: only maps by name keep a statement
/// about additional properties. A field that may be missing is never null.
fn as_read(definition: &mut Value) {
    let Some(fields) = definition.get_mut("properties").and_then(Value::as_object_mut) else { return };
    let optional = fields.clone();
    let required: Vec<String> = definition["required"].as_array().into_iter().flatten().map(text).collect();
    for name in optional.keys().filter(|name| !required.contains(name)) {
        never_null(&mut definition["properties"][name]);
    }
    definition["properties"].as_object_mut().into_iter().flatten().for_each(|(_, field)| apart(field));
    definition.as_object_mut().expect("a definition is an object").remove("additionalProperties");
}

fn text(value: &Value) -> String {
    value.as_str().expect("names are texts").to_owned()
}

/// Takes null out of the kinds of value that `schema` allows.
fn never_null(schema: &mut Value) {
    if let Some(kinds) = schema.get_mut("type").filter(|kinds| kinds.is_array()) {
        let left: Vec<&Value> =
            kinds.as_array().into_iter().flatten().filter(|kind| *kind != "null").collect();
        let [one] = left.as_slice() else { panic!("{left:?} is no single kind") };
        *kinds = (*one).clone();
    }
    if let Some(cases) = schema.get_mut("anyOf").and_then(Value::as_array_mut) {
        cases.retain(|case| case["type"] != "null");
    }
}

/// States a map that may be null as one of two cases: the generator of Python's types loses the kind of its values
/// where both are one case.
fn apart(schema: &mut Value) {
    if schema["type"] == json!(["object", "null"]) {
        let map = json!({ "type": "object", "additionalProperties": schema["additionalProperties"] });
        *schema = json!({ "description": schema["description"], "anyOf": [map, { "type": "null" }] });
    }
}

/// Removes the widths of integers, which are formats of Rust's, at any depth.
fn without_formats(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            map.retain(|key, value| key != "format" || !value.is_string());
            map.values_mut().for_each(without_formats);
        }
        Value::Array(items) => items.iter_mut().for_each(without_formats),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The whole schema: any result, made of the definitions.
fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let roots = roots(&mut generator);
    let mut definitions: Map<String, Value> = generator.take_definitions(true);
    for (name, definition) in &mut definitions {
        assert!(!name.ends_with('2'), "one name, one type: {name}");
        let plain = definition.get("properties").is_none();
        assert!(plain || definition["description"].is_string(), "{name} says nothing of itself");
        as_read(definition);
        without_formats(definition);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Result",
        "description": "Any result that the core hands over.",
        "anyOf": roots,
        "$defs": definitions,
    })
}

/// A schema that is written with the fields of each type in the order of the struct, which `required` keeps: columns of
/// tables have the order of fields.
struct InOrder<'a>(&'a Value);

impl Serialize for InOrder<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(map) => {
                serializer.collect_map(map.iter().map(|(key, value)| (key, Member(key, value, map))))
            }
            Value::Array(items) => serializer.collect_seq(items.iter().map(InOrder)),
            plain => plain.serialize(serializer),
        }
    }
}

/// A key of an object, its value, and the object.
struct Member<'a>(&'a str, &'a Value, &'a Map<String, Value>);

impl Serialize for Member<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Member("properties", Value::Object(fields), object) = self else {
            return InOrder(self.1).serialize(serializer);
        };
        let required = object.get("required").and_then(Value::as_array);
        let required: Vec<&str> = required.into_iter().flatten().filter_map(Value::as_str).collect();
        let optional = fields.keys().map(String::as_str).filter(|name| !required.contains(name));
        let names = required.iter().copied().chain(optional);
        serializer.collect_map(names.map(|name| (name, InOrder(&fields[name]))))
    }
}

#[test]
fn the_schema_of_results_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas/results.schema.json");
    let text = serde_json::to_string_pretty(&InOrder(&schema())).expect("a schema is JSON") + "\n";
    if std::env::var_os("RENEW").is_some() {
        std::fs::write(&path, &text).expect("a file that can be written");
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(known == text, "schemas/results.schema.json is not current: `make renew` writes it anew");
}
