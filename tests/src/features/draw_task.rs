//! One random task of a scene.

use super::draw::{once_in, Wish};
use super::scene::Scene;
use super::task::{Less, Part, SceneTask, When};
use crate::draw::pick;
use schedlab_lock::{Nesting, Reach};
use schedlab_workload::Random;

/// What the tasks of one scene have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    unit: u64,
    /// Periods are multiples of the unit.
    on_grid: bool,
    offsets: bool,
    sporadic: bool,
    lists: bool,
    constrained: bool,
    arbitrary: bool,
    jitter: bool,
    dynamic: bool,
    segmented: bool,
    nonpreemptive: bool,
    less: bool,
    stays: bool,
    pub(super) changes: bool,
    movable: bool,
}

impl Style {
    pub(super) fn draw(scene: &Scene, wish: &Wish, unit: u64, random: &mut Random) -> Style {
        let Wish { movable, .. } = *wish;
        // Hardly any bound on blocking speaks of these.
        let disturbed = scene.protocol.is_none() || once_in(random, 6);
        // No split does.
        let disturbed = disturbed && (scene.split.is_none() || once_in(random, 20));
        let rare = if movable { 40 } else { 8 };
        Style {
            unit,
            on_grid: once_in(random, 2),
            offsets: once_in(random, 2),
            sporadic: movable || once_in(random, 2),
            lists: once_in(random, if movable { 10 } else { 3 }),
            constrained: once_in(random, 3),
            arbitrary: (disturbed || !movable) && once_in(random, 3),
            jitter: disturbed && once_in(random, 3),
            dynamic: disturbed && once_in(random, 5),
            segmented: disturbed && once_in(random, 5),
            nonpreemptive: disturbed && once_in(random, rare),
            less: !movable && (disturbed || once_in(random, 6)) && once_in(random, 3),
            stays: once_in(random, rare),
            changes: once_in(random, rare),
            movable,
        }
    }

    /// Half of the tasks have what the scene's have at all.
    fn half(has: bool, random: &mut Random) -> bool {
        has && once_in(random, 2)
    }

    fn period(&self, random: &mut Random) -> u64 {
        let slots = *pick(random, &[2, 3, 4, 5, 6, 8, 10, 12, 15, 20]);
        self.unit * slots + if self.on_grid { 0 } else { random.below(self.unit) }
    }

    fn relative_deadline(&self, period: u64, random: &mut Random) -> u64 {
        match (Style::half(self.constrained, random), Style::half(self.arbitrary, random)) {
            (true, _) => random.between(period.div_ceil(2), period),
            (_, true) => random.between(period, 3 * period),
            _ => period,
        }
    }

    fn when(&self, period: u64, offset: u64, random: &mut Random) -> When {
        let always = self.movable && !once_in(random, 8);
        if self.sporadic && (always || once_in(random, 2)) {
            return When::Sporadic(random.between(0, period));
        }
        if !Style::half(self.lists, random) {
            return When::Periodic;
        }
        let mut times = Vec::new();
        let mut next = offset;
        for _ in 0..random.between(1, 8) {
            next += if once_in(random, 2) { 0 } else { random.below(3 * period) };
            times.push(next);
            next += period;
        }
        When::Listed(times)
    }
}

impl SceneTask {
    /// A periodic task that needs next to nothing.
    pub(super) fn plain(period: u64) -> SceneTask {
        SceneTask {
            period,
            relative_deadline: period,
            offset: 0,
            jitter: 0,
            suspension: 0,
            point: period,
            cluster: 0,
            priority: 0,
            working_set: 0,
            when: When::Periodic,
            less: Less::Never,
            stay: None,
            change: None,
            supertask: None,
            worth: None,
            handler: None,
            program: vec![Part::Execute(1)],
        }
    }
}

/// A task of `share` ten-thousandths of a processor.
pub(super) fn draw_task(
    scene: &Scene,
    style: &Style,
    cluster: u64,
    share: u64,
    random: &mut Random,
) -> SceneTask {
    let period = style.period(random);
    let wcet = (period * share / 10_000).max(1);
    let offset = if Style::half(style.offsets, random) { random.below(period) } else { 0 };
    let when = style.when(period, offset, random);
    let mut task = SceneTask {
        relative_deadline: style.relative_deadline(period, random),
        offset,
        jitter: if Style::half(style.jitter, random) { random.between(1, period.div_ceil(4)) } else { 0 },
        point: random.below(2 * period),
        cluster,
        working_set: if once_in(random, 3) { random.below(2_000) } else { 0 },
        when,
        less: if Style::half(style.less, random) {
            *pick(random, &[Less::Always, Less::Random])
        } else {
            Less::Never
        },
        stay: Style::half(style.stays, random).then(|| stay(period, random)),
        program: program(scene, style, cluster, wcet, random),
        ..SceneTask::plain(period)
    };
    let suspends = task.program.iter().any(|part| matches!(part, Part::Suspend(_)));
    if !suspends && Style::half(style.dynamic, random) {
        task.suspension = random.between(1, period.div_ceil(4));
    }
    if !scene.supertasks.is_empty() && once_in(random, 2) {
        task.supertask = Some(random.below(scene.supertasks.len() as u64));
    }
    let plain = task.program.len() == 1 && task.when == When::Periodic && task.jitter == 0;
    if plain && task.supertask.is_none() && Style::half(style.changes, random) {
        let other = style.period(random);
        let at = offset + random.between(1, 4 * period);
        task.stay = None;
        task.change = Some((at, (other * share / 10_000).max(1), other));
    }
    task
}

fn stay(period: u64, random: &mut Random) -> (u64, u64) {
    let join = random.below(3 * period);
    (join, join + random.between(1, 8 * period))
}

/// Pieces of execution, with sections, suspensions and sections without preemption between them.
fn program(scene: &Scene, style: &Style, cluster: u64, wcet: u64, random: &mut Random) -> Vec<Part> {
    let mut left = wcet;
    let mut parts = Vec::new();
    let pieces = if scene.protocol.is_some() { random.below(4) } else { random.below(3) };
    for _ in 0..pieces {
        let Some(part) = part(scene, style, cluster, wcet, left, random) else { continue };
        let before = random.between(0, left / 2);
        if before > 0 {
            parts.push(Part::Execute(before));
        }
        let inside = SceneTask { program: vec![part.clone()], ..SceneTask::plain(1) }.wcet();
        parts.push(part);
        left = left.saturating_sub(before + inside);
    }
    parts.push(Part::Execute(left.max(1)));
    parts
}

fn part(
    scene: &Scene,
    style: &Style,
    cluster: u64,
    wcet: u64,
    left: u64,
    random: &mut Random,
) -> Option<Part> {
    if Style::half(style.segmented, random) {
        return Some(Part::Suspend(random.between(1, wcet)));
    }
    let length = random.between(1, (left / 3).max(1));
    if Style::half(style.nonpreemptive, random) {
        return Some(Part::NonPreemptive(length));
    }
    let protocol = scene.protocol?;
    if protocol.name == "pfair-server" && length > scene.quantum {
        return None;
    }
    let count = scene.resources.len() as u64;
    let step = if protocol.reach == Reach::Local { scene.cluster_count() } else { 1 };
    let mut resource = random.below(count);
    if step > 1 {
        resource = resource / step * step + cluster;
    }
    let all = scene.resources[resource as usize].0;
    let units = if once_in(random, 2) { 1 } else { all };
    // Resources nest in the order of their numbers, so that no job deadlocks.
    let nests = match protocol.nesting {
        Nesting::Any => once_in(random, 4),
        Nesting::Local => protocol.reach == Reach::Local && once_in(random, 4),
        Nesting::Never => once_in(random, 100),
    };
    let inner = (nests && resource + step < count).then(|| (resource + step, random.between(1, length)));
    Some(Part::Section { resource, units, length, inner })
}
