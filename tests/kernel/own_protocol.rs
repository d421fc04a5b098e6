//! The locking protocol of a crate that `schedlab new protocol my-lock` made, under a scheduler in the kernel: `make
//! test-kernel` makes this the example of such a crate. It exits with 0 if the engine decides the same again from the
//! same inputs, and the sections exclude each other.

use schedlab_lab::Catalog;
use schedlab_protocol_my_lock::PROTOCOL;
use schedlab_runtime::{each_job, App, BackendChoice, Duration, Scenario};
use schedlab_trace::Backend;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;

const SCENARIO: &str = r#"
schedlab = 1
scheduler = "G-EDF"
horizon = "500 ms"
platform = { processors = 2 }
resource = [{ name = "buffer" }]
task = [
  { name = "a", period = "40 ms", program = ["request buffer", "execute 2 ms", "release buffer"] },
  { name = "b", period = "50 ms", program = ["execute 1 ms", "request buffer", "execute 2 ms", "release buffer"] },
  { name = "c", period = "100 ms", program = ["execute 4 ms", "request buffer", "execute 2 ms", "release buffer"] },
]
"#;

/// Jobs within a section of `buffer`.
static WITHIN: AtomicU32 = AtomicU32::new(0);

/// Executes for a while.
fn burn() {
    (0..100_000).for_each(|turn| _ = std::hint::black_box(turn));
}

fn main() {
    let catalog = Catalog::shipped().with_protocol(PROTOCOL).expect("the name is new");
    let scenario = Scenario::parse("own", SCENARIO).expect("the scenario is well-formed");
    let scenario = catalog.sharing(scenario, PROTOCOL.name).expect("the protocol takes the scenario");
    let mut app = App::of(scenario);
    app.catalog = catalog;
    app.options.backend = Some(BackendChoice::Only(Backend::Scx));
    for name in ["a", "b", "c"] {
        let job = each_job(|job| {
            burn();
            job.lock(schedlab_model::ResourceId(0));
            assert_eq!(WITHIN.fetch_add(1, SeqCst), 0, "sections exclude each other");
            burn();
            WITHIN.fetch_sub(1, SeqCst);
            job.unlock(schedlab_model::ResourceId(0));
        });
        app.code(name, job).expect("the scenario has the task");
    }
    let finished = app.run(Some(Duration::from_ms(500))).expect("this kernel takes the scheduler");
    assert_eq!(finished.outcome.backend, Backend::Scx);
    let findings = finished.findings(true).expect("the run can be replayed");
    let found = findings.result();
    assert_eq!(found.replay_is_exact, Some(true), "{findings}");
    let invariants = findings.account.decisions().expect("the run was checked");
    assert!(findings.is_whole() && invariants.holds() && found.jobs.completed > 20, "{findings}");
    println!("my-lock: {} jobs, replayed", found.jobs.completed);
}
