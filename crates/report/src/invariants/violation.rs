//! Violations that a predicate reports.

use core::fmt;
use schedlab_model::{CpuId, Instant, Invariant, JobId};

/// Most violations that are kept with their sentence; all are counted.
const KEPT: usize = 100;

/// One place where a trace is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Time of the violation.
    pub at: Instant,
    /// Job that the violation is about, if there is one.
    pub job: Option<JobId>,
    /// Processor that the violation is about, if there is one.
    pub cpu: Option<CpuId>,
    /// Description of the violation, in a sentence.
    pub what: String,
}

impl Violation {
    /// A violation at this instant, about this job and processor if given.
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

/// All violations of one predicate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violations {
    /// The first hundred violations.
    pub violations: Vec<Violation>,
    /// Number of all violations.
    pub count: u64,
    /// Number of further violations that a broken premise of the promise explains.
    pub excused: u64,
}

impl Violations {
    /// Adds a violation.
    pub fn add(&mut self, violation: Violation) {
        self.count += 1;
        if self.violations.len() < KEPT {
            self.violations.push(violation);
        }
    }
}

/// Outcome of one invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvariantCheck {
    /// The checked invariant.
    pub invariant: Invariant,
    /// Violations of the invariant.
    pub found: Violations,
}

impl InvariantCheck {
    /// Describes the first violation, and the number of the others.
    pub fn detail(&self) -> Option<String> {
        let first = self.found.violations.first()?;
        Some(match self.found.count {
            1 => first.to_string(),
            count => format!("{first} (and {} more)", count - 1),
        })
    }

    /// True if there is no violation.
    pub fn holds(&self) -> bool {
        self.found.count == 0
    }
}
