//! What gates let threads do.

use super::*;

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

/// A thread's code is stopped by the signal, in the middle of anything: it finds errno as it left it, and the tracer
/// has heard of both.
#[test]
fn who_is_parked_notices_nothing() {
    install().unwrap();
    let tracer = Arc::new(Tracer::new(1, 16));
    let gate = Gate::new(TaskId(0), Arc::clone(&tracer));
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

/// A thread that is stopped and let go on elsewhere before it looks says that it is there, once.
#[test]
fn who_is_moved_before_he_notices_says_where_he_is() {
    install().unwrap();
    let tracer = Arc::new(Tracer::new(1, 16));
    let gate = Gate::new(TaskId(0), Arc::clone(&tracer));
    let _adopted = gate.adopt();
    gate.open(Permission::Execute(CpuId(0)), 7);
    gate.passed(CpuId(0), 7);
    gate.set_inside(false);
    for cpu in [0, 1, 1] {
        gate.set(Permission::Execute(CpuId(cpu)));
        sys::signal_thread(gate.thread().unwrap(), sys::PARK_SIGNAL);
    }
    gate.set_inside(true);
    let said: Vec<Passage> = tracer.finish(Vec::new()).0.iter().map(|(.., passage)| *passage).collect();
    assert_eq!(said, [0, 1].map(|cpu| Passage::Passed(CpuId(cpu))));
}

/// A thread tells of what is due while its gate is shut, once; an open gate makes it forget.
#[test]
fn an_alarm_goes_off_once_and_not_after_the_gate_is_open() {
    let gate = Gate::new(TaskId(0), Arc::new(Tracer::new(1, 16)));
    let due = sys::monotonic_ns();
    gate.set_alarm(due);
    assert_eq!((gate.wait_or_alarm(), gate.alarm()), (Some(due), None));
    gate.set_alarm(due);
    gate.set(Permission::Spin(CpuId(1)));
    assert_eq!((gate.wait_or_alarm(), gate.alarm()), (None, None));
}

/// A thread in our code is not parked: it looks at its gate when it leaves.
#[test]
fn who_is_inside_is_not_parked() {
    install().unwrap();
    let gate = Gate::new(TaskId(0), Arc::new(Tracer::new(1, 16)));
    let _adopted = gate.adopt();
    assert!(is_mine() && gate.permission() == Permission::Wait);
    let before = sys::calls();
    gate.signal();
    assert_eq!(sys::calls(), before, "it need not be signalled");
    // A signal that was on its way when the thread came in finds it there.
    sys::signal_thread(gate.thread().unwrap(), sys::PARK_SIGNAL);
}

/// Remembers what it was told of. A handler tells, so the test looks only when no signal is under way.
#[derive(Default)]
struct Remembers(std::sync::Mutex<Vec<u64>>);

impl Teller for Remembers {
    fn tell_time(&self, due: u64) {
        self.0.lock().unwrap().push(due);
    }
}

/// Ends the wait of a gate's thread when a test ends, though it fails: else the test would wait for the thread.
struct Opens<'a>(&'a Gate);

impl Drop for Opens<'_> {
    fn drop(&mut self) {
        self.0.set(Permission::End);
    }
}

/// In its own code a thread is interrupted and tells at once; in ours it tells as it leaves. Before it has asked for its
/// first job it has no bell.
#[test]
fn a_thread_whose_bell_rings_tells_once_wherever_it_is() {
    install().unwrap();
    let gate = Gate::new(TaskId(0), Arc::new(Tracer::new(1, 16)));
    let teller = Remembers::default();
    let take = || std::mem::take(&mut *teller.0.lock().unwrap());
    let _adopted = gate.adopt();
    let hung = gate.hang_bell(&teller);
    assert!(!gate.has_bell());
    gate.allow_bell();
    assert!(gate.has_bell() && gate.take_noted().is_none());
    gate.open(Permission::Execute(CpuId(0)), 7);
    gate.passed(CpuId(0), 7);
    for is_inside in [false, true] {
        gate.set_inside(is_inside);
        let due = sys::monotonic_ns() + 1_000_000;
        gate.set_bell(due);
        // The signal is there before this returns.
        sys::sleep_until(due + 1_000_000);
        gate.set_inside(false);
        let (at_once, noted) = (take(), gate.take_noted());
        let expected = if is_inside { (vec![], Some(due)) } else { (vec![due], None) };
        assert_eq!((at_once, noted), expected, "inside: {is_inside}");
        assert_eq!(gate.take_noted(), None, "once");
    }
    gate.set_bell(sys::monotonic_ns() + 2_000_000);
    gate.unset_bell();
    sys::sleep_until(sys::monotonic_ns() + 4_000_000);
    assert!(take().is_empty(), "it was taken back");
    gate.set_inside(true);
    drop(hung);
}
