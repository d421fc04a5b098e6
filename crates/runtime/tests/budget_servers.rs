//! Budget servers in real runs: a client that overruns has its budget and no more.
//!
//! The runs ask for no real-time priorities, so they happen everywhere. What is asserted follows from the rules of
//! servers alone, whenever threads get their processors.

#[path = "support/backend.rs"]
mod backend;
#[path = "../examples/overrun.rs"]
mod example;

use backend::anywhere;
use schedlab_model::*;
use schedlab_runtime::{each_job, App, AppError, BackendChoice, Call, Finished, Misuse, Refusal, Scenario};
use schedlab_trace::{Backend, Record};
use std::sync::{Arc, Mutex};

const MS: u64 = 1_000_000;
const CONTROL: TaskId = TaskId(0);
const VIDEO: TaskId = TaskId(1);

/// The number of the first job of `control` whose deadline is after that of the first job of `video`, 40 ms.
const FIRST_LESS_URGENT: u32 = 4;

fn run(in_server: bool) -> Finished {
    let mut app = example::set_up(in_server).unwrap();
    anywhere(&mut app.options);
    let finished = example::run(app).unwrap();
    let findings = finished.findings(true).unwrap();
    assert_eq!(findings.result().replay_is_exact, Some(true), "{findings}");
    let invariants = findings.account.decisions().expect("the run was checked");
    assert!(invariants.holds(), "{findings}");
    assert_eq!(findings.result().overruns, 0, "the scenario enforces no WCET");
    finished
}

/// Numbers of the jobs of `control`, from the first less urgent one on, of which there is such a record.
fn later_jobs(finished: &Finished, wanted: impl Fn(&Record) -> bool) -> Vec<u32> {
    let records = finished.outcome.decisions.iter().filter(|(_, record)| wanted(record));
    let jobs = records.filter_map(|(_, record)| record.job());
    jobs.filter(|job| job.task == CONTROL && job.number >= FIRST_LESS_URGENT).map(|job| job.number).collect()
}

/// Time for which decisions let `task` execute.
fn executed(finished: &Finished, task: TaskId) -> Duration {
    let (mut length, mut since) = (Duration::ZERO, None);
    for (at, record) in &finished.outcome.decisions {
        match record {
            Record::Dispatch { job, .. } if job.task == task => since = Some(*at),
            Record::Preempt { job, .. } | Record::Complete { job } if job.task == task => {
                length += *at - since.take().expect("it was dispatched");
            }
            Record::End => length += since.take().map_or(Duration::ZERO, |since| *at - since),
            _ => {}
        }
    }
    length
}

/// Holds the client `task` to its server's budget of 3 ms at 0, and another one in each period of 10 ms at the
/// earliest.
fn has_no_more_than_its_budget(finished: &Finished, task: TaskId) {
    let budgets = finished.outcome.end().as_ns().div_ceil(10 * MS);
    let got = executed(finished, task);
    assert!(got <= Duration::from_ns(budgets * 3 * MS), "{got} in {budgets} periods");
}

#[test]
fn a_client_that_never_returns_has_its_budget_and_no_more() {
    let finished = run(true);
    let begun = later_jobs(&finished, |record| matches!(record, Record::Dispatch { .. }));
    let complete = later_jobs(&finished, |record| matches!(record, Record::Complete { .. }));
    assert!(!begun.is_empty() && !complete.is_empty(), "control goes on: {begun:?} {complete:?}");
    has_no_more_than_its_budget(&finished, VIDEO);
    let ends =
        finished.outcome.decisions.iter().filter(|(_, record)| matches!(record, Record::Budget { .. }));
    assert!(ends.count() > 1, "the budget ended the client's turns");
    assert!(finished.outcome.decisions.iter().any(|(_, record)| matches!(record, Record::ServerUse { .. })));
}

/// Under G-EDF, servers move between processors. Two clients never return, and a third task goes on beside them.
#[test]
fn clients_on_two_processors_have_their_budgets_and_no_more() {
    let text = "schedlab = 1\nscheduler = \"G-EDF\"\nplatform = { processors = 2 }\n\
                [[server]]\nname = \"r\"\nkind = \"hard-cbs\"\nbudget = \"3 ms\"\nperiod = \"10 ms\"\n\
                [[server]]\nname = \"s\"\nkind = \"soft-cbs\"\nbudget = \"3 ms\"\nperiod = \"10 ms\"\n\
                [[task]]\nname = \"control\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\n\
                [[task]]\nname = \"hard\"\nserver = \"r\"\nwcet = \"3 ms\"\nperiod = \"1 s\"\n\
                [[task]]\nname = \"soft\"\nserver = \"s\"\nwcet = \"3 ms\"\nperiod = \"1 s\"\n";
    let mut app = App::of(Scenario::parse("a.toml", text).unwrap());
    app.code("control", each_job(|_| {})).unwrap();
    for endless in ["hard", "soft"] {
        app.code(endless, each_job(|job| while !job.is_over() {})).unwrap();
    }
    anywhere(&mut app.options);
    let finished = app.run(Some(Duration::from_ns(300 * MS))).unwrap();
    let findings = finished.findings(true).unwrap();
    assert_eq!(findings.result().replay_is_exact, Some(true), "{findings}");
    assert!(findings.account.decisions().is_some_and(|invariants| invariants.holds()), "{findings}");
    has_no_more_than_its_budget(&finished, TaskId(1));
    assert!(
        executed(&finished, TaskId(2)) > Duration::ZERO,
        "a soft server postpones its deadline and goes on"
    );
    let complete = later_jobs(&finished, |record| matches!(record, Record::Complete { .. }));
    assert!(!complete.is_empty(), "the task beside the servers goes on");
}

#[test]
fn without_its_server_nothing_stops_the_client() {
    let finished = run(false);
    let begun = later_jobs(&finished, |record| matches!(record, Record::Dispatch { .. }));
    assert!(begun.is_empty(), "{begun:?}");
    let missed = later_jobs(&finished, |record| matches!(record, Record::Miss { .. }));
    let due = (finished.outcome.end().as_ns() - 1) / (10 * MS);
    assert!(missed.len() as u64 >= due - u64::from(FIRST_LESS_URGENT) - 1, "{missed:?} of {due}");
}

/// The client uses its budget of 2 ms up again and again, and its WCET of 3 ms once.
#[test]
fn the_end_of_a_budget_is_no_overrun() {
    let text = "schedlab = 1\nscheduler = \"P-EDF\"\noverruns = \"warn\"\n\
                [[server]]\nname = \"s\"\nkind = \"hard-cbs\"\nbudget = \"2 ms\"\nperiod = \"10 ms\"\n\
                [[task]]\nname = \"plain\"\nwcet = \"1 ms\"\nperiod = \"20 ms\"\n\
                [[task]]\nname = \"client\"\nserver = \"s\"\nwcet = \"3 ms\"\nperiod = \"400 ms\"\n";
    let mut app = App::of(Scenario::parse("a.toml", text).unwrap());
    app.code("plain", each_job(|_| {})).unwrap();
    app.code("client", each_job(|job| while !job.is_over() {})).unwrap();
    anywhere(&mut app.options);
    let finished = app.run(Some(Duration::from_ns(300 * MS))).unwrap();
    let ends = |task| {
        let records = finished.outcome.decisions.iter();
        let is_end =
            |(_, record): &&(Instant, Record)| matches!(record, Record::Budget { job } if job.task == task);
        records.filter(is_end).count()
    };
    let (of_plain, of_client) = (ends(TaskId(0)), ends(TaskId(1)));
    let overruns = finished.findings(false).unwrap().result().overruns;
    assert!(overruns == of_plain + 1 && of_client > 2, "{overruns} of {of_plain} and {of_client} ends");
}

/// A client's budget could not end within a section, and no rule knows of suspensions.
#[test]
fn clients_only_execute() {
    let text = "schedlab = 1\nscheduler = \"P-RM\"\n\
                [[server]]\nname = \"s\"\nkind = \"sporadic-corrected\"\nbudget = \"2 ms\"\nperiod = \"10 ms\"\n\
                [[task]]\nname = \"client\"\nserver = \"s\"\nwcet = \"1 ms\"\nperiod = \"20 ms\"\n\
                [[task]]\nname = \"plain\"\nwcet = \"1 ms\"\nperiod = \"20 ms\"\n";
    let mut app = App::of(Scenario::parse("a.toml", text).unwrap());
    let answers = Arc::new(Mutex::new(Vec::new()));
    for name in ["client", "plain"] {
        let noted = Arc::clone(&answers);
        let job = each_job(move |job| {
            let suspended = job.call(Call::Suspend(Duration::from_ns(1_000)));
            let entered = job.call(Call::EnterNonPreemptive);
            if entered.is_ok() {
                job.exit_non_preemptive();
            }
            noted.lock().unwrap().push((name, suspended, entered));
        });
        app.code(name, job).unwrap();
    }
    anywhere(&mut app.options);
    let finished = app.run(Some(Duration::from_ns(100 * MS))).unwrap();
    assert_eq!(finished.findings(true).unwrap().result().replay_is_exact, Some(true));
    let answers = answers.lock().unwrap();
    let of = |wanted| {
        answers.iter().find(|(name, ..)| *name == wanted).map(|(_, first, second)| (*first, *second))
    };
    assert_eq!(of("client"), Some((Err(Misuse::Client), Err(Misuse::Client))));
    assert_eq!(of("plain"), Some((Ok(()), Ok(()))));
}

/// Jobs are released by events, and wait for their server's budget.
#[test]
fn events_release_jobs_of_clients() {
    let text = "schedlab = 1\nscheduler = \"P-EDF\"\n\
                [[server]]\nname = \"s\"\nkind = \"soft-cbs\"\nbudget = \"1 ms\"\nperiod = \"5 ms\"\n\
                [[task]]\nname = \"tick\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\n\
                [[task]]\nname = \"alarm\"\nserver = \"s\"\nwcet = \"1 ms\"\nperiod = \"5 ms\"\n";
    let mut app = App::of(Scenario::parse("a.toml", text).unwrap());
    app.code("alarm", each_job(|_| {})).unwrap();
    let alarm = app.event_driven(TaskId(1)).unwrap();
    app.code("tick", each_job(move |_| _ = alarm.release())).unwrap();
    anywhere(&mut app.options);
    let finished = app.run(Some(Duration::from_ns(200 * MS))).unwrap();
    let findings = finished.findings(true).unwrap();
    assert_eq!(findings.result().replay_is_exact, Some(true), "{findings}");
    assert!(findings.account.decisions().is_some_and(|invariants| invariants.holds()), "{findings}");
    assert!(findings.result().events[0].arrived > 0, "{findings}");
}

/// A scheduler in the kernel counts no server's budget, and says so before any thread is there.
#[test]
fn the_kernel_decides_no_servers() {
    let mut app = example::set_up(true).unwrap();
    app.options.backend = Some(BackendChoice::Only(Backend::ScxNative));
    let why = example::run(app).unwrap_err();
    assert!(matches!(why, AppError::Refused(Refusal::NotNative(_))), "{why}");
    assert!(why.to_string().contains("the budget server \"media\""), "{why}");
}
