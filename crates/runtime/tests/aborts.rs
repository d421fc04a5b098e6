//! Jobs that are given up at their termination times: their threads find out, and what they hold is handed back.
//!
//! Rust code finds out by itself; C code is cut (`crates/capi/tests/aborts.c`). These runs need real-time priorities;
//! where those are refused, the tests say so and pass.

mod support;

use schedlab_lock::LockProtocol;
use schedlab_model::*;
use schedlab_runtime::{each_job, Body, Context, Outcome};
use schedlab_trace::Record;
use std::collections::BTreeSet;
use std::io::{ErrorKind, Read};
use std::os::unix::net::UnixStream;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};
use support::*;

const R: ResourceId = ResourceId(0);

/// A job each 4 ms, which is given up after 2.
fn given_up(program: Vec<Step>) -> Task {
    let termination = Some(Duration::from_ns(2_000_000));
    Task {
        utility: Some(TimeUtility::Step { height: Utility::ONE, termination }),
        abort_handler: Some(AbortHandler::default()),
        program,
        ..task(1, 4, 4)
    }
}

/// The jobs of the first task whose code ran, and those that were given up; none before its termination time.
fn ends(outcome: &Outcome, begun: &Mutex<Vec<u32>>) -> (BTreeSet<u32>, BTreeSet<u32>) {
    let mut aborted = BTreeSet::new();
    for (at, record) in &outcome.decisions {
        if let Record::Abort { job: JobId { task: TaskId(0), number } } = record {
            assert!(at.as_ns() >= u64::from(*number) * 4_000_000 + 2_000_000, "job {number} at {at}");
            assert!(aborted.insert(*number), "job {number} is given up twice");
        }
    }
    (begun.lock().unwrap().iter().copied().collect(), aborted)
}

/// Runs `count` jobs of `code`, which goes on until each is given up. The last job may be in its code at the end of the
/// run.
#[track_caller]
fn all_are_given_up(count: u64, mut code: impl FnMut(&mut Context<'_>) + Send + 'static) {
    let begun = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&begun);
    let body: Body = each_job(move |context| {
        seen.lock().unwrap().push(context.job().number);
        code(context);
        assert!(context.aborted() || context.is_over());
    });
    let tasks = vec![given_up(Vec::new())];
    let Some(outcome) = Run::of(tasks, "P-DASA-ND", 1, 4 * count + 1, vec![body]).go() else { return };
    let (mut begun, aborted) = ends(&outcome, &begun);
    assert!(begun.len() as u64 * 10 >= count * 8 || is_too_noisy(&outcome), "only {begun:?}");
    begun.remove(&(count as u32));
    assert!(begun.is_subset(&aborted), "{:?} were not given up", begun.difference(&aborted));
    assert_eq!((&outcome.runaways[..], outcome.summary.jobs_completed), (&[][..], 0));
}

/// Counts what is left without its destructor.
struct Held(Arc<AtomicU32>);

impl Held {
    fn new(count: &Arc<AtomicU32>) -> Self {
        count.fetch_add(1, SeqCst);
        Held(Arc::clone(count))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

fn code_that_looks(count: u64) {
    let held = Arc::new(AtomicU32::new(0));
    let left = Arc::clone(&held);
    all_are_given_up(count, move |context| {
        let _held = Held::new(&held);
        while !context.aborted() && !context.is_over() {
            std::hint::spin_loop();
        }
    });
    assert_eq!(left.load(SeqCst), 0, "every destructor was called");
}

/// A system call returns when the job is given up.
fn system_calls(count: u64) {
    let (mut here, there) = UnixStream::pair().unwrap();
    // At the end of the run, nothing interrupts it.
    here.set_read_timeout(Some(std::time::Duration::from_millis(200))).unwrap();
    all_are_given_up(count, move |context| {
        while !context.aborted() && !context.is_over() {
            let error = here.read(&mut [0]).map_err(|error| error.kind());
            assert!(error == Err(ErrorKind::Interrupted) || context.is_over(), "{error:?}");
        }
    });
    drop(there);
}

/// Two tasks share a mutex; the code of one never gives it back.
fn in_a_section(count: u64) {
    let section = vec![Step::Request(R, 1), Step::Execute(Work::from_ns(1_000_000)), Step::Release(R, 1)];
    let (inside, begun) = (Arc::new(AtomicU32::new(0)), Arc::new(Mutex::new(Vec::new())));
    let (alone, seen) = (Arc::clone(&inside), Arc::clone(&begun));
    let holds: Body = each_job(move |context| {
        seen.lock().unwrap().push(context.job().number);
        context.lock(R);
        assert_eq!(alone.fetch_add(1, SeqCst), 0, "another job is in the section");
        while !context.aborted() && !context.is_over() {
            std::hint::spin_loop();
        }
        alone.fetch_sub(1, SeqCst);
    });
    let taken = Arc::new(AtomicU32::new(0));
    let takes = Arc::clone(&taken);
    let other: Body = each_job(move |context| {
        context.lock(R);
        assert_eq!(inside.fetch_add(1, SeqCst), 0, "another job is in the section");
        inside.fetch_sub(1, SeqCst);
        takes.fetch_add(1, SeqCst);
        context.unlock(R);
    });
    let mut tasks = vec![given_up(section.clone()), given_up(section)];
    tasks[1].cluster = ClusterId(1);
    tasks[1].offset = Instant::from_ns(1_000_000);
    let locks =
        |tasks: &[Task], platform: &Platform| -> Box<dyn LockProtocol> { make("task-fair", tasks, platform) };
    let run = Run { locks, ..Run::of(tasks, "P-HVDF", 2, 4 * count + 1, vec![holds, other]) };
    let Some(outcome) = run.go() else { return };
    let (mut begun, aborted) = ends(&outcome, &begun);
    begun.remove(&(count as u32));
    assert!(begun.is_subset(&aborted), "{:?} were not given up", begun.difference(&aborted));
    assert!(begun.len() as u64 * 10 >= count * 8 || is_too_noisy(&outcome), "only {begun:?}");
    assert!(
        u64::from(taken.load(SeqCst)) * 10 >= count * 8 || is_too_noisy(&outcome),
        "the other got nothing"
    );
    let (mut acquired, mut released) = (0, 0);
    for (_, record) in &outcome.decisions {
        match record {
            Record::Acquire { .. } => acquired += 1,
            Record::Release { .. } => released += 1,
            _ => {}
        }
    }
    assert!(
        acquired - released <= 1,
        "{acquired} taken and {released} given back: the end of the run may come within one"
    );
}

#[test]
fn code_that_looks_returns() {
    code_that_looks(50);
}

#[test]
fn a_system_call_returns() {
    system_calls(50);
}

#[test]
fn sections_are_handed_back() {
    in_a_section(50);
}

/// Code that does not look goes on, and its task's next job begins when it has returned.
#[test]
fn code_that_does_not_look_goes_on() {
    let begun = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&begun);
    let body: Body = each_job(move |context| {
        seen.lock().unwrap().push(context.job().number);
        burn(3_000);
    });
    let run = Run::of(vec![given_up(Vec::new())], "P-DASA-ND", 1, 41, vec![body]);
    let Some(outcome) = run.go() else { return };
    let (mut begun, aborted) = ends(&outcome, &begun);
    begun.remove(&10);
    assert!(begun.is_subset(&aborted), "{begun:?} {aborted:?}");
    assert!(begun.len() >= 8 || is_too_noisy(&outcome), "{begun:?}");
}

#[test]
#[ignore = "15 s, a thousand aborts of each kind: each change runs 50, `make soak` these"]
fn a_thousand_of_each() {
    code_that_looks(1_000);
    system_calls(1_000);
    in_a_section(1_000);
}
