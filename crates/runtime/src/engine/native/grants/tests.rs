//! Sections that the engine grants in the order of the threads, and in others.

use super::*;
use crate::record::lock_records::{LockEvent, LockRecord, LockSections};
use schedlab_model::ResourceId;

const R: ResourceId = ResourceId(0);

/// Sections of the first jobs of three tasks, which acquired the lock in the order of their numbers and asked at these
/// times.
fn sections(asked: [u64; 3]) -> LockSections {
    let record = |what| LockRecord { job: 0, resource: R, what };
    let own = |task: u64, asked| {
        let (from, at) = (Instant::from_ns(asked), |ns| Instant::from_ns(100 * (task + 1) + ns));
        let released = LockEvent::Released { at: at(50), is_outside: true };
        [LockEvent::Asked { from, to: from }, LockEvent::Acquired(at(0)), released].map(record)
    };
    let all = [own(0, asked[0]), own(1, asked[1]), own(2, asked[2])];
    LockSections::of(&[&all[0], &all[1], &all[2]], &[Some(0)], Instant::from_ns(1_000))
}

fn job(task: u32) -> JobId {
    JobId::new(TaskId(task), 0)
}

/// The engine grants in this order; the requests count at these times. Returns how many sections it granted otherwise,
/// of how many that were compared.
fn otherwise(sections: &LockSections, counted: [u64; 3], order: [u32; 3]) -> (u64, u64) {
    let acquire = |task| (Instant::ZERO, Record::Acquire { job: job(task), resource: R, units: 1 });
    let request = |(task, at)| (Instant::from_ns(at), job(task), EngineInput::Reported(Input::Request(R, 1)));
    let inputs: Vec<_> = (0..).zip(counted).map(request).collect();
    let found = granted(&sections.sections, &order.map(acquire), inputs.iter());
    assert_eq!(found.all, 3);
    (found.otherwise, found.compared)
}

#[test]
fn another_order_is_found() {
    let found = sections([10, 20, 30]);
    assert_eq!(otherwise(&found, [10, 20, 30], [0, 1, 2]), (0, 3));
    assert_eq!(otherwise(&found, [10, 20, 30], [0, 2, 1]), (1, 3));
    assert_eq!(otherwise(&found, [10, 20, 30], [2, 0, 1]), (1, 3));
    assert_eq!(otherwise(&found, [10, 20, 30], [2, 1, 0]), (2, 3));
}

/// A request that counts later than it was made is granted later, too, and says nothing of the lock.
#[test]
fn requests_that_count_later_do_not_count_here() {
    let found = sections([10, 20, 30]);
    assert_eq!(otherwise(&found, [10, 25, 30], [0, 2, 1]), (0, 2));
    assert_eq!(otherwise(&found, [10, 25, 30], [2, 1, 0]), (1, 2));
}
