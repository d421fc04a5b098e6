//! What a protocol allocates, and how that grows with locks and tasks.

use crate::counting::live;
use schedlab_lock::{Ceilings, LockSetup, PriorityOrder, Protocol, Reach};
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

/// The bytes that the protocol keeps from its set-up on, for so many locks that all of so many tasks use.
pub fn kept(protocol: &Protocol, locks: usize, tasks: usize) -> usize {
    let (platform, clusters) = match protocol.reach {
        Reach::Local => (Platform::partitioned(1), 1),
        Reach::Partitioned => (Platform::partitioned(2), 2),
        Reach::Global | Reach::Any => (Platform::global(2), 1),
    };
    let program: Vec<Step> = (0..locks as u32)
        .flat_map(|at| [Step::Request(ResourceId(at), 1), work(), Step::Release(ResourceId(at), 1)])
        .collect();
    let task = |at: usize| Task {
        cluster: ClusterId((at % clusters) as u16),
        program: program.clone(),
        ..Task::implicit(Work::from_ns(locks as u64), Duration::from_ms(1 + at as u64))
    };
    let tasks: Vec<Task> = (0..tasks).map(task).collect();
    let resources = vec![Resource { units: 1 }; locks];
    let points: Vec<u64> = (0..tasks.len() as u64).collect();
    let order = match protocol.ceilings {
        Ceilings::Quanta => PriorityOrder::Pfair,
        Ceilings::None | Ceilings::Levels | Ceilings::Priorities => PriorityOrder::Fixed(&points),
    };
    let setup = LockSetup { tasks: &tasks, resources: &resources, platform: &platform, order, lengths: &[] };
    let before = live();
    let made = (protocol.make)(&setup);
    let kept = live() - before;
    if let Err(error) = made {
        panic!("{} refuses a plain system: {error}", protocol.name);
    }
    kept
}

fn work() -> Step {
    Step::Execute(Work::from_ns(1))
}
