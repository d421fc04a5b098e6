//! Threads that count while they execute, and the scheduler that most tests load.

pub use crate::machine::{alone, is_counted, limit, state, until};
use schedlab_scx::{Follower, SchedulerEnd, Settings};
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Number of processors of this machine.
pub fn processors() -> u32 {
    std::thread::available_parallelism().expect("it can be asked").get() as u32
}

/// Loads the scheduler for all processors, with the kernel's longest time-out: the host may be slow.
pub fn load() -> Follower {
    Follower::load(&settings()).expect("this kernel takes the scheduler")
}

pub fn settings() -> Settings {
    Settings::of((1 << processors()) - 1)
}

/// Number of files that this process has open.
pub fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").expect("it is mounted").count()
}

/// Executes up to `limit_ms` until something becomes true.
pub fn until_without_sleep(limit_ms: u64, holds: impl Fn() -> bool) -> bool {
    let end = Instant::now() + Duration::from_millis(limit_ms);
    while !holds() {
        if Instant::now() > end {
            return false;
        }
    }
    true
}

/// Loads a scheduler as often as `LOADS` says, 20 times if it says nothing, and takes it out each time. No end is
/// irregular, no file stays open, and no load takes two seconds where the host keeps no processor waiting.
pub fn load_and_unload<Scheduler>(
    load: impl Fn() -> Scheduler,
    unload: impl Fn(Scheduler) -> Option<SchedulerEnd>,
) {
    let count: u32 = std::env::var("LOADS").map_or(20, |text| text.parse().expect("LOADS is a number"));
    unload(load());
    let files = open_files();
    let mut longest = Duration::ZERO;
    for _ in 0..count {
        let begin = Instant::now();
        let scheduler = load();
        longest = longest.max(begin.elapsed());
        assert_eq!(state(), "enabled");
        let ending = unload(scheduler).expect("the kernel reports the end");
        assert!(ending.is_regular(), "{ending:?}");
        assert_eq!(state(), "disabled");
    }
    println!("longest load: {longest:?}");
    assert!(longest.as_secs() < 2 || !is_counted(), "a load took {longest:?}");
    assert!(open_files() <= files + 1, "{files} files before, and {} after", open_files());
}

pub fn sleep_ms(ms: u64) {
    std::thread::sleep(Duration::from_millis(ms));
}

/// The calling thread is SCHED_FIFO from now on, so that no scheduler in the kernel keeps it from looking.
pub fn become_fifo(priority: i32) {
    set_class(libc::SCHED_FIFO, priority);
}

/// The calling thread is an ordinary one from now on.
pub fn become_ordinary() {
    set_class(libc::SCHED_OTHER, 0);
}

fn set_class(class: i32, priority: i32) {
    let param = libc::sched_param { sched_priority: priority };
    // SAFETY: `param` outlives the call.
    assert_eq!(unsafe { libc::sched_setscheduler(0, class, &param) }, 0, "the test is root");
}

/// The calling thread executes on this processor alone.
pub fn bind(processor: u32) {
    bind_to(1 << processor);
}

/// The calling thread executes on these processors, a bit each.
pub fn bind_to(processors: u64) {
    // SAFETY: a set is plain words, all zero for none; all calls stay within it.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        (0..64).filter(|at| processors >> at & 1 == 1).for_each(|at| libc::CPU_SET(at, &mut set));
        assert_eq!(libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set), 0);
    }
}

/// The time of one of the kernel's clocks, in ns.
pub fn clock_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` outlives the call.
    assert_eq!(unsafe { libc::clock_gettime(clock, &mut time) }, 0);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Wakes a thread of this process that sleeps in the kernel, by a signal that does nothing.
pub fn wake(thread: i32) {
    extern "C" fn nothing(_: i32) {}
    // SAFETY: the handler does nothing; neither call takes memory.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = nothing as *const () as usize;
        libc::sigaction(libc::SIGUSR1, &action, std::ptr::null_mut());
        libc::syscall(libc::SYS_tgkill, libc::getpid(), thread, libc::SIGUSR1);
    }
}

/// An ordinary thread that counts while it executes.
pub struct Counter {
    pub thread: i32,
    counted: Arc<AtomicU64>,
    processor: Arc<AtomicI32>,
    ends: Arc<AtomicBool>,
    handle: Option<JoinHandle<()>>,
}

impl Counter {
    /// A thread that executes all the time, with `bound` on that processor alone.
    pub fn start(bound: Option<u32>) -> Counter {
        Counter::doing(bound, || {})
    }

    /// A thread that does `between` after each count.
    pub fn doing(bound: Option<u32>, between: impl Fn() + Send + 'static) -> Counter {
        let (counted, ends) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (processor, id) = (Arc::new(AtomicI32::new(-1)), Arc::new(AtomicI32::new(0)));
        let handle = std::thread::spawn({
            let (counted, ends, processor, id) =
                (counted.clone(), ends.clone(), processor.clone(), id.clone());
            move || {
                become_ordinary();
                bound.into_iter().for_each(bind);
                // SAFETY: neither call takes memory.
                id.store(unsafe { libc::gettid() }, SeqCst);
                while !ends.load(SeqCst) {
                    counted.fetch_add(1, SeqCst);
                    // SAFETY: as above.
                    processor.store(unsafe { libc::sched_getcpu() }, SeqCst);
                    between();
                }
            }
        });
        assert!(until(10_000, || id.load(SeqCst) != 0), "the thread begins");
        Counter { thread: id.load(SeqCst), counted, processor, ends, handle: Some(handle) }
    }

    pub fn counted(&self) -> u64 {
        self.counted.load(SeqCst)
    }

    /// The processor where the thread counted last.
    pub fn processor(&self) -> u32 {
        self.processor.load(SeqCst) as u32
    }

    /// True if the thread goes on counting within `limit_ms`.
    pub fn counts_within(&self, limit_ms: u64) -> bool {
        let before = self.counted();
        until(limit_ms, || self.counted() > before + 1)
    }

    /// Lets the thread end as soon as it executes.
    pub fn end(&self) {
        self.ends.store(true, SeqCst);
    }
}

impl Drop for Counter {
    /// Waits for the thread's end: by then no scheduler may keep it from executing.
    fn drop(&mut self) {
        self.end();
        if let Some(handle) = self.handle.take() {
            handle.join().expect("the thread does not panic");
        }
    }
}

/// Threads with indices 1 to `count`, which may execute on all processors.
pub fn adopted(follower: &Follower, count: u32) -> Vec<Counter> {
    let counters: Vec<Counter> = (0..count).map(|_| Counter::start(None)).collect();
    for (index, counter) in (1..).zip(&counters) {
        follower.adopt(counter.thread, index).expect("a thread of ours");
    }
    counters
}
