//! Properties of a utility-accrual algorithm.

use super::chains::Chains;
use super::trees::Trees;
use super::{Candidate, Queues};
use alloc::vec::Vec;
use core::fmt;
use schedlab_model::Instant;

/// One decision of a utility-accrual algorithm, at the given time. It gets all ready jobs, in any order, and fills the
/// queues, which are empty, with their indices. Each job is in at most one queue, and once. A queue begins where its
/// processor is [free](Queues::occupy).
///
/// Allocates nothing if there are no more jobs than queues and memory were made for.
pub type Decide = fn(Instant, &[Candidate], &mut Queues, &mut DecisionMemory);

/// A utility-accrual algorithm as schedulers use it.
#[derive(Clone, Copy)]
pub struct UtilityKind {
    /// Description of which jobs run, in words that follow a description of the scope.
    pub description: &'static str,
    /// Function that decides.
    pub decide: Decide,
    /// False if a job that has started keeps its processor.
    pub preemptive: bool,
    /// True if jobs run even if their completion can be worth nothing any more, so that no processor idles.
    pub is_work_conserving: bool,
    /// True if the algorithm also decides about jobs that wait for resources, and so picks which job gets them.
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
    pub(super) trees: Trees,
}

impl DecisionMemory {
    /// Working memory for up to `jobs` jobs on `processors` processors.
    pub fn new(jobs: usize, processors: usize) -> Self {
        DecisionMemory {
            sorted: Vec::with_capacity(jobs),
            ranks: Vec::with_capacity(jobs),
            loads: Vec::with_capacity(processors),
            chains: Chains::new(jobs),
            trees: Trees::new(jobs),
        }
    }
}
