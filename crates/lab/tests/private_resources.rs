//! A resource that one task alone uses is plain execution, under every protocol whose analysis takes it for that.

use schedlab_lab::{analyze, findings, Prepared};
use schedlab_lock::ALL_PROTOCOLS;
use schedlab_model::{Duration, Instant, JobId};
use schedlab_scenario::Scenario;
use schedlab_trace::{Record, Timeline};
use std::collections::BTreeSet;

/// A task: period, offset and jitter, and what it executes before, within and after its section, in microseconds; and
/// whether that is on the resource that several use.
struct Row {
    period: u64,
    offset: u64,
    jitter: u64,
    parts: [u64; 3],
    shares: bool,
    /// It requests a second resource of its own within its section.
    nests: bool,
}

fn rows(random: &mut impl FnMut(u64) -> u64, jitter: bool, shared: bool) -> Vec<Row> {
    let mut row = |index: u64| Row {
        period: 10 + 5 * random(5),
        offset: random(12),
        jitter: if jitter { random(3) } else { 0 },
        parts: [1 + random(2), 1 + random(3), 1 + random(2)],
        shares: shared && (index < 2 || random(2) == 0),
        nests: index == 3 && random(2) == 0,
    };
    (0..4).map(&mut row).collect()
}

/// The scenario with `requests`, or with their sections as plain execution.
fn scenario(
    protocol: &str,
    scheduler: &str,
    processors: u64,
    rows: &[Row],
    requests: bool,
) -> Option<Scenario> {
    let resources: String = (0..=rows.len()).map(|index| format!("{{ name = \"r{index}\" }}, ")).collect();
    let mut tasks = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let [before, within, after] = row.parts.map(|part| format!("\"execute {part} us\""));
        let resource = if row.shares { rows.len() } else { index };
        let program = match requests || row.shares {
            true if row.nests && !row.shares => format!(
                "{before}, \"request r{resource}\", \"request own\", {within}, \"release own\", \
                 \"release r{resource}\", {after}"
            ),
            true => format!("{before}, \"request r{resource}\", {within}, \"release r{resource}\", {after}"),
            false => format!("{before}, {within}, {after}"),
        };
        tasks.push(format!(
            "[[task]]\nname = \"t{index}\"\nperiod = \"{} us\"\noffset = \"{} us\"\njitter = \"{} us\"\n\
             program = [{program}]\n",
            row.period, row.offset, row.jitter
        ));
    }
    let text = format!(
        "schedlab = 1\nprotocol = \"{protocol}\"\nresource = [{resources}{{ name = \"own\" }}]\n\
         scheduler.name = \"{scheduler}\"\nplatform.processors = {processors}\nhorizon = \"400 us\"\n{}",
        tasks.concat()
    );
    // Some schedulers, and resources of several processors, do not go with some protocols.
    Scenario::parse("test", &text).ok()
}

/// When jobs arrive and complete.
fn jobs(prepared: &Prepared) -> Vec<(JobId, Instant, Instant)> {
    let mut timeline = Timeline::default();
    prepared.simulate(&mut timeline, &mut |_| true).unwrap();
    let arrivals = timeline.records.iter().filter_map(|(at, record)| match record {
        Record::Arrival { job, .. } => Some((*job, *at)),
        _ => None,
    });
    let arrivals: std::collections::BTreeMap<JobId, Instant> = arrivals.collect();
    let done = timeline.records.iter().filter_map(|(at, record)| match record {
        Record::Complete { job, .. } => Some((*job, arrivals[job], *at)),
        _ => None,
    });
    done.collect()
}

/// What each test answers, and the bounds on response times.
fn answers(prepared: &Prepared) -> Vec<(String, String)> {
    let found = findings(prepared, &analyze(prepared).unwrap());
    let told = found.iter().map(|one| {
        (one.test.to_owned(), format!("{:?} {:?} {:?}", one.answer, one.response_times, one.tardiness))
    });
    told.collect()
}

fn numbers(mut state: u64) -> impl FnMut(u64) -> u64 {
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) % below
    }
}

const SCHEDULERS: [(&str, u64); 7] =
    [("P-RM", 1), ("P-EDF", 1), ("P-RM", 2), ("P-EDF", 2), ("G-RM", 2), ("G-EDF", 2), ("PD2", 2)];

/// Protocols under which analyses take such sections for plain execution: then every job completes as if they were.
/// Under the others some job does not, or their analysis has more to say.
#[test]
fn schedules_are_those_of_plain_execution() {
    let mut plain = BTreeSet::new();
    let mut compared = 0;
    for protocol in ALL_PROTOCOLS {
        for (scheduler, processors) in SCHEDULERS {
            let mut random = numbers(0x9E37_79B9_7F4A_7C15);
            for set in 0..24 {
                let rows = rows(&mut random, set % 3 == 2, false);
                let of = |requests| {
                    let scenario = scenario(protocol.name, scheduler, processors, &rows, requests)?;
                    Prepared::new(&scenario).ok()
                };
                let (Some(with), Some(without)) = (of(true), of(false)) else { continue };
                if answers(&with) != answers(&without) {
                    continue;
                }
                plain.insert(protocol.name);
                assert_eq!(jobs(&with), jobs(&without), "{} {scheduler} {set}", protocol.name);
                compared += 1;
            }
        }
    }
    println!("{compared} systems under {plain:?}");
    let expected = [
        "dpcp",
        "fmlp-long",
        "gpip",
        "ipcp",
        "lock-free",
        "mpcp",
        "mpcp-all",
        "mrsp",
        "msrp",
        "none",
        "omlp",
        "pcp",
        "pip",
        "srp",
        "wait-free",
    ];
    assert_eq!(plain.into_iter().collect::<Vec<_>>(), expected);
    assert!(compared > 500, "{compared}");
}

/// Beside a resource that several tasks use: what is proved holds in simulation.
#[test]
fn bounds_beside_shared_resources_hold() {
    let (mut bounded, mut close) = (0, 0);
    for protocol in ALL_PROTOCOLS {
        for (scheduler, processors) in SCHEDULERS {
            let mut random = numbers(0xD1B5_4A32_D192_ED03);
            for set in 0..24 {
                let rows = rows(&mut random, set % 3 == 2, true);
                let scenario = scenario(protocol.name, scheduler, processors, &rows, true);
                let Some(Ok(prepared)) = scenario.as_ref().map(Prepared::new) else { continue };
                let Some(analysis) = analyze(&prepared).unwrap().analysis else { continue };
                for (job, arrival, done) in jobs(&prepared) {
                    let Some(bound) = analysis.response_times[job.task.index()] else { continue };
                    let seen = Duration::from_ns(done.as_ns() - arrival.as_ns());
                    assert!(seen <= bound, "{} {scheduler} {set} {job}: {seen} {bound}", protocol.name);
                    bounded += 1;
                    close += u32::from(seen == bound);
                }
            }
        }
    }
    println!("{bounded} jobs have a bound, {close} reach it");
    assert!(bounded > 10_000 && close > 500, "{bounded} {close}");
}
