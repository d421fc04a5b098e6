//! What gates let threads do.

use super::*;
use crate::record::tracer::Passage;
use crate::timers::thread_timer::{report_by, ReportsTime};

extern "C" fn nothing(_: libc::c_int) {}

/// Lets a signal end what a thread waits for in the kernel, which then says so in errno.
fn interrupt(thread: Tid) {
    // SAFETY: all bytes zero is a valid `sigaction`; the handler does nothing.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = nothing as *const () as libc::sighandler_t;
        libc::sigaction(libc::SIGUSR2, &action, std::ptr::null_mut());
    }
    // It may not sleep yet.
    for _ in 0..20 {
        sys::signal_thread(thread, libc::SIGUSR2);
        sys::sleep_until(sys::monotonic_ns() + 500_000);
    }
}

/// Ends the wait of a gate's thread when a test ends, though it fails: else the test would wait for the thread.
struct Opens<'a>(&'a Gate);

impl Drop for Opens<'_> {
    fn drop(&mut self) {
        self.0.set(Permission::End);
    }
}

/// A thread's code is stopped by the signal, in the middle of anything: it finds errno as it left it, and the tracer
/// has a record of both.
#[test]
fn a_parked_thread_finds_errno_as_it_left_it() {
    install().unwrap();
    let tracer = Arc::new(Tracer::new(1, 16));
    let gate = Gate::new(TaskId(0), Arc::clone(&tracer), None);
    gate.open(Permission::Execute(CpuId(3)), 7);
    let errno = |value| {
        // SAFETY: errno belongs to this thread.
        unsafe { libc::__errno_location().replace(value) }
    };
    std::thread::scope(|scope| {
        let _opens = Opens(&gate);
        let worker = scope.spawn(|| {
            let adopted = gate.adopt();
            gate.set_inside(false);
            gate.set(Permission::Wait);
            errno(libc::EDOM);
            gate.signal();
            let found = errno(0);
            assert_eq!(gate.permission(), Permission::Execute(CpuId(3)), "it was parked until then");
            gate.set_inside(true);
            drop(adopted);
            found
        });
        let patience = sys::monotonic_ns() + 10_000_000_000;
        while !gate.is_asleep() && sys::monotonic_ns() < patience {
            std::thread::yield_now();
        }
        interrupt(gate.thread().expect("the thread is there"));
        gate.open(Permission::Execute(CpuId(3)), 7);
        assert_eq!(worker.join().unwrap(), libc::EDOM);
    });
    assert_eq!(gate.thread(), None, "the thread is gone");
    let (passages, _) = tracer.finish(Vec::new());
    let passages: Vec<_> = passages.iter().map(|(_, job, passage)| (job.number, *passage)).collect();
    assert_eq!(passages, [(7, Passage::Stopped), (7, Passage::Passed(CpuId(3)))]);
}

/// A thread that is stopped and let go on elsewhere before it looks records that it is there, once.
#[test]
fn a_thread_that_is_moved_before_it_looks_records_where_it_is() {
    install().unwrap();
    let tracer = Arc::new(Tracer::new(1, 16));
    let gate = Gate::new(TaskId(0), Arc::clone(&tracer), None);
    let _adopted = gate.adopt();
    gate.open(Permission::Execute(CpuId(0)), 7);
    gate.passed(CpuId(0), 7);
    gate.set_inside(false);
    for cpu in [0, 1, 1] {
        gate.set(Permission::Execute(CpuId(cpu)));
        sys::signal_thread(gate.thread().unwrap(), sys::PARK_SIGNAL);
    }
    gate.set_inside(true);
    let recorded: Vec<Passage> = tracer.finish(Vec::new()).0.iter().map(|(.., passage)| *passage).collect();
    assert_eq!(recorded, [0, 1].map(|cpu| Passage::Passed(CpuId(cpu))));
}

/// A thread reports what is due while its gate is shut, once; an open gate makes it forget.
#[test]
fn a_sleeping_thread_reports_once_and_not_after_the_gate_is_open() {
    let gate = Gate::new(TaskId(0), Arc::new(Tracer::new(1, 16)), None);
    let due = sys::monotonic_ns();
    gate.sleep_timer.set(due);
    assert_eq!((gate.wait_or_due(), gate.sleep_timer.due()), (Some(due), None));
    gate.sleep_timer.set(due);
    gate.set(Permission::Spin(CpuId(1)));
    assert_eq!((gate.wait_or_due(), gate.sleep_timer.due()), (None, None));
}

/// A thread in the runtime's code is not parked: it looks at its gate when it leaves.
#[test]
fn a_thread_inside_is_not_parked() {
    install().unwrap();
    let gate = Gate::new(TaskId(0), Arc::new(Tracer::new(1, 16)), None);
    let _adopted = gate.adopt();
    assert_eq!(gate.permission(), Permission::Wait);
    let before = sys::calls();
    gate.signal();
    assert_eq!(sys::calls(), before, "it need not be signalled");
    // A signal that was on its way when the thread came in finds it there.
    sys::signal_thread(gate.thread().unwrap(), sys::PARK_SIGNAL);
}

/// Remembers what was reported. A handler reports, so the test looks only when no signal is under way.
#[derive(Default)]
struct Remembers(std::sync::Mutex<Vec<u64>>);

impl ReportsTime for Remembers {
    fn report_time(&self, due: u64) {
        self.0.lock().unwrap().push(due);
    }
}

/// In its own code a thread is interrupted and reports at once; in the runtime's code it reports as it leaves.
#[test]
fn a_thread_whose_timer_fires_reports_once_wherever_it_is() {
    install().unwrap();
    let gate = Gate::new(TaskId(0), Arc::new(Tracer::new(1, 16)), None);
    let (timer, reporter) = (&gate.thread_timer, Remembers::default());
    let take = || std::mem::take(&mut *reporter.0.lock().unwrap());
    let _adopted = gate.adopt();
    timer.create();
    timer.allow();
    let reporting = report_by(&reporter);
    assert!(timer.is_ready() && timer.take_noted().is_none());
    gate.open(Permission::Execute(CpuId(0)), 7);
    gate.passed(CpuId(0), 7);
    for is_inside in [false, true] {
        gate.set_inside(is_inside);
        let due = sys::monotonic_ns() + 1_000_000;
        timer.start(due);
        // The signal is there before this returns.
        sys::sleep_until(due + 1_000_000);
        gate.set_inside(false);
        let (at_once, noted) = (take(), timer.take_noted());
        let expected = if is_inside { (vec![], Some(due)) } else { (vec![due], None) };
        assert_eq!((at_once, noted), expected, "inside: {is_inside}");
        assert_eq!(timer.take_noted(), None, "once");
    }
    timer.start(sys::monotonic_ns() + 2_000_000);
    timer.stop();
    sys::sleep_until(sys::monotonic_ns() + 4_000_000);
    assert!(take().is_empty(), "it was taken back");
    gate.set_inside(true);
    drop(reporting);
}
