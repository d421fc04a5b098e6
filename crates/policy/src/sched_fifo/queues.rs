//! The run queues: which threads each processor has, which of them runs, and which may move.

use alloc::vec::Vec;

/// A processor of the cluster.
pub(super) type LocalCpu = u16;

/// The urgency of a processor that runs no thread. Smaller is more urgent.
pub(super) const LOWEST: u64 = u64::MAX;

#[derive(Clone, Copy, Debug)]
struct Thread {
    urgency: u64,
    /// Processor whose queue holds the thread, or held it last.
    place: LocalCpu,
    is_queued: bool,
    /// Begin of the thread's wait, which orders the moves of threads with equal urgency.
    waits_since: u64,
}

#[derive(Clone, Debug)]
struct RunQueue {
    /// Threads, the most urgent first; those of equal urgency in the order in which they run.
    order: Vec<u32>,
    current: Option<u32>,
}

/// All threads, and the queue of each processor.
#[derive(Clone, Debug)]
pub(super) struct Queues {
    threads: Vec<Thread>,
    queues: Vec<RunQueue>,
    waits: u64,
}

impl Queues {
    pub(super) fn new(places: usize, threads: usize) -> Self {
        let thread = |index: usize| Thread {
            urgency: LOWEST,
            place: (index % places) as LocalCpu,
            is_queued: false,
            waits_since: 0,
        };
        let queue = |_| RunQueue { order: Vec::with_capacity(threads), current: None };
        Queues {
            threads: (0..threads).map(thread).collect(),
            queues: (0..places).map(queue).collect(),
            waits: 0,
        }
    }

    pub(super) fn is_queued(&self, thread: u32) -> bool {
        self.threads[thread as usize].is_queued
    }

    pub(super) fn urgency(&self, thread: u32) -> u64 {
        self.threads[thread as usize].urgency
    }

    pub(super) fn place(&self, thread: u32) -> LocalCpu {
        self.threads[thread as usize].place
    }

    pub(super) fn current(&self, place: LocalCpu) -> Option<u32> {
        self.queues[usize::from(place)].current
    }

    /// Urgency of the thread that the processor runs.
    pub(super) fn running(&self, place: LocalCpu) -> u64 {
        self.current(place).map_or(LOWEST, |thread| self.urgency(thread))
    }

    /// Urgency of the first thread in the processor's queue.
    pub(super) fn most_urgent(&self, place: LocalCpu) -> u64 {
        self.queues[usize::from(place)].order.first().map_or(LOWEST, |first| self.urgency(*first))
    }

    /// The processor whose first thread is the least urgent, if that is less urgent than `urgency`: the thread's own
    /// place before others, then the first.
    pub(super) fn least_urgent_cpu(&self, thread: u32, urgency: u64) -> Option<LocalCpu> {
        let own = self.place(thread);
        let mut best = (own, self.most_urgent(own));
        for place in 0..self.queues.len() as LocalCpu {
            let found = self.most_urgent(place);
            if found > best.1 {
                best = (place, found);
            }
        }
        (best.1 > urgency).then_some(best.0)
    }

    /// Appends the thread as the last of its urgency to the queue of `place`.
    pub(super) fn append(&mut self, thread: u32, urgency: u64, place: LocalCpu) {
        self.insert(thread, urgency, place, |other| other <= urgency);
    }

    /// Sets the thread's urgency: it becomes the first of that urgency if it is less urgent than before, else the last.
    pub(super) fn change_urgency(&mut self, thread: u32, urgency: u64) {
        let (place, before) = (self.place(thread), self.urgency(thread));
        self.unlink(thread);
        match before < urgency {
            true => self.insert(thread, urgency, place, |other| other < urgency),
            false => self.insert(thread, urgency, place, |other| other <= urgency),
        }
    }

    /// Inserts the thread behind those that `goes_before` it by their urgencies.
    fn insert(&mut self, thread: u32, urgency: u64, place: LocalCpu, goes_before: impl Fn(u64) -> bool) {
        let queue = &self.queues[usize::from(place)];
        let index = queue.order.partition_point(|other| goes_before(self.urgency(*other)));
        self.waits += 1;
        self.threads[thread as usize] = Thread { urgency, place, is_queued: true, waits_since: self.waits };
        self.queues[usize::from(place)].order.insert(index, thread);
    }

    fn unlink(&mut self, thread: u32) {
        let place = usize::from(self.place(thread));
        self.queues[place].order.retain(|other| *other != thread);
    }

    /// Takes the thread out of its queue; true if it ran.
    pub(super) fn remove(&mut self, thread: u32) -> bool {
        self.unlink(thread);
        self.threads[thread as usize].is_queued = false;
        let queue = &mut self.queues[usize::from(self.threads[thread as usize].place)];
        let was_running = queue.current == Some(thread);
        if was_running {
            queue.current = None;
        }
        was_running
    }

    /// Lets the processor run the first thread of its queue that `may_run`. Returns true if it ran another one, or
    /// none, before. A preempted thread waits.
    pub(super) fn begin_first(&mut self, place: LocalCpu, may_run: impl Fn(u32) -> bool) -> bool {
        let queue = &mut self.queues[usize::from(place)];
        let first = queue.order.iter().copied().find(|thread| may_run(*thread));
        let before = core::mem::replace(&mut queue.current, first);
        if before != first {
            if let Some(preempted) = before {
                self.waits += 1;
                self.threads[preempted as usize].waits_since = self.waits;
            }
        }
        before != first
    }

    /// Lets the processor run no thread. Returns true if it ran one, which now waits at its place in the queue.
    pub(super) fn stop(&mut self, place: LocalCpu) -> bool {
        let Some(stopped) = self.queues[usize::from(place)].current.take() else { return false };
        self.waits += 1;
        self.threads[stopped as usize].waits_since = self.waits;
        true
    }

    /// Returns the most urgent thread that is in a processor's queue and does not run; of equal ones that which waits
    /// longest.
    pub(super) fn first_waiting(&self, place: LocalCpu) -> Option<u32> {
        let queue = &self.queues[usize::from(place)];
        let mut waiting = queue.order.iter().copied().filter(|thread| queue.current != Some(*thread));
        let first = waiting.next()?;
        let equal = waiting.take_while(|other| self.urgency(*other) == self.urgency(first));
        let since = |thread: &u32| self.threads[*thread as usize].waits_since;
        core::iter::once(first).chain(equal).min_by_key(since)
    }
}
