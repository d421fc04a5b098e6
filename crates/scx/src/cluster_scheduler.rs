//! A scheduler in the kernel that decides by itself.

use crate::adopted::Owners;
use crate::calling_thread::{affinity, sleep_until, wake_exactly};
use crate::cluster_memory::{clusters_bytes, ClusterMemory, TaskWords};
use crate::load_refusal::refuse_timers;
use crate::loaded::Loaded;
use crate::object::{load, map, CLUSTER};
use crate::ring::Ring;
use crate::{ClusterSettings, JobWait, KernelRecords, KernelTally, LoadRefusal, TaskPlan, MOST_TASKS};
use std::io;
use std::ops::Deref;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

/// A clustered scheduler in the kernel as long as this value is there: P-, C- or G-, with any order in which a job
/// has one priority point.
///
/// [`ClusterScheduler::adopt`] gives a thread an index and a plan; the thread then calls
/// [`next_job`](ClusterScheduler::next_job) for each of its jobs. All other threads of the machine that are of no
/// real-time class have the other processors, the time that tasks leave, and a reserve.
#[derive(Debug)]
pub struct ClusterScheduler {
    loaded: Loaded,
    memory: ClusterMemory,
    owners: Owners,
    clusters: Vec<u64>,
    /// Number of the last section of each task, by index.
    sections: Vec<AtomicU32>,
}

impl ClusterScheduler {
    /// Loads the scheduler and lets it schedule; its records come by the second value. No job begins before time
    /// zero, which [`start_at`](Self::start_at) states.
    pub fn load(settings: &ClusterSettings) -> Result<(Self, KernelRecords), LoadRefusal> {
        let version = std::fs::read_to_string("/proc/sys/kernel/version").unwrap_or_default();
        refuse_timers(settings.timers_needed_by(), &version)?;
        let object = load(&CLUSTER, &settings.common, |name, map| {
            if name.ends_with(".rodata.clusters") {
                let value = map.initial_value_mut().expect("settings have a value");
                let bytes = clusters_bytes(settings);
                value[..bytes.len()].copy_from_slice(&bytes);
            } else if name == "records" {
                map.set_max_entries(settings.ring_bytes).expect("nothing is loaded yet");
            }
        })?;
        let memory = ClusterMemory::new(|name| map(&object, name))?;
        memory.origin.get()[0].store(u64::MAX, SeqCst);
        let records = KernelRecords(Ring::new(map(&object, "records"), settings.ring_bytes)?);
        let owners = Owners::of(&object)?;
        let loaded = Loaded::attach(object, CLUSTER.name)?;
        let sections = (0..=MOST_TASKS).map(|_| AtomicU32::new(0)).collect();
        let clusters = settings.clusters.clone();
        Ok((ClusterScheduler { loaded, memory, owners, clusters, sections }, records))
    }

    /// States the run's time zero, by the monotonic clock in ns, before any thread waits for a job.
    pub fn start_at(&self, zero: u64) {
        self.memory.origin.get()[0].store(zero, SeqCst);
    }

    /// Gives the thread an index from 1 to [`MOST_TASKS`] that no other has had, and a plan. From now on it is a
    /// task's. The thread must be allowed to execute on all processors of its cluster, and on no others.
    pub fn adopt(&self, thread: libc::pid_t, index: u32, plan: &TaskPlan) -> io::Result<()> {
        let members = self.clusters[plan.cluster as usize];
        if affinity(thread)? != members {
            let why = format!("thread {thread} may execute on other processors than its cluster's");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        self.memory.plans.get()[index as usize].write(plan);
        self.owners.adopt(thread, index)
    }

    /// Says that the job before is complete, and waits until job `number` (from 1 on) of `arrival` has begun. The
    /// thread of `index` calls this. `ends` is asked whenever the thread wakes up; a signal wakes it.
    pub fn next_job(&self, index: u32, number: u32, arrival: u64, ends: impl Fn() -> bool) -> JobWait {
        self.publish(index, number, arrival, arrival);
        while !ends() {
            sleep_until(self.due(index));
            if self.has_begun(index) {
                return JobWait::Begun;
            }
        }
        JobWait::Ended
    }

    /// Says that the job before is complete, and that job `number` (from 1 on) arrives at `arrival` and is released
    /// at `release`, not before. The thread of `index`, which calls this, has to sleep until [`due`](Self::due),
    /// and then to call [`has_begun`](Self::has_begun).
    pub fn publish(&self, index: u32, number: u32, arrival: u64, release: u64) {
        if number == 1 {
            wake_exactly();
        }
        let words = self.words(index);
        words.arrival.store(arrival, SeqCst);
        words.release.store(release, SeqCst);
        words.job.store(number, SeqCst);
    }

    /// When the job that was published may begin, by the monotonic clock in ns.
    pub fn due(&self, index: u32) -> u64 {
        let zero = self.memory.origin.get()[0].load(SeqCst);
        assert_ne!(zero, u64::MAX, "time zero is known before a job is waited for");
        let words = self.words(index);
        // An earliest arrival of a former job is no later than this one's, or holds for this one, too.
        let own = words.arrival.load(SeqCst).max(words.release.load(SeqCst));
        zero.saturating_add(words.earliest.load(SeqCst).max(own))
    }

    /// True if the job that was published has begun. If not, the thread, which calls this, has woken up too early.
    pub fn has_begun(&self, index: u32) -> bool {
        let words = self.words(index);
        let has_begun = || words.admitted.load(SeqCst) == words.job.load(SeqCst);
        if !has_begun() {
            // The thread has not slept, since the job is late: here the kernel looks at its words.
            std::thread::yield_now();
        }
        has_begun()
    }

    /// Says that job `number` of the thread of `index`, which calls this, is complete, and that no other follows.
    pub fn leave(&self, index: u32, number: u32) {
        let words = self.words(index);
        words.arrival.store(u64::MAX, SeqCst);
        words.job.store(number + 1, SeqCst);
        std::thread::yield_now();
    }

    /// The thread of `index`, which calls this, does not give way from now on.
    pub fn enter_section(&self, index: u32) {
        let last = &self.sections[index as usize];
        let number = last.load(Relaxed).wrapping_add(1).max(1);
        last.store(number, Relaxed);
        self.words(index).section.store(number, SeqCst);
    }

    /// The thread of `index`, which calls this, gives way again: at once, if it should have done so meanwhile.
    pub fn leave_section(&self, index: u32) {
        let words = self.words(index);
        words.section.store(0, SeqCst);
        if words.kept.swap(0, SeqCst) != 0 {
            std::thread::yield_now();
        }
    }

    /// True if the last section of the thread of `index` was too long, and was not heeded from then on.
    pub fn broke_its_section(&self, index: u32) -> bool {
        let broken = self.words(index).broken.load(SeqCst);
        broken != 0 && broken == self.sections[index as usize].load(Relaxed)
    }

    /// True if the thread of `index` has changed on which processors it may execute: it is no task's any more.
    pub fn has_strayed(&self, index: u32) -> bool {
        self.words(index).strayed.load(SeqCst) != 0
    }

    fn words(&self, index: u32) -> &TaskWords {
        &self.memory.words.get()[index as usize]
    }

    /// What `processor` decided.
    pub fn tally(&self, processor: u32) -> KernelTally {
        self.memory.tallies.of(processor)
    }

    /// Number of records that found no room in the ring: with one of them, not all inputs are known.
    pub fn lost_records(&self) -> u64 {
        self.memory.tallies.lost()
    }
}

impl Deref for ClusterScheduler {
    type Target = Loaded;

    fn deref(&self) -> &Loaded {
        &self.loaded
    }
}
