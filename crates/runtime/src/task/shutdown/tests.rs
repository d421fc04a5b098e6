//! Turns, by hand and by threads.

use super::*;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

const NP: Section = Section::NonPreemptive;

const fn on(resource: u32) -> Section {
    Section::On(ResourceId(resource))
}

/// One unit of each; what it wants, it needs.
fn stand(held: &[Section], wants: Section, needs: &[Section]) -> Stand {
    let one = |section: &Section| (*section, 1);
    let needs = needs.iter().map(one).chain([(wants, 1)]).collect();
    Stand { held: held.iter().map(one).collect(), wants: (wants, 1), needs }
}

/// They began to wait in this order. There are 3 units of resource 9.
fn waiting(stands: &[Stand]) -> State {
    let units = |at| Resource { units: if at == 9 { 3 } else { 1 } };
    let mut state = State::new(stands.len(), 1, &(0..10).map(units).collect::<Vec<_>>());
    for (task, stand) in (0..).map(TaskId).zip(stands) {
        state.begin_to_wait(task, stand.clone(), 10);
    }
    state
}

/// In which order they go on, if each then comes to its end.
fn order(mut state: State) -> Vec<u32> {
    let mut order = Vec::new();
    while let Some(task) = state.next() {
        order.push(task.0);
        state.places[task.index()] = Place::Gone { since: 0 };
    }
    order
}

#[test]
fn nobody_goes_on_beside_one_that_executes() {
    let mut state = waiting(&[stand(&[], on(0), &[]), stand(&[], on(1), &[])]);
    assert_eq!(state.next(), Some(TaskId(0)));
    state.places[1] = Place::Inside { since: 20 };
    assert_eq!(state.next(), None);
    state.places[1] = Place::Gone { since: 30 };
    assert_eq!(state.next(), Some(TaskId(0)));
    state.closed = true;
    assert_eq!(state.next(), None);
}

/// Whoever begins one section after the other lets the others go on in between.
#[test]
fn turns_are_in_the_order_of_waiting() {
    let one = stand(&[], on(0), &[]);
    let mut state = waiting(&[one.clone(), one.clone(), one.clone()]);
    let mut turns = Vec::new();
    for _ in 0..6 {
        let task = state.next().unwrap();
        turns.push(task.0);
        state.places[task.index()] = Place::Inside { since: 20 };
        state.begin_to_wait(task, one.clone(), 30);
    }
    assert_eq!(turns, [0, 1, 2, 0, 1, 2]);
}

/// Under the priority ceiling protocol: the second, more urgent, preempted the first within its section on 0, which may ask for 1 and 2
/// there. Were the first let into 1, which is free, each would come to wait for the other.
#[test]
fn whoever_can_come_to_its_end_goes_first() {
    let low = stand(&[on(0)], on(1), &[on(2)]);
    let state = waiting(&[low, stand(&[], on(0), &[]), stand(&[on(2)], on(1), &[])]);
    assert_eq!(order(state), [2, 0, 1]);
}

/// The first has left its section on 1, which the second holds, but nobody knows that it does not come back to it.
#[test]
fn what_is_asked_for_later_is_not_held_against_anybody_if_all_would_wait() {
    let state = waiting(&[stand(&[on(0), on(2)], on(3), &[on(1)]), stand(&[on(1)], on(2), &[])]);
    assert_eq!(order(state), [0, 1]);
}

#[test]
fn non_preemptive_sections_exclude_each_other_where_they_can() {
    assert_eq!(order(waiting(&[stand(&[], NP, &[]), stand(&[NP], on(0), &[])])), [1, 0]);
    // On two processors: each would wait for the other.
    assert_eq!(order(waiting(&[stand(&[on(0)], NP, &[]), stand(&[NP], on(0), &[])])), [0, 1]);
}

#[test]
fn a_resource_has_units() {
    let some =
        |held, wants| Stand { held: vec![(on(9), held)], wants: (on(9), wants), needs: vec![(on(9), wants)] };
    // One and two of three are held; only the second's third unit is there when the first is gone, and the first's second never before.
    assert_eq!(order(waiting(&[some(1, 2), some(2, 3)])), [0; 0]);
    assert_eq!(order(waiting(&[some(1, 2), some(1, 2)])), [0, 1]);
    assert_eq!(order(waiting(&[some(1, 3), some(1, 2)])), [1, 0]);
}

/// Two wait for each other's sections, on two processors, and a third looks again and again whether they are done.
#[test]
fn whoever_goes_on_again_and_again_does_not_keep_others_from_their_last_resort() {
    let polls = stand(&[], on(5), &[]);
    let mut state = waiting(&[stand(&[on(0)], NP, &[]), stand(&[NP], on(0), &[]), polls.clone()]);
    let mut turns = Vec::new();
    for now in 20..32 {
        let task = state.next().unwrap();
        turns.push(task.0);
        state.go_on(task);
        match task.0 {
            2 => state.begin_to_wait(task, polls.clone(), now),
            _ => state.come_out(task, Place::Gone { since: now }, now),
        }
    }
    assert_eq!(turns, [2, 2, 2, 2, 0, 1, 2, 2, 2, 2, 2, 2]);
}

#[test]
fn whoever_executes_for_too_long_is_found() {
    let one = stand(&[], on(0), &[]);
    let mut state = State::new(2, 1, &[]);
    state.start = 1_000;
    assert!(!state.is_stuck(2_000, 500) && state.is_stuck(2_001, 500), "both, on one processor");
    state.begin_to_wait(TaskId(0), one.clone(), 1_400);
    assert!(!state.is_stuck(1_900, 500) && state.is_stuck(1_901, 500), "the other one, since then");
    state.begin_to_wait(TaskId(1), one.clone(), 1_450);
    assert!(!state.is_stuck(9_000, 500), "their turns come");
    // A turn begins when the one before ends, and a thread's turns count together.
    state.go_on(TaskId(0));
    assert!(!state.is_stuck(1_950, 500) && state.is_stuck(1_951, 500));
    state.begin_to_wait(TaskId(0), one.clone(), 1_700);
    state.go_on(TaskId(1));
    state.begin_to_wait(TaskId(1), one.clone(), 1_800);
    state.go_on(TaskId(0));
    assert!(!state.is_stuck(2_050, 500) && state.is_stuck(2_051, 500));
    for (task, now) in [(0, 2_051), (1, 5_000)] {
        state.come_out(TaskId(task), Place::Gone { since: now }, now);
    }
    assert!(!state.is_stuck(5_500, 500) && state.is_stuck(5_501, 500), "its thread does not finish");
}

#[test]
fn those_that_wait_for_each_other_are_found() {
    let state = waiting(&[stand(&[on(0)], on(1), &[]), stand(&[on(1)], on(0), &[])]);
    assert!(state.next().is_none() && state.is_stuck(10, 500));
}

#[test]
fn who_is_left_is_said() {
    let game = Endgame::new(3, 2, &[]);
    game.start();
    game.go(TaskId(0));
    game.state().begin_to_wait(TaskId(1), stand(&[], on(0), &[]), 1);
    assert!(!game.is_stuck(Duration::from_secs(60)));
    assert_eq!(game.close(), Left { inside: vec![TaskId(2)], waiting: vec![TaskId(1)] });
}

/// The first is in a section at first, and goes on there beside the others; none that begins later meets it, or another.
#[test]
fn sections_after_the_end_exclude_each_other() {
    const TASKS: usize = 6;
    const ROUNDS: u64 = 50;
    let game = Endgame::new(TASKS, 2, &[]);
    // Who holds 0 from before the end adds 100.
    let (inside, met, begun) = (AtomicU64::new(100), AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for task in (0..TASKS as u32).map(TaskId) {
            let (game, inside, met, begun) = (&game, &inside, &met, &begun);
            scope.spawn(move || {
                if task == TaskId(0) {
                    for _ in 0..2 {
                        (0..20_000).for_each(|_| std::hint::spin_loop());
                        game.begin(task, stand(&[on(0)], on(1), &[]));
                    }
                    inside.fetch_sub(100, SeqCst);
                }
                for _ in 0..ROUNDS {
                    game.begin(task, stand(&[], on(0), &[on(1)]));
                    met.fetch_add(inside.fetch_add(1, SeqCst), Relaxed);
                    (0..500).for_each(|_| std::hint::spin_loop());
                    inside.fetch_sub(1, SeqCst);
                    begun.fetch_add(1, Relaxed);
                }
                game.go(task);
            });
        }
    });
    assert_eq!((met.into_inner(), begun.into_inner()), (0, ROUNDS * TASKS as u64));
}
