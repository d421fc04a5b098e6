//! Jobs that wait for each other in a circle.

use crate::support::lines::parse;
use schedlab_model::Resource;
use schedlab_report::deadlock::Deadlocks;
use schedlab_report::Context;
use schedlab_trace::Sink;

fn found(text: &str, units: &[u32]) -> Vec<String> {
    let context = Context {
        resources: units.iter().map(|units| Resource { units: *units }).collect(),
        resource_names: vec!["A".into(), "B".into()],
        tasks: vec!["high".into()],
        ..Context::global(1)
    };
    let mut deadlocks = Deadlocks::new(&context);
    parse(text).into_iter().for_each(|(at, record)| deadlocks.record(at, record));
    deadlocks.found.iter().map(|deadlock| deadlock.text(&context)).collect()
}

const CROSSED: &str = "1 acquire T1J0 R1 1\n3 acquire T0J0 R0 1\n4 suspend T0J0 R1\n5 suspend T1J0 R0";

#[test]
fn a_circle_is_named_from_the_last_to_wait() {
    let expected = "deadlock at 5 ns: T1J0 holds B and waits for A, T0J0 (high) holds A and waits for B";
    assert_eq!(found(CROSSED, &[1, 1]), [expected]);
    // Another unit of either may come back.
    assert!(found(CROSSED, &[1, 2]).is_empty());
}

#[test]
fn three_in_a_circle_and_one_who_waits_for_them() {
    let text =
        "1 acquire T0J0 R0 1\n1 acquire T1J0 R1 1\n1 acquire T2J0 R2 1\n2 spin T0J0 R1\n2 suspend T3J0 R0
3 spin T1J0 R2\n4 spin T2J0 R0\n5 suspend T4J0 R1";
    let expected = "deadlock at 4 ns: T2J0 holds R2 and waits for A, T0J0 (high) holds A and waits for B, \
                    T1J0 holds B and waits for R2";
    assert_eq!(found(text, &[1, 1, 1]), [expected]);
}

#[test]
fn a_job_that_is_given_up_breaks_the_circle() {
    let text = "1 acquire T1J0 R1 1\n3 acquire T0J0 R0 1\n4 suspend T0J0 R1\n5 abort T0J0\n5 suspend T1J0 R0";
    assert!(found(text, &[1, 1]).is_empty());
}
