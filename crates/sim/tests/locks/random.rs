//! Random systems of tasks with nested critical sections, from a seed.

use crate::support::task;
use schedlab_model::*;

/// A small generator (splitmix64): tests need no better one.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (x ^ (x >> 31)) % bound
    }
}

/// What the random systems are like.
#[derive(Clone, Copy)]
pub struct Shape {
    pub processors: u16,
    pub units: u64,
    /// How deep sections nest at most.
    pub depth: u64,
}

pub struct System {
    pub tasks: Vec<Task>,
    pub resources: Vec<Resource>,
}

/// A random system, all of whose jobs arrive before 60.
pub fn system(seed: u64, shape: Shape) -> System {
    let mut random = Random(seed);
    let resources: Vec<Resource> =
        (0..1 + random.below(3)).map(|_| Resource { units: 1 + random.below(shape.units) as u32 }).collect();
    let count = 2 + random.below(4) * u64::from(shape.processors.min(2));
    let mut tasks = Vec::new();
    for index in 0..count {
        let mut steps = Vec::new();
        let mut free: Vec<u32> = resources.iter().map(|resource| resource.units).collect();
        for _ in 0..random.below(3) {
            execute(&mut random, &mut steps);
            section(&mut random, &mut steps, &mut free, shape.depth);
        }
        execute(&mut random, &mut steps);
        steps.push(Step::Execute(Work::from_ns(1)));
        let period = 15 + random.below(30);
        tasks.push(Task {
            offset: Instant::from_ns(random.below(20)),
            leave: Instant::from_ns(60),
            fixed_priority: index as u32,
            cluster: ClusterId(random.below(shape.processors.into()) as u16),
            program: steps,
            ..task(1, period, 5 + random.below(period))
        });
    }
    System { tasks, resources }
}

/// Often nothing, so that requests and releases follow each other at once.
fn execute(random: &mut Random, steps: &mut Vec<Step>) {
    let length = random.below(4);
    if length > 0 {
        steps.push(Step::Execute(Work::from_ns(length)));
    }
}

/// A section, perhaps with others within; none for a resource of which the job holds all units.
fn section(random: &mut Random, steps: &mut Vec<Step>, free: &mut [u32], depth: u64) {
    let resource = random.below(free.len() as u64) as usize;
    if depth == 0 || free[resource] == 0 {
        return;
    }
    let units = 1 + random.below(free[resource].into()) as u32;
    free[resource] -= units;
    steps.push(Step::Request(ResourceId(resource as u32), units));
    steps.push(Step::Execute(Work::from_ns(1)));
    if random.below(2) == 0 {
        section(random, steps, free, depth - 1);
    }
    execute(random, steps);
    steps.push(Step::Release(ResourceId(resource as u32), units));
    free[resource] += units;
}

/// Each section reads (one unit) or writes (all units).
pub fn readers_and_writers(system: &mut System, seed: u64) {
    let mut random = Random(seed ^ 0xABCD);
    let all = system.tasks.len() as u32 + 1;
    system.resources.iter_mut().for_each(|resource| resource.units = all);
    for task in &mut system.tasks {
        let mut units_now = 1;
        for step in &mut task.program {
            if let Step::Request(_, units) = step {
                units_now = if random.below(2) == 0 { 1 } else { all };
                *units = units_now;
            } else if let Step::Release(_, units) = step {
                *units = units_now;
            }
        }
    }
}
