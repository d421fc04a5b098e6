//! What a predicate objects to.

use core::fmt;
use schedlab_model::{CpuId, Instant, Invariant, JobId};

/// How many violations are kept with their sentence; all are counted.
const KEPT: usize = 100;

/// One place where a trace is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// When.
    pub at: Instant,
    /// Which job it is about, if any.
    pub job: Option<JobId>,
    /// Which processor it is about, if any.
    pub cpu: Option<CpuId>,
    /// A sentence.
    pub what: String,
}

impl Violation {
    /// A place at this instant, about this job and processor if any.
    pub fn new(
        at: Instant,
        job: impl Into<Option<JobId>>,
        cpu: impl Into<Option<CpuId>>,
        what: String,
    ) -> Self {
        Violation { at, job: job.into(), cpu: cpu.into(), what }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {}: {}", self.at, self.what)
    }
}

/// All that one predicate objects to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violations {
    /// The first hundred.
    pub violations: Vec<Violation>,
    /// How many in all.
    pub count: u64,
    /// How many more there are that a broken premise of the promise explains.
    pub excused: u64,
}

impl Violations {
    /// One more place.
    pub fn add(&mut self, violation: Violation) {
        self.count += 1;
        if self.violations.len() < KEPT {
            self.violations.push(violation);
        }
    }
}

/// What became of one invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvariantCheck {
    /// Which.
    pub invariant: Invariant,
    /// What violates it.
    pub found: Violations,
}

impl InvariantCheck {
    /// The first violation, and how many more there are.
    pub fn detail(&self) -> Option<String> {
        let first = self.found.violations.first()?;
        Some(match self.found.count {
            1 => first.to_string(),
            count => format!("{first} (and {} more)", count - 1),
        })
    }

    /// True if nothing violates it.
    pub fn holds(&self) -> bool {
        self.found.count == 0
    }
}
