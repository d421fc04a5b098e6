//! Tasks that leave before their first arrival: where no other task is, no deadline is missed, and all commands say so.

use schedlab_analysis::Answer;
use schedlab_lab::advise::Plan;
use schedlab_lab::sensitivity::{is_proved, Factor};
use schedlab_lab::{analyze, concluded, findings, reach, Catalog, Prepared};
use schedlab_scenario::Scenario;

/// Two tasks that share a resource under `protocol`, if one is named. Each leaves no later than it would arrive: a at
/// 1 ms, and b at 2 ms or at another time. No bound on blocking is for such sections beside non-preemptive ones.
fn text(scheduler: &str, protocol: &str, leave: &str) -> String {
    let (sharing, section) = match protocol {
        "" => (String::new(), ""),
        _ => (
            format!("protocol = \"{protocol}\"\nresource = [{{ name = \"R\" }}]"),
            "\"np_enter\", \"execute 1 ms\", \"np_exit\", \"suspend 1 ms\", \
             \"request R\", \"execute 1 ms\", \"release R\", ",
        ),
    };
    format!(
        "schedlab = 1\nhorizon = \"100 ms\"\nscheduler = \"{scheduler}\"\n{sharing}\n\
         [platform]\nprocessors = 2\n\
         [[task]]\nname = \"a\"\nperiod = \"20 ms\"\npriority = 1\noffset = \"5 ms\"\nleave = \"1 ms\"\n\
         program = [{section}\"execute 3 ms\"]\n\
         [[task]]\nname = \"b\"\nperiod = \"20 ms\"\npriority = 2\noffset = \"2 ms\"\nleave = \"{leave}\"\n\
         program = [{section}\"execute 3 ms\"]\n"
    )
}

/// Schedulers and protocols with tests, with none, and such that sections execute elsewhere.
const SYSTEMS: &[(&str, &str)] = &[
    ("G-EDF", ""),
    ("P-EDF", ""),
    ("NP-FP", ""),
    ("PD2", ""),
    ("SCHED_FIFO", ""),
    ("G-EDF", "omlp"),
    ("P-FP", "dpcp"),
    ("P-FP", "dflp"),
    ("P-HVDF", ""),
];

/// The quick question, the findings, the analysis, `advise` and a choice of tests.
#[test]
fn no_deadline_is_missed_where_no_job_arrives() {
    for (scheduler, protocol) in SYSTEMS {
        let text = text(scheduler, protocol, "2 ms");
        let scenario = Scenario::parse("leaves.toml", &text).unwrap();
        let prepared = Prepared::for_analysis(&scenario, &Catalog::shipped()).unwrap();
        let found = analyze(&prepared).unwrap();
        let said = findings(&prepared, &found);
        assert_eq!(concluded(&said), [Answer::Schedulable; 2], "{scheduler} {protocol}: {said:?}");
        assert_eq!(found.analysis.map(|analysis| analysis.hard), Some(Answer::Schedulable), "{scheduler}");
        assert!(is_proved(&prepared), "{scheduler} {protocol}");
        let plan = Plan::of(&scenario, &Catalog::shipped());
        let own = plan.outline(0).expect("the scenario's own way is there");
        assert!(plan.judge(&[own])[0].way.proved, "{scheduler} {protocol}");
        let gfb = ["gfb".to_owned()];
        assert!(
            reach::breakdown(&scenario, &Catalog::shipped(), Some(&gfb)) > Factor::ONE,
            "{scheduler} {protocol}"
        );
    }
}

/// One task that arrives is enough for tests to be asked.
#[test]
fn tests_are_asked_where_a_job_arrives() {
    let scenario = Scenario::parse("stays.toml", &text("G-EDF", "", "3 ms")).unwrap();
    let prepared = Prepared::for_analysis(&scenario, &Catalog::shipped()).unwrap();
    let said = findings(&prepared, &analyze(&prepared).unwrap());
    assert!(said.len() > 5 && said.iter().all(|one| one.test != "arrivals"), "{said:?}");
}
