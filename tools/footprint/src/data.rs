//! What a protocol allocates, and how that grows with locks and tasks.

use crate::counting::live;
use schedlab_lock::{BrokenRule, Ceilings, LockError, LockSetup, PriorityOrder, Protocol, Reach};
use schedlab_model::{ClusterId, Duration, Platform, Resource, ResourceId, Step, Task, Work};

/// Bytes of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// With one lock and two tasks.
    pub least: usize,
    /// Each further lock, used by the same two tasks.
    pub per_lock: usize,
    /// Each further task that uses the one lock.
    pub per_task: usize,
}

/// Growth is measured from so many to twice as many, so that rounding in an allocation's size evens out.
const MANY: usize = 64;

/// Makes the protocol several times and sees how many bytes it keeps. [`crate::counting::Counting`] has to be the
/// program's allocator, and no other thread may be at work.
pub fn measure(protocol: &Protocol) -> Data {
    let growth = |from: usize, to: usize| (to - from).div_ceil(MANY);
    Data {
        least: kept(protocol, 1, 2),
        per_lock: growth(kept(protocol, MANY, 2), kept(protocol, 2 * MANY, 2)),
        per_task: growth(kept(protocol, 1, MANY), kept(protocol, 1, 2 * MANY)),
    }
}

/// The bytes that the protocol keeps from its set-up on, for so many locks that all of so many tasks use. Where the
/// protocol leaves sections to servers, a further task serves all locks.
pub fn kept(protocol: &Protocol, locks: usize, tasks: usize) -> usize {
    let clusters = if protocol.reach == Reach::Partitioned { 2 } else { 1 };
    let mut tasks: Vec<Task> = (0..tasks).map(|at| user(at, at % clusters, locks)).collect();
    match kept_for(protocol, locks, &tasks) {
        Err(LockError { rule: BrokenRule::NoServer { .. }, .. }) => {
            tasks.push(server(locks));
            kept_for(protocol, locks, &tasks)
        }
        kept => kept,
    }
    .unwrap_or_else(|error| panic!("{} refuses a plain system: {error}", protocol.name))
}

fn kept_for(protocol: &Protocol, locks: usize, tasks: &[Task]) -> Result<usize, LockError> {
    let platform = match protocol.reach {
        Reach::Local => Platform::partitioned(1),
        Reach::Partitioned => Platform::partitioned(2),
        Reach::Global | Reach::Any => Platform::global(2),
    };
    let resources = vec![Resource { units: 1 }; locks];
    let points: Vec<u64> = (0..tasks.len() as u64).collect();
    let order = match protocol.ceilings {
        Ceilings::Quanta => PriorityOrder::Pfair,
        Ceilings::None | Ceilings::Jobs | Ceilings::Levels | Ceilings::Priorities => {
            PriorityOrder::Fixed(&points)
        }
    };
    let setup = LockSetup { tasks, resources: &resources, platform: &platform, order, lengths: &[] };
    let before = live();
    let made = (protocol.make)(&setup)?;
    let kept = live() - before;
    drop(made);
    Ok(kept)
}

/// A task that locks one after another.
fn user(at: usize, cluster: usize, locks: usize) -> Task {
    let section = |at| [Step::Request(ResourceId(at), 1), work(), Step::Release(ResourceId(at), 1)];
    Task {
        cluster: ClusterId(cluster as u16),
        program: (0..locks as u32).flat_map(section).collect(),
        ..Task::implicit(Work::from_ns(locks as u64), Duration::from_ms(1 + at as u64))
    }
}

/// A task that serves all locks.
fn server(locks: usize) -> Task {
    let serve = (0..locks as u32).map(|at| Step::Serve(ResourceId(at)));
    Task {
        program: serve.chain([work()]).collect(),
        ..Task::implicit(Work::from_ns(1), Duration::from_ms(1))
    }
}

fn work() -> Step {
    Step::Execute(Work::from_ns(1))
}
