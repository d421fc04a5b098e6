//! A scheduler in the kernel that decides by itself, at the boundaries of quanta.

use crate::adopted::Owners;
use crate::called::Called;
use crate::calling_thread::{affinity, wake_exactly, ProcessorSet};
use crate::load_refusal::refuse_preempt_rt;
use crate::loaded::Loaded;
use crate::object::{load, map, QUANTUM};
use crate::quantum_memory::{quanta_bytes, ArrivalWords, QuantumMemory};
use crate::ring::Ring;
use crate::{KernelRecords, KernelTally, LoadRefusal, QuantumLateness, QuantumSettings, QuantumShare};
use std::io;
use std::ops::Deref;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

/// PD2 in the kernel, or staggered PD2, as long as this value is there.
///
/// [`QuantumScheduler::adopt`] gives a thread an index and a share; the thread then calls
/// [`publish`](QuantumScheduler::publish) for each of its jobs, and sleeps until its release. All other threads of the
/// machine that are of no real-time class have the other processors, the time that tasks leave, and a reserve.
#[derive(Debug)]
pub struct QuantumScheduler {
    loaded: Loaded,
    memory: QuantumMemory,
    owners: Owners,
    processors: Vec<u32>,
    share_out: Called,
    arm_here: Called,
}

impl QuantumScheduler {
    /// Loads the scheduler and lets it schedule; its records come by the second value. It gives no quantum before time
    /// zero, which [`start_at`](Self::start_at) states.
    pub fn load(settings: &QuantumSettings) -> Result<(Self, KernelRecords), LoadRefusal> {
        refuse_preempt_rt(&std::fs::read_to_string("/proc/sys/kernel/version").unwrap_or_default())?;
        let object = load(&QUANTUM, &settings.common, |name, map| {
            if name.ends_with(".rodata.quanta") {
                let value = map.initial_value_mut().expect("settings have a value");
                let bytes = quanta_bytes(settings);
                value[..bytes.len()].copy_from_slice(&bytes);
            } else if name == "records" {
                map.set_max_entries(settings.ring_bytes).expect("nothing is loaded yet");
            }
        })?;
        let memory = QuantumMemory::new(|name| map(&object, name))?;
        memory.origin.get()[0].store(u64::MAX, SeqCst);
        let records = KernelRecords(Ring::new(map(&object, "records"), settings.ring_bytes)?);
        let owners = Owners::of(&object)?;
        let (share_out, arm_here) = (Called::of(&object, "share_out")?, Called::of(&object, "arm_here")?);
        let loaded = Loaded::attach(object, QUANTUM.name)?;
        let processors = settings.processors.clone();
        Ok((QuantumScheduler { loaded, memory, owners, processors, share_out, arm_here }, records))
    }

    /// Gives the thread an index from 1 to the number of tasks that no other has had, and a share, before time zero is
    /// stated. From now on it is a task's. It must be allowed to execute on all processors of the scheduler, and on no
    /// others.
    pub fn adopt(&self, thread: libc::pid_t, index: u32, share: &QuantumShare) -> io::Result<()> {
        let all = self.processors.iter().fold(0, |all, processor| all | 1 << processor);
        if affinity(thread)? != all {
            let why = format!("thread {thread} may execute on other processors than the scheduler's");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        self.memory.shares.get()[index as usize].write(share);
        self.owners.adopt(thread, index)
    }

    /// States the run's time zero, by the monotonic clock in ns, after all threads were adopted and before one waits
    /// for a job. Each processor's timer is armed there: the calling thread is bound to one after the other.
    pub fn start_at(&self, zero: u64) {
        self.memory.origin.get()[0].store(zero, SeqCst);
        self.share_out.call(0);
        let before = ProcessorSet::of(0).expect("a thread may ask for its own processors");
        for processor in &self.processors {
            ProcessorSet::only(*processor).allow();
            self.arm_here.call(0);
        }
        before.allow();
    }

    /// Says that the job before is complete, and that job `number` (from 1 on) arrives at `job.0` and is not to begin
    /// before `job.1`; and the same of the job `after` it, if there is one. The thread of `index`, which calls this,
    /// has to sleep until [`due`](Self::due), and then to call [`has_begun`](Self::has_begun).
    pub fn publish(&self, index: u32, number: u32, job: (u64, u64), after: Option<(u64, u64)>) {
        if number == 1 {
            wake_exactly();
        }
        let words = self.words(index);
        let write = |number: u32, (arrival, release): (u64, u64)| {
            words.arrival[number as usize & 1].store(arrival, SeqCst);
            words.release[number as usize & 1].store(release, SeqCst);
        };
        write(number, job);
        write(number + 1, after.unwrap_or((u64::MAX, u64::MAX)));
        words.job.store(number, SeqCst);
    }

    /// When the job that was published may begin, by the monotonic clock in ns.
    pub fn due(&self, index: u32) -> u64 {
        let zero = self.memory.origin.get()[0].load(SeqCst);
        assert_ne!(zero, u64::MAX, "time zero is known before a job is waited for");
        let words = self.words(index);
        zero.saturating_add(words.release[words.job.load(SeqCst) as usize & 1].load(SeqCst))
    }

    /// True if the job that was published has begun. If not, the thread, which calls this, gives up its processor until
    /// its task has a quantum. Once this is true, the thread's sleep suspends the job.
    pub fn has_begun(&self, index: u32) -> bool {
        let words = self.words(index);
        let number = words.job.load(SeqCst);
        let has_begun = || words.admitted.load(SeqCst) == number;
        if !has_begun() {
            std::thread::yield_now();
        }
        let begun = has_begun();
        if begun {
            words.taken.store(number, SeqCst);
        }
        begun
    }

    /// Says that job `number` of the thread of `index`, which calls this, is complete, and that no other follows.
    pub fn leave(&self, index: u32, number: u32) {
        self.publish(index, number + 1, (u64::MAX, u64::MAX), None);
        std::thread::yield_now();
    }

    /// True if the thread of `index` has changed on which processors it may execute: it is no task's any more.
    pub fn has_strayed(&self, index: u32) -> bool {
        self.words(index).strayed.load(SeqCst) != 0
    }

    fn words(&self, index: u32) -> &ArrivalWords {
        &self.memory.arrivals.get()[index as usize]
    }

    /// What `processor` decided.
    pub fn tally(&self, processor: u32) -> KernelTally {
        self.memory.tallies.of(processor)
    }

    /// How late `processor` was.
    pub fn lateness(&self, processor: u32) -> QuantumLateness {
        let words = &self.memory.lateness.get()[processor as usize];
        QuantumLateness {
            missed: words.missed.load(Relaxed),
            moved_back: words.moved_back.load(Relaxed),
            moved_on: words.moved_on.load(Relaxed),
            longest_move: words.longest_move.load(Relaxed),
            longest_stop: words.longest_stop.load(Relaxed),
        }
    }

    /// Number of records that found no room in the ring: with one of them, not all inputs are known.
    pub fn lost_records(&self) -> u64 {
        self.memory.tallies.lost()
    }
}

impl Deref for QuantumScheduler {
    type Target = Loaded;

    fn deref(&self) -> &Loaded {
        &self.loaded
    }
}
