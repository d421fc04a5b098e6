//! What the kernel says that ran: every context switch, by an event of its own on each processor, on the run's clock.
//!
//! The kernel writes the switches into rings that are read while the run goes on; what does not fit is counted.

use crate::machine::sys::Tid;
use perf_event_open::config::{Clock, Cpu, Opts, Proc};
use perf_event_open::count::Counter;
use perf_event_open::event::sw::Software;
use perf_event_open::sample::iter::Iter;
use perf_event_open::sample::Sampler;
use std::io;

/// Each ring has two to this power pages: 16 MiB, a quarter of a million switches.
const RING_PAGES: u8 = 12;

/// A thread got or lost a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switched {
    /// When, by the monotonic clock.
    pub at: u64,
    /// Which thread.
    pub thread: Tid,
    /// Of which process.
    pub process: Tid,
    /// Which of the machine's processors.
    pub processor: usize,
    /// True if it got the processor.
    pub to: bool,
    /// True if it lost the processor although it was ready to go on.
    pub preempted: bool,
}

/// A thread and its process.
type Who = (Tid, Tid);

/// What the kernel writes into a ring. Of the two threads of a switch, it names the other one beside that whose record
/// it is. It would name this one, too, but that takes a sixth of the time of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// The thread that executed makes room for `next`.
    Out { at: u64, next: Who, preempted: bool },
    /// The thread that executes from now on comes after `before`.
    In { at: u64, before: Who },
    /// So many records found no room.
    Lost(u64),
}

/// The kernel's numbers of these records, and bits of a record's second word (`linux/perf_event.h`).
const LOST: u32 = 2;
const SWITCH_OF_PROCESSOR: u32 = 15;
const OUT: u16 = 1 << 13;
const OUT_READY: u16 = 1 << 14;

impl Entry {
    /// That of a record as the kernel writes it, with what [`SwitchListener::listen`] asks for at its end: the time.
    /// `None` if it is of another kind.
    fn of(record: &[u8]) -> Option<Self> {
        let word = |at: usize| record.get(at..at + 4)?.try_into().ok().map(u32::from_ne_bytes);
        let long = |at: usize| record.get(at..at + 8)?.try_into().ok().map(u64::from_ne_bytes);
        let bits = u16::from_ne_bytes(record.get(4..6)?.try_into().ok()?);
        match word(0)? {
            SWITCH_OF_PROCESSOR => {
                // The process comes first.
                let (at, other) = (long(16)?, (word(12)? as Tid, word(8)? as Tid));
                Some(if bits & OUT == 0 {
                    Entry::In { at, before: other }
                } else {
                    Entry::Out { at, next: other, preempted: bits & OUT_READY != 0 }
                })
            }
            // The event's number comes first.
            LOST => Some(Entry::Lost(long(16)?)),
            _ => None,
        }
    }
}

/// Who runs on a processor, by the records so far.
#[derive(Clone, Copy, Debug, Default)]
struct Running {
    now: Option<Who>,
    /// Who got it, while the kernel switches.
    next: Option<Who>,
    /// Who lost it is not known yet: when that was, and whether it was ready to go on.
    nameless: Option<(u64, bool)>,
}

impl Running {
    /// The switches that are known by this entry: when, who, whether it got the processor, whether it was ready to go
    /// on.
    fn hear(&mut self, entry: Entry) -> [Option<(u64, Who, bool, bool)>; 2] {
        match entry {
            Entry::Out { at, next, preempted } => {
                let before = self.now.take();
                self.next = Some(next);
                self.nameless = before.is_none().then_some((at, preempted));
                [before.map(|before| (at, before, false, preempted)), None]
            }
            Entry::In { at, before } => {
                let lost = self.nameless.take().map(|(at, preempted)| (at, before, false, preempted));
                self.now = self.next.take();
                // The first record may be the second half of a switch: then that thread is named when it leaves.
                [lost, self.now.map(|now| (at, now, true, false))]
            }
            Entry::Lost(_) => {
                *self = Running::default();
                [None, None]
            }
        }
    }
}

/// Listens to a processor.
struct Listener {
    processor: usize,
    counter: Counter,
    sampler: Sampler,
    running: Running,
}

/// Listens to the kernel.
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
        options.record_id_format.time = true;
        options.timer = Some(Clock::Monotonic);
        let mut listeners = Vec::with_capacity(processors.len());
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
            // As they stand in the ring: to read one takes a tenth of what the crate's own values of records do.
            while let Some(record) = records.lending_next() {
                let Some(entry) = Entry::of(record.as_raw()) else { continue };
                if let Entry::Lost(lost) = entry {
                    self.lost += lost;
                }
                for (at, (thread, process), to, preempted) in running.hear(entry).into_iter().flatten() {
                    let processor = *processor;
                    self.switches.push(Switched { at, thread, process, processor, to, preempted });
                }
            }
        }
    }

    /// What was read so far, by processor and time.
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
        let mut both = Vec::new();
        for Listener { sampler, .. } in &mut listener.listeners {
            let mut records = sampler.iter().map(Iter::into_cow).expect("one reads at a time");
            while let Some(record) = records.lending_next() {
                let (_, Record::CtxSwitch(known)) = record.parse() else { continue };
                let at = known.record_id.and_then(|id| id.time).expect("it was asked for");
                let known = match known.info {
                    Switch::InFrom(other) => (at, other, None),
                    Switch::OutTo { task, preempt } => (at, task, Some(preempt)),
                };
                let read = match Entry::of(record.as_raw()).expect("it is a switch") {
                    Entry::In { at, before } => (at, before, None),
                    Entry::Out { at, next, preempted } => (at, next, Some(preempted)),
                    Entry::Lost(_) => unreachable!("it is a switch"),
                };
                let other = known.1.map(|other| (other.tid as Tid, other.pid as Tid));
                both.push((read, (known.0, other.expect("of a processor"), known.2)));
            }
        }
        let own = sys::current_thread();
        assert!(both.iter().filter(|((_, (thread, _), _), _)| *thread == own).count() >= 40, "{both:?}");
        assert!(both.iter().all(|(read, known)| read == known), "{both:?}");
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

    const A: Who = (7, 5);
    const B: Who = (8, 8);
    /// The kernel's name of a thread that has ended: as it leaves its processor for the last time, it has no number any
    /// more.
    const ENDED: Who = (-1, -1);

    /// The switches by these entries.
    fn heard(entries: &[Entry]) -> Vec<(u64, Who, bool, bool)> {
        let mut running = Running::default();
        entries.iter().flat_map(|entry| running.hear(*entry)).flatten().collect()
    }

    fn out(at: u64, next: Who) -> Entry {
        Entry::Out { at, next, preempted: at % 2 == 1 }
    }

    fn then(at: u64, before: Who) -> Entry {
        Entry::In { at, before }
    }

    #[test]
    fn each_switch_names_who_leaves_and_who_comes() {
        let first = [out(1, B), then(2, A), out(4, A), then(5, B)];
        let expected = [(1, A, false, true), (2, B, true, false), (4, B, false, false), (5, A, true, false)];
        assert_eq!(heard(&first), expected);
        assert_eq!(heard(&[then(0, A), out(1, B), then(2, A)]), expected[..2], "half of a switch came first");
    }

    /// A thread that ends is nameless when it leaves: it is the one that was there.
    #[test]
    fn a_thread_that_ends_is_the_one_that_was_there() {
        let entries = [out(2, A), then(3, B), out(4, B), then(5, ENDED)];
        let expected = [(2, B, false, false), (3, A, true, false), (4, A, false, false), (5, B, true, false)];
        assert_eq!(heard(&entries), expected);
    }

    /// Nothing is believed of what was there before records were lost.
    #[test]
    fn where_records_are_missing_no_thread_is_taken_for_another() {
        let entries = [out(2, A), then(3, B), Entry::Lost(6), out(4, B), then(5, B), out(6, A)];
        let expected = [(2, B, false, false), (3, A, true, false), (4, B, false, false), (5, B, true, false)];
        assert_eq!(heard(&entries)[..4], expected);
        assert_eq!(heard(&[out(2, A), Entry::Lost(1), then(5, B)]), [], "who came is not known");
    }
}
