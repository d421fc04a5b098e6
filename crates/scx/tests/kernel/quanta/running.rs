//! Tasks whose threads execute by quanta.

use crate::support::{become_ordinary, bind_to, clock_ns, sleep_ms, until, wake};
use schedlab_scx::{KernelRecord, KernelRecords, QuantumScheduler, QuantumSettings, QuantumShare};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{mpsc, Arc, Barrier};
use std::thread::JoinHandle;

pub const MS: u64 = 1_000_000;

/// The monotonic clock, in ns.
pub fn now() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC)
}

/// A weight of `quanta` in every `slots`, without a budget.
pub fn share(quanta: u64, slots: u64) -> QuantumShare {
    QuantumShare { quanta, slots, early: false, budget: None }
}

/// A job of a task's thread, as the task's code sees it.
pub struct Turn<'a> {
    pub scheduler: &'a QuantumScheduler,
    pub index: u32,
    /// The run's time zero, by the monotonic clock in ns.
    pub zero: u64,
    /// Set once the test is over: endless code ends then.
    over: &'a AtomicBool,
}

impl Turn<'_> {
    pub fn is_over(&self) -> bool {
        self.over.load(SeqCst)
    }
}

/// A task with one job, which is released at time zero.
pub struct TestTask {
    pub share: QuantumShare,
    /// What the job does; returns the number of the last job that it has published.
    does: Box<dyn Fn(&Turn<'_>) -> u32 + Send>,
}

impl TestTask {
    /// A task whose job does `does`. That returns the number of the last job that it has published, which is 1 if it
    /// has published none.
    pub fn doing(share: QuantumShare, does: impl Fn(&Turn<'_>) -> u32 + Send + 'static) -> TestTask {
        TestTask { share, does: Box::new(does) }
    }

    /// A task whose job executes until the test is over.
    pub fn hog(share: QuantumShare) -> TestTask {
        TestTask::doing(share, |turn| {
            while !turn.is_over() {
                std::hint::spin_loop();
            }
            1
        })
    }
}

/// Lets the code of all tasks end, also where a test fails.
struct Over(Arc<AtomicBool>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

/// A run that has begun.
pub struct TestRun {
    pub scheduler: Arc<QuantumScheduler>,
    reader: KernelRecords,
    pub records: Vec<KernelRecord>,
    /// Threads of the tasks; the first one has index 1.
    pub threads: Vec<i32>,
    handles: Vec<JoinHandle<()>>,
    over: Over,
    pub zero: u64,
}

/// Sleeps until this time of the monotonic clock, or until a signal comes.
fn sleep_until(at: u64) {
    let until = libc::timespec { tv_sec: (at / 1_000_000_000) as i64, tv_nsec: (at % 1_000_000_000) as i64 };
    // SAFETY: `until` outlives the call.
    unsafe {
        libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &until, std::ptr::null_mut());
    }
}

/// Begins a run of these tasks; the calling thread is of a real-time class.
pub fn begin(settings: &QuantumSettings, tasks: Vec<TestTask>) -> TestRun {
    let (scheduler, reader) = QuantumScheduler::load(settings).unwrap_or_else(|refusal| panic!("{refusal}"));
    let (scheduler, over) = (Arc::new(scheduler), Arc::new(AtomicBool::new(false)));
    let started = Arc::new(Barrier::new(tasks.len() + 1));
    let (mut threads, mut handles) = (Vec::new(), Vec::new());
    let (all, zero) = (settings.common.processors, now() + 300 * MS);
    for (index, task) in (1..).zip(tasks) {
        let (scheduler, over, started) = (scheduler.clone(), over.clone(), started.clone());
        let (send, receive) = mpsc::channel();
        handles.push(std::thread::spawn(move || {
            become_ordinary();
            bind_to(all);
            // SAFETY: it takes no memory.
            let thread = unsafe { libc::gettid() };
            scheduler.adopt(thread, index, &task.share).expect("a thread of the test");
            send.send(thread).expect("the test waits");
            started.wait();
            scheduler.publish(index, 1, (0, 0), None);
            while !scheduler.has_begun(index) {
                sleep_until(scheduler.due(index));
                if over.load(SeqCst) {
                    return;
                }
            }
            let last = (task.does)(&Turn { scheduler: &scheduler, index, zero, over: &over });
            scheduler.leave(index, last);
        }));
        threads.push(receive.recv().expect("the thread is adopted"));
    }
    scheduler.start_at(zero);
    started.wait();
    TestRun { scheduler, reader, records: Vec::new(), threads, handles, over: Over(over), zero }
}

impl TestRun {
    /// Reads the records that there are.
    pub fn read(&mut self) {
        self.reader.read(&mut self.records);
    }

    /// Reads records for so long.
    pub fn go_on(&mut self, ms: u64) {
        for _ in 0..ms.div_ceil(20) {
            sleep_ms(20);
            self.read();
        }
    }

    /// Lets all threads end, after the kernel has ended the scheduler: none of them is lost.
    pub fn abandon(self) {
        self.over.0.store(true, SeqCst);
        drop(self.scheduler);
        join(self.handles, &self.threads);
    }

    /// Lets all threads end, and returns what the scheduler recorded. It ends regularly.
    pub fn end(mut self) -> Vec<KernelRecord> {
        self.over.0.store(true, SeqCst);
        assert!(self.scheduler.ending().is_none(), "{:?}", self.scheduler.ending());
        join(std::mem::take(&mut self.handles), &self.threads);
        self.read();
        let scheduler = Arc::into_inner(self.scheduler).expect("all threads have ended");
        let ending = scheduler.unload().expect("the kernel reports the end");
        assert!(ending.is_regular(), "{ending:?}");
        self.records
    }
}

/// Waits for the ends of these threads, which are to end.
fn join(handles: Vec<JoinHandle<()>>, threads: &[i32]) {
    let ended = until(20_000, || {
        threads.iter().for_each(|thread| wake(*thread));
        handles.iter().all(JoinHandle::is_finished)
    });
    assert!(ended, "a thread is lost");
    handles.into_iter().for_each(|handle| handle.join().expect("no task panics"));
}
