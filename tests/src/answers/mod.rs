//! One question has one answer, whatever asks it.
//!
//! Are deadlines met, and is tardiness bounded? That is asked of random scenarios of everything that a user may state.
//! `analyze` concludes from its findings, and the analysis says it by cluster. Searches ask no more than whether
//! deadlines are proved, and `advise` judges the scenario's own way. Batches judge tasks as a drawn set. No two of them
//! differ, and a bound contradicts no refutation. Whatever is called schedulable meets all deadlines in simulation.
//! [`AnswerPower`] counts by scheduler how often several tests prove together what none proves alone.

mod batches;
mod power;

pub use power::{AnswerPower, AnswerRow};

use crate::features::{draw, near_breakdown, Scene, Wish};
use schedlab_analysis::{bounds_prove, Answer, Guarantee, SystemError};
use schedlab_lab::advise::Plan;
use schedlab_lab::sensitivity::is_proved;
use schedlab_lab::{
    analyze, concluded, findings, Catalog, Finding, PrepareError, Prepared, ScenarioAnalysis,
};
use schedlab_report::metrics::Metrics;
use schedlab_workload::Random;

/// One case in so many is judged by `advise` too, which also searches for its margin.
const ADVISED: u64 = 8;

/// Examines case `index` of `seed`: adds to `power`, or says what is wrong.
pub fn examine_answers(seed: u64, index: u64, power: &mut AnswerPower) -> Result<(), String> {
    let mut random = Random::new(seed, *b"Answers.", index);
    if index % 4 == 0 {
        return batches::examine(&mut random, power);
    }
    let wish = Wish { movable: random.below(3) > 0, ..Wish::default() };
    let mut scene = draw(&wish, &mut random);
    if random.below(2) == 0 {
        scene = near_breakdown(&scene, &mut random);
    }
    hold(&scene, index % ADVISED == 1, power).map_err(|what| format!("{what}\n{}", scene.text()))
}

fn hold(scene: &Scene, advised: bool, power: &mut AnswerPower) -> Result<(), String> {
    let Ok(prepared) = scene.prepared() else {
        power.refused += 1;
        return Ok(());
    };
    let analysis = match analyze(&prepared) {
        Ok(analysis) => analysis,
        Err(error @ PrepareError::Analysis { error: SystemError::Contradiction { .. }, .. }) => {
            return Err(error.to_string())
        }
        Err(_) => {
            power.refused += 1;
            return Ok(());
        }
    };
    let found = findings(&prepared, &analysis);
    let [hard, soft] = concluded(&found);
    agree(&prepared, &analysis, &found, [hard, soft])?;
    if advised {
        let proved = advice(&prepared)?;
        power.advised += 1;
        same("advise", proved, hard == Answer::Schedulable)?;
    }
    let alone = found.iter().any(|one| one.guarantee == Guarantee::Hard && one.answer == Answer::Schedulable);
    let row = power.row(&prepared.scheduler.name);
    row.asked += 1;
    row.refuted += u64::from(hard == Answer::Unschedulable);
    row.bounded += u64::from(soft == Answer::Schedulable);
    if hard == Answer::Schedulable {
        row.alone += u64::from(alone);
        row.together += u64::from(!alone);
        meets_deadlines(&prepared)?;
    }
    Ok(())
}

/// What findings conclude, what the analysis says and what searches ask is one answer.
fn agree(
    prepared: &Prepared,
    analysis: &ScenarioAnalysis,
    found: &[Finding],
    [hard, soft]: [Answer; 2],
) -> Result<(), String> {
    same("the quick question", is_proved(prepared), hard == Answer::Schedulable)?;
    let known = analysis.analysis.as_ref().filter(|_| prepared.supertasks.is_empty());
    if let Some(known) = known {
        // The scenario's own run may refute what no test does.
        let expected = match analysis.own_run {
            Some(_) => Answer::Unschedulable,
            None => known.hard,
        };
        same("the analysis", expected, hard)?;
        same("the analysis, of tardiness", known.soft, soft)?;
    }
    if (hard, soft) == (Answer::Schedulable, Answer::Unknown) {
        return Err("deadlines are met, but tardiness is not bounded".to_owned());
    }
    let least = |task: usize| {
        let bounds = found.iter().filter_map(|one| one.tardiness.as_ref()?[task]);
        bounds.min()
    };
    let never_late = bounds_prove(Guarantee::Hard, (0..prepared.tasks.len()).map(least));
    match (never_late, hard) {
        (true, Answer::Schedulable) | (false, _) => Ok(()),
        (true, Answer::Unschedulable | Answer::Unknown) => {
            Err(format!("no task is ever late by its bounds, but the answer is {hard:?}"))
        }
    }
}

fn same<T: PartialEq + std::fmt::Debug>(asked: &str, said: T, concluded: T) -> Result<(), String> {
    match said == concluded {
        true => Ok(()),
        false => Err(format!("{asked} says {said:?}, but the findings conclude {concluded:?}")),
    }
}

/// Whether `advise` calls the scenario's own way proved.
fn advice(prepared: &Prepared) -> Result<bool, String> {
    let plan = Plan::of(&prepared.scenario, &Catalog::shipped());
    let outline = plan.outline(0).ok_or("advise leaves out the scenario's own way")?;
    let judged = plan.judge(&[outline]);
    Ok(judged[0].way.proved)
}

fn meets_deadlines(prepared: &Prepared) -> Result<(), String> {
    let mut metrics = Metrics::new(prepared.tasks.len(), prepared.platform.processors().into());
    prepared.simulate(&mut metrics, &mut |_| true).map_err(|error| error.to_string())?;
    match metrics.all_tasks().missed {
        0 => Ok(()),
        missed => Err(format!("called schedulable, but {missed} jobs are late")),
    }
}
