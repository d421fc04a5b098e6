//! What jobs wait for memory in a schedule, computed by hand; and tasks that do not say what they do to it.

use schedlab_lab::memory::memory_use;
use schedlab_lab::modelled::{delays, profile};
use schedlab_model::{CpuId, Duration, Instant, JobId, OverheadKind, Statistic, TaskId};
use schedlab_report::schedule::Segment;
use schedlab_scenario::{OverheadsChoice, Scenario};

/// 100 cycles are a microsecond. A line that is written takes 10 cycles, one that is read 20, a dirty victim 10 more.
fn scenario(second: &str) -> Scenario {
    let text = format!(
        "schedlab = 1\n\
         [platform]\n\
         processors = 2\n\
         [platform.memory]\n\
         clock_mhz = 100\n\
         cache = \"128 B\"\n\
         line = \"32 B\"\n\
         read_miss = 20\n\
         write_miss = 10\n\
         write_back = 10\n\
         gap = 0\n\
         [[task]]\n\
         name = \"first\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\nworking_set = \"64 B\"\nworkload = \"writes\"\n\
         [[task]]\n\
         name = \"second\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\n{second}\n"
    );
    Scenario::parse("made.toml", &text).unwrap()
}

fn segment(cpu: u16, task: u32, job: u32, from_us: u64, to_us: u64) -> Segment {
    let at = |us: u64| Instant::from_ns(us * 1_000);
    let job = JobId { task: TaskId(task), number: job };
    Segment { cpu: CpuId(cpu), job, from: at(from_us), to: at(to_us), spinning: None }
}

const READS: &str = "working_set = \"128 B\"\nworkload = \"reads\"";

/// `first` loads two lines, is preempted by `second`, which takes both places, goes on there, and then on P1 beside it.
#[test]
fn delays_after_a_preemption_and_a_migration() {
    let segments = [
        segment(0, 0, 0, 0, 10),
        segment(0, 1, 0, 10, 20),
        // Two segments without a gap are one.
        segment(0, 0, 0, 20, 25),
        segment(0, 0, 0, 25, 30),
        segment(1, 0, 0, 30, 40),
        segment(0, 1, 1, 30, 40),
    ];
    let scenario = scenario(READS);
    let found = memory_use(&scenario, &segments, &mut || true).unwrap().unwrap();
    let seen: Vec<_> = found
        .resumptions
        .iter()
        .map(|one| (one.at.as_ns() / 1_000, one.is_migration, one.co_runners, one.delay))
        .collect();
    // The lines that `second` read are clean: 10 cycles each. On P1 two dirty victims, and two requests that wait.
    assert_eq!(seen, [(20, false, 0, Some(20)), (30, true, 1, Some(2 * 20 + 60))]);
    let job = |task, number| found.jobs[&JobId { task: TaskId(task), number }];
    // At 30 us `second` goes first, as P0 does. It takes 30 cycles for a line, as that of `first` is dirty there, and
    // so `first` finds no copy of its own. Both do that twice: 3000..3030 P0, ..3050 P1, ..3080 P0, ..3100 P1.
    let first = job(0, 0);
    assert_eq!((first.requests, first.served, first.lost), (6, 2 * 20 + 2 * 10 + 2 * 20, 2 * 30));
    // All four lines replace dirty ones.
    assert_eq!((job(1, 0).requests, job(1, 0).served, job(1, 0).lost), (4, 4 * 30, 0));
    assert_eq!((job(1, 1).requests, job(1, 1).served, job(1, 1).lost), (2, 2 * 30, 20));
}

#[test]
fn what_is_modelled_is_an_overheads_file_that_says_so() {
    let segments = [segment(0, 0, 0, 0, 10), segment(0, 1, 0, 10, 20), segment(0, 0, 0, 20, 30)];
    let scenario = scenario(READS);
    let found = memory_use(&scenario, &segments, &mut || true).unwrap().unwrap();
    let [row] = &delays(&found, 100)[..] else { panic!("one delay") };
    assert_eq!((row.kind, row.working_set, row.co_runners), (OverheadKind::CacheRelatedPreemption, 64, 0));
    assert_eq!((row.samples, row.max, row.mean), (1, Duration::from_ns(200), Duration::from_ns(200)));
    let profile = profile(&scenario, &[("PD2".to_owned(), found)]);
    for said in [&profile.title, &profile.machine, &profile.source] {
        assert!(said.starts_with("modelled"), "{said}");
    }
    let read = format!("{}[[task]]\nname = \"a\"\nwcet = \"1 ms\"\nperiod = \"9 ms\"\n", "schedlab = 1\n");
    let read = Scenario::parse("other.toml", &read).unwrap().with_overhead_profile(profile).unwrap();
    let OverheadsChoice { profile, .. } = &read.overheads;
    let charged = profile.charged("PD2", "none");
    let cost = |kind| charged.overheads.evaluate(kind, Statistic::Max, 1, 64).as_ns();
    assert_eq!(cost(OverheadKind::CacheRelatedPreemption), 200);
    // No job migrated: what that costs is unknown, and so is all else but pushes and pulls, which do not occur.
    let unknown: Vec<_> = charged.unknown(Statistic::Max).collect();
    assert_eq!(unknown.len(), OverheadKind::ALL.len() - 3);
    assert!(unknown.contains(&OverheadKind::CacheRelatedMigration));
    assert!(profile.charged("P-EDF", "none").unknown(Statistic::Max).count() == OverheadKind::ALL.len() - 2);
}

/// Such a job loads lines whether it was preempted or not.
#[test]
fn a_working_set_beyond_the_cache_has_no_delay() {
    let scenario = scenario("working_set = \"160 B\"\nworkload = \"reads\"");
    let segments = [segment(0, 1, 0, 0, 10), segment(0, 0, 0, 10, 20), segment(0, 1, 0, 20, 30)];
    let found = memory_use(&scenario, &segments, &mut || true).unwrap().unwrap();
    let [one] = &found.resumptions[..] else { panic!("one goes on") };
    assert_eq!(one.delay, None);
    assert_eq!(delays(&found, 100), []);
}

#[test]
fn tasks_that_do_not_say_what_they_touch_are_refused_by_name() {
    let refused = |second: &str| memory_use(&scenario(second), &[], &mut || true).unwrap_err().to_string();
    assert_eq!(
        refused(""),
        "made.toml:18:1: task[1].working_set: task \"second\" has no working set; allowed: bytes, such as \"64 KiB\""
    );
    assert_eq!(
        refused("working_set = \"64 B\""),
        "made.toml:18:1: task[1].workload: task \"second\" touches no memory; allowed: writes, reads or backtest"
    );
}
