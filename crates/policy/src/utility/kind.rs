//! What a scheduler has to know of its algorithm.

use super::chains::Chains;
use super::{Candidate, Queues};
use alloc::vec::Vec;
use core::fmt;
use schedlab_model::Instant;

/// One decision of a utility-accrual algorithm, at that time. It fills queues, which are empty, with indices of jobs:
/// all that are ready, in any order. Each job is in at most one queue, and once. A queue begins where its processor is
/// [free](Queues::occupy).
///
/// Allocates nothing if there are no more jobs than queues and memory were made for.
pub type Decide = fn(Instant, &[Candidate], &mut Queues, &mut DecisionMemory);

/// A utility-accrual algorithm as schedulers use it.
#[derive(Clone, Copy)]
pub struct UtilityKind {
    /// Which jobs run, in words that follow a description of the scope.
    pub description: &'static str,
    /// Decides.
    pub decide: Decide,
    /// False if a job that has started keeps its processor.
    pub preemptive: bool,
    /// True if jobs run even if their completion can be worth nothing any more, so that no processor idles.
    pub is_work_conserving: bool,
    /// True if the algorithm decides about jobs that wait for resources, too, and so picks who gets them.
    pub follows_holders: bool,
}

impl fmt::Debug for UtilityKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.description)
    }
}

/// Memory for decisions; it carries nothing from one to the next.
#[derive(Clone, Debug)]
pub struct DecisionMemory {
    /// Jobs in the order in which they are taken.
    pub(super) sorted: Vec<u32>,
    /// By job: its place in an order.
    pub(super) ranks: Vec<u32>,
    /// The loads of processors.
    pub(super) loads: Vec<(u64, usize)>,
    pub(super) chains: Chains,
}

impl DecisionMemory {
    /// For up to so many jobs on so many processors.
    pub fn new(jobs: usize, processors: usize) -> Self {
        DecisionMemory {
            sorted: Vec::with_capacity(jobs),
            ranks: Vec::with_capacity(jobs),
            loads: Vec::with_capacity(processors),
            chains: Chains::new(jobs),
        }
    }
}
