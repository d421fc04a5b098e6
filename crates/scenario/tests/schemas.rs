//! The published schemas are those that the reader's own field tables give, and describe what it reads.

use schedlab_scenario::{schema, Scenario, Schema};
use serde_json::Value;
use std::fs;
use std::path::Path;

const PUBLISHED: [(Schema, &str); 2] =
    [(Schema::Scenario, "scenario.schema.json"), (Schema::Overheads, "overheads.schema.json")];

fn parsed(kind: Schema) -> Value {
    serde_json::from_str(&schema(kind)).expect("a schema is JSON")
}

/// `make renew` writes them anew.
#[test]
fn published_files_are_current() {
    for (kind, name) in PUBLISHED {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas").join(name);
        if std::env::var_os("RENEW").is_some() {
            fs::write(&path, schema(kind)).unwrap();
        }
        let known = fs::read_to_string(&path).unwrap_or_default();
        assert!(known == schema(kind), "schemas/{name} is not current: `make renew` writes it anew");
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
            assert!(used.contains(&definition.as_str()), "{name}: {definition} is not used");
        }
    }
}

/// The files that have every field have every property of the schema of each table, and the other way round.
#[test]
fn the_full_examples_use_every_field() {
    let text = concat!(
        include_str!("data/full.toml"),
        include_str!("data/throttled.toml"),
        include_str!("data/classes.toml"),
        include_str!("data/servers.toml")
    );
    let read = Scenario::parse("classes.toml", include_str!("data/classes.toml"));
    assert!(read.is_ok(), "{read:?}");
    let read = Scenario::parse("servers.toml", include_str!("data/servers.toml"));
    assert!(read.is_ok(), "{read:?}");
    let schema = parsed(Schema::Scenario);
    let names =
        |table: &Value| table["properties"].as_object().unwrap().keys().cloned().collect::<Vec<String>>();
    let tables =
        "task resource server platform memory scheduler placement throttling arrival cost utility".split(' ');
    let mut all: Vec<String> = names(&schema);
    all.extend(tables.flat_map(|table| names(&schema["$defs"][table])));
    for name in all {
        // One of the pair stands for both.
        let name = if name == "cluster_size" { "clusters".to_owned() } else { name };
        let written = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name);
        assert!(written, "tests/data/*.toml do not use {name}");
    }
}

/// Tables of the schema that hold words, and a scenario's line with such a table: `@` stands for a field and its value.
const WITH_WORDS: &[(&str, &str)] = &[
    ("", "@"),
    ("scheduler", "scheduler = { name = \"G-EDF\", @ }"),
    ("placement", "scheduler = { name = \"P-EDF\", placement = { @ } }"),
    ("platform", "platform = { @ }"),
    ("memory", "platform = { memory = { @ } }"),
    ("server", "server = [{ name = \"s\", @ }]"),
    ("resource", "resource = [{ name = \"r\", @ }]"),
    ("supertask", "supertask = [{ name = \"s\", @ }]"),
    ("task", "task = [{ name = \"b\", wcet = \"1 ms\", period = \"10 ms\", @ }]"),
    ("overheads", "overheads = { use = \"none\", @ }"),
    (
        "decisions",
        "overheads = { scheduler = [{ name = \"G-EDF\", decisions = { architecture = \"concurrent\", lock = \"mcs\", \
         hand_over = \"1 us\", migration = \"1 us\", source = \"here\", @ } }] }",
    ),
    (
        "overheads_of_object",
        "overheads = { object = [{ kind = \"heap\", scheme = \"locked\", access = \"1 us\", @ }] }",
    ),
];

/// Fields whose values are words, by table: the words, and whether a list holds them.
fn words_of_the_schema() -> Vec<(String, String, Vec<String>, bool)> {
    let root = parsed(Schema::Scenario);
    let definitions = root["$defs"].as_object().expect("there are definitions");
    let tables = definitions.iter().map(|(name, table)| (name.as_str(), table));
    let mut found = Vec::new();
    for (table, described) in [("", &root)].into_iter().chain(tables) {
        for (name, property) in described["properties"].as_object().into_iter().flatten() {
            let direct = property.get("enum").or_else(|| property["anyOf"][0].get("enum"));
            let listed = property["items"].get("enum");
            if let Some(words) = direct.or(listed).and_then(Value::as_array) {
                let words = words.iter().map(|word| word.as_str().expect("a word").to_owned()).collect();
                found.push((table.to_owned(), name.clone(), words, listed.is_some()));
            }
        }
    }
    found
}

/// Why the reader of this field does not know `word`; empty if it does.
fn unknown(table: &str, name: &str, word: &str, in_list: bool) -> String {
    let known = WITH_WORDS.iter().find(|(known, _)| *known == table);
    let (_, line) = known.unwrap_or_else(|| panic!("WITH_WORDS has no line for the table {table}"));
    let value = if in_list { format!("[\"{word}\"]") } else { format!("\"{word}\"") };
    // The field is given once: another value of it in the line gives way.
    let mut line = (*line).to_owned();
    if let Some(start) = line.find(&format!(" {name} = \"")).filter(|_| table != "scheduler") {
        let end = start + line[start..].find(',').expect("another field follows");
        line.replace_range(start..=end, "");
    }
    let line = line.replace('@', &format!("{name} = {value}"));
    let rest = match table {
        "task" => "",
        _ => "[[task]]\nname = \"a\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\n",
    };
    let text = format!("schedlab = 1\n{line}\n{rest}");
    let all = Scenario::parse("words", &text).map_or_else(|errors| errors.to_string(), |_| String::new());
    // Other fields may be missing beside it.
    all.lines().find(|line| line.contains("there is no")).unwrap_or_default().to_owned()
}

/// The schema and the readers know the same words: no list of words is written twice.
#[test]
fn words_of_the_schema_are_those_of_the_readers() {
    let fields = words_of_the_schema();
    assert!(fields.len() >= 26, "only {} fields have words", fields.len());
    for (table, name, words, in_list) in fields {
        for word in &words {
            assert_eq!(unknown(&table, &name, word, in_list), "", "{table}.{name}");
        }
        let why = unknown(&table, &name, "no such word", in_list);
        let (_, allowed) = why.split_once("allowed: ").unwrap_or_else(|| panic!("{table}.{name}: {why}"));
        let allowed: Vec<&str> = allowed.trim().split(", ").collect();
        let unlisted = words.iter().filter(|word| !allowed.contains(&word.as_str()));
        // Errors leave the papers' abbreviations out.
        let aliases = ["BTB", "LS", "MRP", "MRAP"];
        assert!(unlisted.clone().all(|word| aliases.contains(&word.as_str())), "{table}.{name}: {why}");
        assert!(allowed.iter().all(|word| words.iter().any(|known| known == word)), "{table}.{name}: {why}");
    }
}
