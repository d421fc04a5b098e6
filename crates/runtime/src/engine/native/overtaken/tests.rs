//! Waits of constructed records.

use super::*;
use schedlab_model::ClusterId;

const MS: u64 = 1_000_000;

fn record(at: u64, index: u32, job: u32, processor: u32, what: KernelEvent) -> KernelRecord {
    KernelRecord { at, processor, index, job, what }
}

fn arrived(at: u64, index: u32) -> KernelRecord {
    record(at, index, 1, 0, KernelEvent::Arrived { arrival: at })
}

/// The first job of the task executes on the processor from one time to another, and is then complete or preempted.
fn ran(index: u32, processor: u32, from: u64, to: u64, is_complete: bool) -> Vec<KernelRecord> {
    let mut all = vec![record(from, index, 1, processor, KernelEvent::Running)];
    if is_complete {
        all.push(record(to, index, 1, processor, KernelEvent::Completed { executed: 0 }));
        all.push(record(to, index, 0, processor, KernelEvent::Stopped { ready: false }));
    } else {
        all.push(record(to, index, 1, processor, KernelEvent::Stopped { ready: true }));
    }
    all
}

/// The tasks of indices 1 to 3 are ever less urgent, and of one cluster.
fn found(records: Vec<Vec<KernelRecord>>, preemptive: bool) -> Overtaken {
    found_in([0, 0, 0], records, preemptive)
}

/// As above; the tasks are of these clusters.
fn found_in(clusters: [u16; 3], records: Vec<Vec<KernelRecord>>, preemptive: bool) -> Overtaken {
    let ready = |task: u32| {
        let job = JobId::new(TaskId(task), 0);
        let priority = Priority::new(u64::from(task), job);
        let cluster = ClusterId(clusters[task as usize]);
        (Instant::ZERO, Record::Ready { job, priority, cluster })
    };
    overtaken(&records.concat(), &[0, 1, 2].map(ready), Rules { preemptive, demotes: true })
}

fn counts(found: Overtaken) -> (u64, u64, u64) {
    (found.waits, found.overtaken, found.longest.as_ns())
}

/// The most urgent job waits until the least urgent one is complete.
#[test]
fn a_job_that_does_not_preempt() {
    let records = |length: u64| {
        vec![
            vec![arrived(0, 3)],
            ran(3, 0, 10, length + MS, true),
            vec![arrived(MS, 1)],
            ran(1, 0, length + MS, 9 * MS, true),
        ]
    };
    assert_eq!(counts(found(records(MS), true)), (0, 0, 0), "a moment");
    assert_eq!(counts(found(records(3 * MS), true)), (1, 0, 0), "as long as the kernel may take");
    assert_eq!(counts(found(records(3 * MS + 1), true)), (1, 1, MS + 1));
    assert_eq!(counts(found(records(5 * MS), false)), (1, 0, 0), "jobs are not preempted");
}

/// A less urgent job takes the processor from the most urgent one.
#[test]
fn a_job_that_preempts_a_more_urgent_one() {
    let records = vec![
        vec![arrived(0, 1)],
        ran(1, 0, 10, MS, false),
        vec![arrived(MS, 2)],
        ran(2, 0, MS + 5, 4 * MS, true),
        ran(1, 0, 4 * MS + 5, 6 * MS, true),
    ];
    assert_eq!(counts(found(records, true)), (1, 1, 3 * MS - 5));
}

/// Two jobs wait until a third one is complete, and the less urgent of the two begins first.
#[test]
fn a_job_that_begins_before_a_more_urgent_one() {
    let records = |urgent: u64| {
        vec![
            vec![arrived(0, 2)],
            ran(2, 0, 10, 5 * MS, true),
            vec![arrived(MS, 3), arrived(urgent, 1)],
            ran(3, 0, 5 * MS, 6 * MS, true),
            ran(1, 0, 6 * MS, 7 * MS, true),
        ]
    };
    assert_eq!(counts(found(records(2 * MS), false)), (2, 1, 3 * MS));
    assert_eq!(counts(found(records(4 * MS), false)), (2, 0, 0), "hardly ready when the other one began");
    assert_eq!(counts(found(records(4 * MS), true)), (2, 0, 0), "a moment each");
}

/// Where jobs are not preempted, none may begin on another processor of the cluster either.
#[test]
fn a_begin_on_another_processor_of_the_cluster_counts() {
    let records = || {
        vec![
            vec![arrived(0, 2)],
            ran(2, 0, 10, 9 * MS, true),
            vec![arrived(MS, 1), arrived(3 * MS, 3)],
            ran(3, 1, 3 * MS + 10, 4 * MS, true),
            ran(1, 0, 9 * MS, 10 * MS, true),
        ]
    };
    assert_eq!(counts(found(records(), false)), (1, 1, 2 * MS + 10));
    assert_eq!(counts(found_in([0, 0, 1], records(), false)), (1, 0, 0));
}

/// With preemption, it does not matter what another processor executes meanwhile: the job may be on its way to a
/// processor that stands still.
#[test]
fn another_processor_does_not_count() {
    let records = vec![
        vec![arrived(0, 3)],
        ran(3, 1, 10, 9 * MS, true),
        vec![arrived(MS, 1)],
        ran(1, 0, 5 * MS, 6 * MS, true),
    ];
    assert_eq!(counts(found(records, true)), (1, 0, 0));
}

/// A job may go on in a section that delays a preemption, and one that has used up its budget is not judged.
#[test]
fn sections_and_budgets_pass() {
    for what in [KernelEvent::SectionKept { section: 1 }, KernelEvent::Overran { executed: 0 }] {
        let records = vec![
            vec![arrived(0, 3)],
            ran(3, 0, 10, 8 * MS, true),
            vec![arrived(MS, 1), record(MS, 3, 1, 0, what)],
            vec![record(7 * MS, 3, 1, 0, KernelEvent::SectionLeft { section: 1 })],
            ran(1, 0, 8 * MS, 9 * MS, true),
        ];
        assert_eq!(counts(found(records, true)), (1, 0, 0), "{what:?}");
    }
    // A job that goes on in its section, after it slept there, passes; after the section, it is judged again.
    let sleeps = |left: u64| {
        vec![
            vec![arrived(0, 3), record(MS, 3, 1, 0, KernelEvent::SectionSlept { section: 1 })],
            vec![arrived(2 * MS, 1), record(2 * MS, 3, 1, 0, KernelEvent::SectionWoke { section: 1 })],
            vec![record(left, 3, 1, 0, KernelEvent::SectionLeft { section: 1 })],
            ran(3, 0, 3 * MS, 8 * MS, true),
            ran(1, 0, 8 * MS, 9 * MS, true),
        ]
    };
    assert_eq!(found(sleeps(7 * MS), true).overtaken, 0);
    assert_eq!(found(sleeps(2 * MS + 1), true).overtaken, 1);
}

/// A job that is suspended waits anew, and a thread between two jobs has no job that waits.
#[test]
fn only_a_ready_job_waits() {
    let records = vec![
        vec![arrived(0, 1)],
        ran(1, 0, 10, 20, false),
        vec![record(30, 1, 1, 0, KernelEvent::Suspended)],
        vec![arrived(40, 3)],
        ran(3, 0, 50, 6 * MS, true),
        vec![record(6 * MS - MS, 1, 1, 0, KernelEvent::Resumed)],
        ran(1, 0, 6 * MS, 7 * MS, true),
        vec![
            record(8 * MS, 1, 0, 0, KernelEvent::Running),
            record(9 * MS, 1, 0, 0, KernelEvent::Stopped { ready: true }),
        ],
    ];
    assert_eq!(counts(found(records, true)), (0, 0, 0));
}

/// Where a budget's end is only recorded, it lets no job pass.
#[test]
fn an_overrun_that_changes_no_priority_lets_no_job_pass() {
    let records = [
        vec![arrived(0, 3)],
        ran(3, 0, 10, 8 * MS, true),
        vec![arrived(MS, 1), record(MS, 3, 1, 0, KernelEvent::Overran { executed: 0 })],
        ran(1, 0, 8 * MS, 9 * MS, true),
    ]
    .concat();
    let ready = |task: u32| {
        let job = JobId::new(TaskId(task), 0);
        (
            Instant::ZERO,
            Record::Ready { job, priority: Priority::new(u64::from(task), job), cluster: ClusterId(0) },
        )
    };
    let judged =
        |demotes| overtaken(&records, &[0, 2].map(ready), Rules { preemptive: true, demotes }).overtaken;
    assert_eq!((judged(false), judged(true)), (1, 0));
}

/// The end of a section does not take a job out of the background.
#[test]
fn a_job_in_the_background_stays_there_after_a_section() {
    let overran = record(2 * MS, 1, 1, 0, KernelEvent::Overran { executed: 0 });
    let left = record(3 * MS, 1, 1, 0, KernelEvent::SectionLeft { section: 1 });
    let records = |background: bool| {
        let mut own = vec![arrived(0, 1), record(10, 1, 1, 0, KernelEvent::Running)];
        own.extend(background.then_some(overran));
        own.extend([left, record(4 * MS, 1, 1, 0, KernelEvent::Stopped { ready: true })]);
        vec![own, vec![arrived(4 * MS, 3)], ran(3, 0, 4 * MS, 7 * MS, true), ran(1, 0, 7 * MS, 8 * MS, true)]
    };
    assert_eq!(found(records(true), true).overtaken, 0);
    assert_eq!(found(records(false), true).overtaken, 1);
}
