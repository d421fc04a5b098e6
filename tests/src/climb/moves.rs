//! Small changes of plans, and of where sections and suspensions stand in programs.

use super::plan::{Freedom, Plan};
use crate::draw::pick;
use crate::features::{Part, Scene};
use schedlab_workload::Random;

/// Changes one to three things, some of them about jobs of the task `of`.
pub(super) fn change(plan: &mut Plan, freedoms: &[Freedom], of: usize, random: &mut Random) {
    let times = *pick(random, &[1, 1, 1, 2, 3]);
    for _ in 0..times {
        let task = random.below(freedoms.len() as u64) as usize;
        let count = plan.jobs[task].len() as u64;
        if count == 0 {
            continue;
        }
        let number = random.below(count) as usize;
        match random.below(8) {
            0 => shift(plan, freedoms, task, 0, random),
            1 => shift(plan, freedoms, task, number, random),
            2 => align(
                plan,
                freedoms,
                (task, number),
                random.clone().below(freedoms.len() as u64) as usize,
                random,
            ),
            3 => align(plan, freedoms, (task, number), of, random),
            4 => release(plan, &freedoms[task], (task, number), random),
            5 => plan.jobs[task][number].steps = freedoms[task].behave(random),
            6 => crowd(plan, freedoms, task, number),
            _ => plan.jobs[task].iter_mut().for_each(|job| job.steps = freedoms[task].behave(random)),
        }
    }
}

/// A job and those after it arrive a little earlier or later.
fn shift(plan: &mut Plan, freedoms: &[Freedom], task: usize, number: usize, random: &mut Random) {
    let Freedom { moves, period, .. } = freedoms[task];
    if !moves {
        return;
    }
    let far = *pick(random, &[1, 3, period / 4 + 1, period]);
    let by = random.between(1, far);
    let gap = &mut plan.jobs[task][number].gap;
    *gap = if random.below(2) == 0 { (*gap + by).min(3 * period) } else { gap.saturating_sub(by) };
}

/// A job arrives with another one, just before it or just after it; those after it stay, if they can.
fn align(
    plan: &mut Plan,
    freedoms: &[Freedom],
    (task, number): (usize, usize),
    other: usize,
    random: &mut Random,
) {
    if !freedoms[task].moves || other == task || plan.jobs[other].is_empty() {
        return;
    }
    let with = random.below(plan.jobs[other].len() as u64) as usize;
    let late = if random.below(2) == 0 { plan.jobs[other][with].late } else { 0 };
    let wanted = plan.arrival(freedoms, other, with) + late + random.below(3);
    let wanted = wanted.saturating_sub(1);
    let gap = plan.jobs[task][number].gap;
    let earliest = plan.arrival(freedoms, task, number) - gap;
    let Some(changed) = wanted.checked_sub(earliest).filter(|gap| *gap <= 3 * freedoms[task].period) else {
        return;
    };
    plan.jobs[task][number].gap = changed;
    if let Some(next) = plan.jobs[task].get_mut(number + 1) {
        next.gap = (next.gap + gap).saturating_sub(changed);
    }
}

fn release(plan: &mut Plan, freedom: &Freedom, (task, number): (usize, usize), random: &mut Random) {
    let late = *pick(random, &[0, freedom.jitter, random.clone().between(0, freedom.jitter)]);
    plan.jobs[task][number].late = late;
    // The next ones at once: releases are then as close as they can be.
    if random.below(2) == 0 {
        plan.jobs[task][number + 1..].iter_mut().for_each(|job| job.late = 0);
    }
}

/// All jobs from this one on arrive as early as they may.
fn crowd(plan: &mut Plan, freedoms: &[Freedom], task: usize, number: usize) {
    if freedoms[task].moves {
        plan.jobs[task][number + 1..].iter_mut().for_each(|job| job.gap = 0);
    }
}

/// The scene with execution of one task moved past a section or suspension, and that task; `None` if it has none.
pub(super) fn moved(scene: &Scene, random: &mut Random) -> Option<Scene> {
    let task = random.below(scene.tasks.len() as u64) as usize;
    let mut scene = scene.clone();
    let program = &mut scene.tasks[task].program;
    let plain: Vec<usize> =
        (0..program.len()).filter(|index| matches!(program[*index], Part::Execute(_))).collect();
    if plain.len() < 2 {
        return None;
    }
    let (from, to) = (*pick(random, &plain), *pick(random, &plain));
    let Part::Execute(length) = program[from] else { return None };
    if from == to || length < 2 {
        return None;
    }
    let by = random.between(1, length - 1);
    program[from] = Part::Execute(length - by);
    if let Part::Execute(other) = &mut program[to] {
        *other += by;
    }
    Some(scene)
}
