//! Kernel traces with known answers: 25 inputs of the kinds that tools write, most of them recorded, with the figures
//! of an independent reader (`tests/golden/kernel-traces/expected.json`).

use crate::support::{
    answers, bytes, compare, concluded, expected, is_task, named, near, refused, says, thread,
};
use schedlab_tracepoints::{read_bytes, NotRead, OtherFile, StampUnit, ThreadClass};

/// The program's own log has 40, 20 and 10 releases.
const THREE: [(u32, f64); 3] = [(8812, 5_000.0), (8813, 10_000.0), (8814, 20_000.0)];

#[test]
fn case_01_ftrace() {
    let found = answers("01-ftrace-text-default", "01-trace.txt", None, &THREE);
    let priorities = [8812, 8813, 8814].map(|pid| thread(&found, pid).rt_priority);
    assert_eq!(priorities, [Some(80), Some(70), Some(60)]);
    says(&found, &["RUNS WITHOUT A BEGIN", "in 10 of the switches (CPU 1: 10)"]);
    let scenario = found.scenario.unwrap();
    assert_eq!(scenario.scheduler.name, "P-FP");
    assert!(scenario.tasks.iter().all(|task| task.processor == Some(0)));
}

#[test]
fn case_02_perf_script_of_the_same_run() {
    answers("02-perf-script-same-run", "02-perf.txt", None, &THREE);
}

#[test]
fn case_03_trace_dat_as_text() {
    let periods = [(10194, 10_000.0), (10195, 20_000.0), (10196, 40_000.0)];
    let found = answers("03-trace-dat-v6", "03-as-report.txt", None, &periods);
    assert_eq!(thread(&found, 10195).task.as_deref(), Some("log-1"));
    // Starts are no jobs: these are the program's releases.
    let jobs =
        [10194, 10195, 10196].map(|pid| thread(&found, pid)).map(|thread| thread.jobs - thread.startup_jobs);
    assert_eq!(jobs, [16, 8, 4]);
    let binary = read_bytes(&bytes("03-trace.dat"), None).unwrap_err();
    assert!(matches!(binary, NotRead::Other(OtherFile::TraceDat)), "{binary}");
}

#[test]
fn case_05_trace_cmd_report() {
    let periods = [(9419, 9_000.0), (9420, 18_000.0), (9421, 45_000.0)];
    let found = answers("05-trace-cmd-report-default", "05-report.txt", None, &periods);
    assert_eq!((thread(&found, 9421).class, thread(&found, 9421).nice), (ThreadClass::Ordinary, Some(0)));
}

#[test]
fn case_07_odd_names() {
    let periods = [
        (10105, 10_000.0),
        (10106, 20_000.0),
        (10107, 40_000.0),
        (10108, 40_000.0),
        (10109, 20_000.0),
        (10110, 40_000.0),
        (10111, 20_000.0),
    ];
    let found = answers("07-ftrace-tgid-odd-names", "07-trace.txt", None, &periods);
    let names = periods.map(|(pid, _)| thread(&found, pid).task.clone().unwrap());
    let expected = ["ctl loop", "a-b-12", "x: y [3]", "very_long_threa", "worker", "worker-2", "steady-7"];
    assert_eq!(names, expected);
    let releases = periods.map(|(pid, _)| thread(&found, pid).releases);
    // The program has one less of two threads: they set their priorities before their first sleep.
    assert_eq!(releases, [17, 9, 5, 6, 10, 5, 9]);
    says(&found, &["steady-7:", "It was also called boot, odd."]);
}

#[test]
fn case_09_deadline_threads() {
    let periods = [(10093, 10_000.0), (10094, 25_000.0), (10095, 20_000.0)];
    let found = answers("09-deadline-ftrace", "09-trace.txt", None, &periods);
    for pid in [10093, 10094] {
        assert_eq!(
            (thread(&found, pid).class, thread(&found, pid).rt_priority),
            (ThreadClass::Deadline, None)
        );
    }
    let scenario = found.scenario.as_ref().unwrap();
    let servers: Vec<&str> = scenario
        .tasks
        .iter()
        .filter(|task| task.class.name() == "deadline")
        .map(|task| &*task.name)
        .collect();
    assert_eq!(
        (servers.as_slice(), scenario.scheduler.name.as_str()),
        (&["dl_cam", "dl_arm"][..], "P-SCHED_FIFO")
    );
    says(
        &found,
        &["SCHED_DEADLINE threads (dl_cam, dl_arm)", "runtime, deadline and period", "does not hold"],
    );
}

#[test]
fn case_11_perf_sched() {
    let periods = [(9751, 10_000.0), (9752, 20_000.0), (9753, 40_000.0)];
    answers("11-perf-sched-script", "11-perf.txt", None, &periods);
}

#[test]
fn case_13_perf_with_fields() {
    let periods = [(10087, 6_000.0), (10088, 15_000.0), (10089, 30_000.0)];
    let found = answers("13-perf-script-fields-ns", "13-perf.txt", None, &periods);
    assert_eq!(
        [10087, 10088, 10089].map(|pid| thread(&found, pid).rt_priority),
        [Some(45), Some(45), Some(12)]
    );
}

#[test]
fn case_14_stamps_that_count() {
    let found = concluded("14-trace.txt", None);
    compare("14-clock-counter", &found, &[]);
    assert!(
        found.scenario.is_none()
            && found.result.stamps == StampUnit::Counts
            && found.result.duration_ns.is_none()
    );
    for thread in &found.result.threads {
        let lengths =
            [thread.period_ns, thread.cost_max_ns, thread.run_ns, thread.latency_from_wakeup_max_ns];
        assert!(lengths.iter().all(Option::is_none) && thread.period_stamps.is_none(), "{thread:?}");
    }
    says(&found, &["NO TIMES", "numbers of events"]);
    assert!(!found.notes.join(" ").contains(" ms"), "{:?}", found.notes);
}

#[test]
fn case_15_stamps_that_tick() {
    let found = concluded("15-trace.txt", None);
    compare("15-clock-x86-tsc", &found, &[]);
    assert!(found.scenario.is_none() && found.result.stamps == StampUnit::Unknown);
    let ticks = &expected("15-clock-x86-tsc")["about"]["period_median_ticks"];
    let periods = [8971, 8972].map(|pid| thread(&found, pid).period_stamps.unwrap() as f64);
    for (period, pid) in periods.iter().zip(["8971", "8972"]) {
        assert!((period / ticks[pid].as_f64().unwrap() - 1.0).abs() < 0.001, "{period}");
    }
    assert!((periods[1] / periods[0] - 2.0).abs() < 0.001);
    says(&found, &["UNKNOWN UNIT", "--unit"]);
    // The processor's rate, as the program's periods of 5 and 10 ms show it.
    let timed = concluded("15-trace.txt", Some("2448 MHz"));
    is_task(&timed, 8971, 5_000.0);
    is_task(&timed, 8972, 10_000.0);
}

#[test]
fn case_16_holes() {
    let found = concluded("16-pipe.txt", None);
    compare("16-trace-pipe-lost", &found, &[]);
    is_task(&found, 9044, 5_000.0);
    is_task(&found, 9045, 10_000.0);
    let lost: Vec<_> = found.result.lost_events.iter().map(|loss| (loss.cpu, loss.lost)).collect();
    assert_eq!(lost, [(0, Some(139)), (1, Some(284)), (0, Some(212))]);
    assert_eq!(found.result.bad_lines, 1);
    says(&found, &["LOST EVENTS: 3 holes (CPU 0: 139, CPU 1: 284, CPU 0: 212)"]);
    for (name, most) in [("fast", 950_000), ("mid", 2_200_000), ("slow", 4_450_000)] {
        assert!(named(&found, name).cost_max_ns.unwrap() <= most, "{name}");
    }
}

#[test]
fn case_18_latency_format() {
    let found = answers("18-latency-format", "18-trace.txt", None, &[(8957, 5_000.0), (8958, 10_000.0)]);
    says(&found, &["Stamps count from the begin", "microseconds"]);
    assert!(found.result.threads.iter().all(|thread| thread.name != "migratio"));
}

/// The oracle takes each sleep as an end of a job. The program has ten jobs, and waits for the mutex in five.
#[test]
fn case_19_priority_inheritance() {
    let found = concluded("19-trace.txt", None);
    compare(
        "19-priority-inheritance",
        &found,
        &[8843]
            .map(|pid| {
                ["activations", "jobs", "period_med_us", "cost_med_us", "cost_max_us"].map(|key| (pid, key))
            })
            .concat(),
    );
    let periods = [(8843, 20_000.0), (8844, 40_000.0), (8845, 40_000.0)];
    periods.iter().for_each(|(pid, period)| is_task(&found, *pid, *period));
    let high = thread(&found, 8843);
    assert_eq!((high.releases, high.jobs - high.startup_jobs, high.rt_priority), (10, 10, Some(80)));
    near("hi_prio", high.cost_median_ns, &900.0.into(), 0.0, 150.0);
    let waits: Vec<_> = high.waited_for.iter().map(|waits| (waits.holder.as_str(), waits.count)).collect();
    assert_eq!(waits, [("lo_prio", 5)]);
    let low = thread(&found, 8845);
    assert_eq!((low.rt_priority, low.kernel_priorities.as_slice()), (Some(20), &[120, 79, 19][..]));
    says(&found, &["hi_prio:", "blocked by lo_prio", "5 times"]);
}

#[test]
fn case_20_one_processor_traced() {
    let found = concluded("20-trace.txt", None);
    compare("20-one-cpu-traced", &found, &[]);
    is_task(&found, 9001, 8_000.0);
    says(&found, &["ONLY CPU 0 of 2 processors", "at least"]);
    assert!(thread(&found, 9002).cost_max_ns.unwrap() < 5_200_000);
    assert_eq!((thread(&found, 9003).period_ns, thread(&found, 9003).cost_max_ns), (None, None));
}

#[test]
fn case_22_no_switch_out_of_idle() {
    let found = concluded("22-trace.txt", None);
    compare("22-no-switch-out-of-idle", &found, &[]);
    is_task(&found, 9009, 8_000.0);
    let hog = thread(&found, 9011);
    assert_eq!((hog.runs_without_start, hog.cost_max_ns), (8, None));
    near("hog", hog.period_ns, &20_000.0.into(), 2.0, 0.0);
    near("hog: at most", hog.response_max_ns, &8_000.0.into(), 0.0, 300.0);
    says(&found, &["RUNS WITHOUT A BEGIN: in 23 of the switches (CPU 1: 23)"]);
    says(&found, &["hog (9011: its period is 20 ms, but its cost was not seen"]);
    says(&found, &["nice:", "1 job went on past the next release, and may be two jobs"]);
}

#[test]
fn case_24_systrace() {
    let periods = [(612, 16_667.0), (640, 25_000.0), (2210, 16_667.0), (2301, 40_000.0)];
    let found = answers("24-systrace-html-crlf", "24-trace.html", None, &periods);
    let priorities =
        [612, 640, 2210, 2301].map(|pid| (thread(&found, pid).rt_priority, thread(&found, pid).nice));
    assert_eq!(priorities, [(Some(2), None), (None, Some(-8)), (None, Some(-10)), (None, Some(0))]);
    assert_eq!(found.result.threads.len(), 4, "a marker is no event");
    says(&found, &["The processors 0, 1, ... of the scenario are the machine's CPUs 2, 5"]);
}

#[test]
fn case_25_vendor_fields_packed() {
    let found = answers(
        "25-vendor-fields-gz",
        "25-trace.txt.gz",
        None,
        &[(41149, 6_000.0), (368, 15_000.0), (700, 10_000.0)],
    );
    assert_eq!(found.result.threads.len(), 3, "the idle threads are none");
    assert_eq!(thread(&found, 700).class, ThreadClass::Deadline);
    assert_eq!(thread(&found, 368).nice, Some(-20));
}

#[test]
fn case_26_no_wakeups() {
    let found = answers(
        "26-starts-in-a-job-no-wakeups",
        "26-trace.txt",
        None,
        &[(301, 4_000.0), (302, 12_000.0), (303, 24_000.0)],
    );
    for thread in &found.result.threads {
        let (latency, other) = (thread.latency_from_wakeup_max_ns, thread.latency_from_waking_max_ns);
        assert_eq!((latency, other, thread.response_max_ns), (None, None, None));
    }
    says(&found, &["NO WAKE-UPS", "not seen"]);
}

#[test]
fn case_28_order() {
    let periods = [(51, 5_000.0), (52, 10_000.0), (61, 8_000.0), (62, 16_000.0)];
    let found = answers("28-order-and-time-back", "28-trace.txt", None, &periods);
    says(&found, &["OUT OF ORDER: 3 events"]);
    match refused("28-time-back-30s.txt") {
        NotRead::TimeGoesBack { line, cpu, back } => assert_eq!((line, cpu, back), (66, 0, 30_067_006_000)),
        other => panic!("{other}"),
    }
}

#[test]
fn case_29_bare_nanoseconds() {
    let asked = concluded("29-trace.txt", None);
    assert!(asked.scenario.is_none() && asked.result.stamps == StampUnit::Unknown);
    says(&asked, &["UNKNOWN UNIT", "--unit ns"]);
    let found =
        answers("29-bare-nanoseconds", "29-trace.txt", Some("ns"), &[(2001, 11_111.0), (2002, 5_000.0)]);
    assert_eq!([2001, 2002].map(|pid| thread(&found, pid).rt_priority), [Some(1), Some(3)]);
}

const CAMERA: [(u32, f64); 4] = [(801, 7_000.0), (802, 21_000.0), (803, 4_000.0), (804, 28_000.0)];

#[test]
fn case_30_perfetto() {
    let found = answers("30-perfetto-ftrace-events", "30-trace.pftrace", None, &CAMERA);
    assert_eq!(thread(&found, 803).rt_priority, Some(94));
}

#[test]
fn case_31_perfetto_compact() {
    let found = answers("31-perfetto-compact", "31-trace.pftrace", None, &CAMERA);
    assert_eq!(thread(&found, 804).name, "logd.writer");
    says(&found, &["sched_waking"]);
}

#[test]
fn case_33_refusals() {
    assert!(matches!(refused("33-zero.txt"), NotRead::Empty));
    assert!(matches!(refused("33-header-only.txt"), NotRead::NoEvents));
    assert!(matches!(refused("33-noise.txt"), NotRead::NotATrace));
    assert!(matches!(refused("33-systrace-error.html"), NotRead::Other(OtherFile::Html)));
    assert!(matches!(refused("33-perf.data"), NotRead::Other(OtherFile::PerfData)));
    assert!(matches!(refused("33-cut.dat"), NotRead::Other(OtherFile::TraceDat)));
    assert!(matches!(refused("33-function-only.txt"), NotRead::NoSchedulerEvents { events: 6 }));
    assert!(refused("33-function-only.txt").to_string().contains("sched_switch"));
    assert!(refused("33-perf.data").to_string().contains("perf script"));
    let found = concluded("33-wakeups-only.txt", None);
    assert!(found.scenario.is_none());
    for pid in [600, 601] {
        let tick = thread(&found, pid);
        assert_eq!((tick.period_ns, tick.rt_priority, tick.releases), (Some(20_000_000), Some(50), 20));
        assert_eq!((tick.cost_max_ns, tick.switches_in, tick.latency_from_wakeup_max_ns), (None, 0, None));
    }
    says(&found, &["NO CONTEXT SWITCHES"]);
}

#[test]
fn case_34_preempt_rt() {
    let periods = [(1201, 2_000.0), (1210, 5_000.0), (1220, 20_000.0), (1301, 10_000.0)];
    let found = answers("34-preempt-rt-seven-columns", "34-trace.txt", None, &periods);
    assert_eq!(thread(&found, 1201).rt_priority, Some(99));
    assert_eq!(thread(&found, 1302).period_ns, None, "two releases are no period");
}

#[test]
fn case_35_unknown_names() {
    let found = answers("35-unknown-names", "35-trace.txt", None, &[(8951, 10_000.0), (8952, 20_000.0)]);
    let wrong = |name: &String| name == "<...>" || name == "<idle>";
    assert!(!found.result.threads.iter().any(|thread| thread.names.iter().any(wrong)));
}
