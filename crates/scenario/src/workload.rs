//! Work that the code of a task does on its processor when a scenario runs for real.
//!
//! BACKTEST is the test function of litmus-rt-2006, figure 11: in each iteration the difference of two elements of an
//! array, the first drawn at random, the other as far from the end as that one is from the beginning. There each task
//! executes 5,000,000 iterations times its weight, and the time at which it has completed them is measured.

use std::fmt;
use std::num::NonZeroU64;

/// A built-in workload. Simulation and analysis know nothing of it: a job costs what its task says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Workload {
    /// Computes in registers alone.
    #[default]
    Compute,
    /// Writes to each line of its working set, again and again.
    Writes,
    /// Reads each line of its working set, again and again.
    Reads,
    /// BACKTEST on an array of the size of its working set. With a number it is one program over as many jobs as it
    /// takes: so many iterations for a task of weight 1, and the task leaves at its end.
    Backtest(Option<NonZeroU64>),
}

impl Workload {
    /// Allowed workloads, for messages.
    pub const ALLOWED: &'static str =
        "compute, writes, reads, backtest, or backtest and a number of iterations, such as \"backtest 5000000\"";

    /// Reads a workload.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let mut words = text.split_whitespace();
        let workload = match words.next() {
            Some("compute") => Workload::Compute,
            Some("writes") => Workload::Writes,
            Some("reads") => Workload::Reads,
            Some("backtest") => match words.next().map(str::parse) {
                None => Workload::Backtest(None),
                Some(Ok(iterations)) => Workload::Backtest(Some(iterations)),
                Some(Err(_)) => return Err("has no number of iterations from 1 to 2^64 - 1"),
            },
            _ => return Err("is not a workload"),
        };
        match words.next() {
            None => Ok(workload),
            Some(_) => Err("says more than a workload"),
        }
    }

    /// Whether the workload is on data: the task's working set gives the number of bytes.
    pub fn needs_working_set(self) -> bool {
        self != Workload::Compute
    }

    /// The iterations of a program over several jobs, for a task of weight 1.
    pub fn program(self) -> Option<NonZeroU64> {
        match self {
            Workload::Backtest(iterations) => iterations,
            Workload::Compute | Workload::Writes | Workload::Reads => None,
        }
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Workload::Compute => f.write_str("compute"),
            Workload::Writes => f.write_str("writes"),
            Workload::Reads => f.write_str("reads"),
            Workload::Backtest(None) => f.write_str("backtest"),
            Workload::Backtest(Some(iterations)) => write!(f, "backtest {iterations}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let many = NonZeroU64::new(5_000_000);
        for workload in [
            Workload::Compute,
            Workload::Writes,
            Workload::Reads,
            Workload::Backtest(None),
            Workload::Backtest(many),
        ] {
            assert_eq!(Workload::parse(&workload.to_string()), Ok(workload));
        }
    }

    #[test]
    fn what_is_no_workload_is_refused() {
        assert_eq!(Workload::parse(""), Err("is not a workload"));
        assert_eq!(Workload::parse("burn"), Err("is not a workload"));
        assert_eq!(Workload::parse("reads 5"), Err("says more than a workload"));
        assert_eq!(Workload::parse("backtest 5 6"), Err("says more than a workload"));
        let wrong = Err("has no number of iterations from 1 to 2^64 - 1");
        assert_eq!(Workload::parse("backtest 0"), wrong);
        assert_eq!(Workload::parse("backtest -1"), wrong);
    }
}
