//! Locking protocols on one processor: worked examples and golden schedules.

use crate::locks;
use crate::support;

use locks::*;
use schedlab_lock::{CeilingTable, Level, LockSetup, PriorityOrder};
use schedlab_model::*;
use schedlab_trace::{Record, Timeline};
use serde_json::Value;
use support::golden::{golden, numbers};
use support::*;

fn protocol(name: &str) -> Make {
    match name {
        "NONE" => make!("none"),
        "PIP" => make!("pip"),
        "PCP" => make!("pcp"),
        "IPCP" => make!("ipcp"),
        "SRP-FP" | "SRP-EDF" => make!("srp"),
        "NPCS" => make!("npcs"),
        other => panic!("an unknown protocol {other}"),
    }
}

fn scheduler(name: &str) -> &str {
    if name == "SRP-EDF" {
        "P-EDF"
    } else {
        "P-RM"
    }
}

#[test]
fn every_golden_completion_agrees() {
    let (mut compared, mut jobs) = (0, 0);
    for record in golden("proto_uni") {
        for (name, expected) in record["results"].as_object().unwrap() {
            let (tasks, resources) = tasks(&record);
            let response = numbers(&record["rta_bound"]);
            let setup = ideal(tasks.clone(), Platform::partitioned(1), 100_000);
            let timeline = run_locked(setup, &resources, scheduler(name), protocol(name));
            let seen = finish(&timeline);
            assert_eq!(seen, rows(&expected["finish"]), "{} {name}", record["id"]);
            if ["PCP", "IPCP", "SRP-FP"].contains(&name.as_str()) {
                for row in &seen {
                    let task = &tasks[row[0] as usize];
                    let arrival = task.offset.as_ns() + row[1] * task.period.as_ns();
                    assert!(row[2] - arrival <= response[row[0] as usize], "{} {name} {row:?}", record["id"]);
                }
            }
            compared += 1;
            jobs += seen.len();
        }
    }
    assert!(compared > 1_300 && jobs > 35_000, "only {compared} schedules with {jobs} jobs were compared");
}

/// The golden levels and ceilings, both by fixed priority and by relative deadline.
#[test]
fn every_golden_ceiling_agrees() {
    let mut compared = 0;
    for record in golden("proto_uni") {
        let (tasks, names) = named_tasks(&record);
        let resources = vec![Resource { units: 1 }; names.len()];
        let platform = Platform::partitioned(1);
        let points: Vec<u64> = tasks.iter().map(|task| task.period.as_ns()).collect();
        let orders =
            [("ceilings", PriorityOrder::Fixed(&points)), ("edf_ceilings", PriorityOrder::EarliestDeadline)];
        for (field, order) in orders {
            let setup =
                LockSetup { tasks: &tasks, resources: &resources, platform: &platform, order, lengths: &[] };
            let levels = setup.levels("SRP").unwrap();
            if field == "edf_ceilings" {
                let expected: Vec<Level> =
                    numbers(&record["edf_levels"]).iter().map(|level| Level(*level as u32)).collect();
                assert_eq!(levels, expected, "{}", record["id"]);
            }
            let table = CeilingTable::new(&setup.usage().unwrap(), &levels);
            for (name, expected) in record[field].as_object().unwrap() {
                let Some(resource) = names.iter().position(|known| known == name) else { continue };
                let ceiling = table.ceiling(ResourceId(resource as u32), 0);
                assert_eq!(Some(u64::from(ceiling.0)), expected.as_u64(), "{} {name}", record["id"]);
                compared += 1;
            }
        }
    }
    assert!(compared > 700, "only {compared} ceilings were compared");
}

/// The single jobs of a worked example.
fn example_tasks(example: &Value) -> Vec<Task> {
    let mut names: Vec<String> = Vec::new();
    let mut tasks = vec![task(1, 1_000_000, 1_000_000); example["system"]["jobs"].as_array().unwrap().len()];
    for job in example["system"]["jobs"].as_array().unwrap() {
        tasks[job[0].as_u64().unwrap() as usize] = Task {
            offset: Instant::from_ns(job[1].as_u64().unwrap()),
            fixed_priority: job[2].as_u64().unwrap() as u32,
            program: program(&job[3], &mut |name| number_of(&mut names, name)),
            ..task(1, 1_000_000, 1_000_000)
        };
    }
    tasks
}

/// Who occupied the processor when: `[start, end, task, job]`.
fn segments(timeline: &Timeline) -> Vec<Vec<u64>> {
    let (mut all, mut running): (Vec<Vec<u64>>, Option<(Instant, JobId)>) = (Vec::new(), None);
    for (at, record) in &timeline.records {
        let ends = match record {
            Record::Preempt { job, .. } | Record::Complete { job } | Record::Suspend { job, .. } => {
                Some(*job)
            }
            _ => None,
        };
        match running {
            Some((since, job)) if ends == Some(job) => {
                let goes_on =
                    |last: &&mut Vec<u64>| last[1] == since.as_ns() && last[2] == u64::from(job.task.0);
                if let Some(last) = all.last_mut().filter(goes_on) {
                    last[1] = at.as_ns();
                } else if *at > since {
                    all.push(vec![since.as_ns(), at.as_ns(), job.task.0.into(), job.number.into()]);
                }
                running = None;
            }
            _ => {}
        }
        if let Record::Dispatch { job, .. } = record {
            running = Some((*at, *job));
        }
    }
    all
}

/// The Mars Pathfinder's inversion, crossed nested requests, chained blocking: every segment under every protocol.
#[test]
fn worked_examples_run_as_they_should() {
    let mut compared = 0;
    for id in ["priority-inversion", "pcp-deadlock", "chained-blocking"] {
        let example = worked_example(id);
        for (name, expected) in example["expected"].as_object().unwrap() {
            let tasks = example_tasks(&example);
            let resources = [Resource { units: 1 }; 2];
            let setup = ideal(tasks, Platform::partitioned(1), 100_000);
            let timeline = run_locked(setup, &resources, "P-FP", protocol(name));
            assert_eq!(segments(&timeline), rows(&expected["segments"]), "{id} {name}");
            let finished =
                expected["finish"].as_object().unwrap().values().filter(|at| !at.is_null()).count();
            assert_eq!(completions(&timeline).len(), finished, "{id} {name}");
            compared += 1;
        }
    }
    assert_eq!(compared, 10);
}

/// T0 waits to start because of T2's section. T1 arrives later, and its level would let it through; but T0 has the
/// earlier deadline, and the gate lets the most urgent go first (Baker 1991: only the most urgent waiting job may
/// start).
#[test]
fn nobody_overtakes_at_the_gate() {
    let (r, execute) = (ResourceId(0), |ns| Step::Execute(Work::from_ns(ns)));
    let section = |length| vec![Step::Request(r, 1), execute(length), Step::Release(r, 1)];
    let at = |offset, deadline, program| Task { offset, program, ..task(1, 100, deadline) };
    let tasks = vec![
        at(Instant::from_ns(2), 20, section(2)),
        at(Instant::from_ns(4), 19, vec![execute(3)]),
        at(Instant::ZERO, 60, [vec![execute(1)], section(7), vec![execute(1)]].concat()),
    ];
    let setup = ideal(tasks, Platform::partitioned(1), 30);
    let timeline = run_locked(setup, &[Resource { units: 1 }], "P-EDF", make!("srp"));
    assert_eq!(draw(&timeline, 1, 15), "CCCCCCCCAABBBC.");
}

/// Two jobs wait for one resource: the more urgent is served first, and the former holder is as it was at once.
#[test]
fn inheritance_ends_with_the_section_and_the_most_urgent_is_served_first() {
    let (r, execute) = (ResourceId(0), |ns| Step::Execute(Work::from_ns(ns)));
    let section = |length| vec![execute(1), Step::Request(r, 1), execute(length), Step::Release(r, 1)];
    let at = |offset, priority, program| Task {
        offset: Instant::from_ns(offset),
        fixed_priority: priority,
        program,
        ..task(1, 100, 100)
    };
    let low = [section(6), vec![execute(2)]].concat();
    let tasks = vec![at(4, 0, section(1)), at(2, 1, section(1)), at(5, 2, vec![execute(3)]), at(0, 3, low)];
    let setup = ideal(tasks, Platform::partitioned(1), 50);
    let timeline = run_locked(setup, &[Resource { units: 1 }], "P-FP", make!("pip"));
    assert_eq!(draw(&timeline, 1, 17), "DDBDADDDDABCCCDD.");
}
