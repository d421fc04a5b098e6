//! What a Pfair scheduler's overheads take, at the limit: one reload less would be too few, and the published accounting
//! does not hold where releases cost something.
//!
//! One processor, a quantum of 1 ms; A has two of four quanta, B one of two:
//!
//! ```text
//! A B A B
//! ```
//!
//! A is preempted once: min(E - 1, P - E) = min(1, 2).

use schedlab_analysis::overheads::jlfp::{Accounting, Inflation};
use schedlab_analysis::overheads::pfair::{inflate, published, Continuity};
use schedlab_lab::Prepared;
use schedlab_model::{Duration, Statistic, Task};
use schedlab_report::metrics::Metrics;
use schedlab_scenario::Scenario;

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

/// How many quanta A is given.
fn quanta(prepared: &Prepared, account: impl Fn(&[Task], &Accounting<'_>) -> Inflation<Vec<Task>>) -> u64 {
    let accounting = Accounting {
        overheads: &prepared.charged.overheads,
        statistic: Statistic::Max,
        quantum: prepared.platform.quantum,
        processors: 1,
        machine_tasks: 2,
        release_latency: Duration::ZERO,
        polled: Duration::ZERO,
        dedicated_interrupts: false,
        switches_in_progress: true,
    };
    match account(&prepared.tasks, &accounting) {
        Inflation::Fits(tasks) => tasks[0].wcet.as_ns().div_ceil(1_000_000),
        Inflation::InterruptOverload | Inflation::TaskOverload(_) | Inflation::UnboundedSuspensions(_) => {
            panic!("the overheads leave room")
        }
    }
}

fn stays(tasks: &[Task], accounting: &Accounting<'_>) -> Inflation<Vec<Task>> {
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
