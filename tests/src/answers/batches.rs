//! Batches answer as `analyze` does of the same tasks.

use super::power::AnswerPower;
use super::same;
use crate::draw::pick;
use schedlab_analysis::Answer;
use schedlab_lab::batch::{Question, Set, Workspace};
use schedlab_lab::{analyze, concluded, findings, Prepared};
use schedlab_scenario::Scenario;
use schedlab_workload::Random;
use std::fmt::Write as _;

const SCOPES: [&str; 2] = ["P", "G"];
/// Orders that need nothing but the tasks.
const ORDERS: [&str; 5] = ["EDF", "RM", "DM", "FIFO", "FL"];
/// Stated both ways, since defaults may differ.
const PLACEMENT: &str = "worst_fit_decreasing";

/// Sporadic tasks, as batches take all tasks.
fn drawn(random: &mut Random) -> (String, String) {
    let preemptive = if random.below(4) == 0 { "N" } else { "" };
    let scheduler = format!("{preemptive}{}-{}", pick(random, &SCOPES), pick(random, &ORDERS));
    let processors = random.between(1, 3);
    let mut text =
        format!("schedlab = 1\nscheduler = \"{scheduler}\"\nplatform = {{ processors = {processors} }}\n");
    // From hardly anything to overload.
    let most = 100 * random.between(1, 10);
    for index in 0..random.between(1, 6) {
        let period = random.between(2, 30);
        let wcet = random.between(1, (period * most).div_ceil(1_000));
        let deadline = match random.below(3) {
            0 => period,
            1 => random.between(wcet, period.max(wcet)),
            _ => random.between(wcet, 3 * period),
        };
        let (offset, jitter) = (random.below(2) * random.below(period), random.below(6).saturating_sub(4));
        let _ = writeln!(
            text,
            "[[task]]\nname = \"t{index}\"\narrival = \"sporadic\"\nwcet = \"{wcet}ms\"\nperiod = \"{period}ms\"\n\
             deadline = \"{deadline}ms\"\noffset = \"{offset}ms\"\njitter = \"{jitter}ms\""
        );
    }
    (scheduler, text)
}

pub(super) fn examine(random: &mut Random, power: &mut AnswerPower) -> Result<(), String> {
    let (scheduler, text) = drawn(random);
    compare(&scheduler, &text, power).map_err(|what| format!("{what}\n{text}"))
}

fn compare(scheduler: &str, text: &str, power: &mut AnswerPower) -> Result<(), String> {
    let scenario = Scenario::parse("drawn", text).map_err(|errors| errors.to_string())?;
    let partitioned = scheduler.trim_start_matches('N').starts_with("P-");
    let (scenario, placement) = match partitioned {
        true => (scenario.with_placement(PLACEMENT).map_err(|error| error.to_string())?, PLACEMENT),
        false => (scenario, ""),
    };
    let tasks = scenario.model_tasks();
    let set = Set::independent(&tasks, scenario.platform.processors);
    let mut answers = [Answer::Unknown; 2];
    // Tasks that fit nowhere are refused, of which nothing is proved.
    if let Ok(prepared) = Prepared::new(&scenario) {
        let analysis = analyze(&prepared).map_err(|error| error.to_string())?;
        answers = concluded(&findings(&prepared, &analysis));
    }
    for (guarantee, answer) in ["hard", "soft"].into_iter().zip(answers) {
        let question: Question =
            format!("{scheduler} {guarantee} {placement}").parse().map_err(|error| format!("{error}"))?;
        let judged = question.judge(set, &mut Workspace::default()).map_err(|error| error.to_string())?;
        same(&format!("the batch, {guarantee},"), judged.is_some(), answer == Answer::Schedulable)?;
        power.row(scheduler).batches += 1;
    }
    Ok(())
}
