//! Code of tasks that misbehaves under a scheduler in the kernel: the other tasks have all their jobs, the fault has a
//! name, no scheduler stays, and the next run works.

use crate::support::{alone, limit, state, until};
use schedlab_model::{Duration, TaskId, Work};
use schedlab_runtime::{each_job, App, BackendChoice, Body, Context, Ending, Finished, TaskSpec};
use schedlab_trace::Backend;
use std::process::Command;

const MS: u64 = 1_000_000;
const BACKENDS: [Backend; 2] = [Backend::Scx, Backend::ScxNative];
/// Number of the jobs that the other task has in a run.
const JOBS: u64 = 20;

/// A run of a task with this code on the first processor, and of an innocent one on the second.
fn beside(backend: Backend, code: Body) -> Finished {
    let mut app = App::new("P-EDF", "none", 2).unwrap();
    let spec = |name, processor| TaskSpec {
        processor: Some(processor),
        ..TaskSpec::new(name, Work::from_ns(2 * MS), Duration::from_ns(50 * MS))
    };
    app.task(spec("bad", 0), code);
    app.task(spec("good", 1), each_job(|_| {}));
    app.options.backend = Some(BackendChoice::Only(backend));
    let finished = app.run(Some(Duration::from_ns(JOBS * 50 * MS))).unwrap();
    assert!(until(limit(1_000), || state() == "disabled"), "no scheduler stays");
    finished
}

/// The number of jobs of the innocent task that are complete.
fn completed(finished: &Finished) -> usize {
    let is_good = |record: &&_| matches!(record, (_, schedlab_trace::Record::Complete { job }) if job.task == TaskId(1));
    finished.outcome.decisions.iter().filter(is_good).count()
}

/// Runs this code by each backend, and a code that does nothing after each. `disturbs`: the code ends its run early.
fn by_each(code: impl Fn() -> Body, disturbs: bool, look: impl Fn(&Finished)) {
    let _alone = alone();
    for backend in BACKENDS {
        let finished = beside(backend, code());
        look(&finished);
        let count = completed(&finished);
        assert!(
            disturbs || count as u64 >= JOBS - 1,
            "{backend}: {count} jobs: {}",
            finished.findings(true).unwrap()
        );
        let next = beside(backend, each_job(|_| {}));
        assert!(matches!(next.outcome.ending, Ending::Horizon), "{:?}", next.outcome.ending);
        assert!(completed(&next) as u64 >= JOBS - 1, "the next run works");
    }
}

/// A body whose fourth job does this, and then goes on as if nothing had been.
fn in_its_fourth_job(does: fn(&mut Context<'_>)) -> Body {
    each_job(move |context| {
        if context.job().number == 3 {
            does(context);
        }
    })
}

fn names(finished: &Finished, word: &str) {
    let said = finished.findings(true).unwrap().to_string();
    assert!(said.contains(word), "{word}: {said}");
}

#[test]
fn a_panic_ends_the_run_by_name() {
    by_each(
        || in_its_fourth_job(|_| panic!("on purpose")),
        true,
        |finished| {
            assert!(
                matches!(finished.outcome.ending, Ending::Crashed(TaskId(0))),
                "{:?}",
                finished.outcome.ending
            );
            names(finished, "the code of task bad crashed");
        },
    );
}

#[test]
fn a_panic_in_a_section_ends_the_run_by_name() {
    let panics = |context: &mut Context<'_>| {
        context.enter_non_preemptive();
        panic!("on purpose");
    };
    by_each(
        || in_its_fourth_job(panics),
        true,
        |finished| assert!(matches!(finished.outcome.ending, Ending::Crashed(TaskId(0)))),
    );
}

#[test]
fn a_job_that_never_completes_disturbs_no_other_and_is_named() {
    let never = |_: &mut Context<'_>| loop {
        std::hint::spin_loop();
    };
    by_each(
        || in_its_fourth_job(never),
        false,
        |finished| {
            assert_eq!(finished.outcome.runaways, [TaskId(0)]);
            names(finished, "bad");
        },
    );
}

#[test]
fn a_section_that_never_ends_disturbs_no_other() {
    let never = |context: &mut Context<'_>| {
        context.enter_non_preemptive();
        loop {
            std::hint::spin_loop();
        }
    };
    by_each(
        || in_its_fourth_job(never),
        false,
        |finished| assert_eq!(finished.outcome.runaways, [TaskId(0)]),
    );
}

/// The child is no task; it ends, and the parent goes on.
#[test]
fn a_fork_disturbs_no_other() {
    let forks = |_: &mut Context<'_>| assert!(Command::new("true").status().unwrap().success());
    by_each(
        || in_its_fourth_job(forks),
        false,
        |finished| {
            assert!(matches!(finished.outcome.ending, Ending::Horizon), "{:?}", finished.outcome.ending)
        },
    );
}

/// Has a program change the calling thread, whose number comes last.
fn change(program: &str, arguments: &[&str]) {
    let thread = std::fs::read_link("/proc/thread-self").expect("it is mounted");
    let thread = thread.file_name().expect("its last part is the thread's number");
    let changed =
        Command::new(program).args(arguments).arg(thread).output().expect("util-linux is installed");
    assert!(changed.status.success(), "{program}: {}", String::from_utf8_lossy(&changed.stderr));
}

/// A thread that becomes real-time, which no scheduler of sched_ext executes.
#[test]
fn a_change_of_class_disturbs_no_other_and_is_named() {
    by_each(
        || in_its_fourth_job(|_| change("chrt", &["--fifo", "--pid", "20"])),
        false,
        |finished| {
            assert_eq!(finished.outcome.escaped, [TaskId(0)]);
            names(finished, "the thread of task bad took a real-time class");
        },
    );
}

/// A thread that leaves its cluster's processors is no task's from then on.
#[test]
fn a_change_of_affinity_is_named() {
    let _alone = alone();
    let strays = in_its_fourth_job(|_| change("taskset", &["--cpu-list", "--pid", "1"]));
    let finished = beside(Backend::ScxNative, strays);
    assert_eq!(finished.outcome.strayed, [TaskId(0)]);
    names(&finished, "the thread of task bad took other processors");
    assert!(
        completed(&beside(Backend::ScxNative, each_job(|_| {}))) as u64 >= JOBS - 1,
        "the next run works"
    );
}
