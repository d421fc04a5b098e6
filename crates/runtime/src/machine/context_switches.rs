//! What the kernel says that ran: every context switch, by an event of its own on each processor, on the run's clock.
//!
//! The kernel writes the switches into rings that are read while the run goes on; what does not fit is counted.

use crate::machine::sys::Tid;
use perf_event_open::config::{Clock, Cpu, Opts, Proc};
use perf_event_open::count::Counter;
use perf_event_open::event::sw::Software;
use perf_event_open::sample::record::ctx::Switch;
use perf_event_open::sample::record::Record;
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

/// The kernel's name of a thread that has ended: as it leaves its processor for the last time, it has no number any
/// more.
const ENDED: Tid = -1;

/// Who runs on a processor, by the switches so far: a thread and its process.
#[derive(Clone, Copy, Debug, Default)]
struct Running(Option<(Tid, Tid)>);

impl Running {
    /// Whom a switch is about that names `who`.
    fn switch(&mut self, who: (Tid, Tid), to: bool) -> (Tid, Tid) {
        if to {
            self.0 = Some(who);
            return who;
        }
        let before = self.0.take();
        before.filter(|_| who.0 == ENDED).unwrap_or(who)
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
    #[expect(clippy::wildcard_enum_match_arm, reason = "a library's: only these were asked for")]
    pub fn read(&mut self) {
        for Listener { processor, sampler, running, .. } in &mut self.listeners {
            for (_, record) in sampler.iter().into_iter().flatten() {
                match record {
                    Record::CtxSwitch(switch) => {
                        let id = switch.record_id.as_ref();
                        let who = id.and_then(|id| id.task.as_ref());
                        let (Some(who), Some(at)) = (who, id.and_then(|id| id.time)) else { continue };
                        let (to, preempted) = match switch.info {
                            Switch::InFrom(_) => (true, false),
                            Switch::OutTo { preempt, .. } => (false, preempt),
                        };
                        let (thread, process) = running.switch((who.tid as Tid, who.pid as Tid), to);
                        let processor = *processor;
                        self.switches.push(Switched { at, thread, process, processor, to, preempted });
                    }
                    Record::LostRecords(lost) => self.lost += lost.lost_records,
                    _ => {}
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

    /// A thread that ends is nameless when it leaves: it is the one that was there, and only for its last time.
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
