//! Tasks whose threads execute under the clustered scheduler, and what was seen of them.

use super::switches::{Switch, SwitchTrace};
use crate::support::{bind_to, clock_ns, sleep_ms, until};
use schedlab_scx::{
    ClusterScheduler, ClusterSettings, JobWait, KernelEvent, KernelRecord, KernelRecords, KernelTally,
    TaskPlan,
};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{mpsc, Arc, Barrier};
use std::thread::JoinHandle;

/// A job of a task's thread, as the task's code sees it.
pub struct Turn<'a> {
    pub scheduler: &'a ClusterScheduler,
    pub index: u32,
    /// Set once the test is over: endless code ends then.
    pub over: &'a AtomicBool,
}

/// A task: when its jobs arrive, in ns of the run, and what each of them does.
pub struct TestTask {
    pub plan: TaskPlan,
    pub arrivals: Vec<u64>,
    /// How long its thread sleeps after time zero is known, before it waits for its first job, in ms.
    pub delay_ms: u64,
    pub does: Box<dyn Fn(&Turn<'_>) + Send>,
}

impl TestTask {
    /// A task each of whose jobs does `does`.
    pub fn doing(plan: TaskPlan, arrivals: Vec<u64>, does: impl Fn(&Turn<'_>) + Send + 'static) -> TestTask {
        TestTask { plan, arrivals, delay_ms: 0, does: Box::new(does) }
    }

    /// A task whose jobs execute for `cost` ns of processor time.
    pub fn executing(plan: TaskPlan, arrivals: Vec<u64>, cost: u64) -> TestTask {
        TestTask::doing(plan, arrivals, move |turn| execute(cost, turn.over))
    }

    /// A task with one job from time zero on that executes until the test is over.
    pub fn hog(plan: TaskPlan) -> TestTask {
        TestTask::doing(plan, vec![0], |turn| execute(u64::MAX, turn.over))
    }
}

/// Executes for `cost` ns of the calling thread's processor time.
pub fn execute(cost: u64, over: &AtomicBool) {
    let begin = clock_ns(libc::CLOCK_THREAD_CPUTIME_ID);
    while clock_ns(libc::CLOCK_THREAD_CPUTIME_ID) - begin < cost && !over.load(SeqCst) {
        for round in 0..1_000 {
            std::hint::black_box(round);
        }
    }
}

/// Everything that was seen of a run.
pub struct Observed {
    pub records: Vec<KernelRecord>,
    pub switches: Vec<Switch>,
    /// Threads of the tasks; the first one has index 1.
    pub threads: Vec<i32>,
    /// The run's time zero, by the monotonic clock in ns.
    pub zero: u64,
    pub lost: u64,
    pub tallies: Vec<KernelTally>,
}

/// Lets the code of all tasks end, also where a test fails.
struct Over(Arc<AtomicBool>);

impl Over {
    fn set(&self) {
        self.0.store(true, SeqCst);
    }
}

impl Drop for Over {
    fn drop(&mut self) {
        self.set();
    }
}

/// A run that has begun.
pub struct TestRun {
    pub scheduler: Arc<ClusterScheduler>,
    reader: KernelRecords,
    pub records: Vec<KernelRecord>,
    trace: SwitchTrace,
    pub threads: Vec<i32>,
    handles: Vec<JoinHandle<()>>,
    over: Over,
    pub zero: u64,
}

/// Begins a run of these tasks; the calling thread is of a real-time class.
pub fn begin(settings: &ClusterSettings, tasks: Vec<TestTask>) -> TestRun {
    let (scheduler, reader) = ClusterScheduler::load(settings).unwrap_or_else(|refusal| panic!("{refusal}"));
    let (scheduler, over) = (Arc::new(scheduler), Arc::new(AtomicBool::new(false)));
    let trace = SwitchTrace::begin();
    let started = Arc::new(Barrier::new(tasks.len() + 1));
    let (mut threads, mut handles) = (Vec::new(), Vec::new());
    for (index, task) in (1..).zip(tasks) {
        let started = started.clone();
        let (scheduler, over, (send, receive)) = (scheduler.clone(), over.clone(), mpsc::channel());
        let members = settings.clusters[task.plan.cluster as usize];
        handles.push(std::thread::spawn(move || {
            crate::support::become_ordinary();
            bind_to(members);
            // SAFETY: it takes no memory.
            let thread = unsafe { libc::gettid() };
            scheduler.adopt(thread, index, &task.plan).expect("a thread of the test");
            send.send(thread).expect("the test waits");
            started.wait();
            if task.delay_ms > 0 {
                sleep_ms(task.delay_ms);
            }
            let count = task.arrivals.len() as u32;
            for (number, arrival) in (1..).zip(task.arrivals) {
                let ends = || over.load(SeqCst);
                if scheduler.next_job(index, number, arrival, ends) == JobWait::Ended {
                    return;
                }
                (task.does)(&Turn { scheduler: &scheduler, index, over: &over });
            }
            scheduler.leave(index, count);
        }));
        threads.push(receive.recv().expect("the thread is adopted"));
    }
    let zero = clock_ns(libc::CLOCK_MONOTONIC) + 20_000_000;
    scheduler.start_at(zero);
    started.wait();
    TestRun { scheduler, reader, records: Vec::new(), trace, threads, handles, over: Over(over), zero }
}

impl TestRun {
    /// Reads records for so long.
    pub fn go_on(&mut self, ms: u64) {
        for _ in 0..ms.div_ceil(20) {
            sleep_ms(20);
            self.reader.read(&mut self.records);
        }
    }

    /// Reads records until so many jobs are complete, for a minute at most; true if they are. A busy host may take much
    /// longer than the jobs.
    pub fn go_on_until_complete(&mut self, jobs: usize) -> bool {
        let is_complete = |record: &&KernelRecord| matches!(record.what, KernelEvent::Completed { .. });
        for _ in 0..600 {
            self.go_on(100);
            if self.records.iter().filter(is_complete).count() >= jobs {
                return true;
            }
        }
        false
    }

    /// Lets all threads end, after the kernel has ended the scheduler.
    pub fn abandon(self) {
        self.over.set();
        drop(self.scheduler);
        for (handle, thread) in self.handles.into_iter().zip(self.threads) {
            crate::support::wake(thread);
            handle.join().expect("no task panics");
        }
    }

    /// Lets all threads end, and returns what was seen. The scheduler ends regularly.
    pub fn end(mut self) -> Observed {
        self.over.set();
        let handles = &self.handles;
        let ended = until(10_000, || {
            self.threads.iter().for_each(|thread| crate::support::wake(*thread));
            handles.iter().all(JoinHandle::is_finished)
        });
        let switches = self.trace.end();
        self.reader.read(&mut self.records);
        let tallies = (0..crate::support::processors()).map(|at| self.scheduler.tally(at)).collect();
        let lost = self.scheduler.lost_records();
        assert!(self.scheduler.ending().is_none(), "{:?}", self.scheduler.ending());
        assert!(ended, "threads do not end: {:?}", self.records.last());
        self.handles.into_iter().for_each(|handle| handle.join().expect("no task panics"));
        let scheduler = Arc::into_inner(self.scheduler).expect("all threads have ended");
        let ending = scheduler.unload().expect("the kernel reports the end");
        assert!(ending.is_regular(), "{ending:?}");
        Observed { records: self.records, switches, threads: self.threads, zero: self.zero, lost, tallies }
    }
}
