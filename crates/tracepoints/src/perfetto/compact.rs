//! The compact form of Perfetto's bundles.

use super::messages::CompactSched;
use super::named;
use crate::event::{leaving_by_number, Named, Wake, What, LARGEST_CPU};
use crate::recording::Recorder;

/// Threads that came to processors last, by processor.
#[derive(Debug, Default)]
pub(super) struct LastIn(Vec<Option<Named>>);

impl LastIn {
    /// Notes the thread that came to the processor.
    pub(super) fn set(&mut self, cpu: u16, thread: Named) {
        let index = usize::from(cpu);
        if index >= self.0.len() {
            self.0.resize(index + 1, None);
        }
        self.0[index] = Some(thread);
    }

    /// Forgets the thread of the processor, because events are missing.
    pub(super) fn forget(&mut self, cpu: u16) {
        if let Some(known) = self.0.get_mut(usize::from(cpu)) {
            *known = None;
        }
    }

    /// Adds the events of a bundle in the compact form to `found`, by time. The first switch of a processor comes from
    /// a thread that is not known.
    pub(super) fn compact(
        &mut self,
        compact: &CompactSched,
        cpu: u16,
        recorder: &mut Recorder,
        found: &mut Vec<(u64, What)>,
    ) {
        let name = |place: Option<&u32>| compact.intern_table.get(*place? as usize).map(Vec::as_slice);
        let (mut switches, mut wakings) = (Vec::new(), Vec::new());
        let mut at: u64 = 0;
        for (place, since) in compact.switch_timestamp.iter().enumerate() {
            at = at.saturating_add(*since);
            recorder.tally.switches += 1;
            let (pid, priority) = (compact.switch_next_pid.get(place), compact.switch_next_prio.get(place));
            let name = name(compact.switch_next_comm_index.get(place));
            let to = pid.zip(priority).zip(name);
            let to = to
                .and_then(|((pid, priority), name)| named(recorder, Some(*pid), Some(name), Some(*priority)));
            let (Some(to), Some(state)) = (to, compact.switch_prev_state.get(place)) else {
                recorder.bad_line(place as u64 + 1);
                continue;
            };
            let leaving = leaving_by_number(*state as u64);
            let from = self.0.get(usize::from(cpu)).copied().flatten();
            self.set(cpu, to);
            match from {
                Some(from) => switches.push((at, What::Switch { from, to, leaving })),
                None => switches.push((at, What::Arrives { to })),
            }
        }
        let mut at: u64 = 0;
        for (place, since) in compact.waking_timestamp.iter().enumerate() {
            at = at.saturating_add(*since);
            recorder.tally.wakings += 1;
            let (pid, priority) = (compact.waking_pid.get(place), compact.waking_prio.get(place));
            let thread = pid.zip(priority).zip(name(compact.waking_comm_index.get(place)));
            let thread = thread
                .and_then(|((pid, priority), name)| named(recorder, Some(*pid), Some(name), Some(*priority)));
            let target = compact.waking_target_cpu.get(place).and_then(|cpu| u16::try_from(*cpu).ok());
            match thread {
                Some(thread) => {
                    let target = target.filter(|target| *target <= LARGEST_CPU).unwrap_or(cpu);
                    wakings.push((at, What::Woken { thread, target, wake: Wake::Waking }));
                }
                None => recorder.bad_line(place as u64 + 1),
            }
        }
        merge(switches, wakings, found);
    }
}

/// Adds both lists by time. At one stamp, a thread is woken before a processor goes to it.
fn merge(switches: Vec<(u64, What)>, wakings: Vec<(u64, What)>, found: &mut Vec<(u64, What)>) {
    let mut wakings = wakings.into_iter().peekable();
    for switch in switches {
        while let Some(waking) = wakings.next_if(|waking| waking.0 <= switch.0) {
            found.push(waking);
        }
        found.push(switch);
    }
    found.extend(wakings);
}
