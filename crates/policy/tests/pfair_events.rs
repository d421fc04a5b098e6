//! A small staggered schedule with the events of one task, in the form of staggered-pfair-2005, fig. 6.
//!
//! Four tasks on two processors, of our own: the weights of the figure stand in no text.

use crate::pfair_support;
use pfair_support::*;
use schedlab_policy::pfair::{Affinity, Staggered, PD2};

/// As in `examples/staggered-events.toml`: T1 to T4.
const WEIGHTS: [Share; 4] = [(1, 5), (3, 5), (3, 5), (3, 5)];

/// T3.
const WATCHED: u32 = 2;

/// One line for each invocation of `Schedule`: its slot and processor, who is granted that, and where T3 is then.
fn events(slots: u64) -> Vec<String> {
    let mut scheduler = Staggered::new(PD2, Affinity::BackToBack, streams(&WEIGHTS, false), 2);
    (0..4).for_each(|task| scheduler.activate(task));
    let mut rows = vec![format!("begin: {}", scheduler.place(WATCHED).name())];
    for slot in 0..slots {
        for processor in 1..=2 {
            let task =
                scheduler.schedule(processor - 1).map_or("idle".into(), |task| format!("T{}", task + 1));
            rows.push(format!("{slot} P{processor} {task}: {}", scheduler.place(WATCHED).name()));
        }
    }
    rows
}

/// T3's windows are [0,2), [1,4) and [3,5), and again five slots later. Its events, as the figure labels them:
///
/// ```text
///        slot 0   slot 1   slot 2   slot 3   slot 4   slot 5
/// P1   | T3     | T4     | T4     | T2     | T1     | T3      a  slot 0, P1  runs; its second subtask is eligible
/// P2       | T2     | T2     | T3     | T3     | T4           b  slot 1, P1  selected for slot 2: SchedNext
///        a        b        c   d    e   f    g    h           c  slot 2, P1  that slot begins: SchedNow
///                                                             d  slot 2, P2  runs; selected anew: ReschedNext
///                                                             e  slot 3, P1  that slot begins: ReschedNow
///                                                             f  slot 3, P2  stays; the next one is at 5: Incoming
///                                                             g  slot 4, P1  eligible for slot 5
///                                                             h  slot 4, P2  selected for it: SchedNext
/// ```
#[test]
fn the_heaps_of_one_task_at_every_invocation() {
    let expected = [
        "begin: SchedNext",
        "0 P1 T3: Eligible",
        "0 P2 T2: Eligible",
        "1 P1 T4: SchedNext",
        "1 P2 T2: SchedNext",
        "2 P1 T4: SchedNow",
        "2 P2 T3: ReschedNext",
        "3 P1 T2: ReschedNow",
        "3 P2 T3: Incoming",
        "4 P1 T1: Eligible",
        "4 P2 T4: SchedNext",
        "5 P1 T3: Eligible",
    ];
    assert_eq!(events(6)[..expected.len()], expected);
}
