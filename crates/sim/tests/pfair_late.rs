//! The windows of jobs that are late themselves, or whose predecessor is: who waited for the job before it keeps the
//! windows of its arrival, and a task released late, or absent, has later ones.

use crate::support;
use schedlab_model::*;
use schedlab_sim::{simulate, NoLocks};
use schedlab_trace::{Record, Timeline};
use support::*;

/// By task: arrival, release and cost of its jobs. Those of `np` are one non-preemptive section.
struct Script {
    jobs: Vec<Vec<(u64, u64, u64)>>,
    np: Option<u32>,
}

impl JobSource for Script {
    fn next_job(&mut self, task: TaskId, program: &mut Vec<Step>) -> Option<NextJob> {
        let jobs = &mut self.jobs[task.index()];
        if jobs.is_empty() {
            return None;
        }
        let (arrival, release, cost) = jobs.remove(0);
        if self.np == Some(task.0) {
            program.extend([Step::NpEnter, Step::Execute(Work::from_ns(cost)), Step::NpExit]);
        }
        let (arrival, release) = (Instant::from_ns(arrival), Instant::from_ns(release));
        Some(NextJob { arrival, release, cost: Work::from_ns(cost) })
    }
}

/// Quanta of 10 ns; tasks as `(quanta, slots)`.
fn run_script(name: &str, processors: u16, weights: &[(u64, u64)], script: Script) -> Timeline {
    let tasks: Vec<Task> = weights.iter().map(|&(e, p)| task(10 * e, 10 * p, 10 * p)).collect();
    let platform = Platform { quantum: Duration::from_ns(10), ..Platform::global(processors) };
    let policies = policies(name, &platform, &tasks);
    let mut timeline = Timeline::default();
    simulate(ideal(tasks, platform, 400), policies, NoLocks, script, &mut timeline);
    timeline
}

/// The windows of the quanta that `job` was granted.
fn windows(timeline: &Timeline, task: u32, number: u32) -> Vec<(u64, u64)> {
    let window = |(_, record): &(Instant, Record)| match *record {
        Record::Subtask { job, release, deadline, .. } if job == JobId::new(TaskId(task), number) => {
            Some((release.as_ns(), deadline.as_ns()))
        }
        _ => None,
    };
    timeline.records.iter().filter_map(window).collect()
}

/// Arrival and completion of the job before at one instant are no wait: a release 35 ns later has later windows.
#[test]
fn windows_of_a_late_release_begin_after_it() {
    for name in ["PD2", "S-PD2", "ER-PD2"] {
        for cost in [10, 7] {
            let b = (0..5).map(|k| (40 * k, 40 * k, 30)).collect();
            let script = Script { jobs: vec![vec![(0, 0, cost), (40, 75, 10)], b], np: None };
            let timeline = run_script(name, 1, &[(1, 4), (3, 4)], script);
            assert_eq!(completions(&timeline)[0], (0, 0, 30 + cost), "{name}");
            assert_eq!(windows(&timeline, 0, 0), [(0, 40)], "{name}");
            assert_eq!(windows(&timeline, 0, 1), [(80, 120)], "{name}");
        }
    }
}

/// A's first job holds the processor until 60, without preemption; its second one arrived at 40 and has windows from
/// there.
#[test]
fn windows_of_a_job_that_waited_begin_at_its_arrival() {
    for name in ["PD2", "PD", "S-PD2"] {
        let b = (0..5).map(|k| (40 * k, 40 * k, 30)).collect();
        let script = Script { jobs: vec![vec![(0, 0, 30), (40, 40, 10)], b], np: Some(0) };
        let timeline = run_script(name, 1, &[(1, 4), (3, 4)], script);
        assert_eq!(completions(&timeline)[0], (0, 0, 60), "{name}");
        assert_eq!(windows(&timeline, 0, 1), [(40, 80)], "{name}");
    }
}

/// C's first job needs 27 ns of 20 and ends at 52, when slot 5 has begun on the other processor. Its second one, there
/// since 30, goes on in that slot with what is left of the block, rather than with a new block from slot 6.
#[test]
fn staggered_windows_of_a_job_that_waited_go_on() {
    let others = || (0..12).map(|k| (30 * k, 30 * k, 20)).collect();
    let script = Script { jobs: vec![others(), others(), vec![(0, 0, 27), (30, 30, 20)]], np: None };
    let timeline = run_script("S-PD2", 2, &[(2, 3), (2, 3), (2, 3)], script);
    let first = completions(&timeline).into_iter().find(|&(task, _, _)| task == 2);
    assert_eq!(first, Some((2, 0, 52)));
    assert_eq!(windows(&timeline, 2, 1), [(40, 60), (60, 80)]);
}

/// A's job needs twice its WCET; no other has arrived when its block ends, so that it is out, and is back one slot
/// later.
#[test]
fn staggered_windows_after_an_overrun_begin_when_the_task_is_back() {
    let b = (0..10).map(|k| (10 * k, 10 * k, 10)).collect();
    let script = Script { jobs: vec![vec![(0, 0, 20)], b], np: None };
    let timeline = run_script("S-PD2", 2, &[(1, 1), (1, 1)], script);
    assert_eq!(windows(&timeline, 0, 0), [(0, 10), (20, 30)]);
    assert_eq!(completions(&timeline)[0], (0, 0, 35));
}

/// D's first job leaves its last subtask out: it is complete at 32, in its second-to-last quantum, on a late processor.
/// Its second job has been there since 31, after slot 3 began. It must not go on with what is left of the first block,
/// whose window [20,40) began before it arrived: its block is a new one, from slot 4 on, and slot 3 is void.
#[test]
fn an_early_completion_with_its_successor_there_starts_a_new_pattern() {
    let whole = (0..30).map(|k| (10 * k, 10 * k, 10)).collect();
    let others = || (0..10).map(|k| (10 + 30 * k, 10 + 30 * k, 20)).collect();
    let jobs = vec![whole, others(), others(), vec![(1, 1, 9), (31, 31, 20)]];
    let weights = [(1, 1), (2, 3), (2, 3), (2, 3)];
    let timeline = run_script("S-PD2", 3, &weights, Script { jobs, np: None });
    let first = completions(&timeline).into_iter().find(|&(task, _, _)| task == 3);
    assert_eq!(first, Some((3, 0, 32)));
    assert_eq!(windows(&timeline, 3, 0), [(10, 30)]);
    assert_eq!(windows(&timeline, 3, 1), [(40, 60), (50, 70)]);
    let void = Record::Waste { cpu: CpuId(2), until: Instant::from_ns(46) };
    assert!(timeline.records.contains(&(Instant::from_ns(36), void)), "slot 3 is charged to D");
}

/// A should leave at 40, and C is to have its half of the processor then. But A's last job needs 50 ns, not 10: its
/// task goes on with later windows until slot 12, and C waits for that. B, which has the other half, is never late
/// for it.
#[test]
fn a_join_waits_for_a_task_that_leaves_late() {
    for name in ["PD2", "S-PD2", "ER-PD2", "PF", "PD", "EPDF"] {
        let half = task(10, 20, 20);
        let leaves = Task { leave: Instant::from_ns(21), ..half.clone() };
        let joins = Task { join: Instant::from_ns(40), offset: Instant::from_ns(40), ..half.clone() };
        let tasks = vec![leaves, half, joins];
        let platform = Platform { quantum: Duration::from_ns(10), ..Platform::global(1) };
        let jobs = |from: u64, to: u64| (from..to).map(|k| (20 * k, 20 * k, 10)).collect::<Vec<_>>();
        let script =
            Script { jobs: vec![vec![(0, 0, 10), (20, 20, 50)], jobs(0, 20), jobs(2, 20)], np: None };
        let policies = policies(name, &platform, &tasks);
        let mut timeline = Timeline::default();
        simulate(ideal(tasks, platform, 400), policies, NoLocks, script, &mut timeline);
        let late = |&(task, job, at): &(u32, u32, u64)| task == 1 && at > 20 * (u64::from(job) + 1);
        assert!(!completions(&timeline).iter().any(late), "{name}");
        assert_eq!(windows(&timeline, 0, 1).last(), Some(&(100, 120)), "{name}");
        assert_eq!(windows(&timeline, 2, 0), [(120, 140)], "{name}");
    }
}

/// Five tasks of 1/2 on two processors: C should leave at 40, and E joins then. C runs the last quantum of its WCET
/// on the late processor, until 45. It turns out to need 20 ns more, or suspends itself before that, which none could
/// know: E has C's weight by now, so that C goes on only when E has left, and no other is late.
#[test]
fn who_goes_on_after_its_weight_was_taken_waits_for_that() {
    for pause in [0, 1, 4, 20] {
        let half = task(10, 20, 20);
        let leaves = Task { leave: Instant::from_ns(21), ..half.clone() };
        let (join, leave) = (Instant::from_ns(40), Instant::from_ns(101));
        let joins = Task { join, offset: join, leave, ..half.clone() };
        let tasks = vec![half.clone(), half.clone(), leaves, half, joins];
        let platform = Platform { quantum: Duration::from_ns(10), ..Platform::global(2) };
        let jobs = |from: u64, to: u64| (from..to).map(|k| (20 * k, 20 * k, 10)).collect::<Vec<_>>();
        let of_c = vec![(0, 0, 10), (20, 20, 30)];
        let script = Script { jobs: vec![jobs(0, 20), jobs(0, 20), of_c, jobs(0, 20), jobs(2, 6)], np: None };
        let mut timeline = Timeline::default();
        let policies = policies("S-PD2", &platform, &tasks);
        simulate(ideal(tasks, platform, 400), policies, NoLocks, Pausing { script, pause }, &mut timeline);
        assert!(timeline.records.contains(&(Instant::from_ns(35), granted_last(JobId::new(TaskId(2), 1)))));
        for (task, number, at) in completions(&timeline).into_iter().filter(|&(task, _, _)| task != 2) {
            let job = u64::from(number) + if task == 4 { 2 } else { 0 };
            assert!(at <= 20 * (job + 1) + 5, "task {task}, job {number}: {at}, pause {pause}");
        }
        let of_c = windows(&timeline, 2, 1);
        assert!(of_c.len() > 2 && of_c[1].0 >= 120, "pause {pause}: {of_c:?}");
        assert_eq!(windows(&timeline, 4, 0), [(40, 60)], "pause {pause}");
    }
}

/// C's last quantum by its WCET.
fn granted_last(job: JobId) -> Record {
    let (release, deadline) = (Instant::from_ns(20), Instant::from_ns(40));
    Record::Subtask { cpu: CpuId(1), job, release, deadline }
}

/// A script in which the second job of task 2 suspends itself after 8 ns, if for anything.
struct Pausing {
    script: Script,
    pause: u64,
}

impl JobSource for Pausing {
    fn next_job(&mut self, task: TaskId, program: &mut Vec<Step>) -> Option<NextJob> {
        let job = self.script.next_job(task, program)?;
        if task.0 == 2 && job.arrival > Instant::ZERO && self.pause > 0 {
            let (first, pause) = (Work::from_ns(8), Duration::from_ns(self.pause));
            program.extend([Step::Execute(first), Step::Suspend(pause), Step::Execute(job.cost - first)]);
        }
        Some(job)
    }
}
