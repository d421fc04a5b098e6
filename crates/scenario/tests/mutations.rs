//! Nothing panics: valid files, mutated at random in many ways, give a scenario or errors.
//!
//! What reads must also write and read back.

use crate::random::Random;
use schedlab_scenario::interchange::sag::Form;
use schedlab_scenario::interchange::schedcat_overheads::read_all;
use schedlab_scenario::interchange::{Format, Ignored};
use schedlab_scenario::{OverheadProfile, Scenario};
use std::fs;
use std::path::Path;

/// Pieces that are likely to hurt.
const SPLICES: &[&str] = &[
    "0",
    "-1",
    "1e9",
    "99999999999999999999",
    "18446744073709551615",
    "nan",
    "inf",
    "\"\"",
    "[]",
    "{}",
    "\n",
    "\"",
    "[[task]]",
    "[task]",
    "true",
    "2026-01-01",
    "\\u0000",
    "\u{b5}",
    "0x7fffffffffffffff",
    " ns",
    "31536000 s",
    "0 ms",
    "1 ns",
    "program = [\"execute 31536000 s\", \"execute 31536000 s\"]",
    "release R1",
    "copies = 100000",
    "N",
    "+",
    "*",
    "processors = 4096",
    "= ",
    ".",
    "[",
    "]",
    "wcet_may_exceed_deadline = true",
    "cluster = 65535",
    "overheads = \"none\"",
    "{ at = [\"0 ms\"] }",
    "use = \"mine.toml\"",
];

fn mutate(random: &mut Random, text: &[u8]) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for _ in 0..=random.below(4) {
        let start = random.below(bytes.len() + 1);
        let end = (start + random.below(12)).min(bytes.len());
        match random.below(6) {
            0 => drop(bytes.drain(start..end)),
            1 if start < bytes.len() => bytes[start] = random.next() as u8,
            2 => {
                let splice = SPLICES[random.below(SPLICES.len())].as_bytes();
                bytes.splice(start..end, splice.iter().copied());
            }
            3 => swap_lines(random, &mut bytes),
            4 => replace_value(random, &mut bytes),
            _ => {
                let copy = bytes[start..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, copy);
            }
        }
    }
    bytes
}

fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

fn swap_lines(random: &mut Random, bytes: &mut Vec<u8>) {
    let mut lines = lines(bytes);
    let (a, b) = (random.below(lines.len()), random.below(lines.len()));
    lines.swap(a, b);
    *bytes = lines.join(&b'\n');
}

/// Puts another value behind the equals sign of a line: keeps the file well-formed more often.
fn replace_value(random: &mut Random, bytes: &mut Vec<u8>) {
    let mut lines = lines(bytes);
    let index = random.below(lines.len());
    if let Some(equals) = lines[index].iter().position(|byte| *byte == b'=') {
        lines[index].truncate(equals + 1);
        let splice = SPLICES[random.below(SPLICES.len())];
        let quoted = format!(" \"{splice}\"");
        lines[index].extend(if random.below(2) == 0 { quoted.as_bytes() } else { splice.as_bytes() });
    }
    *bytes = lines.join(&b'\n');
}

fn files(folders: &[&str]) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<_> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(root.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

#[test]
fn mutated_files_never_panic_and_what_reads_reads_back() {
    let good = files(&["../../examples", "tests/data", "src/overheads"]);
    let bad = files(&["tests/bad", "tests/bad/files"]);
    let loader = |_: &str| Ok(good[0].clone());
    let mut random = Random(1);
    let (mut read, mut refused) = (0, 0);
    for round in 0..6_000 {
        let seeds = if round % 3 == 0 { &bad } else { &good };
        let seed = &seeds[random.below(seeds.len())];
        let bytes = mutate(&mut random, seed);
        if let Ok(scenario) = Scenario::parse_with("mutated.toml", bytes.clone(), &loader) {
            read += 1;
            if scenario.tasks.len() < 1_000 {
                let text = scenario.to_toml();
                let again =
                    Scenario::parse("canonical.toml", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
                assert_eq!(again, scenario, "round {round}");
                let _ = (scenario.model_tasks(), scenario.model_platform(), scenario.charged());
            }
        } else {
            refused += 1;
        }
        if let Ok(profile) = OverheadProfile::parse_with("mutated.toml", bytes, &loader) {
            let text = profile.to_toml();
            let again = OverheadProfile::parse_with("canonical.toml", text.clone().into_bytes(), &loader);
            assert_eq!(again.unwrap_or_else(|e| panic!("{e}\n{text}")), profile);
        }
    }
    // Both outcomes are tried often enough to mean something.
    assert!(read > 300 && refused > 3_000, "{read} read, {refused} refused");
}

/// The same for the formats of other tools, mutated from what is written in them.
#[test]
fn mutated_files_of_other_tools_never_panic() {
    let full = Scenario::parse("full.toml", include_str!("data/full.toml")).unwrap();
    let mut random = Random(2);
    let mut read = 0;
    for format in [Format::SchedCat, Format::SimSo, Format::Csv] {
        let seed = format.write(&full).unwrap().value;
        for round in 0..1_000 {
            let bytes = mutate(&mut random, seed.as_bytes());
            if let Ok(converted) = format.read("mutated", bytes, &Ignored::everything()) {
                read += 1;
                let text = converted.value.to_toml();
                assert_eq!(
                    Scenario::parse("canonical.toml", &text).as_ref(),
                    Ok(&converted.value),
                    "round {round}"
                );
                let _ = format.write(&converted.value);
            }
        }
    }
    assert!(read > 300, "{read} read");
}

/// Workloads of rt-app, job sets and tables of overheads: what reads writes and reads back.
#[test]
fn mutated_job_sets_workloads_and_tables_never_panic() {
    let jobs = "Task ID, Job ID, Release min, Release max, Cost min, Cost max, Deadline, Priority\n\
        1, 1, 0, 0, 1, 2, 10, 10\n1, 2, 10, 10, 1, 2, 20, 20\n2, 7, 0, 3, 7, 8, 30, 30\n";
    let yaml = Form::Yaml.write(&Form::Csv.read("jobs.csv", jobs.into()).unwrap());
    let rt_app = "{\"global\": {\"duration\": 2}, \"tasks\": {\"a\": {\"policy\": \"SCHED_FIFO\", \"priority\": 5, \"cpus\": [1], \
        \"run\": 1000, \"timer\": {\"ref\": \"unique\", \"period\": 10000}}}}";
    let table = "TASK-COUNT, SCHEDULE, TICK, LOCK\n2, 0.1384, 1.5, 3\n4, 0.14506, 1.2, 4\n60, 3.1, 2, 4.25\n";
    let everything = Ignored::everything();
    let mut random = Random(3);
    let mut read = [0; 4];
    for _ in 0..2_000 {
        for (form, text, count) in [(Form::Csv, jobs, 0), (Form::Yaml, yaml.as_str(), 1)] {
            if let Ok(jobs) = form.read("mutated", mutate(&mut random, text.as_bytes())) {
                read[count] += 1;
                assert_eq!(form.read("again", form.write(&jobs).into_bytes()), Ok(jobs));
            }
        }
        if let Ok(converted) =
            Format::RtApp.read("mutated", mutate(&mut random, rt_app.as_bytes()), &everything)
        {
            read[2] += 1;
            let text = converted.value.to_toml();
            assert_eq!(Scenario::parse("canonical.toml", &text), Ok(converted.value));
        }
        if let Ok(converted) = read_all([("mutated", mutate(&mut random, table.as_bytes()))], &everything) {
            read[3] += 1;
            let text = converted.value.to_toml().into_bytes();
            let loader = |_: &str| Err(String::new());
            assert_eq!(OverheadProfile::parse_with("canonical.toml", text, &loader), Ok(converted.value));
        }
    }
    assert!(read.iter().all(|count| *count > 100), "{read:?}");
}
