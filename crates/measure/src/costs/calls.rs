//! Costs of the kernel itself: a system call, moving a thread to another processor, reaching another processor.

use crate::machine::alone::PRIORITY;
use crate::values::samples::Samples;
use schedlab_runtime::sys::{self, PARK_SIGNAL};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64};
use std::thread;

/// Pause between two signals in ns, so that the one before is dealt with.
const PAUSE: u64 = 50_000;

/// Moves this thread to `processor`, with a real-time priority. Where that is not allowed, numbers are worse, and the
/// notes mention it.
pub(crate) fn stay_on(processor: usize) {
    let _ = sys::set_affinity(sys::current_thread(), processor);
    let _ = sys::set_fifo(sys::current_thread(), PRIORITY);
}

/// Runs `what` on `processor` in real time.
pub(crate) fn on<T: Send>(processor: usize, what: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            stay_on(processor);
            what()
        });
        thread.join().expect("a measuring thread does not panic")
    })
}

/// Returns the time to read the clock twice, in ns, which is part of every measurement.
pub(crate) fn clock() -> u64 {
    let mut spans: Vec<u64> = (0..1001)
        .map(|_| {
            let start = sys::monotonic_ns();
            sys::monotonic_ns() - start
        })
        .collect();
    spans.sort_unstable();
    spans[spans.len() / 2]
}

/// Measures the way into the kernel and out of it: a call that does nothing there.
pub(crate) fn system_call(processor: usize, rounds: usize) -> Samples {
    on(processor, || times(rounds, |_| sys::null_call()))
}

/// Measures `call` `rounds` times, without the time to read the clock.
pub(crate) fn times(rounds: usize, mut call: impl FnMut(usize)) -> Samples {
    let clock = clock();
    let mut samples = Samples::default();
    for round in 0..rounds {
        let start = sys::monotonic_ns();
        call(round);
        samples.add((sys::monotonic_ns() - start).saturating_sub(clock));
    }
    samples
}

/// Measures the time from asking to be on the processor `to` until being there. Chronos-scalability-2011, table II.
pub(crate) fn migration(from: usize, to: usize, rounds: usize) -> Samples {
    on(from, || {
        let me = sys::current_thread();
        let mut samples = Samples::default();
        for _ in 0..rounds {
            let start = sys::monotonic_ns();
            if sys::set_affinity(me, to).is_err() {
                return Samples::default();
            }
            samples.add(sys::monotonic_ns() - start);
            let _ = sys::set_affinity(me, from);
        }
        samples
    })
}

/// Time at which the handler below ran; zero until then.
static HANDLED: AtomicU64 = AtomicU64::new(0);

extern "C" fn handle(_: i32) {
    HANDLED.store(sys::monotonic_ns(), Release);
}

/// Measures the time from asking another processor, which executes, until its thread is interrupted there. It must not
/// be called during a run, which has its own handler of the signal.
pub(crate) fn interrupt(from: usize, to: usize, rounds: usize) -> std::io::Result<Samples> {
    sys::on_signals(handle)?;
    let (over, target) = (AtomicBool::new(false), AtomicI32::new(0));
    Ok(thread::scope(|scope| {
        scope.spawn(|| {
            stay_on(to);
            target.store(sys::current_thread(), SeqCst);
            while !over.load(Relaxed) {
                std::hint::spin_loop();
            }
        });
        let samples = on(from, || signals(&target, rounds));
        over.store(true, SeqCst);
        samples
    }))
}

fn signals(target: &AtomicI32, rounds: usize) -> Samples {
    let mut samples = Samples::default();
    while target.load(SeqCst) == 0 {
        sys::sleep_until(sys::monotonic_ns() + PAUSE);
    }
    for _ in 0..rounds {
        HANDLED.store(0, SeqCst);
        let start = sys::monotonic_ns();
        sys::signal_thread(target.load(SeqCst), PARK_SIGNAL);
        while HANDLED.load(Acquire) == 0 {
            std::hint::spin_loop();
        }
        samples.add(HANDLED.load(Acquire).saturating_sub(start));
        sys::sleep_until(sys::monotonic_ns() + PAUSE);
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_take_some_time_and_not_too_much() {
        let cpu = sys::allowed_processors().unwrap()[0];
        let call = system_call(cpu, 1000).kept().unwrap();
        assert!(call.count == 1000 && call.mean > 1.0 && call.mean < 1e6, "{call:?}");
    }

    #[test]
    fn another_processor_is_reached() {
        let cpus = sys::allowed_processors().unwrap();
        let [from, to, ..] = cpus[..] else { return eprintln!("not run: it needs two processors") };
        let moved = migration(from, to, 100).kept().unwrap();
        let reached = interrupt(from, to, 100).unwrap().kept().unwrap();
        assert!(moved.count == 100 && moved.mean > 100.0, "{moved:?}");
        assert!(reached.count == 100 && reached.mean > 100.0, "{reached:?}");
    }
}
