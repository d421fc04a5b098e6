//! Processors that decide, or wait for it, if they share a queue; `architecture` documents how they take turns.

use schedlab_model::{Architecture, ClusterId, CpuId, Deciding, Duration, Instant, Platform};
use std::collections::VecDeque;

/// State of the clusters' queues and stops.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deciders {
    deciding: Option<Deciding>,
    /// True if each decision stops all processors of a cluster, and that takes time.
    stops_world: bool,
    /// By cluster: the processor that holds the lock of the queue, then those that wait for it.
    queues: Vec<VecDeque<CpuId>>,
    /// Processors by cluster that stand still under stop-the-world, in the order in which they came.
    standing: Vec<Vec<CpuId>>,
    /// Last time by cluster at which all processors stood still.
    decided: Vec<Instant>,
    /// State of the next stop on each processor.
    stops: Vec<Stop>,
}

/// A processor's state before the next stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// No stop is due.
    None,
    /// An interrupt that announces the stop is on its way.
    OnItsWay,
    /// The processor stands still, or will as soon as the overhead that occupies it is over.
    Heard,
}

impl Deciders {
    pub(crate) fn new(deciding: Option<Deciding>, scheduling: Duration, platform: &Platform) -> Self {
        // A stop that takes no time is not modelled.
        let stops = |one: &Deciding| !(one.access + one.hand_over + scheduling).is_zero();
        let locks = |one: &Deciding| one.architecture == Architecture::Concurrent || one.queue.is_some();
        let is = |one: &Deciding| locks(one) || stops(one);
        let Some(known) = deciding.filter(is) else { return Deciders::default() };
        let each = || platform.clusters.iter().map(|cluster| cluster.cpus.len());
        Deciders {
            deciding: Some(known),
            stops_world: known.architecture == Architecture::StopTheWorld && stops(&known),
            queues: each().map(VecDeque::with_capacity).collect(),
            standing: each().map(Vec::with_capacity).collect(),
            decided: vec![Instant::NEVER; platform.clusters.len()],
            stops: vec![Stop::None; platform.processors().into()],
        }
    }

    /// Returns how processors decide, if that takes them more than the overheads of their own.
    #[inline(always)]
    pub(crate) fn deciding(&self) -> Option<Deciding> {
        self.deciding
    }

    /// Queues `cpu` for the lock of its cluster's queue. Returns true if it holds the lock from now on.
    pub(crate) fn queue_up(&mut self, cluster: ClusterId, cpu: CpuId) -> bool {
        let queue = &mut self.queues[cluster.index()];
        queue.push_back(cpu);
        queue.len() == 1
    }

    /// Releases the lock of `cpu`. Returns its next holder, and the number of processors that then hold or want it.
    pub(crate) fn give_back(&mut self, cluster: ClusterId, cpu: CpuId) -> Option<(CpuId, usize)> {
        let queue = &mut self.queues[cluster.index()];
        assert_eq!(queue.pop_front(), Some(cpu), "the holder gives the lock back");
        queue.front().map(|next| (*next, queue.len()))
    }

    /// Returns the state of the next stop on `cpu`.
    pub(crate) fn stop_of(&self, cpu: CpuId) -> Stop {
        self.stops[cpu.index()]
    }

    /// Sets the state of the next stop on `cpu`.
    pub(crate) fn set_stop(&mut self, cpu: CpuId, stop: Stop) {
        self.stops[cpu.index()] = stop;
    }

    /// True if the last processor of the cluster came to stand still at `now`.
    pub(crate) fn has_decided(&self, cluster: ClusterId, now: Instant) -> bool {
        self.decided[cluster.index()] == now
    }

    /// Lets `cpu`, of a cluster of `processors`, stand still from `now` on. Returns true if it is the last to do so.
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

    /// Ends the standstill of the cluster. Calls `go_on` for each processor, in the order in which they came, with the
    /// number of those that came before it.
    pub(crate) fn release(&mut self, cluster: ClusterId, mut go_on: impl FnMut(usize, CpuId)) {
        for (before, cpu) in self.standing[cluster.index()].drain(..).enumerate() {
            self.stops[cpu.index()] = Stop::None;
            go_on(before, cpu);
        }
    }

    /// True if each decision stops all processors of a cluster.
    #[inline(always)]
    pub(crate) fn stop_the_world(&self) -> bool {
        self.stops_world
    }

    /// True if an interrupt that stops `cpu` is on its way and it still works.
    #[inline(always)]
    pub(crate) fn works_on(&self, cpu: CpuId) -> bool {
        self.stops.get(cpu.index()) == Some(&Stop::OnItsWay)
    }
}
