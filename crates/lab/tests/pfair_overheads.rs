//! What a Pfair scheduler's overheads take, at the limit: one reload less would be too few, and the published
//! accounting does not hold where releases cost something. And how many random sets bear them, by each accounting.
//!
//! One processor, a quantum of 1 ms; A has two of four quanta, B one of two:
//!
//! ```text
//! A B A B
//! ```
//!
//! A is preempted once: min(E - 1, P - E) = min(1, 2).

use schedlab_analysis::overheads::jlfp::{Accounting, NotInflated};
use schedlab_analysis::overheads::pfair::{inflate, published, Continuity};
use schedlab_lab::batch::{Question, Set, Workspace};
use schedlab_lab::Prepared;
use schedlab_model::{Duration, Overheads, Statistic, Task};
use schedlab_report::metrics::Metrics;
use schedlab_scenario::{shipped, Scenario};
use schedlab_workload::generate::{Drawn, Generator, Spec};

const B: &str = "[[task]]\nname = \"B\"\nwcet = \"500 us\"\nperiod = \"2 ms\"";

fn prepared(cost_us: u64, overheads: &str, others: &str) -> Prepared {
    let text = format!(
        "schedlab = 1\nhorizon = \"40 ms\"\n[scheduler]\nname = \"PD2\"\n[platform]\nprocessors = 1\n\
         [overheads.all]\n{overheads}\n\
         [[task]]\nname = \"A\"\nwcet = \"{cost_us} us\"\nperiod = \"4 ms\"\n\
         {others}\n"
    );
    let scenario = Scenario::parse("pfair_overheads.toml", &text).expect("it is well-formed");
    Prepared::new(&scenario).expect("it can be run")
}

/// The longest response time of A, in microseconds.
fn observed(prepared: &Prepared) -> u64 {
    let mut metrics = Metrics::new(prepared.tasks.len(), 1);
    prepared.simulate(&mut metrics, &mut |_| true).expect("it runs");
    metrics.tasks()[0].response_time.max().expect("A has jobs") / 1000
}

fn accounting(overheads: &Overheads, processors: u32, machine_tasks: usize) -> Accounting<'_> {
    Accounting {
        overheads,
        statistic: Statistic::Max,
        quantum: Duration::from_ns(1_000_000),
        processors,
        machine_tasks,
        release_latency: Duration::ZERO,
        polled: Duration::ZERO,
        dedicated_interrupts: false,
        switches_in_progress: true,
    }
}

/// How many quanta A is given.
fn quanta(
    prepared: &Prepared,
    account: impl Fn(&[Task], &Accounting<'_>) -> Result<Vec<Task>, NotInflated>,
) -> u64 {
    let charged = account(&prepared.tasks, &accounting(&prepared.charged.overheads, 1, 2));
    charged.expect("the overheads leave room")[0].wcet.as_ns().div_ceil(1_000_000)
}

fn stays(tasks: &[Task], accounting: &Accounting<'_>) -> Result<Vec<Task>, NotInflated> {
    inflate(tasks, accounting, Continuity::Stays)
}

#[test]
fn one_reload_is_charged_and_needed() {
    let reload = "cache_related_preemption = { max = \"100 us\" }";
    let (fits, too_long) = (prepared(1900, reload, B), prepared(1901, reload, B));
    assert_eq!([observed(&fits), quanta(&fits, stays), quanta(&fits, published)], [3000, 2, 2]);
    // Two quanta are not enough, as an accounting without the reload would have it.
    assert!(observed(&too_long) > 4000);
    assert_eq!([quanta(&too_long, stays), quanta(&too_long, published)], [3, 3]);
}

/// A alone, in all of its four quanta: the release takes 100 us of 4 ms from a job that needs 3.95 ms.
#[test]
fn the_published_accounting_does_not_hold_where_releases_cost_something() {
    let alone = prepared(3950, "release = { max = \"100 us\" }", "");
    assert_eq!(quanta(&alone, published), 4, "it fits, as published");
    assert!(quanta(&alone, stays) > 4);
    assert!(observed(&alone) > 4000);
}

/// Of 200 sets as figure 9 of litmus-rt-2006 has them, how many PD2 schedules with what table 1 of block-or-not-2008
/// charges G-EDF for 4K: by all in every quantum, by stretch, and as published.
fn schedulable(utilizations: &str, total: &str) -> [usize; 3] {
    let spec = Spec {
        utilization: utilizations.into(),
        periods: "uniform 10ms 100ms step 1ms".into(),
        deadlines: "implicit".into(),
        stop: format!("trim {total}"),
    };
    let generator = Generator::parse(&spec).expect("it is well-formed");
    let [free, stretches, as_published] =
        ["PD2 hard", "PD2 hard paper-2008-4k:G-EDF", "PD2 hard paper-2008-4k:G-EDF published"]
            .map(|text| text.parse::<Question>().expect("it is well-formed"));
    let overheads =
        shipped("paper-2008-4k").expect("it is shipped").charged("G-EDF", schedlab_lock::NONE).overheads;
    let (mut drawn, mut workspace, mut found) = (Drawn::default(), Workspace::default(), [0; 3]);
    for index in 0..200 {
        generator.draw(1, index, &mut drawn).expect("it can be drawn");
        let mut asks = |question: &Question, tasks: &[Task]| {
            let proof = question.judge(Set::independent(tasks, 4), &mut workspace);
            usize::from(proof.expect("it can be analysed").is_some())
        };
        let charged = inflate(&drawn.tasks, &accounting(&overheads, 4, drawn.tasks.len()), Continuity::Moves);
        found[0] += charged.map_or(0, |tasks| asks(&free, &tasks));
        found[1] += asks(&stretches, &drawn.tasks);
        found[2] += asks(&as_published, &drawn.tasks);
    }
    found
}

/// Heavy tasks run in long stretches. What is charged in every quantum makes them lose most; by stretch they lose
/// least, as section 4.2 of litmus-rt-2006 says.
#[test]
fn heavy_sets_bear_overheads_by_stretch() {
    const LIGHT: &str = "uniform 0.1 0.5";
    const HEAVY: &str = "uniform 0.5 0.9";
    assert_eq!(schedulable(HEAVY, "3.5"), [117, 200, 200]);
    assert_eq!(schedulable(HEAVY, "3.6"), [0, 200, 200]);
    // The published accounting runs the scheduler in every quantum, the other one where a stretch begins.
    assert_eq!(schedulable(LIGHT, "3.5"), [2, 150, 149]);
    assert_eq!(schedulable(LIGHT, "3.6"), [0, 2, 2]);
}
