//! The binary as a user meets it. Where real-time priorities are refused, the runs say so and the tests pass.

mod support;

use std::fs;
use std::path::Path;
use support::binary::{command, read, refused, scenario, text, AVIONICS};
use support::skipped::skipped;
use support::turn;

#[test]
fn a_checked_run_prints_its_verdict_last() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("run.trace");
    let mut run = command();
    let perfetto = folder.path().join("run.pftrace");
    run.args(["run", AVIONICS, "--scheduler", "P-EDF", "--duration", "1s", "--check", "--out"]).arg(&trace);
    run.arg("--perfetto").arg(&perfetto);
    let output = run.output().unwrap();
    if refused(&output) {
        return;
    }
    let said = text(&output.stdout);
    let last = said.lines().last().unwrap_or_default();
    assert!(last.contains("the replay is exact") && last.contains("invariants hold"), "{said}");
    assert!(output.status.success(), "{said}");
    let (records, ends) = read(&trace);
    assert!(records > 1_000 && ends, "{records} {ends}");
    let lanes = String::from_utf8_lossy(&fs::read(&perfetto).unwrap()).matches("by the kernel").count();
    let by_kernel = folder.path().join("run.kernel.trace");
    if said.contains("the kernel's context switches are missing") {
        assert!(!by_kernel.exists());
        return skipped("the kernel's context switches are missing");
    }
    assert!(lanes > 0, "{said}");
    assert!(
        said.contains("\nby the kernel's switches: ") && said.contains(" invariants hold; 99.9% of"),
        "{said}"
    );
    let (records, ends) = read(&by_kernel);
    assert!(records > 1_000 && ends, "{records} {ends}");
}

#[test]
fn errors_say_what_is_wrong() {
    let output = command().args(["run", AVIONICS, "--duration", "5 parsecs"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).starts_with("schedlab-rt: --duration 5 parsecs: "),
        "{}",
        text(&output.stderr)
    );
    let output = command().args(["run", "there_is_no_such_file.toml"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("there_is_no_such_file.toml"), "{}", text(&output.stderr));
    let output = command().args(["run", AVIONICS, "--scheduler", "Q-EDF"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("Q-EDF"), "{}", text(&output.stderr));
    let output = command().args(["run", AVIONICS, "--lift-fair-server"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("sched/fair_server/cpu*/runtime"), "{}", text(&output.stderr));
}

/// A processor at a fifth of the speed is refused; if it is ignored, the run says so.
#[test]
fn what_another_tools_file_says_is_refused_or_named() {
    let slow = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/cases/simso-unequal-speeds/slow.xml");
    let output = command().args(["run", slow]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let wanted = "slow.xml:7:66: speed 0.2 of processor CPU 2 has no place in a scenario";
    assert!(text(&output.stderr).contains(wanted), "{}", text(&output.stderr));
    let asked = ["run", slow, "--ignore", "speed", "--duration", "20ms", "--unprivileged"];
    let output = command().args(asked).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stderr);
    assert!(
        said.contains("left out of ") && said.contains("speed 0.2 of processor CPU 2 (line 7)"),
        "{said}"
    );
}

/// It needs no privilege, and says on every output what it is worth.
#[test]
fn an_unprivileged_run_warns_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("run.trace");
    let mut run = command();
    let options =
        ["--scheduler", "P-EDF", "--duration", "300ms", "--unprivileged", "--background", "1", "--json"];
    let output = run.args(["run", AVIONICS]).args(options).arg("--out").arg(&trace).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("warning: without real-time priorities"));
    assert!(text(&output.stdout).contains("warning: without real-time priorities"));
    assert!(text(&output.stdout).contains("background_ns"), "{}", text(&output.stdout));
    let header = String::from_utf8_lossy(&fs::read(&trace).unwrap()).into_owned();
    assert!(header.contains("warning: without real-time priorities"));
}

/// A machine with tens of thousands of busy threads does not answer its user.
#[test]
fn too_many_ordinary_threads_are_refused() {
    let output = command().args(["run", AVIONICS, "--background", "1001"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("1001 is not in 0..=1000"), "{}", text(&output.stderr));
}

/// Costs of this set fill their quanta. Overheads enlarge the weights where there is room.
#[test]
fn a_run_says_what_weights_bear() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pfair.toml");
    let said = |overheads: &str, processors: u16| {
        let scenario = format!(
            "schedlab = 1\nscheduler = \"PD2\"\nhorizon = \"20 ms\"\n{overheads}\nplatform = {{ processors = {processors} }}\n\
             [[task]]\nname = \"a\"\ncopies = 2\nwcet = \"2 ms\"\nperiod = \"4 ms\"\n"
        );
        fs::write(&file, scenario).unwrap();
        let output = command().arg("run").arg(&file).arg("--unprivileged").output().unwrap();
        text(&output.stderr)
    };
    let plain = said("", 1);
    assert!(plain.contains("costs of 2 of 2 tasks fill their quanta"), "{plain}");
    assert!(plain.contains("a.1: 3/4 instead of 2/4"), "{plain}");
    let refused = said("overheads = \"paper-2008-4k\"", 1);
    assert!(refused.contains("weights add up to 1.500 of 1 processor: none is enlarged"), "{refused}");
    let enlarged = said("overheads = \"paper-2008-4k\"", 2);
    assert!(enlarged.contains("they add up to 1.500 instead of 1.000"), "{enlarged}");
    assert!(!enlarged.contains("fill their quanta"), "{enlarged}");
}

#[test]
fn the_cost_of_pfair_slots_is_printed() {
    let slot = ["measure", "pfair-slots", "--processors", "2", "--tasks", "10", "--sets", "2"];
    let slot = text(&command().args(slot).output().unwrap().stdout);
    assert_eq!(slot.matches("staggered_ns").count(), 2, "{slot}");
    let refused =
        command().args(["measure", "pfair-slots", "--processors", "0", "--tasks", "10"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
}

/// Each says all values of what it measures, and nothing else.
#[test]
fn single_measurements_answer_in_json() {
    let _turn = turn();
    let asked: [(&str, &str); 14] = [
        ("decisions --scheduler G-EDF --tasks 12 --length 200ms --dispatch-lock mcs", "/0/whole_ns/0"),
        ("switches --scheduler G-EDF --tasks 12 --length 200ms", "/0/ns/0"),
        ("locks --protocol pip --processors 1 --length 200ms", "/rows/0/ns/0"),
        ("locks --protocol fmlp-short --length 200ms", "/rows/0/ns/0"),
        ("sets --scheduler G-EDF --tasks 12 --length 200ms", "/scheduling/max_ns"),
        ("sets --scheduler P-EDF --tasks 12 --length 200ms --sections", "/leaving_np_section/count"),
        ("reloads --bytes 4096 --rounds 20 --staggered", "/0/max_ns"),
        ("quanta --quanta 30", "/late_ns/0/0"),
        ("calls --rounds 50", "/6/ns/0"),
        ("paths --pages 1 --rounds 20", "/0/migrated_ns/0"),
        ("pulls --rounds 20", "/schedules/0"),
        ("writes --bytes 4096 --pattern random --quanta 3 --rounds 1", "/staggered/0/0/2"),
        ("latency --scheduler P-EDF --loops 50", "/ns/49"),
        ("latency --scheduler G-EDF --loops 50", "/ns/49"),
    ];
    for (what, place) in asked {
        let output = command().arg("measure").args(what.split(' ')).output().unwrap();
        if refused(&output) {
            return;
        }
        assert!(output.status.success(), "{what}: {}", text(&output.stderr));
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        // A machine with one processor has no paths, and nowhere to pull from.
        let nowhere = found.as_array().is_some_and(Vec::is_empty) || found == serde_json::json!({});
        assert!(nowhere || found.pointer(place).is_some_and(serde_json::Value::is_number), "{what}: {found}");
    }
    for (protocol, why) in
        [("q", "q"), ("lock-free", "attempt operations"), ("wait-free", "attempt operations")]
    {
        let output = command().args(["measure", "locks", "--protocol", protocol]).output().unwrap();
        let said = text(&output.stderr);
        assert!(refused(&output) || output.status.code() == Some(2) && said.contains(why), "{said}");
    }
}

/// Walkers and BACKTEST instead of the busy loop; a program over many jobs ends the run, and says when it ended.
#[test]
fn workloads_run_for_real() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let mut run = command();
    run.args([
        "run",
        AVIONICS,
        "--duration",
        "300ms",
        "--workload",
        "writes",
        "--working-set",
        "64 KiB",
        "--json",
    ]);
    let output = run.output().unwrap();
    if refused(&output) {
        return;
    }
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(found["jobs"]["completed"].as_u64() > Some(10), "{found}");
    let scenario = folder.path().join("programs.toml");
    fs::write(
        &scenario,
        "schedlab = 1\nhorizon = \"20 s\"\noverruns = \"cut\"\nscheduler = \"PD2\"\nplatform = { processors = 1 }\n[[task]]\n\
         name = \"a\"\ncopies = 3\nwcet = \"2 ms\"\nperiod = \"10 ms\"\nworkload = \"backtest 40000000\"\nworking_set = \"16 KiB\"\n",
    )
    .unwrap();
    let output = command().arg("run").arg(&scenario).args(["--check", "--json"]).output().unwrap();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&found["ending"], &found["replay_is_exact"]), (&"programs_completed".into(), &true.into()));
    assert!(found["jobs"]["completed"].as_u64() > Some(6), "each goes over several jobs: {found}");
    let ends: Vec<u64> =
        found["programs"]["completed_ns"].as_array().unwrap().iter().filter_map(|end| end.as_u64()).collect();
    let (first, last) = (ends.iter().min().unwrap(), ends.iter().max().unwrap());
    assert!(ends.len() == 3 && first * 2 > *last, "in proportion to equal weights: {ends:?}");
}

#[test]
fn workloads_that_cannot_be_are_refused() {
    for (arguments, why) in [
        (vec!["--workload", "burn"], "is not a workload; allowed: compute, writes"),
        (vec!["--workload", "reads"], "is on data"),
        (vec!["--workload", "reads", "--working-set", "4 elephants"], "--working-set 4 elephants"),
        (vec!["--workload", "reads", "--working-set", "1 GiB"], "at most 1073741824"),
    ] {
        let output = command().args(["run", AVIONICS]).args(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(why), "{}", text(&output.stderr));
    }
}

/// Runs `text` and gives its findings; `None` if this machine does not let it.
fn findings(text: &str, duration: &str) -> Option<serde_json::Value> {
    let folder = tempfile::tempdir().unwrap();
    let path = scenario(folder.path(), text);
    let output =
        command().arg("run").arg(path).args(["--check", "--json", "--duration", duration]).output().unwrap();
    if refused(&output) {
        return None;
    }
    Some(serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", self::text(&output.stderr))))
}

/// More work than the processor can do: jobs are given up at their termination times, in sections too, and all is
/// explained.
#[test]
fn an_overload_is_cut() {
    let _turn = turn();
    let text = "schedlab = 1\nprotocol = \"task-fair\"\nscheduler = { name = \"P-DASA-ND\", placement = { overflow = \"least_loaded\" } }\n\
                resource = [{ name = \"R\" }]\n\
                [platform]\nprocessors = 2\n\
                [[task]]\nname = \"worth\"\ncopies = 2\nwcet = \"4 ms\"\nperiod = \"10 ms\"\nutility = 20\n\
                [[task]]\nname = \"shared\"\ncopies = 2\nperiod = \"10 ms\"\nutility = { step = 9, termination = \"6 ms\" }\n\
                program = [\"execute 3 ms\", \"request R\", \"execute 2 ms\", \"release R\"]\n\
                abort_handler = { cost = \"0.2 ms\", utility = 1 }\n\
                [[task]]\nname = \"rest\"\ncopies = 2\nwcet = \"6 ms\"\nperiod = \"20 ms\"\nutility = 3\n";
    let Some(found) = findings(text, "400 ms") else { return };
    assert_eq!(found["replay_is_exact"], true, "{found}");
    assert!(found["jobs"]["missed"].as_u64() > Some(10), "{found}");
    assert!(found["misses"].is_null() || found["misses"]["unexplained"] == serde_json::json!([]), "{found}");
}

/// Two tasks wait for each other once in each period: one of them goes on without what it waits for, and its handler
/// gives back what the other waits for.
#[test]
fn a_deadlock_ends_with_an_abort() {
    let _turn = turn();
    let text = "schedlab = 1\nprotocol = \"by-schedule\"\nscheduler = \"P-DASA\"\n\
                resource = [{ name = \"bus\" }, { name = \"log\" }]\n[platform]\nprocessors = 1\n\
                [[task]]\nname = \"left\"\nwcet = \"3 ms\"\nperiod = \"20 ms\"\ndeadline = \"13 ms\"\noffset = \"1 ms\"\nutility = 30\n\
                program = [\"request bus\", \"execute 1 ms\", \"request log\", \"execute 2 ms\", \"release log\", \"release bus\"]\n\
                abort_handler = { cost = \"1 ms\" }\n\
                [[task]]\nname = \"right\"\nwcet = \"4 ms\"\nperiod = \"20 ms\"\ndeadline = \"17 ms\"\nutility = 10\n\
                program = [\"request log\", \"execute 2 ms\", \"request bus\", \"execute 2 ms\", \"release bus\", \"release log\"]\n\
                abort_handler = { cost = \"2 ms\", utility = 1 }\n";
    let Some(found) = findings(text, "600 ms") else { return };
    assert_eq!(found["replay_is_exact"], true, "{found}");
    let jobs = &found["jobs"];
    // "right" misses in each period, since it is given up; "left" in those that the machine disturbs.
    assert!(jobs["missed"].as_u64() > Some(24), "{found}");
    assert!(jobs["completed"].as_u64() > Some(24), "{found}");
    assert!(found["misses"].is_null() || found["misses"]["unexplained"] == serde_json::json!([]), "{found}");
}

/// The Dhall effect: the scheduler itself lets the heavy task miss by 8 ms, with or without overheads, and with a
/// workload that is a third too short.
#[test]
fn misses_of_the_schedule_are_told_from_those_of_the_machine() {
    let _turn = turn();
    let dhall = "schedlab = 1\n[scheduler]\nname = \"G-EDF\"\n[platform]\nprocessors = 2\n\
                 [[task]]\nname = \"a\"\nwcet = \"10 ms\"\nperiod = \"20 ms\"\n\
                 [[task]]\nname = \"b\"\nwcet = \"10 ms\"\nperiod = \"20 ms\"\n\
                 [[task]]\nname = \"heavy\"\nwcet = \"20 ms\"\nperiod = \"22 ms\"\n";
    let Some(found) = findings(dhall, "440 ms") else { return };
    if found["misses"].is_null() {
        skipped("the kernel does not say what ran");
        return;
    }
    assert!(found["misses"]["of_schedule"].as_u64().unwrap() > 0, "{found}");
    // No room for any overhead: each decision that takes a moment makes jobs late.
    let full = "schedlab = 1\n[scheduler]\nname = \"P-EDF\"\n[platform]\nprocessors = 1\n\
                [[task]]\nname = \"full\"\nwcet = \"10 ms\"\nperiod = \"10 ms\"\n";
    let Some(found) = findings(full, "300 ms") else { return };
    let misses = &found["misses"];
    assert_eq!(misses["of_schedule"], 0, "{found}");
    let all = found["jobs"]["missed"].as_u64().unwrap();
    let unexplained = misses["unexplained"].as_array().unwrap().len() as u64;
    assert_eq!((misses["of_lost_time"].as_u64().unwrap(), unexplained), (all, 0), "{found}");
}

/// Threads of two processors decide one at a time, however they do it: the replay would differ otherwise.
#[test]
fn decisions_are_kept_apart_under_either_lock_and_architecture() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let task = |index: u32| format!("[[task]]\nname = \"t{index}\"\nwcet = \"200 us\"\nperiod = \"2 ms\"\n");
    let tasks: String = (0..6).map(task).collect();
    let system = format!("schedlab = 1\n[scheduler]\nname = \"G-EDF\"\n[platform]\nprocessors = 2\n{tasks}");
    let path = scenario(folder.path(), &system);
    let trace = folder.path().join("run.trace");
    let run = |ways: &[&str]| {
        let options = ["--check", "--json", "--duration", "300 ms", "--out"];
        command().arg("run").arg(&path).args(options).arg(&trace).args(ways).output().unwrap()
    };
    let ticket = ["--dispatch-lock", "ticket"];
    let mcs = ["--dispatch-lock", "mcs"];
    let still = ["--architecture", "stop-the-world"];
    for ways in [&ticket[..], &mcs, &still, &[mcs, still].concat()] {
        let output = run(ways);
        if refused(&output) {
            return;
        }
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (&found["replay_is_exact"], &found["invariants_hold"]),
            (&true.into(), &true.into()),
            "{ways:?}"
        );
        assert_eq!(found["jobs"]["arrived"], 900, "{ways:?}: {found}");
        let file = schedlab_report::files::TraceFile::open(fs::File::open(&trace).unwrap()).unwrap();
        let still = file.header().get("architecture").is_some_and(|way| way == "stop-the-world");
        assert_eq!(still, ways.contains(&"stop-the-world"), "the trace says how it came about");
    }
    assert!(text(&run(&["--dispatch-lock", "tas"]).stderr).contains("allowed: ticket, mcs"));
    assert!(text(&run(&["--architecture", "stw"]).stderr).contains("allowed: concurrent, stop-the-world"));
    let neither = run(&["--architecture", "stop-the-world", "--unprivileged"]);
    assert!(
        neither.status.code() == Some(3)
            && text(&neither.stderr).contains("choose the architecture concurrent")
    );
}

/// A run as it is seen from outside; `None` if this machine does not let it.
fn observed_run(folder: &Path) -> Option<schedlab_scenario::Scenario> {
    let ran = "schedlab = 1\n[scheduler]\nname = \"P-EDF\"\n[platform]\nprocessors = 1\n\
               [[task]]\nname = \"fast\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\n\
               [[task]]\nname = \"slow\"\nwcet = \"5 ms\"\nperiod = \"40 ms\"\n";
    let (path, out) = (scenario(folder, ran), folder.join("observed.toml"));
    let mut observe = command();
    observe.args(["observe", "--duration", "20 s", "--out"]).arg(&out).arg("--");
    observe.arg(env!("CARGO_BIN_EXE_schedlab-rt")).arg("run").arg(path).args(["--duration", "1 s"]);
    let output = observe.output().unwrap();
    if refused(&output) || text(&output.stderr).contains("are refused") {
        return None;
    }
    assert!(output.status.success(), "{}", text(&output.stderr));
    Some(schedlab_scenario::Scenario::read(&out).unwrap())
}

/// Whether the tasks have the periods and costs that they had; else what one of them has.
fn is_as_it_was(seen: &schedlab_scenario::Scenario) -> Result<(), String> {
    for (name, period, cost) in [("task 0", 10_000_000, 1_000_000), ("task 1", 40_000_000, 5_000_000)] {
        let task = seen.tasks.iter().find(|task| task.name == name).ok_or(name)?;
        let said = seen.notes.lines().find(|line| line.starts_with(&format!("{name}:"))).expect("its line");
        let median =
            said.split("observed cost median ").nth(1).and_then(|rest| rest.split(',').next()).unwrap();
        let median = schedlab_scenario::duration(median).unwrap().as_ns();
        // The machine may be slower or faster than when the loop was calibrated, and now and then much slower.
        let is_right = task.period.as_ns().abs_diff(period) < period / 50
            && task.wcet.as_ns() > cost / 2
            && (cost / 2..cost * 2).contains(&median);
        if !is_right {
            return Err(format!("{}, {}: {said}", task.period, task.wcet));
        }
    }
    Ok(())
}

/// A run, seen from outside, is a scenario that is one: its tasks have the periods and costs that they had.
#[test]
fn an_observed_run_is_a_scenario() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let Some(mut seen) = observed_run(folder.path()) else { return };
    // A machine that is busy otherwise can delay a job until the next one, so that two look like one.
    for _ in 0..3 {
        if is_as_it_was(&seen).is_ok() {
            break;
        }
        seen = observed_run(folder.path()).expect("the machine let the first");
    }
    is_as_it_was(&seen).unwrap();
    assert!(seen.notes.starts_with("OBSERVED, NOT PROVED") && seen.title.starts_with("Observed: "));
    let prepared = schedlab_lab::Prepared::new(&seen).unwrap();
    assert!(prepared.simulate(schedlab_trace::NoTrace, &mut |_| true).unwrap().jobs_completed > 20);
    schedlab_lab::analyze(&prepared).unwrap();
}

/// A thread operates on a real object, so there has to be one.
#[test]
fn what_is_attempted_is_only_simulated() {
    let folder = tempfile::tempdir().unwrap();
    let shared =
        "schedlab = 1\nprotocol = \"lock-free\"\n[platform]\nprocessors = 2\n[[resource]]\nname = \"r\"\n\
                  [[task]]\nname = \"a\"\nwcet = \"2 ms\"\nperiod = \"20 ms\"\n\
                  program = [\"request r\", \"execute 1 ms\", \"release r\", \"execute 1 ms\"]\n";
    let output = command().arg("run").arg(scenario(folder.path(), shared)).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    assert!(
        text(&output.stderr).contains("own.toml:5:1: resource[0].kind: \"r\" has no kind"),
        "{}",
        text(&output.stderr)
    );
}

/// The kernel does not tell all users what runs.
#[test]
fn who_may_not_ask_the_kernel_is_told_so() {
    use std::os::unix::process::CommandExt;
    let mut observe = command();
    observe.args(["observe", "--pid", "1", "--duration", "10 ms"]);
    if fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0) {
        observe.uid(65_534).gid(65_534);
    }
    let output = observe.output().unwrap();
    let allowed =
        fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").is_ok_and(|level| level.trim() < "1");
    if allowed {
        return;
    }
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("CAP_PERFMON"), "{}", text(&output.stderr));
}
