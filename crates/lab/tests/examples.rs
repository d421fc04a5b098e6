//! Every shipped example, under every scheduler: what is simulated keeps every invariant and every bound.

use schedlab_lab::{analyze, Prepared};
use schedlab_model::{Instant, Statistic};
use schedlab_policy::all_schedulers;
use schedlab_report::invariants::Checker;
use schedlab_report::metrics::Metrics;
use schedlab_scenario::Scenario;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");

fn examples() -> Vec<(String, Scenario)> {
    let mut paths: Vec<_> = std::fs::read_dir(EXAMPLES).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, Scenario::read(path).unwrap_or_else(|errors| panic!("{errors}")))
    };
    paths.iter().map(read).collect()
}

#[test]
fn examples_keep_invariants_and_bounds() {
    let mut runs = 0;
    for (name, scenario) in examples() {
        for scheduler in all_schedulers() {
            let horizon = scenario.horizon.min(Instant::from_ns(2_000_000_000));
            let Ok(scenario) = scenario.clone().with_scheduler(&scheduler.name) else { continue };
            let Ok(scenario) = scenario.with_horizon(horizon) else { continue };
            for overheads in ["none", "paper-2008-4k"] {
                // No rule of budget servers knows of overheads.
                if overheads != "none" && !scenario.servers.is_empty() {
                    continue;
                }
                let scenario = scenario.clone().with_overheads(overheads).unwrap();
                let Ok(prepared) = Prepared::new(&scenario) else { continue };
                runs += 1;
                check(&format!("{name} under {} with {overheads}", scheduler.name), &prepared);
            }
        }
    }
    assert!(runs > 300, "only {runs} runs");
}

fn check(what: &str, prepared: &Prepared) {
    let context = prepared.context();
    let mut checker = Checker::new(&context);
    let mut metrics = Metrics::new(prepared.tasks.len(), prepared.platform.processors().into());
    prepared.simulate((&mut checker, &mut metrics), &mut |_| true).unwrap();
    let verdict = checker.finish();
    assert!(verdict.holds(), "{what}: {:?}", verdict.outcomes.iter().find(|outcome| !outcome.holds()));
    assert_eq!(prepared.statistic(), Statistic::Max);
    let analysis = analyze(prepared).unwrap();
    let Some(analysis) = analysis.analysis else { return };
    for (task, bound) in analysis.response_times.iter().enumerate() {
        let Some(bound) = bound else { continue };
        let observed = metrics.tasks()[task].response_time.max();
        assert!(observed <= Some(bound.as_ns()), "{what}: T{task} took {observed:?}, the bound is {bound}");
    }
}
