//! Locking protocols across processors: golden schedules.

mod locks;
mod support;

use locks::observed::Observed;
use locks::*;
use schedlab_lock::{Mpcp, Msrp};
use schedlab_model::*;
use support::*;

fn scheduler_and_protocol(name: &str) -> (&str, Make) {
    match name {
        "MSRP-EDF" => ("P-EDF", make!(Msrp)),
        "MSRP-FP" => ("P-FP", make!(Msrp)),
        "MPCP" => ("P-FP", make!(Mpcp)),
        other => panic!("an unknown protocol {other}"),
    }
}

#[test]
fn every_golden_completion_and_spin_agrees() {
    let (mut compared, mut jobs, mut spins) = (0, 0, 0);
    for record in golden("proto_multi") {
        let (mut tasks, resources) = tasks(&record);
        let (cpus, priorities) = (numbers(&record["cpu"]), numbers(&record["fp_priority"]));
        for (index, task) in tasks.iter_mut().enumerate() {
            task.cluster = ClusterId(cpus[index] as u16);
            task.fixed_priority = priorities[index] as u32;
        }
        let platform = Platform::partitioned(record["m"].as_u64().unwrap() as u16);
        for (name, expected) in record["results"].as_object().unwrap() {
            let (scheduler, make) = scheduler_and_protocol(name);
            let setup = ideal(tasks.clone(), platform.clone(), 100_000);
            let timeline = run_locked(setup, &resources, scheduler, make);
            let seen = finish(&timeline);
            assert_eq!(seen, rows(&expected["finish"]), "{} {name}", record["id"]);
            if let Some(max_spin) = expected["max_spin"].as_u64() {
                assert_eq!(Observed::new(&timeline, &tasks).max_spin, max_spin, "{} {name}", record["id"]);
                spins += u64::from(max_spin > 0);
            }
            compared += 1;
            jobs += seen.len();
        }
    }
    assert!(
        compared > 220 && jobs > 5_000 && spins >= 30,
        "only {compared} schedules, {jobs} jobs, {spins} spin"
    );
}
