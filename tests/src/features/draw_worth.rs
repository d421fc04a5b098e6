//! What the jobs of a scene are worth, and what they execute when they are given up.

use super::draw::once_in;
use super::scene::Scene;
use super::task::{Part, SceneTask};
use schedlab_workload::Random;

/// Most tasks say what completions are worth. Those with sections have to have a handler, others may have one.
pub(super) fn add_worths(scene: &mut Scene, random: &mut Random) {
    for task in &mut scene.tasks {
        task.worth = (!once_in(random, 4)).then(|| worth(task, random));
        let is_plain = |part: &Part| matches!(part, Part::Execute(_) | Part::Suspend(_));
        let needs_one = !task.program.iter().all(is_plain) && !once_in(random, 50);
        if needs_one || once_in(random, 2) {
            let cost = if once_in(random, 3) { 0 } else { random.between(1, task.wcet()) };
            task.handler = Some((cost, random.below(2)));
        }
    }
}

/// A function of the time since the arrival; one that ends before a job may be released is refused.
fn worth(task: &SceneTask, random: &mut Random) -> String {
    let height = random.between(1, 100);
    let last = random.below(height + 1);
    let half = random.between(1, task.relative_deadline);
    let termination = task.jitter + random.between(1, task.relative_deadline.max(task.wcet()));
    match random.below(5) {
        0 => height.to_string(),
        1 => format!("{{ step = {height}, termination = \"{termination}ns\" }}"),
        2 => format!("{{ linear = {height}, last = {last} }}"),
        3 => format!(
            "{{ exponential = {height}, half_life = \"{half}ns\", termination = \"{termination}ns\" }}"
        ),
        _ => {
            let middle = random.below(termination);
            format!("{{ points = [[\"{middle}ns\", {height}], [\"{termination}ns\", {last}]] }}")
        }
    }
}
