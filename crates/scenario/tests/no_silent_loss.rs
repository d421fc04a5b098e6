//! No reader of another tool's file drops anything in silence: each field of a well-formed file, mutated or unknown, is
//! refused, or is listed as lost, or changes the scenario.

use schedlab_scenario::interchange::{Format, Ignored, Imported, LossKind};
use schedlab_scenario::{Errors, Scenario};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const SCHEDCAT: &str = r#"<taskset><task id="1" period="10000" wcet="2500" deadline="8000" partition="1" wss="64"><resources><requirement res_id="4" max_writes="2" max_write_length="300" max_reads="1" max_read_length="100"/></resources></task><task id="2" period="10000" wcet="100" partition="0"/></taskset>"#;

const SIMSO: &str = r#"<simulation duration="420000000" cycles_per_ms="1000000" etm="wcet"><sched overhead="0" overhead_activate="0" overhead_terminate="0" class="simso.schedulers.EDF"/><caches memory_access_time="100"/><processors migration_overhead="0"><processor name="CPU 1" id="1" cl_overhead="0" cs_overhead="0" speed="1.0"/><processor name="CPU 2" id="2" cl_overhead="0" cs_overhead="0" speed="1.0"/></processors><tasks><task name="T1" id="1" task_type="Periodic" abort_on_miss="no" activationDate="0.0" list_activation_dates="" period="10.0" deadline="9.0" WCET="6.0" ACET="0.0" et_stddev="0.0" base_cpi="1.0" instructions="0" mix="0.5" preemption_cost="0"/></tasks></simulation>"#;

const RT_APP: &str = r#"{"tasks": {"a": {"policy": "SCHED_FIFO", "priority": 9, "run": 10, "timer": {"ref": "unique", "period": 100, "mode": "absolute"}, "loop": -1, "delay": 5, "instance": 1, "cpus": [0], "dl-deadline": 90}}, "global": {"duration": 2, "default_policy": "SCHED_FIFO"}}"#;

const CSV: &str = "name,wcet,period,deadline,offset,jitter,suspension,working_set,priority,processor\n\
                   a,2 ms,10 ms,9 ms,1 ms,3 ms,4 ms,4 KiB,7,0\n";

/// What describes no task: names that only the file uses, what only SimSo's model of caches and its other models of
/// execution times read (the reader refuses those), and how a late thread of rt-app goes on.
const IDLE: [&str; 12] = [
    "id",
    "memory_access_time",
    "base_cpi",
    "instructions",
    "mix",
    "ACET",
    "et_stddev",
    "name",
    "mode",
    "res_id",
    "default_policy",
    "cycles_per_ms",
];

fn read(format: Format, text: &str) -> Result<Imported<Scenario>, Errors> {
    format.read("f", text.as_bytes().to_vec(), &Ignored::default())
}

/// Whether a change of a file shows: it is refused, or another loss is listed, or the scenario is another one.
fn shows(format: Format, base: &Imported<Scenario>, changed: &str) -> bool {
    read(format, changed).map_or(true, |found| found.losses != base.losses || found.value != base.value)
}

/// Each value of `text` that stands between `before` and `after` behind a key, with where it begins and ends.
fn values(text: &str, key_ends: &str, after: &[char]) -> Vec<(String, std::ops::Range<usize>)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(key_ends) {
        let start = at + key_ends.len();
        let key: Vec<char> =
            text[..at].chars().rev().take_while(|c| c.is_alphanumeric() || "_-".contains(*c)).collect();
        let end = start + text[start..].find(after).expect("a value ends");
        found.push((key.into_iter().rev().collect(), start..end));
    }
    found
}

#[test]
fn each_attribute_of_an_xml_file_counts() {
    for (format, text) in [(Format::SchedCat, SCHEDCAT), (Format::SimSo, SIMSO)] {
        let base = read(format, text).unwrap();
        let all = values(text, "=\"", &['"']);
        assert!(all.len() > 10);
        for (key, range) in all {
            let others = ["7", "0.25", "yes", "acet", "3.5e1", "x", "simso.schedulers.LLF"];
            for other in others.iter().filter(|other| **other != &text[range.clone()]) {
                let mut changed = text.to_owned();
                changed.replace_range(range.clone(), other);
                let idle = IDLE.contains(&key.as_str()) || (key == "abort_on_miss" && *other != "yes");
                // Without a date, a periodic task of SimSo has none either.
                let idle = idle || key == "list_activation_dates";
                assert!(idle || shows(format, &base, &changed), "{key} = {other:?} is dropped");
            }
        }
        for (at, _) in text.match_indices(" id=").chain(text.match_indices(" res_id=")) {
            let mut changed = text.to_owned();
            changed.insert_str(at, " criticality=\"hi\"");
            assert!(read(format, &changed).is_err(), "{changed}");
        }
        for (at, _) in text.match_indices("</") {
            let mut changed = text.to_owned();
            changed.insert_str(at, "<server budget=\"3\"/>");
            assert!(read(format, &changed).is_err(), "{changed}");
        }
    }
}

#[test]
fn each_key_of_a_workload_counts() {
    let base = read(Format::RtApp, RT_APP).unwrap();
    for (key, range) in values(RT_APP, "\": ", &[',', '}']) {
        for other in ["7", "-3", "0.5", "\"SCHED_RR\"", "[1]", "true", "\"tick\""] {
            let mut changed = RT_APP.to_owned();
            changed.replace_range(range.clone(), other);
            let idle = key == "mode" || (key == "default_policy" && other.starts_with('"'))
                // A timer of one thread may have any name, and a duration that is not positive is no end.
                || (key == "ref" && other.starts_with('"'));
            assert!(idle || shows(Format::RtApp, &base, &changed), "{key}: {other} is dropped");
        }
    }
    for (at, _) in RT_APP.match_indices('{') {
        let mut changed = RT_APP.to_owned();
        changed.insert_str(at + 1, "\"unheard\": 1, ");
        assert!(read(Format::RtApp, &changed).is_err(), "{changed}");
    }
}

#[test]
fn each_cell_of_a_table_counts() {
    let base = read(Format::Csv, CSV).unwrap();
    let (header, row) = CSV.trim_end().split_once('\n').unwrap();
    let cells: Vec<&str> = row.split(',').collect();
    for index in 0..cells.len() {
        for other in ["", "5 ms", "8", "x", "-1", "2"] {
            let mut changed = cells.clone();
            changed[index] = other;
            let text = format!("{header}\n{}\n", changed.join(","));
            let idle = other == cells[index];
            assert!(idle || shows(Format::Csv, &base, &text), "column {index}: {other:?} is dropped");
        }
    }
    let more = format!("{header},criticality\n{row},hi\n");
    assert!(read(Format::Csv, &more).is_err());
    let ignored = Ignored::of(["unknown-fields"]).unwrap();
    let found = Format::Csv.read("f", more.into_bytes(), &ignored).unwrap();
    let assumed = "f: which priority is the more urgent: under P-FP, the smallest (line 1)";
    assert_eq!(found.value.left_out, [assumed, "f: column \"criticality\" (line 1)"]);
}

/// The kinds that the errors of `text` offer to ignore.
fn offered(format: Format, text: &str) -> Vec<String> {
    let errors = read(format, text).expect_err(text).to_string();
    let offers = errors.split("--ignore ").skip(1);
    offers.map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '-').collect()).collect()
}

/// `--ignore` takes the kinds that files raise, each with a file here, and no other.
#[test]
fn each_kind_that_can_be_ignored_is_raised() {
    let run = "\"run\": 10";
    let reserved = RT_APP.replace("\"cpus\"", "\"dl-runtime\": 5, \"dl-period\": 90, \"cpus\"");
    let full = RT_APP.replace("\"cpus\"", "\"dl-runtime\": 90, \"dl-period\": 90, \"cpus\"");
    let files = [
        (Format::SimSo, SIMSO.replacen("speed=\"1.0\"", "speed=\"0.5\"", 1)),
        (Format::SimSo, SIMSO.replacen("overhead=\"0\"", "overhead=\"9\"", 1)),
        (Format::SimSo, SIMSO.replace("schedulers.EDF", "schedulers.LLF")),
        (Format::SimSo, SIMSO.replace("etm=\"wcet\"", "etm=\"cache\"")),
        (Format::SimSo, SIMSO.replace("preemption_cost", "followed_by=\"2\" preemption_cost")),
        (Format::RtApp, reserved.replace("\"policy\": \"SCHED_FIFO\"", "\"policy\": \"SCHED_DEADLINE\"")),
        (Format::RtApp, full.replace("\"policy\": \"SCHED_FIFO\"", "\"policy\": \"SCHED_DEADLINE\"")),
        (Format::RtApp, RT_APP.replace("unique", "tick").replace("\"instance\": 1", "\"instance\": 2")),
        (Format::RtApp, RT_APP.replace("\"cpus\": [0]", "\"cpus\": [0, 2]")),
        (Format::RtApp, RT_APP.replace(run, &format!("{run}, {run}"))),
        (Format::SchedCat, SCHEDCAT.replace("wss", "criticality")),
        (Format::Csv, CSV.replace("jitter", "colour")),
    ];
    let raised: BTreeSet<String> = files.iter().flat_map(|(format, text)| offered(*format, text)).collect();
    let known: BTreeSet<String> = LossKind::REFUSED.iter().map(|kind| kind.name().to_owned()).collect();
    assert_eq!(raised, known);
    for (name, kind) in LossKind::NAMED {
        assert_eq!(Ignored::of([name]).is_ok(), LossKind::REFUSED.contains(&kind), "{name}");
    }
}

/// No reader refuses anything by a kind that cannot be ignored, in whatever file.
#[test]
fn what_readers_refuse_can_be_ignored() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/interchange")];
    let mut found = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let calls = text.split("flatters(").skip(1).chain(text.split("Cost::Charged(").skip(1));
            for kind in calls.filter_map(|rest| rest.trim_start().strip_prefix("LossKind::")) {
                let kind: String = kind.chars().take_while(|c| c.is_alphanumeric()).collect();
                let known = LossKind::REFUSED.iter().any(|known| format!("{known:?}") == kind);
                assert!(known, "{kind} of {}", path.display());
                found += 1;
            }
        }
    }
    assert!(found > LossKind::REFUSED.len(), "{found}");
}
