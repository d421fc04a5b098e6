//! Small systems, and their schedules as text.

use super::*;

/// So much service.
pub fn execute(ns: u64) -> Vec<Step> {
    vec![Step::Execute(Work::from_ns(ns))]
}

/// A section of `length` for one unit of a resource.
pub fn section(resource: u32, length: u64) -> Vec<Step> {
    units(resource, 1, length)
}

/// A section of `length` for several units of a resource.
pub fn units(resource: u32, units: u32, length: u64) -> Vec<Step> {
    around(resource, units, execute(length))
}

/// A section with others in it.
pub fn around(resource: u32, units: u32, inner: Vec<Step>) -> Vec<Step> {
    let r = ResourceId(resource);
    [vec![Step::Request(r, units)], inner, vec![Step::Release(r, units)]].concat()
}

/// A task of one job that arrives at `offset` in `cluster`; an earlier deadline is a higher priority.
pub fn at(offset: u64, priority: u32, cluster: u16, program: &[Vec<Step>]) -> Task {
    Task {
        offset: Instant::from_ns(offset),
        fixed_priority: priority,
        cluster: ClusterId(cluster),
        program: program.concat(),
        ..task(1, 1_000_000, 1000 + u64::from(priority))
    }
}

/// The schedule of `tasks` until `until`, with three resources of `units` units each.
pub fn drawn(
    tasks: Vec<Task>,
    platform: Platform,
    scheduler: &str,
    protocol: Make,
    until: u64,
    units: u32,
) -> String {
    let processors = platform.processors();
    let timeline =
        run_locked(ideal(tasks, platform, 1_000_000), &[Resource { units }; 3], scheduler, protocol);
    draw(&timeline, processors, until)
}
