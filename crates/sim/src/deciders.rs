//! Who decides, and who waits for it, where processors share a queue; `architecture` says how they take turns.

use schedlab_model::{Architecture, ClusterId, CpuId, Deciding, Duration, Instant, Platform};
use std::collections::VecDeque;

/// What the clusters' processors wait for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deciders {
    deciding: Option<Deciding>,
    /// By cluster, if each decides for itself: who holds the queue's lock, and who waits behind.
    queues: Vec<VecDeque<CpuId>>,
    /// By cluster, if one decides for all: who stands still, the first to come first.
    standing: Vec<Vec<CpuId>>,
    /// By cluster: when all stood still the last time.
    decided: Vec<Instant>,
    /// By processor: how far the next stop has come there.
    stops: Vec<Stop>,
}

/// What a processor knows of the next stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// There is none.
    None,
    /// An interrupt on its way will tell.
    OnItsWay,
    /// It stands still, or will as soon as what occupies it is over.
    Heard,
}

impl Deciders {
    pub(crate) fn new(deciding: Option<Deciding>, scheduling: Duration, platform: &Platform) -> Self {
        // A stop that takes no time is none.
        let stops = |one: &Deciding| !(one.access + one.hand_over + scheduling).is_zero();
        let is = |one: &Deciding| one.architecture == Architecture::Concurrent || stops(one);
        let Some(known) = deciding.filter(is) else { return Deciders::default() };
        let each = || platform.clusters.iter().map(|cluster| cluster.cpus.len());
        Deciders {
            deciding: Some(known),
            queues: each().map(VecDeque::with_capacity).collect(),
            standing: each().map(Vec::with_capacity).collect(),
            decided: vec![Instant::NEVER; platform.clusters.len()],
            stops: vec![Stop::None; platform.processors().into()],
        }
    }

    /// How processors decide, if that takes them more than overheads of their own.
    #[inline(always)]
    pub(crate) fn deciding(&self) -> Option<Deciding> {
        self.deciding
    }

    /// `cpu` wants the lock of its cluster's queue. True if it holds that from now on.
    pub(crate) fn queue_up(&mut self, cluster: ClusterId, cpu: CpuId) -> bool {
        let queue = &mut self.queues[cluster.index()];
        queue.push_back(cpu);
        queue.len() == 1
    }

    /// `cpu` gives that lock back. Says who holds it next, and how many want it then.
    pub(crate) fn give_back(&mut self, cluster: ClusterId, cpu: CpuId) -> Option<(CpuId, usize)> {
        let queue = &mut self.queues[cluster.index()];
        assert_eq!(queue.pop_front(), Some(cpu), "the holder gives the lock back");
        queue.front().map(|next| (*next, queue.len()))
    }

    /// How far the next stop has come on `cpu`.
    pub(crate) fn stop_of(&self, cpu: CpuId) -> Stop {
        self.stops[cpu.index()]
    }

    /// The next stop has come so far on `cpu`.
    pub(crate) fn set_stop(&mut self, cpu: CpuId, stop: Stop) {
        self.stops[cpu.index()] = stop;
    }

    /// True if all processors of the cluster came to stand still at `now`.
    pub(crate) fn has_decided(&self, cluster: ClusterId, now: Instant) -> bool {
        self.decided[cluster.index()] == now
    }

    /// `cpu`, of a cluster of so many `processors`, stands still from `now` on. True if it is the last to do so.
    pub(crate) fn stand(
        &mut self,
        cluster: ClusterId,
        cpu: CpuId,
        (processors, now): (usize, Instant),
    ) -> bool {
        let standing = &mut self.standing[cluster.index()];
        standing.push(cpu);
        let all = standing.len() == processors;
        if all {
            self.decided[cluster.index()] = now;
        }
        all
    }

    /// The processors of the cluster go on, as `go_on` does it: it is told each in the order in which they came, with
    /// how many came before.
    pub(crate) fn release(&mut self, cluster: ClusterId, mut go_on: impl FnMut(usize, CpuId)) {
        for (before, cpu) in self.standing[cluster.index()].drain(..).enumerate() {
            self.stops[cpu.index()] = Stop::None;
            go_on(before, cpu);
        }
    }

    /// True if each decision stops all processors of a cluster.
    #[inline(always)]
    pub(crate) fn stop_the_world(&self) -> bool {
        self.deciding.is_some_and(|known| known.architecture == Architecture::StopTheWorld)
    }

    /// True if `cpu` has not heard of a decision, and works on.
    #[inline(always)]
    pub(crate) fn works_on(&self, cpu: CpuId) -> bool {
        self.stops.get(cpu.index()) == Some(&Stop::OnItsWay)
    }
}
