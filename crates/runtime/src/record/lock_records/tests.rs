//! Sections that are as they ought to be, and those that are not.

use super::*;

const A: ResourceId = ResourceId(0);
const B: ResourceId = ResourceId(1);
/// A resource of the mutex of A.
const C: ResourceId = ResourceId(2);
const MUTEX_OF: [Option<usize>; 3] = [Some(0), Some(1), Some(0)];

fn at(ns: u64) -> Instant {
    Instant::from_ns(ns)
}

/// A section of job 0: between which times it asked, when it acquired, and when it gave back.
fn section(resource: ResourceId, asked: (u64, u64), acquired: u64, released: u64) -> Vec<LockRecord> {
    let record = |what| LockRecord { job: 0, resource, what };
    [
        LockEvent::Asked { from: at(asked.0), to: at(asked.1) },
        LockEvent::Acquired(at(acquired)),
        LockEvent::Released { at: at(released), is_outside: true },
    ]
    .map(record)
    .to_vec()
}

fn judged(tasks: &[Vec<LockRecord>]) -> LockSections {
    let all: Vec<&[LockRecord]> = tasks.iter().map(Vec::as_slice).collect();
    LockSections::of(&all, &MUTEX_OF, at(1_000))
}

/// The tasks in the order in which they acquired, and when they count as having asked.
fn order(found: &LockSections) -> Vec<(u32, u64)> {
    found.sections.iter().map(|section| (section.job.task.0, section.asked.as_ns())).collect()
}

#[test]
fn sections_one_after_the_other_are_as_they_ought_to_be() {
    let found = judged(&[
        section(A, (10, 12), 12, 50),
        section(A, (20, 22), 60, 70),
        section(A, (15, 17), 51, 59),
        // Another mutex at the same time.
        section(B, (11, 13), 13, 40),
    ]);
    assert_eq!((found.overlaps, found.overtaken), (0, 0));
    assert_eq!(order(&found), [(0, 10), (2, 15), (1, 20), (3, 11)]);
}

/// Two threads joined the queue at the same time: which one was first shows in who acquired first.
#[test]
fn jobs_that_asked_at_the_same_time_asked_in_the_order_of_the_queue() {
    let found = judged(&[section(A, (10, 30), 61, 70), section(A, (20, 25), 50, 60)]);
    assert_eq!((found.overlaps, found.overtaken), (0, 0));
    assert_eq!(order(&found), [(1, 20), (0, 20)]);
    assert_eq!(found.longest_move, Duration::from_ns(10));
}

#[test]
fn a_job_that_overtakes_is_found() {
    let found = judged(&[section(A, (10, 12), 61, 70), section(A, (20, 25), 50, 60)]);
    assert_eq!((found.overlaps, found.overtaken), (0, 1));
    assert_eq!(order(&found), [(1, 20), (0, 12)]);
}

/// A job overtakes one that still waits at the end.
#[test]
fn a_job_that_overtakes_one_that_never_acquires_is_found() {
    let mut waits = section(A, (10, 12), 0, 0);
    waits.truncate(1);
    assert_eq!(judged(&[waits.clone(), section(A, (13, 14), 50, 60)]).overtaken, 1);
    assert_eq!(judged(&[waits, section(A, (8, 9), 50, 60)]).overtaken, 0);
}

#[test]
fn sections_that_overlap_are_found() {
    let found = judged(&[section(A, (10, 12), 12, 50), section(A, (20, 22), 49, 70)]);
    assert_eq!((found.overlaps, found.overtaken), (1, 0));
    // As soon as the one before has been given back, or if it never is.
    assert_eq!(judged(&[section(A, (10, 12), 12, 50), section(A, (20, 22), 50, 70)]).overlaps, 0);
    let mut kept = section(A, (10, 12), 12, 50);
    kept.pop();
    assert_eq!(judged(&[kept, section(A, (20, 22), 60, 70)]).overlaps, 1);
    // Two resources of one mutex.
    assert_eq!(judged(&[section(A, (10, 12), 12, 50), section(C, (20, 22), 49, 70)]).overlaps, 1);
}

/// A nested section of the same mutex neither waits nor overlaps, and keeps the mutex until its end.
#[test]
fn nested_sections_belong_to_the_outermost_one() {
    let (outer, inner) = (section(A, (10, 12), 12, 40), section(C, (20, 20), 20, 50));
    let nested = vec![outer[0], outer[1], inner[0], inner[1], outer[2], inner[2]];
    let found = judged(&[nested.clone(), section(A, (15, 16), 51, 60)]);
    assert_eq!((found.overlaps, found.overtaken), (0, 0));
    assert_eq!(
        found.sections.iter().map(|section| section.is_nested).collect::<Vec<_>>(),
        [false, true, false]
    );
    assert_eq!(found.sections[1].released, Some(at(50)));
    assert_eq!(judged(&[nested, section(A, (15, 16), 45, 60)]).overlaps, 1, "the inner one holds the mutex");
}

/// What comes after the end of the run is no section, and no end of one.
#[test]
fn sections_end_with_the_run() {
    let found = judged(&[section(A, (10, 12), 12, 1_200), section(A, (1_000, 1_001), 1_300, 1_400)]);
    assert_eq!((found.overlaps, found.overtaken, found.sections.len()), (0, 0, 1));
    assert_eq!((found.sections[0].acquired, found.sections[0].released), (Some(at(12)), None));
}
