//! Joins and leaves under the published conditions: a task that is refused changes nothing, one that is let in harms
//! none.

use crate::pfair_support;
use pfair_support::*;
use schedlab_policy::pfair::{free_from, Admission, Affinity, Aligned, Stream, Weight, PD2};

fn weight((e, p): Share) -> Weight {
    Weight::new(e, p).unwrap()
}

/// Light: d + b of the last subtask. Heavy: its group deadline. The last subtask of a pattern frees the weight at its
/// end.
#[test]
fn weights_are_free_by_the_published_conditions() {
    let free = |share: Share, nth: u64| free_from(&weight(share).window(nth).unwrap());
    // 3/10: windows [0,4) and [3,7), which overlap their successors', and [6,10), which does not.
    assert_eq!([1, 2, 3].map(|nth| free((3, 10), nth)), [5, 8, 10]);
    // 8/11: the group deadlines of fig. 4 of the literature.
    assert_eq!([1, 2, 3, 4, 8].map(|nth| free((8, 11), nth)), [4, 4, 8, 8, 11]);
}

#[test]
fn a_join_is_refused_or_told_when_there_is_room() {
    let mut admission = Admission::new(2);
    for (number, share) in [(0, (2, 3)), (1, (2, 3)), (2, (1, 2))] {
        admission.join(number, weight(share), 0).unwrap();
    }
    let refused = admission.join(3, weight((1, 5)), 7).unwrap_err();
    assert_eq!((refused.from, refused.processors), (None, 2));
    let text = "a weight of 1/5 more than 2 processors can bear; allowed: weights that add up to at most 2";
    assert_eq!(refused.to_string(), text);
    // It was not counted: 1/6 fills both processors exactly, and a bit more is too much.
    admission.clone().join(3, weight((1, 6)), 7).unwrap();
    assert!(admission.clone().join(3, weight((1, (1 << 40) - 1)), 7).is_ok());
    assert!(admission.join(3, weight((166_667, 1_000_000)), 7).is_err());
    // Task 2 leaves after its subtask of window [6,8), task 1 after that of [3,5), whose group deadline is 6.
    admission.leave(2, &weight((1, 2)).window(4).unwrap());
    let heavy = weight((2, 3)).window(3).unwrap();
    assert_eq!((heavy.release, heavy.deadline, heavy.group_deadline), (3, 5, 6));
    admission.leave(1, &heavy);
    let from = |admission: &mut Admission, share| admission.join(9, weight(share), 5).unwrap_err().from;
    assert_eq!(from(&mut admission, (1, 2)), Some(6));
    assert_eq!(from(&mut admission, (1, 1)), Some(8));
    assert_eq!(
        admission.join(9, weight((1, 2)), 5).unwrap_err().to_string().split("; ").last(),
        Some("there is room from slot 6 on")
    );
    admission.join(9, weight((5, 6)), 6).unwrap();
    assert!(admission.join(10, weight((1, 3)), 7).is_err());
    admission.join(10, weight((1, 2)), 8).unwrap();
}

/// Tasks join and leave at random, most of them in vain at first: those who run never miss a subtask's deadline, and a
/// refusal leaves the schedule as it is.
#[test]
fn nobody_misses_whoever_asks_to_join() {
    let (mut refused, mut joined) = (0, 0);
    for seed in 0..400 {
        let mut random = Random(seed);
        let processors = 1 + random.below(4) as usize;
        let mut admission = Admission::new(processors);
        let streams = vec![Stream::new(weight((1, 1)), false, 0); 12];
        let mut scheduler = Aligned::new(PD2, Affinity::BackToBack, streams, processors);
        // By task: `None` while it is out, or when it tries again.
        let (mut is_in, mut retry) = (vec![false; 12], vec![0; 12]);
        for slot in 0..120 {
            for task in 0..12u32 {
                if is_in[task as usize] || retry[task as usize] > slot {
                    continue;
                }
                let p = 2 + random.below(11);
                let share = weight((1 + random.below(p), p));
                match admission.join(task, share, slot) {
                    Err(no) => {
                        refused += 1;
                        let later = no.from.unwrap_or(slot + 1 + random.below(4));
                        assert!(later > slot, "{no}");
                        retry[task as usize] = later;
                    }
                    Ok(()) => {
                        joined += 1;
                        is_in[task as usize] = true;
                        *scheduler.stream_mut(task) = Stream::new(share, false, slot);
                        scheduler.add(task);
                    }
                }
            }
            let due: Vec<_> = (0..12).map(|task| scheduler.stream(task).window()).collect();
            let picked = scheduler.fill().to_vec();
            for (task, window) in due.into_iter().enumerate().filter(|(task, _)| is_in[*task]) {
                let runs = picked.contains(&(task as u32));
                assert!(window.deadline > slot + u64::from(!runs), "seed {seed}: {task} misses {window:?}");
            }
            for task in picked {
                if random.below(6) == 0 {
                    let last = scheduler.stream(task).window_before();
                    admission.leave(task, &last);
                    (is_in[task as usize], retry[task as usize]) = (false, free_from(&last));
                } else {
                    scheduler.add(task);
                }
            }
        }
    }
    assert!(refused > 20_000 && joined > 10_000, "{refused} refused, {joined} joined");
}
