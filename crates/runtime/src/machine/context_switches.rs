//! The kernel's context switches: which thread ran where, by an event on each processor, on the run's clock.
//!
//! The kernel writes the switches into rings that are read while the run goes on; what does not fit is counted.

use crate::machine::sys::Tid;
use perf_event_open::config::{Clock, Cpu, Opts, Proc};
use perf_event_open::count::Counter;
use perf_event_open::event::sw::Software;
use perf_event_open::sample::iter::Iter;
use perf_event_open::sample::Sampler;
use std::io;

/// Number of pages of each ring, as a power of two: 16 MiB, a quarter of a million switches.
const RING_PAGES: u8 = 12;

/// A context switch: a thread got or lost a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switched {
    /// The time of the switch, by the monotonic clock.
    pub at: u64,
    /// The thread that got or lost the processor.
    pub thread: Tid,
    /// The process of the thread.
    pub process: Tid,
    /// The machine's number of the processor.
    pub processor: usize,
    /// True if the thread got the processor.
    pub to: bool,
    /// True if the thread lost the processor although it was ready to go on.
    pub preempted: bool,
}

/// A thread and its process.
type Who = (Tid, Tid);

/// A record that the kernel writes into a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// A thread got the processor, or lost it.
    Switch { at: u64, who: Who, to: bool, preempted: bool },
    /// Number of records that found no room.
    Lost(u64),
}

/// The kernel's numbers of these records, and bits of a record's second word (`linux/perf_event.h`).
const LOST: u32 = 2;
const SWITCH_OF_PROCESSOR: u32 = 15;
const OUT: u16 = 1 << 13;
const OUT_READY: u16 = 1 << 14;

impl Entry {
    /// Reads a record as the kernel writes it, with what [`SwitchListener::listen`] asks for at its end: the thread and
    /// the time. `None` if the record is of another kind.
    ///
    /// A switch names the other thread, too. That does not make up for the thread itself: the kernel leaves out the
    /// switches of an idle processor's own thread at times. So the thread that comes after it would not be known.
    fn of(record: &[u8]) -> Option<Self> {
        let word = |offset: usize| record.get(offset..offset + 4)?.try_into().ok().map(u32::from_ne_bytes);
        let long = |offset: usize| record.get(offset..offset + 8)?.try_into().ok().map(u64::from_ne_bytes);
        let bits = u16::from_ne_bytes(record.get(4..6)?.try_into().ok()?);
        match word(0)? {
            SWITCH_OF_PROCESSOR => {
                // The process comes first, here and for the other thread before it.
                let (at, who) = (long(24)?, (word(20)? as Tid, word(16)? as Tid));
                let to = bits & OUT == 0;
                Some(Entry::Switch { at, who, to, preempted: !to && bits & OUT_READY != 0 })
            }
            // The event's number comes first.
            LOST => Some(Entry::Lost(long(16)?)),
            _ => None,
        }
    }
}

/// The kernel's name of a thread that has ended: as it leaves its processor for the last time, it has no number any
/// more.
const ENDED: Tid = -1;

/// The thread that runs on a processor, by the switches so far.
#[derive(Clone, Copy, Debug, Default)]
struct Running(Option<Who>);

impl Running {
    /// The thread that a switch is about whose record names `who`.
    fn switch(&mut self, who: Who, to: bool) -> Who {
        if to {
            self.0 = Some(who);
            return who;
        }
        let before = self.0.take();
        before.filter(|_| who.0 == ENDED).unwrap_or(who)
    }
}

/// The listener to one processor's switches.
struct Listener {
    processor: usize,
    counter: Counter,
    sampler: Sampler,
    running: Running,
}

/// The listener to the kernel's context switches.
pub struct SwitchListener {
    listeners: Vec<Listener>,
    switches: Vec<Switched>,
    lost: u64,
}

impl SwitchListener {
    /// Listens to `processors` from now on. Needs CAP_PERFMON, or root.
    pub fn listen(processors: &[usize]) -> io::Result<Self> {
        let mut options = Opts::default();
        options.extra_record.ctx_switch = true;
        options.record_id_all = true;
        options.record_id_format.task = true;
        options.record_id_format.time = true;
        options.timer = Some(Clock::Monotonic);
        let mut listeners = Vec::new();
        for processor in processors {
            let target = (Proc::ALL, Cpu(*processor as u32));
            let counter = Counter::new(Software::Dummy, target, &options)?;
            let sampler = counter.sampler(RING_PAGES)?;
            counter.enable()?;
            listeners.push(Listener { processor: *processor, counter, sampler, running: Running::default() });
        }
        Ok(SwitchListener { listeners, switches: Vec::new(), lost: 0 })
    }

    /// Reads what the kernel has written since the last time.
    pub fn read(&mut self) {
        for Listener { processor, sampler, running, .. } in &mut self.listeners {
            let Some(mut records) = sampler.iter().map(Iter::into_cow) else { continue };
            // As they stand in the ring. The crate's own value of a record takes an allocation each.
            while let Some(record) = records.lending_next() {
                match Entry::of(record.as_raw()) {
                    Some(Entry::Switch { at, who, to, preempted }) => {
                        let (thread, process) = running.switch(who, to);
                        let processor = *processor;
                        self.switches.push(Switched { at, thread, process, processor, to, preempted });
                    }
                    Some(Entry::Lost(lost)) => self.lost += lost,
                    None => {}
                }
            }
        }
    }

    /// Takes the switches that were read so far, by processor and time.
    pub fn take(&mut self) -> Vec<Switched> {
        std::mem::take(&mut self.switches)
    }

    /// All switches, by time, and how many are missing.
    pub fn finish(mut self) -> (Vec<Switched>, u64) {
        for Listener { counter, .. } in &self.listeners {
            // A counter that cannot be stopped goes on until it is dropped, a moment later.
            let _ = counter.disable();
        }
        self.read();
        self.switches.sort_by_key(|switch| (switch.at, switch.processor, switch.to));
        (self.switches, self.lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::sys;

    /// What a thread that sleeps and wakes up by itself leaves in the rings, read in both ways: as bytes, and by the
    /// crate that knows the kernel's formats.
    #[test]
    fn records_are_read_as_they_are() {
        use perf_event_open::sample::record::ctx::Switch;
        use perf_event_open::sample::record::Record;
        let Ok(processors) = sys::allowed_processors() else { return };
        let Ok(mut listener) = SwitchListener::listen(&processors) else { return };
        (0..20).for_each(|_| sys::sleep_until(sys::monotonic_ns() + 200_000));
        let (mut both, own) = (Vec::new(), sys::current_thread());
        for Listener { sampler, .. } in &mut listener.listeners {
            let mut records = sampler.iter().map(Iter::into_cow).expect("one reads at a time");
            while let Some(record) = records.lending_next() {
                let (_, Record::CtxSwitch(known)) = record.parse() else { continue };
                let id = known.record_id.expect("it was asked for");
                let who = id.task.map(|task| (task.tid as Tid, task.pid as Tid)).expect("it was asked for");
                let (to, preempted) = match known.info {
                    Switch::InFrom(_) => (true, false),
                    Switch::OutTo { preempt, .. } => (false, preempt),
                };
                let at = id.time.expect("it was asked for");
                both.push((
                    Entry::of(record.as_raw()),
                    Entry::Switch { at, who, to, preempted },
                    who.0 == own,
                ));
            }
        }
        assert!(both.iter().filter(|(.., own)| *own).count() >= 40, "{both:?}");
        assert!(both.iter().all(|(read, known, _)| *read == Some(*known)), "{both:?}");
    }

    #[test]
    fn other_records_are_passed_over_and_lost_ones_are_counted() {
        let record = |kind: u32| {
            let mut record = vec![0u8; 40];
            record[..4].copy_from_slice(&kind.to_ne_bytes());
            record[16..24].copy_from_slice(&7u64.to_ne_bytes());
            record
        };
        assert_eq!(Entry::of(&record(LOST)), Some(Entry::Lost(7)));
        assert_eq!(Entry::of(&record(4)), None, "the end of a thread");
        assert_eq!(Entry::of(&record(LOST)[..20]), None, "half of one");
        assert_eq!(Entry::of(&[]), None);
    }

    /// A thread that ends is nameless when it leaves its processor: it is the thread that was there, and only for its
    /// last switch.
    #[test]
    fn a_thread_that_ends_is_the_one_that_was_there() {
        let mut running = Running::default();
        assert_eq!(running.switch((-1, -1), false), (-1, -1), "no thread is known");
        assert_eq!(running.switch((7, 5), true), (7, 5));
        assert_eq!(running.switch((-1, -1), false), (7, 5));
        assert_eq!(running.switch((8, 8), true), (8, 8));
        assert_eq!(running.switch((8, 8), false), (8, 8));
        assert_eq!(running.switch((9, 9), false), (9, 9), "switches are missing: the kernel counts");
    }
}
