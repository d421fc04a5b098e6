//! The scheduler comes and goes.

use crate::support::{
    alone, become_fifo, is_counted, load, load_and_unload, settings, state, until, Counter,
};
use schedlab_scx::{probe, Follower, LoadRefusal};

#[test]
fn a_probe_loads_and_leaves_nothing() {
    let _alone = alone();
    assert_eq!(probe(), Ok(()));
    assert_eq!(state(), "disabled");
}

#[test]
fn twenty_loads_in_a_row_end_regularly() {
    let _alone = alone();
    load_and_unload(load, |scheduler| scheduler.unload());
}

#[test]
fn a_second_scheduler_is_refused_with_the_name_of_the_first() {
    let _alone = alone();
    let first = load();
    let refused = Follower::load(&settings()).expect_err("only one can be there");
    assert_eq!(refused, LoadRefusal::Occupied { name: "schedlab_follow".into() });
    drop(first);
}

/// A linked thread never stops. An ordinary thread on its processor has the reserve, and not much more.
#[test]
fn threads_outside_have_their_reserve() {
    let _alone = alone();
    become_fifo(60);
    let follower = load();
    let task = Counter::start(None);
    follower.adopt(task.thread, 1).unwrap();
    follower.relink([(0, 1)]);
    assert!(until(2_000, || task.counts_within(1) && task.processor() == 0));
    let outside = Counter::start(Some(0));
    let before = follower.outside(0);
    std::thread::sleep(std::time::Duration::from_secs(4));
    let after = follower.outside(0);
    assert!(outside.counts_within(2_000), "it executes again and again");
    let reserve_ms = (after.reserve_ns - before.reserve_ns) / 1_000_000;
    // Slices end at ticks, which come as late as the host likes where each emulated processor has a thread of it.
    let most_ms = if is_counted() { 300 } else { 4_000 };
    assert!((100..=most_ms).contains(&reserve_ms), "of 4 s, 200 ms are reserved: {reserve_ms} ms");
    assert!(follower.ending().is_none(), "nothing starves: {:?}", follower.ending());
    outside.end();
    task.end();
    std::thread::sleep(std::time::Duration::from_millis(200));
    drop(follower);
}
