//! Threads that may not execute where they are decided to. One is interrupted where the kernel may not move it: filters
//! of sockets and of system calls end on the processor on which they began, whatever the scheduler decides meanwhile.
//! Another one binds itself elsewhere. In a virtual machine whose kernel has sched_ext, by `make test-kernel`.

#![cfg(feature = "kernel")]

use schedlab_model::{Duration, TaskId, Work};
use schedlab_runtime::{each_job, App, BackendChoice, Finished, TaskSpec};
use schedlab_trace::{Backend, Record};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixDatagram;
use std::time::Duration as Span;

const MS: u64 = 1_000_000;

/// Time for which the calling thread has executed.
fn executed() -> Span {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to `time` only.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) }, 0);
    Span::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Executes for so many ms, and does this again and again meanwhile.
fn execute(ms: u64, does: impl Fn()) {
    let end = executed() + Span::from_millis(ms);
    while executed() < end {
        does();
    }
}

/// A pair of sockets; the second one has a filter of 4,000 instructions, and drops all that the first one sends.
fn filtered() -> (UnixDatagram, UnixDatagram) {
    let (sender, receiver) = UnixDatagram::pair().unwrap();
    let statement = |code: u32, k| libc::sock_filter { code: code as u16, jt: 0, jf: 0, k };
    let mut filter = vec![statement(libc::BPF_ALU | libc::BPF_ADD | libc::BPF_K, 1); 3_999];
    filter.push(statement(libc::BPF_RET | libc::BPF_K, 0));
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    let (level, option) = (libc::SOL_SOCKET, libc::SO_ATTACH_FILTER);
    let length = size_of_val(&program) as libc::socklen_t;
    // SAFETY: the kernel copies the filter, which lives until the call returns.
    let attached =
        unsafe { libc::setsockopt(receiver.as_raw_fd(), level, option, (&raw const program).cast(), length) };
    assert_eq!(attached, 0, "{}", std::io::Error::last_os_error());
    (sender, receiver)
}

/// Ten jobs of the least urgent task spend their time in a filter, and are interrupted there by jobs of two others.
fn run(backend: Backend) -> Finished {
    let mut app = App::new("G-EDF", "none", 2).unwrap();
    let spec = |name, wcet: u64, period: u64| {
        TaskSpec::new(name, Work::from_ns(wcet * MS), Duration::from_ns(period * MS))
    };
    app.task(spec("first", 3, 20), each_job(|_| execute(2, || ())));
    app.task(spec("second", 5, 20), each_job(|_| execute(4, || ())));
    let (sender, receiver) = filtered();
    let sends = each_job(move |_| {
        let _kept = &receiver;
        execute(30, || _ = sender.send(b"x"));
    });
    app.task(spec("sends", 45, 200), sends);
    app.options.backend = Some(BackendChoice::Only(backend));
    app.run(Some(Duration::from_ns(2_000 * MS))).unwrap()
}

#[test]
fn a_thread_that_the_kernel_may_not_move_goes_on() {
    // Emulated processors that execute in parallel are late where the host is busy.
    let is_counted = std::env::var("SCHEDLAB_VM_MODE").is_ok_and(|mode| mode == "counted");
    for backend in [Backend::Scx, Backend::ScxNative] {
        let finished = run(backend);
        let findings = finished.findings(true).unwrap();
        let is_its = |record: &&_| matches!(record, (_, Record::Complete { job }) if job.task == TaskId(2));
        let complete = finished.outcome.decisions.iter().filter(is_its).count();
        assert!(finished.outcome.strayed.is_empty(), "{backend}: {findings}");
        assert!(complete >= if is_counted { 9 } else { 5 }, "{backend}: {complete} of 10 jobs: {findings}");
        println!("{backend}: {complete} of 10 jobs");
    }
}

/// Lets the calling thread execute on all processors but the one on which it executes.
fn leave_the_processor() {
    // SAFETY: the calls read and write `mask` only.
    unsafe {
        let (mut mask, size) = (std::mem::zeroed(), size_of::<libc::cpu_set_t>());
        let here = libc::sched_getcpu() as usize;
        (0..4).filter(|cpu| *cpu != here).for_each(|cpu| libc::CPU_SET(cpu, &mut mask));
        assert_eq!(libc::sched_setaffinity(0, size, &raw const mask), 0);
    }
}

/// By links, a job has its processor by decisions for a second and never executes there: the check fails, and says
/// whose thread it is. Where the kernel itself decides, the thread is no longer the task's.
#[test]
fn a_thread_that_binds_itself_elsewhere_is_named() {
    for backend in [Backend::Scx, Backend::ScxNative] {
        let mut app = App::new("P-EDF", "none", 1).unwrap();
        let ms = |ms: u64| Duration::from_ns(ms * MS);
        app.task(TaskSpec::new("leaves", Work::from_ns(MS), ms(100)), each_job(|_| leave_the_processor()));
        app.options.backend = Some(BackendChoice::Only(backend));
        let finished = app.run(Some(ms(2_000))).unwrap();
        let said = finished.findings(true).unwrap().to_string();
        println!("{backend}: {said}");
        match backend {
            Backend::Scx => assert!(said.contains("the thread of leaves left"), "{said}"),
            Backend::ScxNative => assert_eq!(finished.outcome.strayed, [TaskId(0)], "{said}"),
            Backend::Simulation | Backend::Threads | Backend::Class => unreachable!(),
        }
    }
}
