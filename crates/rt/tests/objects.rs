//! Objects of scenarios in real runs. Where real-time priorities are refused, the runs say so and the tests pass.

mod support;

use schedlab_model::JobId;
use schedlab_trace::{Record, Timeline};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use support::binary::{command, refused, scenario, text};
use support::turn;

/// What a trace has of operations that no job holds.
#[derive(Debug, Default)]
struct Seen {
    begun: usize,
    committed: usize,
    /// By job that met its deadline: how many attempts failed.
    failed: BTreeMap<JobId, usize>,
}

impl Seen {
    fn of(trace: &Path) -> Self {
        let mut reader = schedlab_report::files::TraceFile::open(fs::File::open(trace).unwrap()).unwrap();
        let (mut timeline, mut seen) = (Timeline::default(), Seen::default());
        reader.play(&mut timeline).unwrap();
        for (_, record) in timeline.records {
            match record {
                Record::Attempt { .. } => seen.begun += 1,
                Record::Commit { .. } => seen.committed += 1,
                Record::Retry { job, .. } => *seen.failed.entry(job).or_default() += 1,
                Record::Miss { job } => drop(seen.failed.remove(&job)),
                _ => {}
            }
        }
        seen
    }
}

/// Tasks operate on real objects under each scheme and some schedulers: each attempt commits in the end, and one that
/// failed is told. A job that meets its deadline is beside two jobs of each of two others. Each of their operations on
/// one of three lock-free objects fails one of its attempts, on a queue three. `--check` asks for each operation
/// whether those that overlapped it explain its retries.
#[test]
fn objects_run_for_real() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let resource = |index: usize| {
        let (kind, scheme) =
            (["buffer", "queue", "heap"][index % 3], ["lock-free", "wait-free", "locked"][index / 3]);
        format!("[[resource]]\nname = \"r{index}\"\nkind = \"{kind}\"\nscheme = \"{scheme}\"\nsize = 4\n")
    };
    let section = |index| format!(", \"request r{index}\", \"execute 10 us\", \"release r{index}\"");
    let sections: String = (0..9).map(section).collect();
    let task = |name: &str| {
        format!("[[task]]\nname = \"{name}\"\nperiod = \"20 ms\"\nprogram = [\"execute 20 us\"{sections}]\n")
    };
    let resources: String = (0..9).map(resource).collect();
    for scheduler in ["G-EDF", "P-RM"] {
        let head = format!("schedlab = 1\nscheduler = \"{scheduler}\"\nplatform = {{ processors = 2 }}\n");
        let file =
            scenario(folder.path(), &[&head, &*resources, &task("a"), &task("b"), &task("c")].concat());
        let trace = folder.path().join(format!("{scheduler}.slt"));
        let mut run = command();
        run.arg("run").arg(&file).args(["--duration", "1s", "--check", "--out"]).arg(&trace);
        let output = run.output().unwrap();
        if refused(&output) {
            return;
        }
        assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
        let seen = Seen::of(&trace);
        println!("{scheduler}: {} attempts, {} failed", seen.begun, seen.failed.values().sum::<usize>());
        assert!(seen.begun >= seen.committed && seen.committed > 300, "{seen:?}");
        assert!(seen.failed.values().all(|failed| *failed <= 2 * 2 * (1 + 3 + 1)), "{seen:?}");
    }
}

const RETRIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/retries.toml");

/// Period in milliseconds, and operations of a job, by task of that example.
const RATES: [(u64, u64); 3] = [(2, 4), (2, 4), (20, 4)];

/// How many attempts of a job fail at most that meets its deadline, if all other jobs beside it come between. An
/// operation on a heap fails one attempt of another.
fn most_retries(task: usize) -> u64 {
    let (length, _) = RATES[task];
    let others = RATES.iter().enumerate().filter(|(other, _)| *other != task);
    others.map(|(_, (period, operations))| (length.div_ceil(*period) + 1) * operations).sum()
}

/// Where operations take long, attempts fail in real runs, too. They fail no more often than theory has it, and
/// `--check` asks of each operation whether those beside it explain it.
#[test]
fn operations_that_come_between_each_other_are_tried_again() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    for scheduler in ["P-EDF", "G-EDF"] {
        let trace = folder.path().join(format!("{scheduler}.slt"));
        let mut run = command();
        run.args(["run", RETRIES, "--scheduler", scheduler, "--duration", "2s", "--check", "--out"]);
        let output = run.arg(&trace).output().unwrap();
        if refused(&output) {
            return;
        }
        assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
        let seen = Seen::of(&trace);
        let retries: usize = seen.failed.values().sum();
        let worst = seen.failed.values().max().copied().unwrap_or(0);
        println!("{scheduler}: {} operations, {retries} retries, {worst} of one job at most", seen.committed);
        assert!(retries > 0, "{scheduler}: no operation came between two others: {seen:?}");
        for (job, failed) in seen.failed {
            let most = most_retries(job.task.index());
            assert!(failed as u64 <= most, "{scheduler}: {failed} retries of {job}, {most} are the most");
        }
    }
}

/// Mutexes alone are what the kernel's classes have.
#[test]
fn the_kernels_classes_refuse_schemes() {
    let folder = tempfile::tempdir().unwrap();
    let file = scenario(
        folder.path(),
        "schedlab = 1\nscheduler = \"SCHED_FIFO\"\nplatform = { processors = 2 }\n[[resource]]\nname = \"r\"\n\
         kind = \"queue\"\nscheme = \"lock-free\"\n[[task]]\nname = \"a\"\nperiod = \"20 ms\"\nprogram = [\"request r\", \
         \"execute 1 ms\", \"release r\"]\n",
    );
    let output = command().arg("run").arg(file).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("lock-free"), "{}", text(&output.stderr));
}
