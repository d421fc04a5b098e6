//! A non-preemptive section under G-EDF: the link changes at once, the processor when the section ends.

use crate::support::*;
use schedlab_model::*;
use schedlab_trace::Record;

fn with_section() -> Vec<Task> {
    let mut tasks = vec![task(2, 100, 20), task(6, 100, 30), task(4, 100, 40), task(1, 100, 10)];
    tasks[2].program = vec![
        Step::Execute(Work::from_ns(1)),
        Step::NpEnter,
        Step::Execute(Work::from_ns(2)),
        Step::NpExit,
        Step::Execute(Work::from_ns(1)),
    ];
    tasks[0].offset = Instant::from_ns(2);
    tasks[3].offset = Instant::from_ns(20);
    tasks
}

#[test]
fn the_preemption_is_delayed_until_the_section_ends() {
    let timeline = run(with_section(), "G-EDF", 2, 12);
    assert_eq!(draw(&timeline, 2, 8), "BBBBBB.. / CCCAAC..");
    let c = JobId::new(TaskId(2), 0);
    let a = JobId::new(TaskId(0), 0);
    let at = |record: Record| timeline.records.iter().find(|(_, r)| *r == record).map(|(at, _)| at.as_ns());
    assert_eq!(at(Record::Link { cpu: CpuId(1), job: Some(a) }), Some(2));
    assert_eq!(at(Record::NpExit { job: c }), Some(3));
    assert_eq!(at(Record::Preempt { cpu: CpuId(1), job: c }), Some(3));
    assert_eq!(at(Record::Dispatch { cpu: CpuId(1), job: a }), Some(3));
}

/// The linked job's processor is held by a section when another becomes free: the two links are swapped, so the
/// job in its section stays where it is and the waiting one starts at once.
#[test]
fn links_are_swapped_rather_than_a_running_job_moved() {
    let mut tasks = vec![task(4, 100, 10), task(3, 100, 50), task(6, 100, 60)];
    tasks[2].program = vec![Step::NpEnter, Step::Execute(Work::from_ns(6)), Step::NpExit];
    tasks[0].offset = Instant::from_ns(1);
    let timeline = run(tasks, "G-EDF", 2, 12);
    // A displaces C's link on processor 1 at 1; B completes at 3: C gets processor 1 back, A starts on processor 0.
    assert_eq!(draw(&timeline, 2, 9), "BBBAAAA.. / CCCCCC...");
}
