//! Servers of Pfair as threads: they execute the sections of their clients, one after the other.
//!
//! The runs ask for no real-time priorities, so they happen everywhere; no test looks at a time that was measured.

#[path = "support/backend.rs"]
mod backend;

use backend::anywhere;
use schedlab_account::{Account, RealRun};
use schedlab_lab::{context_of, Prepared};
use schedlab_model::*;
use schedlab_report::TraceFile;
use schedlab_runtime::program::workload::{bodies, Burner, Programs};
use schedlab_runtime::{each_job, server, App, Call, Finished, Misuse};
use schedlab_scenario::Scenario;
use schedlab_trace::Record;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

/// Two clients on two processors, whose sections are longer than a quantum, and their server.
const CLIENTS: &str = r#"
schedlab = 1
scheduler = "PD2"
protocol = "pfair-server"
[platform]
processors = 2
quantum = "2 ms"
[[resource]]
name = "device"
[[task]]
name = "a"
period = "20 ms"
program = ["execute 500 us", "request device", "execute 2500 us", "release device", "execute 500 us"]
[[task]]
name = "b"
period = "30 ms"
program = ["execute 1 ms", "request device", "execute 3 ms", "release device"]
[[task]]
name = "S"
period = "4 ms"
program = ["serve device", "execute 2 ms"]
"#;

const DEVICE: ResourceId = ResourceId(0);
const SERVER: TaskId = TaskId(2);

fn scenario() -> Scenario {
    Scenario::parse("clients.toml", CLIENTS).unwrap()
}

/// The records of which `pick` says something, in order.
fn all<T>(finished: &Finished, pick: impl Fn(&Record) -> Option<T>) -> Vec<T> {
    finished.outcome.decisions.iter().filter_map(|(_, record)| pick(record)).collect()
}

/// Holds a run against what servers promise: the decisions keep all invariants, the engine decides the same again, only
/// the server holds the resource, and it executes the sections in the order of the requests.
fn is_served(finished: &Finished) -> usize {
    let findings = finished.findings(true).unwrap();
    assert_eq!(findings.result().replay_is_exact, Some(true), "{findings}");
    assert_eq!(findings.account.decisions().map(|found| found.holds()), Some(true), "{findings}");
    let asked = all(finished, |record| match record {
        Record::Request { job, .. } => Some(*job),
        _ => None,
    });
    let acquired = all(finished, |record| match record {
        Record::Acquire { job, resource, .. } => Some((job.task, *resource)),
        _ => None,
    });
    let released = all(finished, |record| matches!(record, Record::Release { .. }).then_some(())).len();
    assert!(acquired.iter().all(|holder| *holder == (SERVER, DEVICE)), "{acquired:?}");
    assert!((asked.len() - 2..=asked.len()).contains(&released), "{released} of {} sections", asked.len());
    // Jobs of one task ask one after the other, so the order of requests is that of resumptions.
    let resumed = all(finished, |record| match record {
        Record::Resume { job } => Some(*job),
        _ => None,
    });
    assert_eq!(resumed, asked[..resumed.len()]);
    released
}

/// The code of a client's section is executed by the server's thread, once for each section that has ended.
#[test]
fn a_server_executes_the_code_of_its_clients() {
    let sections: Arc<Mutex<Vec<ThreadId>>> = Arc::default();
    let own: Arc<Mutex<Vec<ThreadId>>> = Arc::default();
    let refused: Arc<Mutex<Vec<Result<(), Misuse>>>> = Arc::default();
    let mut app = App::of(scenario());
    for name in ["a", "b"] {
        let (sections, own, refused) = (Arc::clone(&sections), Arc::clone(&own), Arc::clone(&refused));
        let client = each_job(move |context| {
            own.lock().unwrap().push(thread::current().id());
            let sections = Arc::clone(&sections);
            if context.job().number == 0 {
                let mut refused = refused.lock().unwrap();
                refused.push(context.call(Call::Lock(DEVICE, 1)));
                refused.push(context.try_serve());
            }
            context.section(DEVICE, move || sections.lock().unwrap().push(thread::current().id()));
        });
        app.code(name, client).unwrap();
    }
    app.code("S", server()).unwrap();
    anywhere(&mut app.options);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.slt");
    app.trace = Some(path.clone());
    let finished = app.run(Some(Duration::from_ms(400))).unwrap();
    let served = is_served(&finished);
    assert!(served > 0);
    let (sections, own) = (sections.lock().unwrap(), own.lock().unwrap());
    // Sections that the end of the run met are executed after it: at most one of each client.
    assert!((served..=served + 2).contains(&sections.len()), "{served} of {}", sections.len());
    let servers = sections[..served].iter().filter(|thread| own.contains(thread)).count();
    assert_eq!(servers, 0, "no client executes a section of the run");
    assert!(sections[..served].iter().all(|thread| *thread == sections[0]));
    let words = [Err(Misuse::Served(DEVICE)), Err(Misuse::NoServer)];
    assert!(refused.lock().unwrap().chunks(2).all(|pair| *pair == words));
    // A stored trace is judged as the run was.
    let file = TraceFile::open(std::fs::File::open(&path).unwrap()).unwrap();
    let header = file.header().clone();
    let prepared = Prepared::new(&context_of(&header).unwrap().0).unwrap();
    let run = RealRun::of(&prepared, &header, file.map(Result::unwrap)).unwrap();
    let account = Account::of(&prepared, &run, true, &mut |_| {}).unwrap();
    assert_eq!(account.decisions().map(|found| found.holds()), Some(true));
}

/// The scenario's own workload: the server's thread executes as much as the clients' sections need.
#[test]
fn the_workload_of_a_section_is_executed_by_the_server() {
    let scenario = scenario();
    let prepared = Prepared::new(&scenario).unwrap();
    let codes = bodies(&prepared, Burner::calibrate(), &Programs::of(&scenario.tasks)).unwrap();
    let mut app = App::of(scenario.clone());
    for (task, code) in scenario.tasks.iter().zip(codes) {
        app.code(&task.name, code).unwrap();
    }
    anywhere(&mut app.options);
    is_served(&app.run(Some(Duration::from_ms(300))).unwrap());
}

/// Outside of a protocol of servers, a section is executed where its job is.
#[test]
fn under_other_protocols_a_job_executes_its_own_section() {
    let counter = Arc::new(AtomicU32::new(0));
    let mut app = App::new("P-EDF", "msrp", 1).unwrap();
    let device = app.resource("device");
    let count = Arc::clone(&counter);
    let spec = schedlab_runtime::TaskSpec::new("adds", Work::from_ns(1_000_000), Duration::from_ms(10));
    let adds = each_job(move |context| {
        let (count, here) = (Arc::clone(&count), thread::current().id());
        context.section(device, move || {
            assert_eq!(thread::current().id(), here);
            count.fetch_add(1, SeqCst);
        });
    });
    let adds = app.task(spec, adds);
    app.uses(adds, device, Work::from_ns(1_000)).unwrap();
    anywhere(&mut app.options);
    let finished = app.run(Some(Duration::from_ms(100))).unwrap();
    assert!(u64::from(counter.load(SeqCst)) >= finished.outcome.summary.jobs_completed);
}
