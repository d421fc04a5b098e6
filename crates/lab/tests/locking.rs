//! A scenario's locking protocol is made by its name, for its scheduler, and refused if it does not fit.

use schedlab_lab::Prepared;
use schedlab_model::{JobId, TaskId};
use schedlab_scenario::Scenario;
use schedlab_trace::{Record, Timeline};

const PATHFINDER: &str = include_str!("../../../examples/pathfinder.toml");

fn pathfinder(protocol: &str) -> Timeline {
    let scenario = Scenario::parse("pathfinder.toml", PATHFINDER).unwrap().with_protocol(protocol).unwrap();
    let prepared = Prepared::new(&scenario).unwrap();
    assert_eq!(prepared.header().get("protocol"), Some(protocol));
    let mut timeline = Timeline::default();
    prepared.simulate(&mut timeline, &mut |_| true).unwrap();
    timeline
}

/// The bus task `DISTRIB_DONNEES` misses deadlines without a protocol only: METEO holds what it needs, and
/// tasks of middling urgency keep METEO from running (what reset the Mars Pathfinder in 1997).
#[test]
fn the_pathfinder_is_cured_by_every_protocol() {
    let missed = |protocol| {
        let misses = |(_, record): &&(_, Record)| {
            matches!(record, Record::Miss { job: JobId { task: TaskId(1), .. } })
        };
        pathfinder(protocol).records.iter().filter(misses).count()
    };
    assert!(missed("none") > 0);
    for cure in ["npcs", "pip", "pcp", "ipcp", "srp"] {
        assert_eq!(missed(cure), 0, "{cure}");
    }
}

#[test]
fn a_protocol_that_does_not_fit_the_scheduler_is_refused() {
    let scenario = Scenario::parse("pathfinder.toml", PATHFINDER).unwrap();
    let refused = |scheduler, protocol| {
        let scenario = scenario.clone().with_protocol(protocol).unwrap().with_scheduler(scheduler).unwrap();
        Prepared::new(&scenario).unwrap_err().to_string()
    };
    assert_eq!(
        refused("P-EDF", "pcp"),
        "protocol: PCP needs a scheduler with fixed priorities, not P-EDF; allowed: a partitioned scheduler with \
         fixed priorities, such as P-RM, or another protocol"
    );
    assert_eq!(
        scenario.with_protocol("ppp").unwrap_err().to_string().split(';').next(),
        Some("protocol: there is no locking protocol \"ppp\"")
    );
}
