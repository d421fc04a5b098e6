//! The golden schedules: every completion of every job, in the family `sim` of the golden vectors.

use crate::support;
use schedlab_model::*;
use schedlab_sim::Setup;
use serde_json::Value;
use support::golden::{golden, numbers};
use support::*;

fn tasks(record: &Value) -> Vec<Task> {
    let offsets = numbers(&record["offsets"]);
    let rows = record["tasks"].as_array().unwrap().iter().map(numbers);
    let make = |(row, offset): (Vec<u64>, u64)| Task {
        offset: Instant::from_ns(offset),
        ..task(row[0], row[1], row[2])
    };
    rows.zip(offsets).map(make).collect()
}

fn setup(record: &Value, name: &str) -> Setup {
    let m = record["m"].as_u64().unwrap() as u16;
    let mut tasks = tasks(record);
    let observed = record["observe_releases_before"].as_u64().unwrap();
    let mut platform = Platform::global(m);
    if let Some(cpus) = record["inputs"][name]["cpu"].as_array() {
        platform = Platform::partitioned(m);
        for (task, cpu) in tasks.iter_mut().zip(cpus) {
            task.cluster = ClusterId(cpu.as_u64().unwrap() as u16);
        }
    }
    let mut last = record["releases_until"].as_u64().unwrap();
    if name.starts_with('N') {
        last = observed;
    }
    for task in &mut tasks {
        task.leave = Instant::from_ns(last);
    }
    // Everything that arrives before the end of arrivals has time to finish.
    ideal(tasks, platform, 4 * last + 10_000_000)
}

#[test]
fn every_completion_agrees() {
    let (mut compared, mut jobs) = (0, 0);
    for record in golden("sim") {
        let observed = record["observe_releases_before"].as_u64().unwrap();
        for (name, expected) in record["results"].as_object().unwrap() {
            if name == "PD2" || name == "LLREF" {
                continue;
            }
            let setup = setup(&record, name);
            let arrival = |task: u32, job: u32| {
                let task = &setup.tasks[task as usize];
                task.offset.as_ns() + u64::from(job) * task.period.as_ns()
            };
            let timeline = run_setup(setup.clone(), name);
            let seen: Vec<Vec<u64>> = completions(&timeline)
                .into_iter()
                .filter(|&(task, job, _)| arrival(task, job) < observed)
                .map(|(task, job, at)| vec![task.into(), job.into(), at])
                .collect();
            let wanted: Vec<Vec<u64>> = expected["finish"].as_array().unwrap().iter().map(numbers).collect();
            assert_eq!(seen, wanted, "{} {name}", record["id"]);
            let late =
                misses(&timeline).iter().filter(|job| arrival(job.task.0, job.number) < observed).count();
            assert_eq!(Some(late as u64), expected["misses"].as_u64(), "{} {name}", record["id"]);
            compared += 1;
            jobs += seen.len();
        }
    }
    assert!(compared > 2_500 && jobs > 50_000, "only {compared} schedules with {jobs} jobs were compared");
}
