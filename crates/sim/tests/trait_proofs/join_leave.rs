//! A task joins and leaves while the others go on.

use crate::support::*;
use schedlab_model::*;
use schedlab_trace::Record;

#[test]
fn a_task_joins_at_its_time_and_leaves_after_its_last_job() {
    let mut tasks = vec![task(2, 4, 4), task(3, 6, 6)];
    tasks[1].join = Instant::from_ns(3);
    tasks[1].leave = Instant::from_ns(13);
    let timeline = run(tasks, "P-EDF", 1, 24);
    // B arrives at 3 and 9; it would arrive again at 15, after its leave.
    assert_eq!(draw(&timeline, 1, 24), "AA.BAABBAABBBAA.AA..AA..");
    let at = |record: Record| timeline.records.iter().find(|(_, r)| *r == record).map(|(at, _)| at.as_ns());
    assert_eq!(at(Record::Join { task: TaskId(1) }), Some(3));
    assert_eq!(at(Record::Leave { task: TaskId(1) }), Some(13));
}

#[test]
fn a_leave_waits_for_the_pending_job() {
    let mut tasks = vec![task(2, 4, 4), task(3, 12, 12)];
    tasks[1].leave = Instant::from_ns(1);
    let timeline = run(tasks, "P-EDF", 1, 24);
    assert_eq!(draw(&timeline, 1, 12), "AABBAAB.AA..");
    assert!(timeline.records.contains(&(Instant::from_ns(7), Record::Leave { task: TaskId(1) })));
}

#[test]
fn a_task_that_has_no_job_leaves_at_once() {
    let mut tasks = vec![task(1, 10, 10), task(1, 10, 10)];
    tasks[1].leave = Instant::from_ns(5);
    let timeline = run(tasks, "G-EDF", 1, 30);
    assert!(timeline.records.contains(&(Instant::from_ns(5), Record::Leave { task: TaskId(1) })));
    assert_eq!(completions(&timeline).iter().filter(|c| c.0 == 1).count(), 1);
}
