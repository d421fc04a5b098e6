//! Fair lateness knows no unit of time: a scenario whose times are all multiplied has the same schedule, and the same
//! verdicts.

use schedlab_analysis::Answer;
use schedlab_lab::{analyze, findings, Prepared};
use schedlab_model::Duration;
use schedlab_scenario::Scenario;
use schedlab_trace::{Record, Timeline};

/// A linear congruential generator.
struct Numbers(u64);

impl Numbers {
    fn upto(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        1 + (self.0 >> 33) % most
    }
}

/// Cost, period and relative deadline.
type Row = (u64, u64, u64);

fn prepared(scheduler: &str, platform: &str, rows: &[Row], factor: u64) -> Prepared {
    let row = |(index, (cost, period, deadline)): (usize, &Row)| {
        let ns = |time: &u64| format!("\"{} ns\"", time * factor);
        let (cost, period, deadline) = (ns(cost), ns(period), ns(deadline));
        let cluster = format!(", cluster = {}", index % 2);
        let cluster = if scheduler.contains('C') { &cluster } else { "" };
        format!(
            "{{ name = \"t{index}\", wcet = {cost}, cost = {{ uniform = [{cost}, {cost}] }}, period = {period}, \
             deadline = {deadline}, wcet_may_exceed_deadline = true{cluster} }}"
        )
    };
    let tasks: Vec<String> = rows.iter().enumerate().map(row).collect();
    let horizon = 240 * factor;
    let text = format!(
        "schedlab = 1\nscheduler = \"{scheduler}\"\nhorizon = \"{horizon} ns\"\n\
         platform = {{ {platform} }}\ntask = [{}]\n",
        tasks.join(", ")
    );
    let scenario = Scenario::parse("test", &text).unwrap_or_else(|errors| panic!("{errors}"));
    Prepared::new(&scenario).expect("it can be run")
}

/// What happens when, but for priority points, with times divided by `factor`.
fn schedule(prepared: &Prepared, factor: u64) -> Vec<(u64, String)> {
    let mut timeline = Timeline::default();
    prepared.simulate(&mut timeline, &mut |_| true).expect("it can be simulated");
    let mut told = Vec::new();
    for (at, record) in &timeline.records {
        assert_eq!(at.as_ns() % factor, 0, "{at}: {record:?}");
        if let Record::Dispatch { .. }
        | Record::Preempt { .. }
        | Record::Complete { .. }
        | Record::Miss { .. } = record
        {
            told.push((at.as_ns() / factor, format!("{record:?}")));
        }
    }
    told
}

type Said = Vec<(&'static str, Answer, Vec<Option<u64>>)>;

fn verdicts(prepared: &Prepared) -> Said {
    let found = analyze(prepared).expect("it can be analysed");
    let ns = |bounds: Option<Vec<Option<Duration>>>| {
        bounds.unwrap_or_default().into_iter().map(|bound| bound.map(Duration::as_ns)).collect()
    };
    let told = findings(prepared, &found);
    told.into_iter().map(|finding| (finding.test, finding.answer, ns(finding.response_times))).collect()
}

/// Bounds are rounded up to whole nanoseconds once, at their end.
fn agree(plain: &Said, scaled: &Said, factor: u64) -> bool {
    let bound = |(a, b): (&Option<u64>, &Option<u64>)| match (a, b) {
        (Some(a), Some(b)) => *b <= a * factor && a * factor < b + factor,
        (None, None) => true,
        _ => false,
    };
    plain.len() == scaled.len()
        && plain.iter().zip(scaled).all(|(a, b)| {
            (a.0, a.1) == (b.0, b.1) && a.2.len() == b.2.len() && a.2.iter().zip(&b.2).all(bound)
        })
}

#[test]
fn schedules_and_verdicts_scale() {
    let mut numbers = Numbers(0x5EED_0016);
    let clusters = "processors = 5, clusters = [[0, 1], [2, 3, 4]]";
    let systems = [
        ("G-FL", "processors = 2"),
        ("G-FL", "processors = 3"),
        ("NG-FL", "processors = 2"),
        ("NG-FL", "processors = 1"),
        ("C-FL", clusters),
        ("NC-FL", clusters),
    ];
    let mut late = 0;
    for round in 0..60 {
        for (scheduler, platform) in systems {
            let row = |_| {
                let period = [4, 5, 6, 8, 10, 12][numbers.upto(6) as usize - 1];
                (numbers.upto(period), period, period / 2 + numbers.upto(period))
            };
            let rows: Vec<Row> = (0..3 + round % 4).map(row).collect();
            let plain = prepared(scheduler, platform, &rows, 1);
            let (when, said) = (schedule(&plain, 1), verdicts(&plain));
            late += u32::from(when.iter().any(|(_, record)| record.starts_with("Miss")));
            for factor in [2, 3, 10] {
                let scaled = prepared(scheduler, platform, &rows, factor);
                assert_eq!(when, schedule(&scaled, factor), "{scheduler} {platform} {rows:?} by {factor}");
                let more = verdicts(&scaled);
                assert!(
                    agree(&said, &more, factor),
                    "{scheduler} {platform} {rows:?} by {factor}\n{said:?}\n{more:?}"
                );
            }
        }
    }
    assert!((60..300).contains(&late), "{late} with a late job");
}

/// One processor is free from 1 to 6. `D - C / 2` is 5 for the third task and 4.5 for the fourth, which goes first.
#[test]
fn half_a_nanosecond_decides() {
    let rows = [(1, 20, 1), (6, 20, 4), (2, 20, 6), (3, 20, 6)];
    let mut timeline = Timeline::default();
    let prepared = prepared("G-FL", "processors = 2", &rows, 1);
    prepared.simulate(&mut timeline, &mut |_| true).expect("it can be simulated");
    let began: Vec<(u64, u32)> = (timeline.records.iter())
        .filter_map(|(at, record)| match record {
            Record::Dispatch { job, .. } if job.number == 0 => Some((at.as_ns(), job.task.0)),
            _ => None,
        })
        .collect();
    assert_eq!(began, [(0, 0), (0, 1), (1, 3), (4, 2)]);
}

#[test]
fn points_that_outgrow_a_priority_are_refused() {
    let of = |processors: u32, horizon: &str| {
        let text = format!(
            "schedlab = 1\nscheduler = \"G-FL\"\nhorizon = \"{horizon}\"\nplatform.processors = {processors}\n\
             task = [{{ name = \"a\", wcet = \"1 s\", period = \"1000000 s\" }}]\n"
        );
        Prepared::new(&Scenario::parse("test", &text).expect("it is well-formed")).map(|_| ())
    };
    let year = "31536000 s";
    assert_eq!(of(100, year), Ok(()));
    let refused = of(200, year).unwrap_err().to_string();
    assert!(refused.contains("outgrow 62 bits; allowed: at most"), "{refused}");
    assert_eq!(of(200, "20000000 s"), Ok(()));
}
