//! What a scheduler has to know of its algorithm.

use super::Algorithm;
use alloc::boxed::Box;
use core::fmt;

/// A utility-accrual algorithm as schedulers use it.
#[derive(Clone, Copy)]
pub struct UtilityKind {
    /// Which jobs run, in words that follow a description of the scope.
    pub description: &'static str,
    /// Makes the algorithm, for so many jobs on so many processors.
    pub algorithm: fn(usize, usize) -> Box<dyn Algorithm>,
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
