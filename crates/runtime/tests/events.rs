//! Tasks whose jobs are released by calls of other threads: their arrivals keep the period apart, the trace has them,
//! and the replay repeats them.
//!
//! The runs ask for no real-time priorities, so they happen everywhere; no test looks at a time that was measured.

#[path = "support/backend.rs"]
mod backend;
#[path = "../examples/events.rs"]
mod example;

use backend::anywhere;
use schedlab_account::{Account, RealRun};
use schedlab_lab::{context_of, Prepared};
use schedlab_model::*;
use schedlab_report::TraceFile;
use schedlab_runtime::{
    each_job, App, AppError, BackendChoice, CallCounts, EventSource, Finished, Refusal, Released, TaskSpec,
};
use schedlab_scenario::{Arrival, Scenario};
use schedlab_trace::{Backend, Record};
use std::sync::{Arc, Mutex};

const MS: u64 = 1_000_000;

fn spec(name: &str, wcet: u64, period: u64) -> TaskSpec {
    TaskSpec::new(name, Work::from_ns(wcet * MS), Duration::from_ns(period * MS))
}

/// The arrivals of `task`, as they were decided.
fn arrivals(records: &[(Instant, Record)], task: TaskId) -> Vec<Instant> {
    let of = |(at, record): &(Instant, Record)| {
        matches!(record, Record::Arrival { job, .. } if job.task == task).then_some(*at)
    };
    records.iter().filter_map(of).collect()
}

/// Holds what a run says of the calls against its arrivals: each call has one answer, and arrivals keep their distance.
fn are_right(finished: &Finished, task: TaskId, source: &EventSource, period: Duration) -> usize {
    let CallCounts { calls, refused, delayed } = source.counts();
    let arrived = arrivals(&finished.outcome.decisions, task);
    let accepted = calls - refused;
    let count = arrived.len() as u64;
    assert!(count == accepted || count + 1 == accepted, "{count} of {accepted} jobs arrived");
    assert!(delayed <= accepted);
    assert!(arrived.windows(2).all(|pair| pair[1] - pair[0] >= period), "{arrived:?}");
    let findings = finished.findings(true).unwrap();
    assert_eq!(findings.result().replay_is_exact, Some(true), "{findings}");
    let said = findings
        .result()
        .events
        .iter()
        .find(|found| finished.prepared.scenario.tasks[task.index()].name == found.task);
    let said = said.expect("the task is event-driven");
    assert_eq!((said.calls, said.arrived, said.delayed, said.refused), (calls, count, delayed, refused));
    assert!(findings.to_string().contains(&format!("{calls} calls for task {}", said.task)), "{findings}");
    arrived.len()
}

/// The example's alarm is raised by a job and by a thread without priority. A stored trace has the arrivals, and its
/// account is that of the run.
#[test]
fn the_example_is_released_by_a_job_and_by_a_thread() {
    let (mut app, alarm) = example::set_up().unwrap();
    anywhere(&mut app.options);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.slt");
    app.trace = Some(path.clone());
    let finished = example::run(app, &alarm).unwrap();
    let arrived = are_right(&finished, TaskId(0), &alarm, Duration::from_ms(20));
    assert!(arrived > 0 && alarm.counts().refused + alarm.counts().delayed > 0, "{:?}", alarm.counts());
    assert_eq!(alarm.release(), Released::NotRunning, "the run is over");
    let file = TraceFile::open(std::fs::File::open(&path).unwrap()).unwrap();
    let header = file.header().clone();
    let prepared = Prepared::new(&context_of(&header).unwrap().0).unwrap();
    let run = RealRun::of(&prepared, &header, file.map(Result::unwrap)).unwrap();
    assert_eq!(arrivals(&run.decisions, TaskId(0)), arrivals(&finished.outcome.decisions, TaskId(0)));
    let account = Account::of(&prepared, &run, true, &mut |_| {}).unwrap();
    assert_eq!(account.decisions().map(|found| found.holds()), Some(true));
}

/// Jobs on one processor release those on the other, and their own task's next one.
#[test]
fn jobs_release_jobs_of_other_domains_and_their_own_next_one() {
    let mut app = App::new("P-EDF", "none", 2).unwrap();
    let own: Arc<Mutex<Option<EventSource>>> = Arc::default();
    let again = Arc::clone(&own);
    let woken = TaskSpec { processor: Some(1), ..spec("woken", 1, 7) };
    let woken = app.task(
        woken,
        each_job(move |_| {
            let source = again.lock().unwrap().clone();
            // The call mostly comes too early, but not where the machine kept the job for a period.
            source.expect("it was set before the run").release();
        }),
    );
    let source = app.event_driven(woken).unwrap();
    *own.lock().unwrap() = Some(source.clone());
    let calls = source.clone();
    let waking = TaskSpec { processor: Some(0), ..spec("waking", 1, 10) };
    app.task(waking, each_job(move |_| _ = calls.release()));
    anywhere(&mut app.options);
    let finished = app.run(Some(Duration::from_ms(500))).unwrap();
    assert!(are_right(&finished, woken, &source, Duration::from_ms(7)) > 1);
}

/// A task that no thread calls has no job, and does not hinder the others.
#[test]
fn a_task_without_events_has_no_jobs() {
    let mut app = App::new("PD2", "none", 1).unwrap();
    let silent = app.task(spec("silent", 1, 10), each_job(|_| panic!("no event released it")));
    let source = app.event_driven(silent).unwrap();
    assert_eq!(source.release(), Released::NotRunning, "the run has not begun");
    app.task(spec("busy", 1, 10), each_job(|_| {}));
    anywhere(&mut app.options);
    let finished = app.run(Some(Duration::from_ms(100))).unwrap();
    assert_eq!(are_right(&finished, silent, &source, Duration::from_ms(10)), 0);
    assert!(finished.outcome.summary.jobs_completed > 0);
    assert_eq!(source.counts(), CallCounts::default());
}

/// The kernel's own schedulers release threads by the clock.
#[test]
fn backends_of_the_kernel_refuse_events_by_name() {
    for (scheduler, backend, named) in
        [("SCHED_FIFO", None, Backend::Class), ("P-EDF", Some(Backend::ScxNative), Backend::ScxNative)]
    {
        let mut app = App::new(scheduler, "none", 1).unwrap();
        let alarm = app.task(spec("alarm", 1, 10), each_job(|_| {}));
        app.event_driven(alarm).unwrap();
        app.options.backend = backend.map(BackendChoice::Only);
        let why = app.run(Some(Duration::from_ms(10))).unwrap_err();
        assert!(matches!(why, AppError::Refused(Refusal::Events(by)) if by == named), "{why}");
        assert!(
            why.to_string().starts_with(&format!("the backend {named} releases jobs by the clock")),
            "{why}"
        );
    }
}

#[test]
fn arrivals_that_are_known_before_are_refused() {
    let mut scenario = Scenario::new(vec![spec("listed", 1, 10), spec("late", 1, 10), spec("like", 1, 10)]);
    scenario.tasks[0].arrival = Arrival::Listed(vec![Instant::ZERO]);
    scenario.tasks[1].jitter = Duration::from_ms(1);
    let delay = Duration::from_ms(5);
    scenario.tasks[2].arrival = Arrival::Sporadic { delay, like: Some("leader".to_owned()) };
    scenario
        .tasks
        .push(TaskSpec { arrival: Arrival::Sporadic { delay, like: None }, ..spec("leader", 1, 10) });
    let mut app = App::of(scenario);
    for (task, why) in [
        (0, "task \"listed\" cannot be event-driven: the scenario lists its arrivals"),
        (1, "task \"late\" cannot be event-driven: it has jitter"),
        (2, "task \"like\" cannot be event-driven: it arrives like another task"),
        (9, "task 9 does not exist"),
    ] {
        let error = app.event_driven(TaskId(task)).unwrap_err().to_string();
        assert!(error.starts_with(why), "{error}");
    }
    app.event_driven(TaskId(3)).unwrap();
    let error = app.run(None).unwrap_err().to_string();
    assert!(error.starts_with("task \"like\" arrives like an event-driven task"), "{error}");
}
