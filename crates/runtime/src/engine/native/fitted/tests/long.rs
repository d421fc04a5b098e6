//! Long runs: how often inputs have to be taken.

use super::*;

/// A record of many jobs on one processor: each second one of the less urgent task is complete just after the urgent
/// one was ready. The first attempt finds each of them, and the second one that all is well.
#[test]
fn long_records_take_few_attempts() {
    const JOBS: u64 = 50_000;
    let (setup, make) = system(&[100, 100], 1);
    let setup = Setup { horizon: Instant::from_ns(100 * JOBS), ..setup };
    let mut given = Vec::new();
    let mut add = |at: u64, task, number, what| {
        given.push((Instant::from_ns(at), JobId::new(TaskId(task), number), what));
    };
    let mut late = 0;
    for number in 0..JOBS as u32 {
        let begin = 100 * u64::from(number);
        let arrival = EngineInput::Began(Instant::from_ns(begin));
        let (urgent, complete) = (begin + 40, if number % 2 == 0 { 43 } else { 90 });
        late += u64::from(number % 2 == 0);
        add(begin, 1, number, arrival);
        add(urgent, 0, number, arrival);
        if complete == 43 {
            add(begin + complete, 1, number, COMPLETE);
        }
        add(begin + 70, 0, number, COMPLETE);
        if complete == 90 {
            add(begin + complete, 1, number, COMPLETE);
        }
    }
    let fitted = fitted(&make, &setup, given);
    assert_eq!((fitted.late_stops, fitted.early_starts, fitted.late_starts), (late, 0, 0));
    assert_eq!(fitted.longest_move, Duration::from_ns(4));
    assert!(fitted.attempts <= 2, "{} attempts", fitted.attempts);
}

/// The attempts grow with the misfits of one busy interval, and not with those of all.
#[test]
fn misfits_of_a_busy_interval_are_found_one_after_the_other() {
    let (setup, make) = system(&[100, 200, 400], 1);
    let began = |number: u64| EngineInput::Began(Instant::from_ns(100 * number));
    let mut given = vec![(0, 2, 0, BEGAN)];
    for number in 0..2 {
        let begin = 100 * number;
        given.extend([(begin + 20, 0, number, began(number)), (begin + 70, 0, number, COMPLETE)]);
    }
    given.extend([(10, 1, 0, BEGAN), (22, 1, 0, COMPLETE), (122, 2, 0, COMPLETE)]);
    given.sort_by_key(|(at, ..)| *at);
    let timed = |(at, task, number, what): &(u64, u32, u64, EngineInput)| {
        (Instant::from_ns(*at), JobId::new(TaskId(*task), *number as u32), *what)
    };
    let fitted = fitted(&make, &setup, given.iter().map(timed).collect());
    assert_eq!((fitted.late_stops, fitted.early_starts), (2, 0));
    assert_eq!(fitted.attempts, 3);
}
