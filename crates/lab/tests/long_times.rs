//! Times of up to a year are analysed; what is longer is refused by the task's name.

use schedlab_analysis::Answer;
use schedlab_lab::{analyze, Prepared};
use schedlab_model::Duration;
use schedlab_scenario::Scenario;

fn prepared(scheduler: &str, tasks: &str) -> Prepared {
    let text = format!(
        "schedlab = 1\nhorizon = \"10 s\"\nscheduler.name = \"{scheduler}\"\n\
         [platform]\nprocessors = 1\nreleases = \"tick\"\nquantum = \"1 s\"\n{tasks}"
    );
    Prepared::new(&Scenario::parse("long.toml", &text).unwrap()).unwrap()
}

/// A period of a year beside one of two seconds. By hand, an hour of work is preempted each two seconds for 1 us, and a
/// release may be noticed a second late.
#[test]
fn a_year_is_analysed() {
    let tasks = "[[task]]\nname = \"yearly\"\nwcet = \"1 h\"\nperiod = \"8760 h\"\n\
                 [[task]]\nname = \"often\"\nwcet = \"1 us\"\nperiod = \"2 s\"\n";
    for scheduler in ["P-EDF", "P-RM"] {
        let found = analyze(&prepared(scheduler, tasks)).unwrap().analysis.unwrap();
        assert_eq!(found.hard, Answer::Schedulable, "{scheduler}");
    }
    let found = analyze(&prepared("P-RM", tasks)).unwrap().analysis.unwrap();
    // An hour of work meets 1801 jobs of the other task, which may bunch by its release delay.
    let hour = 3_600_000_000_000;
    assert_eq!(found.response_times[0], Some(Duration::from_ns(hour + 1_801 * 1_000 + 1_000_000_000)));
}

#[test]
fn what_is_longer_is_called_by_its_name() {
    let task = "[[task]]\nname = \"yearly\"\nwcet = \"1 h\"\nperiod = \"8760 h\"\njitter = \"8760 h\"\n";
    let error = analyze(&prepared("P-EDF", task)).unwrap_err().to_string();
    assert_eq!(error, "yearly: jitter is 31536001 s, but analysis takes at most a year (31536000 s)");
}

/// A year beside a millisecond: of 31 billion deadlines only a few matter, and no test walks past all the others.
#[test]
fn advice_ends_for_a_year_beside_a_millisecond() {
    let text = "schedlab = 1\nhorizon = \"10 s\"\nscheduler.name = \"P-EDF\"\nplatform.processors = 1\n\
                [[task]]\nname = \"yearly\"\nwcet = \"1 h\"\nperiod = \"8760 h\"\n\
                [[task]]\nname = \"often\"\nwcet = \"1 us\"\nperiod = \"1 ms\"\n";
    let advice = crate::advice::advise(&Scenario::parse("long.toml", text).unwrap());
    assert!(advice.as_it_is);
    let preemptive = advice.ways.iter().find(|way| way.candidate.scheduler == "P-RM").unwrap();
    assert!(preemptive.proved && preemptive.margin.0 > 100_000, "{preemptive:?}");
}
