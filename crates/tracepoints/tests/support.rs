//! Inputs and answers, and what is demanded of a conclusion.

use schedlab_tracepoints::{read_bytes, Concluded, Examined, NotRead, RecordedThread, Unit};
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/kernel-traces")
}

/// The bytes of an input, which is stored packed if it is long.
pub(crate) fn bytes(name: &str) -> Vec<u8> {
    let path = folder().join(name);
    if let Ok(bytes) = std::fs::read(&path) {
        return bytes;
    }
    let packed = std::fs::read(folder().join(format!("{name}.gz"))).unwrap();
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
    bytes
}

pub(crate) fn concluded(name: &str, unit: Option<&str>) -> Concluded {
    let unit = unit.map(|unit| Unit::parse(unit).unwrap());
    let recording = read_bytes(&bytes(name), unit).unwrap_or_else(|why| panic!("{name}: {why}"));
    Examined::of(recording).concluded(name)
}

pub(crate) fn refused(name: &str) -> NotRead {
    read_bytes(&bytes(name), None).err().unwrap_or_else(|| panic!("{name} was read"))
}

pub(crate) fn expected(case: &str) -> Value {
    let text = std::fs::read_to_string(folder().join("expected.json")).unwrap();
    let mut all: Value = serde_json::from_str(&text).unwrap();
    all[case].take()
}

pub(crate) fn thread(found: &Concluded, pid: u32) -> &RecordedThread {
    found
        .result
        .threads
        .iter()
        .find(|thread| thread.pid == pid)
        .unwrap_or_else(|| panic!("there is no thread {pid}"))
}

pub(crate) fn named<'a>(found: &'a Concluded, name: &str) -> &'a RecordedThread {
    found
        .result
        .threads
        .iter()
        .find(|thread| thread.name == name)
        .unwrap_or_else(|| panic!("there is no thread {name}"))
}

/// Fails unless a time is the oracle's, within a part of it in percent and an addition in microseconds.
pub(crate) fn near(what: &str, found: Option<u64>, expected: &Value, percent: f64, more_us: f64) {
    let Some(expected) = expected.as_f64() else { return };
    let found =
        found.unwrap_or_else(|| panic!("{what}: nothing was found; expected {expected} us")) as f64 / 1_000.0;
    let off = (found - expected).abs();
    assert!(off <= expected * percent / 100.0 + more_us, "{what}: {found} us, expected {expected} us");
}

/// Compares all figures of the oracle, with deviations from it that are named: `(pid, key)`.
pub(crate) fn compare(case: &str, found: &Concluded, except: &[(u32, &str)]) {
    let oracle = expected(case);
    let about = &oracle["about"];
    assert_eq!(found.result.switches, about["n_switch"].as_u64().unwrap(), "{case}: switches");
    let cpus: Vec<Value> = found.result.cpus.iter().map(|cpu| Value::from(*cpu)).collect();
    assert_eq!(Value::from(cpus), about["cpus"], "{case}: processors");
    assert_eq!(
        found.result.runs_without_start,
        about["switch_chain_breaks"].as_u64().unwrap_or(0),
        "{case}: runs without a start"
    );
    assert_eq!(
        found.result.lost_events.len() as u64,
        about["lost_marks"].as_u64().unwrap_or(0),
        "{case}: holes"
    );
    let lost: u64 = found.result.lost_events.iter().filter_map(|loss| loss.lost).sum();
    assert_eq!(lost, about["lost_events"].as_u64().unwrap_or(0), "{case}: lost events");
    if let Some(back) = about["stamps_back_within_a_cpu"].as_u64() {
        assert_eq!(found.result.out_of_order, back, "{case}: events out of order");
    }
    for (pid, one) in oracle["threads"].as_object().unwrap() {
        let pid: u32 = pid.parse().unwrap();
        let of = |key: &str| if except.contains(&(pid, key)) { &Value::Null } else { &one[key] };
        compare_thread(&format!("{case}: {pid}"), thread(found, pid), &of);
    }
}

pub(crate) fn compare_thread<'a>(what: &str, thread: &RecordedThread, of: &dyn Fn(&str) -> &'a Value) {
    let count = |key: &str, found: u64| {
        if let Some(expected) = of(key).as_u64() {
            assert_eq!(found, expected, "{what}: {key}");
        }
    };
    let list = |key: &str, found: Vec<Value>| {
        if !of(key).is_null() {
            assert_eq!(&Value::from(found), of(key), "{what}: {key}");
        }
    };
    list("comms", thread.names.iter().map(|name| name.as_str().into()).collect());
    list("prio", thread.kernel_priorities.iter().map(|priority| (*priority).into()).collect());
    list("cpus", thread.cpus.iter().map(|cpu| (*cpu).into()).collect());
    count("switches_in", thread.switches_in);
    count("activations", (thread.releases + thread.startup_releases) as u64);
    count("jobs", thread.jobs as u64);
    count("partial_runs", thread.runs_without_start);
    count("exits", u64::from(thread.exited));
    let preempted: serde_json::Map<String, Value> =
        thread.preempted_by.iter().map(|(pid, count)| (pid.to_string(), (*count).into())).collect();
    if let Some(expected) = of("preempted_by").as_object() {
        assert_eq!(&preempted, expected, "{what}: preempted_by");
    }
    near(&format!("{what}: run"), thread.run_ns, of("run_us"), 0.0, 0.0011);
    near(
        &format!("{what}: median distance"),
        thread.release_distance_median_ns,
        of("period_med_us"),
        0.05,
        2.0,
    );
    near(&format!("{what}: period"), thread.period_ns, of("period_med_us"), 2.0, 0.0);
    // The oracle counts the start of a thread as a job.
    near(&format!("{what}: median cost"), thread.cost_median_ns, of("cost_med_us"), 0.0, 20.0);
    near(&format!("{what}: largest cost"), thread.cost_max_ns, of("cost_max_us"), 0.0, 0.0011);
    near(
        &format!("{what}: latency"),
        thread.latency_from_wakeup_max_ns,
        of("lat_wakeup_max_us"),
        0.0,
        0.0011,
    );
    near(
        &format!("{what}: latency"),
        thread.latency_from_waking_max_ns,
        of("lat_waking_max_us"),
        0.0,
        0.0011,
    );
}

/// Fails unless the task of the thread in the scenario has this period and the largest cost that was seen.
pub(crate) fn is_task(found: &Concluded, pid: u32, period_us: f64) {
    let thread = thread(found, pid);
    let scenario = found.scenario.as_ref().expect("there is a scenario");
    let name = thread.task.as_ref().unwrap_or_else(|| panic!("{pid}: {:?}", thread.left_out));
    let task = scenario.tasks.iter().find(|task| task.name == *name).expect("the task is there");
    near(&format!("{name}: period"), Some(task.period.as_ns()), &period_us.into(), 2.0, 0.0);
    assert_eq!(Some(task.wcet.as_ns()), thread.cost_max_ns, "{name}");
    let again = schedlab_scenario::Scenario::parse("seen.toml", &scenario.to_toml());
    assert_eq!(again.as_ref(), Ok(scenario), "it is read again");
}

/// Fails unless some remark has all these words.
pub(crate) fn says(found: &Concluded, words: &[&str]) {
    let has = |note: &String| words.iter().all(|word| note.contains(word));
    assert!(found.notes.iter().any(has), "no remark has {words:?}:\n{}", found.notes.join("\n"));
}

/// Threads with known periods, in the order in which they are named: number and period in microseconds.
pub(crate) fn answers(case: &str, file: &str, unit: Option<&str>, periods: &[(u32, f64)]) -> Concluded {
    let found = concluded(file, unit);
    compare(case, &found, &[]);
    periods.iter().for_each(|(pid, period)| is_task(&found, *pid, *period));
    found
}
