//! Climbing towards bounds: of a system that an analysis accepts or bounds, jobs are changed step by step such that
//! what is seen comes nearer to a bound.
//!
//! A step moves arrivals and releases, gaps between jobs, what jobs cost and where they suspend themselves, or where
//! sections stand in programs, simulates once, and keeps what is not worse. Whatever is seen above a bound is a
//! contradiction. [`ClimbPower`] tells how near the climbs came, beside as many runs of plans drawn at random.

mod moves;
mod plan;
mod power;
mod seen;
mod target;

pub use power::{ClimbPower, ClimbRow};
pub use seen::Blocked;
pub use target::Quantity;

use crate::features::{draw, near_breakdown, Wish};
use crate::soundness::locked_pairs;
use plan::{Freedom, Plan, Shown};
use power::Ratio;
use schedlab_lock::find_protocol;
use schedlab_trace::Timeline;
use schedlab_workload::Random;
use seen::Seen;
use std::sync::OnceLock;
use target::{Bound, Target};

/// How many runs each system gets.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Climbs, each towards one bound of one task.
    pub climbs: u64,
    /// Steps of one climb; as many plans are drawn at random before.
    pub steps: u64,
}

impl Effort {
    /// For a long run.
    pub const LONG: Effort = Effort { climbs: 2, steps: 1_000 };
    /// For a slice of it.
    pub const SHORT: Effort = Effort { climbs: 2, steps: 60 };
}

/// Schedulers without locks; those at the end are drawn with everything.
const ALONE: &[&str] = &[
    "P-EDF", "P-RM", "P-DM", "P-FP", "P-FIFO", "C-EDF", "C-FP", "G-EDF", "G-RM", "G-DM", "G-FP", "G-FIFO",
    "G-FL", "G-GEL", "NP-EDF", "NP-RM", "NP-DM", "NP-FP", "NP-FIFO", "NP-FL", "NP-GEL", "NG-EDF", "NG-FP",
    "NG-FIFO", "NC-EDF", "PD2", "ER-PD2", "PD", "PF", "S-PD2", "PD2", "S-PD2",
];

/// What systems are drawn like, one after the other.
fn wishes() -> &'static [Wish] {
    static ALL: OnceLock<Vec<Wish>> = OnceLock::new();
    ALL.get_or_init(|| {
        let alone = |&scheduler: &&'static str| Wish {
            scheduler: Some(scheduler),
            protocol: Some(None),
            movable: true,
            ..Wish::default()
        };
        let sharing = |(scheduler, protocol): (&'static str, &'static str)| Wish {
            scheduler: Some(scheduler),
            protocol: Some(find_protocol(protocol).ok()),
            movable: true,
            ..Wish::default()
        };
        let mutexes = Wish { mutexes: true, ..sharing((KERNEL, IPCP)) };
        let alike = ["none", "pip", IPCP].map(|protocol| sharing((KERNEL, protocol)));
        let anything = Wish { movable: true, ..Wish::default() };
        let locked = locked_pairs().into_iter().map(sharing);
        // A short run comes to the first ones alone.
        let posix = std::iter::repeat_n(mutexes, MUTEXES).chain(alike);
        ALONE.iter().map(alone).chain(posix).chain(locked).chain([anything; 8]).collect()
    })
}

/// The kernel's fixed priorities, under which resources are mutexes of POSIX.
const KERNEL: &str = "P-SCHED_FIFO";

/// A protocol of one processor's resources, as mutexes of POSIX have bounds for.
const IPCP: &str = "ipcp";

/// Systems in a row whose mutexes have protocols of their own.
const MUTEXES: usize = 4;

/// Draws until something is bounded, or gives up.
const TRIES: usize = 6;

/// One step in so many moves a section or a suspension, after which the system is analysed anew.
const MOVES: u64 = 64;

/// Climbs in case `index` of `seed`: adds to `power`, or says what is wrong.
pub fn climb(seed: u64, index: u64, effort: Effort, power: &mut ClimbPower) -> Result<(), String> {
    let mut random = Random::new(seed, *b"Climbing", index);
    let wish = &wishes()[(index % wishes().len() as u64) as usize];
    let drawn = (0..TRIES).find_map(|_| {
        let scene = draw(wish, &mut random);
        let scene = if random.below(4) > 0 { near_breakdown(&scene, &mut random) } else { scene };
        Target::new(&scene)
    });
    let Some(target) = drawn else { return Ok(()) };
    power.systems += 1;
    let mut climber = Climber::new(target);
    for _ in 0..effort.climbs {
        let Some(focus) = Focus::draw(&climber.target, &mut random) else { break };
        let drawn = climber.random(focus, effort.steps, &mut random)?;
        let climbed = climber.climb(focus, effort.steps, &mut random)?;
        power.add(&climber.target.bounds[focus.bound], effort.steps, drawn, climbed);
    }
    Ok(())
}

/// A system, and what its runs need.
struct Climber {
    target: Target,
    freedoms: Vec<Freedom>,
    timeline: Timeline,
}

impl Climber {
    fn new(target: Target) -> Climber {
        Climber { freedoms: Freedom::of(&target.prepared), target, timeline: Timeline::default() }
    }

    fn draw(&self, random: &mut Random) -> Plan {
        Plan::draw(&self.target.prepared, &self.freedoms, random)
    }

    /// How near one run comes, or which bound it exceeds.
    fn run(&mut self, plan: &Plan, focus: Focus) -> Result<Height, String> {
        let seen = self.target.run(plan, &mut self.timeline);
        let Some(what) = self.target.exceeded(&seen) else { return Ok(focus.height(&self.target, &seen)) };
        let (scene, shown) = (self.target.scene.text(), Shown(plan, &self.target.prepared));
        Err(format!("{what}\n{scene}\n{shown}"))
    }

    /// The nearest of so many plans drawn anew.
    fn random(&mut self, focus: Focus, steps: u64, random: &mut Random) -> Result<Ratio, String> {
        let mut highest = Ratio::default();
        for _ in 0..steps {
            let plan = self.draw(random);
            highest = highest.max(self.run(&plan, focus)?.0);
        }
        Ok(highest)
    }

    /// The nearest that a climb of so many steps comes.
    fn climb(&mut self, focus: Focus, steps: u64, random: &mut Random) -> Result<Ratio, String> {
        let mut best = self.draw(random);
        let (mut height, mut highest) = (Height::default(), Ratio::default());
        for step in 0..steps {
            if step % MOVES == MOVES - 1 && self.moves(random) {
                best.jobs.iter_mut().flatten().for_each(|job| job.steps = None);
                height = Height::default();
            }
            let mut plan = best.clone();
            match step < steps / STARTS {
                true => plan = self.draw(random),
                false => moves::change(&mut plan, &self.freedoms, focus.task, random),
            }
            let reached = self.run(&plan, focus)?;
            if reached.0 >= height.0 {
                (best, height) = (plan, reached);
            }
            highest = highest.max(height.0);
        }
        Ok(highest)
    }

    /// Moves a section or a suspension, if the same tests still bound the same; the system is analysed anew.
    fn moves(&mut self, random: &mut Random) -> bool {
        let moved = moves::moved(&self.target.scene, random).and_then(|scene| Target::new(&scene));
        let Some(other) = moved.filter(|other| other.is_like(&self.target)) else { return false };
        self.freedoms = Freedom::of(&other.prepared);
        self.target = other;
        true
    }
}

/// How near a run comes; among equals, the more the tasks have together.
type Height = (Ratio, u64);

/// One step in so many draws a plan: a climb begins from the nearest of these.
const STARTS: u64 = 8;

/// What one climb heads for.
#[derive(Clone, Copy, Debug)]
struct Focus {
    bound: usize,
    task: usize,
}

impl Focus {
    /// Any bound that a task does not reach by itself.
    fn draw(target: &Target, random: &mut Random) -> Option<Focus> {
        let tasks = |bound: &Bound| -> Vec<usize> {
            (0..bound.values.len()).filter(|task| target.is_worthwhile(bound, *task)).collect()
        };
        let some: Vec<usize> =
            (0..target.bounds.len()).filter(|index| !tasks(&target.bounds[*index]).is_empty()).collect();
        let bound = *some.get(random.below(some.len().max(1) as u64) as usize)?;
        let tasks = tasks(&target.bounds[bound]);
        Some(Focus { bound, task: tasks[random.below(tasks.len() as u64) as usize] })
    }

    /// How near it is.
    fn height(&self, target: &Target, seen: &Seen) -> Height {
        let bound = &target.bounds[self.bound];
        let all = (0..bound.values.len()).map(|task| seen.value(bound.quantity, task)).sum();
        let own = seen.value(bound.quantity, self.task);
        (Ratio::of(own, bound.values[self.task].unwrap_or(u64::MAX)), all)
    }
}
