//! What each task does, as a thread of a kernel: makes the lanes of processors and the states of threads.
//!
//! Perfetto drops or miscounts what breaks its rules, so the records of one instant are put together:
//!
//! 1. a state that ends an execution names the processor, else the slice there stays open;
//! 2. within an instant, all that stops comes before all that starts;
//! 3. a running thread does not begin to run again: a migration is a stop, and a start elsewhere;
//! 4. no thread has two states at one time: what lasts no time is left out, and a migration's start comes one
//!    nanosecond after its stop.

use super::packet::{Packets, TaskState};
use schedlab_model::{CpuId, Duration, Instant};

/// A thread's state; `Running` has a processor.
type Doing = (TaskState, Option<CpuId>);

#[derive(Clone, Copy, Debug, Default)]
struct Thread {
    /// State of the thread as written to the file.
    shown: Option<Doing>,
    /// Present state of the thread, if it differs from the one shown.
    next: Option<Doing>,
    /// Time from which on the thread has been in the state shown.
    since: Instant,
    /// A start that waits for the next nanosecond.
    late_start: Option<(Instant, CpuId)>,
}

/// The threads of all tasks.
#[derive(Debug, Default)]
pub(super) struct States {
    threads: Vec<Thread>,
    changed: Vec<u32>,
    late: Vec<u32>,
}

impl States {
    /// Sets the state of the task's thread.
    pub(super) fn change(&mut self, task: u32, state: TaskState, cpu: Option<CpuId>) {
        let index = task as usize;
        if index >= self.threads.len() {
            self.threads.resize(index + 1, Thread::default());
        }
        if self.threads[index].next.replace((state, cpu)).is_none() {
            self.changed.push(task);
        }
    }

    /// Writes the starts that were postponed to before `now`.
    pub(super) fn catch_up(&mut self, now: Instant, packets: &mut Packets) {
        for task in core::mem::take(&mut self.late) {
            let thread = &mut self.threads[task as usize];
            match thread.late_start {
                Some((at, cpu)) if at < now => {
                    packets.state(at, task, TaskState::Running, Some(cpu.0));
                    thread.late_start = None;
                    (thread.shown, thread.since) = (Some((TaskState::Running, Some(cpu))), at);
                }
                Some(_) => self.late.push(task),
                None => {}
            }
        }
    }

    /// Writes what the instant `now` has changed.
    pub(super) fn instant_over(&mut self, now: Instant, packets: &mut Packets) {
        let mut changed = core::mem::take(&mut self.changed);
        for task in &changed {
            self.stop(*task, now, packets);
        }
        for task in changed.drain(..) {
            self.start(task, now, packets);
        }
        self.changed = changed;
    }

    fn stop(&mut self, task: u32, now: Instant, packets: &mut Packets) {
        let thread = &mut self.threads[task as usize];
        // Whatever was put off is overtaken by what the task does now.
        thread.late_start = None;
        let Some((state, cpu)) = thread.next.filter(|next| Some(*next) != thread.shown) else { return };
        let ran_on = match thread.shown {
            Some((TaskState::Running, cpu)) => cpu.map(|cpu| cpu.0),
            _ if state == TaskState::Running => return,
            _ => None,
        };
        (thread.shown, thread.since) = (Some((state, cpu)), now);
        if state != TaskState::Running {
            return packets.state(now, task, state, ran_on);
        }
        // A migration: the thread is runnable for a nanosecond.
        packets.state(now, task, TaskState::Runnable, ran_on);
        thread.shown = Some((TaskState::Runnable, None));
        thread.next = None;
        thread.late_start = now.checked_add(Duration::from_ns(1)).zip(cpu);
        self.late.push(task);
    }

    fn start(&mut self, task: u32, now: Instant, packets: &mut Packets) {
        let thread = &mut self.threads[task as usize];
        let Some((TaskState::Running, cpu)) = thread.next.take() else { return };
        let shown = Some((TaskState::Running, cpu));
        if thread.shown != shown {
            packets.state(now, task, TaskState::Running, cpu.map(|cpu| cpu.0));
            (thread.shown, thread.since) = (shown, now);
        }
    }

    /// Ends all states at the end of the trace.
    pub(super) fn finish(&mut self, end: Instant, packets: &mut Packets) {
        for task in 0..self.threads.len() {
            let thread = self.threads[task];
            if let Some((TaskState::Running, cpu)) = thread.shown.filter(|_| thread.since < end) {
                packets.state(end, task as u32, TaskState::Runnable, cpu.map(|cpu| cpu.0));
            }
        }
    }
}
