//! Tasks that misbehave under a scheduler in the kernel disturb no other, and are named. In a virtual machine whose
//! kernel has sched_ext, by `make test-kernel`.

#![cfg(feature = "kernel")]

mod support;

use schedlab_model::*;
use schedlab_runtime::*;
use schedlab_trace::Backend;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::Arc;
use support::*;

/// Runs the two tasks on one processor under P-EDF by links, for 300 ms; the first has the earlier deadline.
fn together(bodies: Vec<Body>) -> Outcome {
    let options = Options { backend: Some(BackendChoice::Only(Backend::Scx)), ..Options::default() };
    let tasks = vec![task(2, 20, 20), task(5, 50, 50)];
    let outcome = Run { options, ..Run::of(tasks, "P-EDF", 1, 300, bodies) }.go();
    let outcome = outcome.expect("this kernel takes the scheduler");
    assert_eq!((outcome.ending, outcome.backend), (Ending::Horizon, Backend::Scx));
    assert_eq!(outcome.kernel_scheduler.irregular_end(), None);
    outcome
}

/// The number of jobs of the task that are complete.
fn completed(outcome: &Outcome, task: u32) -> usize {
    let is_completed = |record: &schedlab_trace::Record| matches!(record, schedlab_trace::Record::Complete { job } if job.task == TaskId(task));
    outcome.decisions.iter().filter(|(_, record)| is_completed(record)).count()
}

/// A job that never ends is preempted by each of the other's, although it calls nothing.
#[test]
fn a_job_that_never_ends_disturbs_no_other() {
    let outcome = together(vec![
        each_job(|_| burn(200)),
        each_job(|_| loop {
            std::hint::spin_loop();
        }),
    ]);
    assert!(completed(&outcome, 0) >= 12, "{}", completed(&outcome, 0));
    assert_eq!(outcome.runaways, [TaskId(1)]);
}

#[test]
fn a_forked_child_is_outside_of_the_run() {
    let children = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&children);
    let forks = each_job(move |context| {
        // SAFETY: the child executes only what a signal's handler may.
        match unsafe { libc::fork() } {
            0 => {
                assert!(!context.next_job() && context.is_forked());
                // SAFETY: it ends the child.
                unsafe { libc::_exit(7) };
            }
            child => {
                let mut status = 0;
                // SAFETY: the place outlives the call.
                unsafe { libc::waitpid(child, &raw mut status, 0) };
                counted.fetch_add(u32::from(libc::WEXITSTATUS(status) == 7), SeqCst);
            }
        }
    });
    let outcome = together(vec![each_job(|_| burn(200)), forks]);
    assert!(children.load(SeqCst) > 0 && completed(&outcome, 0) >= 12);
}

#[test]
fn a_thread_that_takes_a_real_time_class_is_put_back_and_named() {
    let escapes = each_job(|_| {
        sys::set_fifo(sys::current_thread(), 20).expect("the test is root");
        burn(100_000);
    });
    let outcome = together(vec![each_job(|_| burn(200)), escapes]);
    assert_eq!(outcome.escaped, [TaskId(1)]);
    assert!(completed(&outcome, 0) >= 6, "{}", completed(&outcome, 0));
}

/// The section is given back with the job.
#[test]
fn a_job_that_ends_in_its_section_gives_it_back() {
    let never_leaves = |context: &mut Context<'_>| context.enter_non_preemptive();
    let outcome = together(vec![each_job(|_| burn(200)), each_job(never_leaves)]);
    assert!(completed(&outcome, 0) >= 12 && completed(&outcome, 1) >= 4);
}
