//! Releases that come together interrupt together: noticed at one tick, or as late as their jitter allows.

use schedlab_lab::{analyze, Prepared};
use schedlab_model::Duration;
use schedlab_report::metrics::Metrics;
use schedlab_scenario::Scenario;

/// An urgent task beside one of ten releases in a microsecond, each of which takes 1 ns.
fn prepared(releases: &str, jitter: &str) -> Prepared {
    let text = format!(
        "schedlab = 1\nscheduler = \"P-DM\"\nhorizon = \"200 us\"\n\
         platform = {{ processors = 1, quantum = \"1 us\", releases = \"{releases}\" }}\n\
         overheads = {{ all = {{ release = \"1ns\" }} }}\n\
         [[task]]\nname = \"urgent\"\nwcet = \"1ns\"\nperiod = \"2 us\"\ndeadline = \"1.5 us\"\noffset = \"1ns\"\n\
         [[task]]\nname = \"frequent\"\nwcet = \"1ns\"\nperiod = \"100ns\"\ndeadline = \"5 us\"\njitter = \"{jitter}\"\n"
    );
    Prepared::new(&Scenario::parse("bunched.toml", &text).unwrap()).unwrap()
}

fn bound(prepared: &Prepared) -> Duration {
    analyze(prepared).unwrap().analysis.unwrap().response_times[0].unwrap()
}

#[test]
fn jobs_pay_for_the_releases_of_a_tick() {
    let prepared = prepared("tick", "0ns");
    let mut metrics = Metrics::new(2, 1);
    prepared.simulate(&mut metrics, &mut |_| true).unwrap();
    let seen = Duration::from_ns(metrics.tasks()[0].response_time.max().unwrap());
    assert!(seen >= Duration::from_ns(1_010), "ten releases delay it: {seen}");
    assert!(seen <= bound(&prepared), "it took {seen}, the bound is {}", bound(&prepared));
}

#[test]
fn jobs_pay_for_releases_that_jitter_brings_together() {
    let bound = bound(&prepared("timer", "1 us"));
    assert!(bound >= Duration::from_ns(12), "ten releases come together: {bound}");
}
