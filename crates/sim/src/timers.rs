//! Timers for everything that happens at a known time, besides arrivals and ends of activities.

use schedlab_model::{ClusterId, Heap, HeapKey, Instant, JobId, TimerKey};

/// The kind of a timer; the order of the variants is the order within an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// The processor reaches a quantum boundary.
    Tick = 0,
    /// The job `extra` of the task is released.
    Release = 1,
    /// The task's job ends its self-suspension.
    Resume = 2,
    /// A timer of the policy of cluster `id` is due; `extra` is its key.
    Policy = 3,
    /// The task joins.
    Join = 4,
    /// The task leaves.
    Leave = 5,
    /// An inter-processor interrupt asks the processor to look at its link.
    Look = 6,
}

/// An entry of the timer queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    pub at: Instant,
    pub kind: Kind,
    pub id: u32,
    pub extra: u32,
}

impl HeapKey for Due {
    fn goes_before(self, other: Due) -> bool {
        (self.at, self.kind, self.id, self.extra) < (other.at, other.kind, other.id, other.extra)
    }
}

/// The queue of timers, with those that policies have set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timers {
    queue: Heap<Due>,
    /// Time of the first entry of the queue.
    first: Instant,
    /// Times of policies' timers, by cluster and key.
    armed: Vec<Vec<Option<Instant>>>,
}

impl Timers {
    /// Removes all timers; reserves room for `capacity` entries.
    pub(crate) fn renew(&mut self, clusters: usize, capacity: usize) {
        self.queue.renew(capacity);
        self.first = Instant::NEVER;
        self.armed.iter_mut().for_each(Vec::clear);
        self.armed.resize_with(clusters, Vec::new);
    }

    pub(crate) fn push(&mut self, at: Instant, kind: Kind, id: u32) {
        self.insert(Due { at, kind, id, extra: 0 });
    }

    fn insert(&mut self, due: Due) {
        self.first = self.first.min(due.at);
        self.queue.push(due);
    }

    pub(crate) fn push_release(&mut self, at: Instant, job: JobId) {
        self.insert(Due { at, kind: Kind::Release, id: job.task.0, extra: job.number });
    }

    #[inline]
    pub(crate) fn next(&self) -> Instant {
        self.first
    }

    /// Returns the next entry; if it is a policy's timer, that may have been removed.
    pub(crate) fn peek(&self) -> Option<Due> {
        self.queue.peek()
    }

    /// Takes the next entry that is due at `now`. Skips timers of policies that were set anew or removed.
    pub(crate) fn pop_due(&mut self, now: Instant) -> Option<Due> {
        while self.first == now {
            let due = self.queue.pop().expect("something is due");
            self.first = self.queue.peek().map_or(Instant::NEVER, |next| next.at);
            if due.kind != Kind::Policy {
                return Some(due);
            }
            let armed = &mut self.armed[due.id as usize][due.extra as usize];
            if *armed == Some(now) {
                *armed = None;
                return Some(due);
            }
        }
        None
    }

    /// Sets or removes a policy's timer. A time that is not in the future is a bug of the policy.
    pub(crate) fn arm(&mut self, now: Instant, cluster: ClusterId, key: TimerKey, at: Option<Instant>) {
        let keys = &mut self.armed[cluster.index()];
        if keys.len() <= key.0 as usize {
            keys.resize(key.0 as usize + 1, None);
        }
        if keys[key.0 as usize] == at {
            return;
        }
        keys[key.0 as usize] = at;
        if let Some(at) = at {
            assert!(at > now, "a policy set timer {} to {at}, which is not after {now}", key.0);
            self.insert(Due { at, kind: Kind::Policy, id: cluster.0.into(), extra: key.0 });
        }
    }
}
