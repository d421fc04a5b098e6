//! The published schemas are those that the reader's own field tables give, and describe what it reads.

use schedlab_scenario::{schema, Schema};
use serde_json::Value;
use std::fs;
use std::path::Path;

const PUBLISHED: [(Schema, &str); 2] =
    [(Schema::Scenario, "scenario.schema.json"), (Schema::Overheads, "overheads.schema.json")];

fn parsed(kind: Schema) -> Value {
    serde_json::from_str(&schema(kind)).expect("a schema is JSON")
}

/// `UPDATE_SNAPSHOTS=1 cargo test -p schedlab-scenario` writes them anew.
#[test]
fn published_files_are_current() {
    for (kind, name) in PUBLISHED {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas").join(name);
        if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            fs::write(&path, schema(kind)).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap_or_default(), schema(kind), "{name}");
    }
}

/// Every reference points at a definition, and no definition is left over.
#[test]
fn references_and_definitions_agree() {
    for (kind, name) in PUBLISHED {
        let text = schema(kind);
        let value = parsed(kind);
        let definitions = value["$defs"].as_object().unwrap();
        let mut used: Vec<&str> =
            text.split("\"#/$defs/").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        used.sort_unstable();
        used.dedup();
        for reference in &used {
            assert!(definitions.contains_key(*reference), "{name}: {reference}");
        }
        for definition in definitions.keys() {
            let own = definition == "fraction" && kind == Schema::Overheads;
            assert!(used.contains(&definition.as_str()) || own, "{name}: {definition} is not used");
        }
    }
}

/// The file that has every field has every property of the schema of each table, and the other way round.
#[test]
fn the_full_example_uses_every_field() {
    let text = include_str!("data/full.toml");
    let schema = parsed(Schema::Scenario);
    let names =
        |table: &Value| table["properties"].as_object().unwrap().keys().cloned().collect::<Vec<String>>();
    let tables =
        ["task", "resource", "platform", "memory", "scheduler", "placement", "arrival", "cost", "utility"];
    let mut all: Vec<String> = names(&schema);
    all.extend(tables.iter().flat_map(|table| names(&schema["$defs"][table])));
    for name in all {
        // One of the pair stands for both.
        let name = if name == "cluster_size" { "clusters".to_owned() } else { name };
        let written = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name);
        assert!(written, "tests/data/full.toml does not use {name}");
    }
}
