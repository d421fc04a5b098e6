//! Scenarios that combine everything: any two features that a user may state together are drawn together.
//!
//! Each goes the way of a user's file: read, prepared, analysed, simulated up to a random horizon. No set that is
//! called schedulable misses, no bound is exceeded, no invariant is violated, and what is called unschedulable comes
//! with a late job of a run that the scenario allows. [`FeaturePower`] counts the pairs.

mod draw;
mod draw_task;
mod draw_worth;
mod evidence;
mod list;
mod scene;
mod table;
mod task;

pub use draw::{draw, Wish};
pub use list::{refused, FEATURES, REFUSED};
pub use scene::Scene;
pub use table::FeaturePower;
pub use task::{Part, SceneTask, When};

use crate::draw::pick;
use crate::soundness::Observed;
use schedlab_analysis::{Answer, Guarantee, SystemError};
use schedlab_lab::sensitivity::critical_scaling;
use schedlab_lab::{analyze, findings, Catalog, Finding, PrepareError, Prepared};
use schedlab_model::Duration;
use schedlab_report::invariants;
use schedlab_trace::{Sink, Timeline};
use schedlab_workload::Random;

/// What became of a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is not for simulation, for this reason.
    Refused(String),
    /// It was simulated.
    Held {
        /// Some test gave a verdict or a bound.
        judged: bool,
        /// Some task was split.
        split: bool,
    },
}

/// Examines case `index` of `seed`: adds to `power`, or says what is wrong.
pub fn examine_features(seed: u64, index: u64, power: &mut FeaturePower) -> Result<(), String> {
    let mut random = Random::new(seed, *b"Features", index);
    let mut scene = draw(&Wish::default(), &mut random);
    if random.below(2) == 0 {
        scene = near_breakdown(&scene, &mut random);
    }
    let outcome = hold(&scene).map_err(|what| format!("{what}\n{}", scene.text()))?;
    power.add(&scene, &outcome);
    Ok(())
}

/// With costs that are just proved, if any are; else as it is.
pub fn near_breakdown(scene: &Scene, random: &mut Random) -> Scene {
    let Ok(prepared) = scene.prepared() else { return scene.clone() };
    let factor = u64::from(critical_scaling(&prepared).0);
    match factor {
        0 => scene.clone(),
        _ => scene.scaled((factor * *pick(random, &[100, 100, 100, 95, 90])).div_ceil(100)),
    }
}

/// Analyses and simulates.
fn hold(scene: &Scene) -> Result<Outcome, String> {
    let prepared = match scene.prepared() {
        Ok(prepared) => prepared,
        Err(why) => return unprepared(scene).map(|()| Outcome::Refused(why)),
    };
    let analysis = analyze(&prepared).map_err(|error| error.to_string())?;
    let found = findings(&prepared, &analysis);
    evidence::check(&prepared, &found, &analysis.evidence)?;
    let mut timeline = Timeline::default();
    prepared.simulate(&mut timeline, &mut |_| true).map_err(|error| error.to_string())?;
    let mut observed = Observed::of(prepared.tasks.len());
    for (at, record) in &timeline.records {
        (&mut observed).record(*at, *record);
    }
    for finding in &found {
        compare(finding, &observed)?;
    }
    keeps_invariants(&prepared, timeline)?;
    let speaks = |finding: &Finding| finding.answer != Answer::Unknown || finding.response_times.is_some();
    let split = prepared.pieces.iter().any(|piece| piece.count > 1);
    Ok(Outcome::Held { judged: found.iter().any(speaks), split })
}

/// What is not simulated may be analysed all the same, but then nothing is refuted: no run could show a late job.
fn unprepared(scene: &Scene) -> Result<(), String> {
    let Ok(scenario) = scene.scenario() else { return Ok(()) };
    let Ok(prepared) = Prepared::for_analysis(&scenario, &Catalog::shipped()) else { return Ok(()) };
    let analysis = match analyze(&prepared) {
        Ok(analysis) => analysis,
        Err(error @ PrepareError::Analysis { error: SystemError::Contradiction { .. }, .. }) => {
            return Err(error.to_string())
        }
        Err(_) => return Ok(()),
    };
    evidence::check(&prepared, &findings(&prepared, &analysis), &analysis.evidence)
}

fn compare(finding: &Finding, observed: &Observed) -> Result<(), String> {
    let test = finding.test;
    for (index, seen) in observed.tasks.iter().enumerate() {
        let holds = finding.answer == Answer::Schedulable && finding.guarantee == Guarantee::Hard;
        if holds && seen.misses > 0 {
            return Err(format!("{test} accepts, but task {index} misses {} deadlines", seen.misses));
        }
        let bounds = [&finding.response_times, &finding.tardiness];
        for (bounds, value) in bounds.into_iter().zip([seen.response_time_max, seen.tardiness_max]) {
            let bound = bounds.as_ref().and_then(|bounds| bounds[index]).map(Duration::as_ns);
            if bound.is_some_and(|bound| value > bound) {
                return Err(format!("task {index} was observed at {value}, {test} bounds it by {bound:?}"));
            }
        }
    }
    Ok(())
}

fn keeps_invariants(prepared: &Prepared, timeline: Timeline) -> Result<(), String> {
    let verdict = invariants::check(&prepared.context(), timeline.records);
    for outcome in &verdict.outcomes {
        if let Some(violation) = outcome.found.violations.first() {
            return Err(format!("violates {} {violation}", outcome.invariant.name()));
        }
    }
    match verdict.ended && verdict.lost_at.is_none() {
        true => Ok(()),
        false => Err("the trace is not whole".to_owned()),
    }
}
