//! Threads that end: from then on they are no task's, and take turns with no job.

use super::checked::{check_jobs, judge};
use super::order::limit;
use super::running::{begin, TestTask};
use crate::support::{alone, become_fifo};
use schedlab_scx::{ClusterSettings, TaskPlan};

const MS: u64 = 1_000_000;

/// Files that the kernel closes one by one at the end of the thread, which thus takes long.
const FILES: u64 = 100_000;

/// Opens many files that are the calling thread's alone.
fn open_files() {
    let limit = libc::rlimit { rlim_cur: 2 * FILES, rlim_max: 2 * FILES };
    // SAFETY: the calls take plain values, and a limit and a path that outlive them.
    unsafe {
        assert_eq!(libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit), 0);
        assert_eq!(libc::unshare(libc::CLONE_FILES), 0);
        let file = libc::open(c"/dev/null".as_ptr(), libc::O_RDONLY);
        assert!(file >= 0);
        (0..FILES).for_each(|_| assert!(libc::dup(file) >= 0));
    }
}

/// Of three tasks on one processor, the least urgent one's thread ends, which takes longer than the period of the
/// others. A job takes the processor from it, and a more urgent one from that. Without its cure the thread that
/// ends and the first job come back from the processor's own queue by turns, since the kernel does not ask the
/// scheduler meanwhile.
#[test]
fn a_thread_that_ends_takes_turns_with_no_job() {
    let _alone = alone();
    become_fifo(60);
    let settings = ClusterSettings::of(&[1]);
    let plan = |after| TaskPlan { after, ..TaskPlan::default() };
    let each = |from: u64| (0..100).map(|job| (from + 20 * job) * MS).collect::<Vec<u64>>();
    let plans = vec![plan(3), plan(2), plan(1)];
    let arrivals = vec![vec![0], each(0), each(2)];
    let tasks = vec![
        TestTask::doing(plans[0], arrivals[0].clone(), |_| open_files()),
        TestTask::executing(plans[1], arrivals[1].clone(), 4 * MS),
        TestTask::executing(plans[2], arrivals[2].clone(), MS),
    ];
    let mut run = begin(&settings, tasks);
    assert!(run.go_on_until_complete(201), "all jobs are complete");
    let observed = run.end();
    assert_eq!(check_jobs(&observed, &arrivals), 201);
    let judged = judge(&observed, &settings, &plans);
    let (waited, index, at) = judged.longest;
    assert!(waited < limit(), "task {index} waited for {} ms until {} ms", waited / MS, at / MS);
}
