//! The scheduler of a crate that `schedlab new policy G-MINE` made, under a scheduler in the kernel: `make test-kernel`
//! makes this the example of such a crate. It exits with 0 if the engine decides the same again from the same inputs.

use schedlab_lab::Catalog;
use schedlab_policy_g_mine::scheduler;
use schedlab_runtime::{each_job, App, BackendChoice};
use schedlab_scenario::Scenario;
use schedlab_trace::Backend;

const SCENARIO: &str = r#"
schedlab = 1
horizon = "500 ms"
platform = { processors = 2 }
task = [
  { name = "a", wcet = "2 ms", period = "40 ms" },
  { name = "b", wcet = "3 ms", period = "50 ms" },
  { name = "c", wcet = "9 ms", period = "100 ms" },
]
"#;

fn main() {
    let catalog = Catalog::shipped().with_scheduler(scheduler()).expect("the name is new");
    let scenario = Scenario::parse("own", SCENARIO).expect("the scenario is well-formed");
    let scenario = catalog.under(scenario, "G-MINE").expect("the scheduler takes the scenario");
    let mut app = App::of(scenario);
    app.catalog = catalog;
    app.options.backend = Some(BackendChoice::Only(Backend::Scx));
    for name in ["a", "b", "c"] {
        app.code(name, each_job(|_| (0..100_000).for_each(|turn| _ = std::hint::black_box(turn))))
            .expect("the scenario has the task");
    }
    let length = schedlab_model::Duration::from_ms(500);
    let finished = app.run(Some(length)).expect("this kernel takes the scheduler");
    assert_eq!(finished.outcome.backend, Backend::Scx);
    let findings = finished.findings(true).expect("the run can be replayed");
    let found = findings.result();
    assert_eq!(found.replay_is_exact, Some(true));
    assert!(findings.is_whole() && found.jobs.completed > 20, "{} jobs", found.jobs.completed);
    println!("G-MINE: {} jobs, replayed", found.jobs.completed);
}
