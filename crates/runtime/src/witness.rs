//! What the kernel says that ran: every context switch, by an event of its own on each processor, on the run's clock.
//!
//! The kernel writes the switches into rings that are read while the run goes on; what does not fit is counted.

use crate::sys::Tid;
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

/// Listens to the kernel.
pub struct Witness {
    listeners: Vec<(usize, Counter, Sampler)>,
    switches: Vec<Switched>,
    lost: u64,
}

impl Witness {
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
            listeners.push((*processor, counter, sampler));
        }
        Ok(Witness { listeners, switches: Vec::new(), lost: 0 })
    }

    /// Reads what the kernel has written since the last time.
    pub fn read(&mut self) {
        for (processor, _, sampler) in &self.listeners {
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
                        let (thread, process) = (who.tid as Tid, who.pid as Tid);
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
        for (_, counter, _) in &self.listeners {
            // A counter that cannot be stopped goes on until it is dropped, a moment later.
            let _ = counter.disable();
        }
        self.read();
        self.switches.sort_by_key(|switch| (switch.at, switch.processor, switch.to));
        (self.switches, self.lost)
    }
}
