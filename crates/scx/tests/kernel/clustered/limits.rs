//! Limits that the kernel enforces: budgets, separations, affinities; and records that find no room.

use super::running::{begin, execute, Observed, TestTask};
use crate::support::{alone, become_fifo, bind_to, is_counted, processors, sleep_ms};
use schedlab_scx::{ClusterSettings, KernelEvent, KernelRecord, TaskPlan};

const MS: u64 = 1_000_000;

/// All processors, each a cluster.
fn partitioned() -> ClusterSettings {
    ClusterSettings::of(&(0..processors()).map(|at| 1 << at).collect::<Vec<u64>>())
}

/// A task of the first processor with jobs every 100 ms, under EDF.
fn plan() -> TaskPlan {
    TaskPlan {
        after: 100 * MS,
        parts: 1,
        separation: 100 * MS,
        relative_deadline: 100 * MS,
        ..TaskPlan::default()
    }
}

fn arrivals(count: u64) -> Vec<u64> {
    (0..count).map(|job| job * 100 * MS).collect()
}

/// Records of the task, with what happened in each.
fn of(observed: &Observed, index: u32) -> impl Iterator<Item = &KernelRecord> {
    observed.records.iter().filter(move |record| record.index == index)
}

/// A job that executes on and on goes to the background once its budget is used up: a less urgent one then goes first.
#[test]
fn a_job_beyond_its_budget_gives_way() {
    let _alone = alone();
    become_fifo(60);
    let overruns = TaskPlan { budget: Some(10 * MS), demotes: true, ..plan() };
    let other = TaskPlan { after: 300 * MS, relative_deadline: 300 * MS, ..plan() };
    let tasks = vec![
        TestTask::doing(overruns, vec![0], |turn| execute(u64::MAX, turn.over)),
        TestTask::executing(other, arrivals(4), 20 * MS),
    ];
    let mut run = begin(&partitioned(), tasks);
    run.go_on(600);
    assert!(run.go_on_until_complete(4), "{:?}", run.records);
    let observed = run.end();
    let over: Vec<u64> = of(&observed, 1)
        .filter_map(|record| match record.what {
            KernelEvent::Overran { executed } => Some(executed),
            _ => None,
        })
        .collect();
    assert_eq!(over.len(), 1, "a job overruns once");
    // An alarm is late where a busy host keeps an emulated processor waiting.
    let most = if is_counted() { 200 * MS } else { 5_000 * MS };
    assert!((10 * MS..most).contains(&over[0]), "after {} us", over[0] / 1_000);
    assert_eq!(
        of(&observed, 2).filter(|record| is_complete(record)).count(),
        4,
        "the other task's jobs are complete"
    );
    assert!(observed.tallies[0].alarms >= 1, "{:?}", observed.tallies);
}

fn is_complete(record: &KernelRecord) -> bool {
    matches!(record.what, KernelEvent::Completed { .. })
}

/// Without `demotes`, the overrun is recorded, and the job stays as urgent as it was.
#[test]
fn an_overrun_may_only_be_recorded() {
    let _alone = alone();
    become_fifo(60);
    let overruns = TaskPlan { budget: Some(10 * MS), ..plan() };
    let other = TaskPlan { after: 300 * MS, relative_deadline: 300 * MS, ..plan() };
    let tasks = vec![
        TestTask::executing(overruns, arrivals(1), 60 * MS),
        TestTask::executing(other, arrivals(1), 10 * MS),
    ];
    let mut run = begin(&partitioned(), tasks);
    assert!(run.go_on_until_complete(2), "{:?}", run.records);
    let observed = run.end();
    let position = |what: &dyn Fn(&KernelRecord) -> bool| observed.records.iter().position(what);
    let overran = position(&|record| matches!(record.what, KernelEvent::Overran { .. }));
    let first = position(&|record| record.index == 1 && is_complete(record)).expect("it ends");
    let second = position(&|record| record.index == 2 && is_complete(record)).expect("it ends");
    assert!(overran.expect("it is recorded") < first && first < second, "{:?}", observed.records);
}

/// A task whose thread asks for jobs every 20 ms gets one every 100 ms.
#[test]
fn jobs_do_not_arrive_before_their_separation() {
    let _alone = alone();
    become_fifo(60);
    let early: Vec<u64> = (0..6).map(|job| job * 20 * MS).collect();
    let mut run = begin(&partitioned(), vec![TestTask::executing(plan(), early, MS)]);
    run.go_on(700);
    let observed = run.end();
    let arrived: Vec<u64> = of(&observed, 1)
        .filter_map(|record| match record.what {
            KernelEvent::Arrived { arrival } => Some(arrival),
            _ => None,
        })
        .collect();
    assert_eq!(arrived, arrivals(6), "the kernel keeps the jobs apart");
    let named = of(&observed, 1).filter(|record| matches!(record.what, KernelEvent::TooEarly { .. })).count();
    assert_eq!(named, 5, "each job that came too early is recorded once");
    for record in of(&observed, 1) {
        if let KernelEvent::Arrived { arrival } = record.what {
            assert!(record.at >= observed.zero + arrival, "{record:?}");
        }
    }
}

/// A thread that asks for its next job without sleeping, again and again, gets none before its time.
#[test]
fn a_thread_that_does_not_wait_gets_no_job_early() {
    let _alone = alone();
    become_fifo(60);
    let yields = |turn: &super::running::Turn<'_>| {
        for _ in 0..50 {
            std::thread::yield_now();
        }
        execute(MS, turn.over);
    };
    let task = TestTask::doing(plan(), arrivals(4), yields);
    let mut run = begin(&partitioned(), vec![task]);
    run.go_on(500);
    let observed = run.end();
    super::checked::check_jobs(&observed, &[arrivals(4)]);
    assert_eq!(of(&observed, 1).filter(|record| is_complete(record)).count(), 4);
}

#[test]
fn records_that_find_no_room_are_counted() {
    let _alone = alone();
    become_fifo(60);
    let settings = ClusterSettings { ring_bytes: 4096, ..partitioned() };
    // A job that sleeps writes six records each time.
    let naps = |_: &super::running::Turn<'_>| (0..40).for_each(|_| sleep_ms(1));
    let tasks = vec![TestTask::doing(plan(), arrivals(2), naps)];
    let run = begin(&settings, tasks);
    sleep_ms(400);
    let observed = run.end();
    let written = observed.records.len() as u64;
    assert!(observed.lost > 0 && written < 4096 / 40 + 1, "{} lost, {written} written", observed.lost);
    let whole = 2 * 40 * 4;
    assert!(written + observed.lost >= whole, "each record is written or counted: {} lost", observed.lost);
}

/// A thread that leaves its cluster's processors is no task's any more, and is named. The others go on.
#[test]
fn a_thread_that_changes_its_affinity_is_no_task() {
    let _alone = alone();
    become_fifo(60);
    // A thread that is bound to one processor sees one only.
    let all = (1 << processors()) - 1;
    let strays = move |turn: &super::running::Turn<'_>| {
        bind_to(all);
        execute(20 * MS, turn.over);
    };
    let tasks =
        vec![TestTask::doing(plan(), vec![0], strays), TestTask::executing(plan(), arrivals(3), 5 * MS)];
    let mut run = begin(&partitioned(), tasks);
    run.go_on(400);
    let strayed = [1, 2].map(|index| run.scheduler.has_strayed(index));
    assert_eq!(strayed, [true, false], "{:?}", run.records);
    let observed = run.end();
    let own: Vec<&KernelRecord> = of(&observed, 1).collect();
    let strayed = own.iter().position(|record| record.what == KernelEvent::Strayed).expect("it is recorded");
    assert_eq!(strayed, own.len() - 1, "afterwards it is scheduled as any other thread: {own:?}");
    assert_eq!(of(&observed, 2).filter(|record| is_complete(record)).count(), 3);
}

/// A job that sleeps before it is complete goes on with its point afterwards.
#[test]
fn a_job_that_sleeps_is_the_same_job_afterwards() {
    let _alone = alone();
    become_fifo(60);
    let naps = |turn: &super::running::Turn<'_>| {
        execute(2 * MS, turn.over);
        sleep_ms(10);
        execute(2 * MS, turn.over);
    };
    let tasks = vec![TestTask::doing(plan(), arrivals(3), naps)];
    let mut run = begin(&partitioned(), tasks);
    run.go_on(400);
    let observed = run.end();
    let what: Vec<KernelEvent> =
        of(&observed, 1).filter(|record| record.job == 2).map(|record| record.what).collect();
    let position =
        |wanted: KernelEvent| what.iter().position(|event| *event == wanted).expect("it is recorded");
    assert!(position(KernelEvent::Suspended) < position(KernelEvent::Resumed), "{what:?}");
    assert_eq!(of(&observed, 1).filter(|record| is_complete(record)).count(), 3);
}
