//! A job that is stopped while it holds a lock of the process which the run's own threads need: the run ends by name.
//!
//! The lock is that of the allocator, of which this program has one for all of its threads.

mod support;

use schedlab_runtime::{each_job, Body, Ending, Options};
use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::spin_loop;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::Mutex;
use std::time::Duration as Span;
use support::*;

/// An allocator that one thread at a time is in. Others sleep meanwhile, as in the C library.
struct OneAtATime;

static LOCK: Mutex<()> = Mutex::new(());

fn alone<T>(does: impl FnOnce() -> T) -> T {
    let _lock = LOCK.lock().expect("no thread panics in here");
    does()
}

// SAFETY: the system's allocator does it all.
unsafe impl GlobalAlloc for OneAtATime {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller says.
        alone(|| unsafe { System.alloc(layout) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller says.
        alone(|| unsafe { System.dealloc(memory, layout) });
    }
}

#[global_allocator]
static ALLOCATOR: OneAtATime = OneAtATime;

/// True once the urgent job executes.
static URGENT: AtomicBool = AtomicBool::new(false);

/// A job is in the allocator until a more urgent one has preempted it, and that one allocates. So nothing goes on, and
/// the run's own thread cannot end the run, until the first job is let go.
#[test]
fn a_run_that_stands_still_ends_by_name() {
    let bodies: Vec<Body> = vec![
        each_job(|_| {
            if LOCK.try_lock().is_err() {
                URGENT.store(true, SeqCst);
            }
            drop(std::hint::black_box(vec![1u8; 100]));
        }),
        each_job(|_| {
            alone(|| {
                while !URGENT.load(SeqCst) {
                    spin_loop();
                }
            });
        }),
    ];
    let options = Options { starvation: Span::from_millis(400), ..Options::default() };
    let tasks = vec![task(1, 20, 20), task(100, 200, 200)];
    let Some(outcome) = (Run { options, ..Run::of(tasks, "P-RM", 1, 300, bodies) }).go() else { return };
    assert_eq!(outcome.ending, Ending::StoodStill);
    assert!(outcome.runaways.is_empty(), "{:?}", outcome.runaways);
}
