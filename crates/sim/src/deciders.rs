//! Who decides, and who waits for it, where processors share a queue; `architecture` says how they take turns.

use schedlab_model::{Architecture, CpuId, Deciding, Duration, Instant, Platform};
use std::collections::VecDeque;

/// What the clusters' processors wait for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deciders {
    pub deciding: Option<Deciding>,
    /// By cluster, if each decides for itself: who holds the queue's lock, and who waits behind.
    pub queues: Vec<VecDeque<CpuId>>,
    /// By cluster, if one decides for all: who stands still, the first to come first.
    pub standing: Vec<Vec<CpuId>>,
    /// By cluster: when all stood still the last time.
    pub decided: Vec<Instant>,
    /// By processor: how far the next stop has come there.
    pub stops: Vec<Stop>,
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
