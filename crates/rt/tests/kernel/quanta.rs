//! Runs in which the scheduler in the kernel decides by quanta, and the engine decides the same.

use crate::drawn::{scenario_of, Numbers};
use crate::native::{refused, NATIVE};
use crate::support::{alone, checked_by, followed_by, is_counted, scenario};
use crate::whole::SHARED;
use schedlab_lab::{Catalog, Prepared};
use schedlab_model::{CpuId, Instant, JobId, TaskId};
use schedlab_policy::Make;
use schedlab_report::files::TraceFile;
use schedlab_scenario::Scenario;
use schedlab_trace::{Record, Timeline};
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

/// Checks a run by quanta; returns its findings.
fn by_quanta(path: &Path, arguments: &[&str]) -> Value {
    compared(arguments, checked_by(NATIVE, path, arguments))
}

/// Checks a run by quanta that are so short that an emulated processor may stand still for all of one; returns its
/// findings.
fn by_short_quanta(path: &Path, arguments: &[&str]) -> Value {
    compared(arguments, followed_by(NATIVE, path, arguments))
}

/// Checks that the engine gave every quantum of a run to the same job, and returns the findings.
fn compared(arguments: &[&str], found: Option<Value>) -> Value {
    let found = found.expect("it takes the tasks");
    let (native, jobs) = (&found["native"], &found["jobs"]);
    assert_eq!(native["lost_records"], 0, "{native}");
    assert_eq!(native["quanta"]["other_choices"], 0, "every quantum goes to the engine's job: {native}");
    println!("{arguments:?}: {jobs}, {native}");
    found
}

/// Names of the schedulers that the kernel decides by quanta.
fn schedulers() -> Vec<String> {
    let by_quanta = |make: &Make| matches!(make, Make::Pfair { order, .. } if order.packs);
    let catalog = Catalog::shipped();
    let all = catalog.schedulers().filter(|known| by_quanta(&known.make));
    let names: Vec<String> = all.map(|known| known.name).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    names
}

/// Jobs that come late, end within their quanta, and suspend themselves.
const STEPS: &str = "schedlab = 1\nscheduler = \"PD2\"\nhorizon = \"1 s\"\noverruns = \"warn\"\n\
    [platform]\nprocessors = 2\nquantum = \"10 ms\"\n\
    [[task]]\nname = \"a\"\nwcet = \"25 ms\"\nperiod = \"65 ms\"\ncost = { fraction = 0.3 }\n\
    [[task]]\nname = \"b\"\nperiod = \"110 ms\"\nprogram = [\"execute 2 ms\", \"suspend 13 ms\", \"execute 1 ms\"]\n\
    [[task]]\nname = \"c\"\nwcet = \"3 ms\"\nperiod = \"45 ms\"\njitter = \"7 ms\"\n\
    [[task]]\nname = \"d\"\nwcet = \"50 ms\"\nperiod = \"90 ms\"\ncost = { fraction = 0.3 }\n";

#[test]
fn late_arrivals_suspensions_and_short_jobs_run_by_quanta() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = scenario(folder.path(), STEPS);
    for scheduler in schedulers() {
        let found = by_quanta(&path, &["--scheduler", &scheduler]);
        assert!(found["jobs"]["completed"].as_u64().unwrap() >= 45, "{scheduler}: {}", found["jobs"]);
    }
}

/// A random set of tasks, whose weights load two processors in full, or nearly so. Of up to `most` quanta of a job only
/// a part is used, so that emulated processors have time.
fn random_set(name: &str, number: u64, most: u64, part: &str, quantum_ms: u64) -> String {
    let mut numbers = Numbers::of(name, number);
    let mut text = format!(
        "schedlab = 1\nscheduler = \"PD2\"\nhorizon = \"{} ms\"\n[platform]\nprocessors = 2\n\
         quantum = \"{quantum_ms} ms\"\n",
        100 * quantum_ms
    );
    // The load in 60ths of a processor.
    let (mut left, mut task) = (120, 0);
    while task < 12 {
        let slots = [2, 3, 4, 5, 6, 10, 12][numbers.draw(0..7) as usize];
        let quanta = numbers.draw(1..most + 1).min(slots).min(left * slots / 60);
        if quanta == 0 {
            break;
        }
        left -= quanta * 60 / slots;
        let (wcet, period) = (quantum_ms * quanta, quantum_ms * slots);
        writeln!(
            text,
            "[[task]]\nname = \"t{task}\"\nwcet = \"{wcet} ms\"\nperiod = \"{period} ms\"\n\
             cost = {{ fraction = {part} }}"
        )
        .expect("a text takes everything");
        task += 1;
    }
    text
}

/// Random sets for each scheduler, as many as `SETS` says: with offsets, constrained deadlines and suspensions; and
/// sets that load the processors in full, whose jobs leave subtasks out. Of the latter no job is late: all periods are
/// multiples of quanta.
#[test]
fn random_sets_run_by_quanta() {
    let _alone = alone();
    let sets: u64 = std::env::var("SETS").map_or(1, |text| text.parse().expect("SETS is a number"));
    let folder = tempfile::tempdir().unwrap();
    let part = if is_counted() { "0.2" } else { "0.6" };
    for (scheduler, number) in schedulers().iter().flat_map(|name| (0..sets).map(move |set| (name, set))) {
        // Short quanta, to which costs are rounded up: so all tasks fit.
        let drawn =
            scenario_of(scheduler, number, false).replacen("quantum = \"10 ms\"", "quantum = \"2 ms\"", 1);
        let path = scenario(folder.path(), &drawn);
        by_short_quanta(&path, &["--scheduler", scheduler]);
        let path = scenario(folder.path(), &random_set(scheduler, number, 9, part, 10));
        let found = by_quanta(&path, &["--scheduler", scheduler]);
        let (completed, missed) = (found["jobs"]["completed"].as_u64(), found["jobs"]["missed"].as_u64());
        // The host may keep emulated processors that execute in parallel waiting.
        let in_time = completed.unwrap() > 20 && missed == Some(0);
        assert!(in_time || !is_counted(), "{scheduler}, set {number}: {}", found["jobs"]);
    }
}

/// Short quanta, which emulated processors that execute in parallel miss: all are given in order, and counted.
#[test]
fn missed_quanta_change_no_decision() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = scenario(folder.path(), &random_set("short", 0, 2, "0.1", 2));
    for scheduler in schedulers() {
        by_short_quanta(&path, &["--scheduler", &scheduler]);
    }
}

/// When each quantum of a trace began, on which processor, and for which job.
type Quanta = Vec<(Instant, CpuId, JobId)>;

/// Notes the quantum that begins by this record, if one does.
fn note(quanta: &mut Quanta, at: Instant, record: Record) {
    if let Record::Subtask { cpu, job, .. } = record {
        quanta.push((at, cpu, job));
    }
}

/// The quanta of the scenario as it is simulated.
fn simulated(text: &str) -> Quanta {
    let prepared = Prepared::new(&Scenario::parse("own.toml", text).expect("a scenario")).expect("it suits");
    let (mut timeline, mut quanta) = (Timeline::default(), Quanta::new());
    prepared.simulate(&mut timeline, &mut |_| true).expect("it can be simulated");
    timeline.records.iter().for_each(|(at, record)| note(&mut quanta, *at, *record));
    quanta
}

/// The quanta of the scenario as the kernel gave them.
fn run(folder: &Path, text: &str) -> Quanta {
    let (path, trace) = (scenario(folder, text), folder.join("run.slt"));
    by_quanta(&path, &["--out", trace.to_str().expect("a plain name")]);
    let mut quanta = Quanta::new();
    let mut file = TraceFile::open(std::fs::File::open(&trace).expect("it was written")).expect("a trace");
    let taken = file.each_record(|at, record, _| {
        note(&mut quanta, at, record);
        true
    });
    taken.expect("a whole trace");
    quanta
}

/// True if the host may keep processors waiting, so that jobs need other quanta than in the simulation.
fn host_may_delay(what: &str) -> bool {
    if !is_counted() {
        println!("not tried: {what}, where the host may keep emulated processors waiting");
    }
    !is_counted()
}

/// Jobs of one subtask each, which use a hundredth of it: every quantum goes where it goes in the simulation. A job
/// that needed a second quantum would change all that follow, so no job may lose its own by what its thread does
/// besides (`the_sleep_before_a_job_does_not_suspend_it`); and an emulated processor would have to stand still for all
/// of a quantum.
#[test]
fn full_processors_are_scheduled_as_in_the_simulation() {
    if host_may_delay("schedules slot by slot") {
        return;
    }
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    for scheduler in schedulers() {
        let text = random_set("full", 0, 1, "0.01", 20).replacen("\"PD2\"", &format!("\"{scheduler}\""), 1);
        let expected = simulated(&text);
        assert!(expected.len() > 150, "{scheduler}: {} quanta", expected.len());
        assert_eq!(run(folder.path(), &text), expected, "{scheduler}");
    }
}

/// Length of a quantum of jobs that last, in ms.
const LONG_MS: u64 = 20;

/// Tasks of these weights on two processors, as jobs of so many patterns each, for 48 quanta. Of 4/6, windows are those
/// of 2/3; so jobs of thirty patterns have the same quanta as jobs of one, and last until the end of the run, however
/// fast emulated processors are.
fn lasting(weights: &[(u64, u64)], patterns: u64) -> String {
    let mut text = format!(
        "schedlab = 1\nscheduler = \"PD2\"\nhorizon = \"{} ms\"\n[platform]\nprocessors = 2\n\
         quantum = \"{LONG_MS} ms\"\n",
        48 * LONG_MS
    );
    for (task, (quanta, slots)) in weights.iter().enumerate() {
        let [wcet, period] = [quanta, slots].map(|count| count * patterns * LONG_MS);
        writeln!(text, "[[task]]\nname = \"t{task}\"\nwcet = \"{wcet} ms\"\nperiod = \"{period} ms\"")
            .expect("a text takes everything");
    }
    text
}

/// True if the tests are of processors that execute in parallel: they load them, for which instructions that are
/// counted as time leave no room.
fn may_load_processors(what: &str) -> bool {
    if is_counted() {
        println!("not tried: {what}, where instructions are counted as time");
    }
    !is_counted()
}

/// Runs the scenario until each quantum is as expected by `seen`, up to five times: the host may keep emulated
/// processors that execute in parallel waiting, and jobs that arrive or execute late need other quanta. Of those, too,
/// the engine would give each to the same job. Returns the last run's quanta, as `seen` has them.
fn run_undelayed<T: PartialEq>(folder: &Path, text: &str, seen: impl Fn(&Quanta) -> T, expected: &T) -> T {
    let mut last = seen(&run(folder, text));
    for _ in 1..5 {
        if last == *expected {
            break;
        }
        last = seen(&run(folder, text));
    }
    last
}

/// When each quantum began, on which processor, and for which task.
fn by_task(quanta: &Quanta) -> Vec<(Instant, CpuId, TaskId)> {
    quanta.iter().map(|(at, cpu, job)| (*at, *cpu, job.task)).collect()
}

/// LITMUS^RT, RTSS 2006, figure 1(c): X, Y and Z of 1.5 every 3, 2 every 3 and 4 every 6 quanta.
#[test]
fn litmus_2006_figure_1c_runs_as_published() {
    if !may_load_processors("a published schedule slot by slot") {
        return;
    }
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let weights = [(2, 3), (2, 3), (4, 6)];
    let expected = by_task(&simulated(&lasting(&weights, 1)));
    let run = run_undelayed(folder.path(), &lasting(&weights, 30), by_task, &expected);
    assert_eq!(run, expected);
    let on = |cpu: u16| -> String {
        let first = run.iter().filter(|(_, on, _)| *on == CpuId(cpu)).take(6);
        first.map(|(.., task)| ["X", "Y", "Z"][task.index()]).collect()
    };
    assert_eq!((on(0), on(1)), ("XXYYZZ".to_owned(), "YZZXXY".to_owned()), "as figure 1(c) shows");
}

/// Random weights, of which many are heavy, that load two processors in full.
#[test]
fn random_weights_run_slot_by_slot_as_simulated() {
    if !may_load_processors("random weights slot by slot") {
        return;
    }
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    for (number, scheduler) in (0..).zip(schedulers()) {
        let (mut numbers, mut weights, mut left) = (Numbers::of("weights", number), Vec::new(), 120);
        while left > 0 && weights.len() < 9 {
            let slots = [4, 5, 6, 10, 12][numbers.draw(0..5) as usize];
            let quanta = numbers.draw(1..slots).min(left * slots / 60);
            if quanta == 0 {
                break;
            }
            left -= quanta * 60 / slots;
            weights.push((quanta, slots));
        }
        let text = lasting(&weights, 30).replacen("\"PD2\"", &format!("\"{scheduler}\""), 1);
        let expected = simulated(&text);
        assert!(expected.len() > 80, "{scheduler}: {} quanta", expected.len());
        let run = run_undelayed(folder.path(), &text, Quanta::clone, &expected);
        assert_eq!(run, expected, "{scheduler}: {weights:?}");
    }
}

/// All that the kernel does not do by quanta, with status 2.
#[test]
fn what_quanta_do_not_take_is_refused() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let of = |scheduler: &str, text: &str, word: &str| {
        refused(&scenario(folder.path(), text), &["--scheduler", scheduler], word);
    };
    let (light, affinity) = (
        random_set("full", 0, 1, "0.01", 20),
        "scheduler = { name = \"PD2\", affinity = \"last-scheduled\" }",
    );
    for other in ["PF", "PD"] {
        of(other, &light, other);
    }
    for scheduler in schedulers() {
        of(&scheduler, &light.replacen("scheduler = \"PD2\"", affinity, 1), "last-scheduled");
        of(&scheduler, &light.replacen("\nhorizon", "\noverruns = \"cut\"\nhorizon", 1), "overruns");
        of(&scheduler, &light.replacen("quantum = \"20 ms\"", "quantum = \"50 us\"", 1), "quanta of 50 us");
        let rare = light.replacen(
            "\n[[task]]",
            "\n[[task]]\nname = \"rare\"\nwcet = \"40 ms\"\nperiod = \"100 s\"\n\n[[task]]",
            1,
        );
        of(&scheduler, &rare, "quanta as far apart as those of task \"rare\"");
        let section =
            STEPS.replacen("suspend 13 ms", "np_enter", 1).replacen("1 ms\"]", "1 ms\", \"np_exit\"]", 1);
        of(&scheduler, &section, "non-preemptive sections of task \"b\"");
        of(
            &scheduler,
            &SHARED.replacen("processors = 2", "processors = 2\nquantum = \"20 ms\"", 1),
            "resources",
        );
    }
    let supertasks = std::fs::read_to_string(SUPERTASKS).expect("an example");
    of("PD2", &supertasks, "supertasks");
}

const SUPERTASKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/supertasks.toml");
