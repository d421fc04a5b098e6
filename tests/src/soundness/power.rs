//! How hard the tests were tested.

use super::aim::{Aimed, AIMS};
use super::drawn::Drawn;
use super::judge::ClusterVerdict;
use super::observe::Observed;
use schedlab_analysis::{Answer, Bounds, Guarantee};
use schedlab_model::{Duration, Instant, TaskId};
use std::fmt;

/// What happened to one test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Clusters of tasks that it accepted.
    pub accepted: u64,
    /// Systems that aimed at it, which it accepted with costs of at least 90% of the breakdown.
    pub near: u64,
    /// The largest quotient of what was observed and its bound.
    pub largest: f64,
    /// Clusters that it refuted, where the worst case was simulated for two hyperperiods.
    pub refuted: u64,
}

/// Below this many accepted near the breakdown, a test is not tested.
pub(super) const ENOUGH: u64 = 1_000;

/// One row per test, without and with overheads, in the order of [`AIMS`].
#[derive(Clone, Debug, PartialEq)]
pub struct Power {
    /// By test; first without, then with overheads.
    pub rows: Vec<[Row; 2]>,
    /// Systems examined.
    pub systems: u64,
    /// How often they were simulated: with several patterns of arrivals, where verdicts are about all of them.
    pub runs: u64,
    /// What they were like.
    pub drawn: Drawn,
}

impl Default for Power {
    fn default() -> Self {
        Power { rows: vec![Default::default(); AIMS.len()], systems: 0, runs: 0, drawn: Drawn::default() }
    }
}

impl Power {
    /// Takes over what another thread found.
    pub fn merge(&mut self, other: &Power) {
        self.systems += other.systems;
        self.runs += other.runs;
        self.drawn.merge(&other.drawn);
        for (row, more) in self.rows.iter_mut().flatten().zip(other.rows.iter().flatten()) {
            row.accepted += more.accepted;
            row.near += more.near;
            row.largest = row.largest.max(more.largest);
            row.refuted += more.refuted;
        }
    }

    /// Counts a system, the test that it aims at, and the tests that accept it.
    pub fn add_drawn(&mut self, aimed: &Aimed, verdicts: &[ClusterVerdict]) {
        self.systems += 1;
        self.drawn.add(aimed);
        let overheads = usize::from(!aimed.system.overheads.are_none());
        self.rows[aimed.aim][overheads].near += u64::from(aimed.near_breakdown);
        let accepting =
            |of: &&ClusterVerdict| of.verdict.answer == Answer::Schedulable && !of.tasks.is_empty();
        for of in verdicts.iter().filter(accepting) {
            if let Some(place) = place_of(of) {
                self.rows[place][overheads].accepted += 1;
            }
        }
    }

    /// Holds a verdict against what was observed.
    pub fn add(&mut self, aimed: &Aimed, of: &ClusterVerdict, observed: &Observed) -> Result<(), String> {
        let verdict = &of.verdict;
        let misses: u64 = of.tasks.iter().map(|task| observed.tasks[task.index()].misses).sum();
        let accepted = verdict.answer == Answer::Schedulable;
        let hard = verdict.guarantee == Guarantee::Hard;
        if accepted && hard && misses > 0 {
            return Err(format!("{} accepts, but {misses} deadlines are missed", verdict.test));
        }
        let largest = largest_quotient(of, observed)?;
        // A counter-example may need costs below the worst, unless they are known.
        let is_known = |task: &TaskId| {
            let task = &aimed.system.tasks[task.index()];
            task.bcet == task.wcet
        };
        let comparable = verdict.counter_example.is_none() || of.tasks.iter().all(is_known);
        let refuted = verdict.answer == Answer::Unschedulable && hard && aimed.is_worst_case() && comparable;
        if refuted && misses == 0 {
            return Err(format!("{} refuses, but no deadline is missed: {}", verdict.test, verdict.reason));
        }
        let Some(place) = place_of(of) else { return Ok(()) };
        let row = &mut self.rows[place][usize::from(!aimed.system.overheads.are_none())];
        row.refuted += u64::from(refuted);
        row.largest = row.largest.max(largest);
        Ok(())
    }
}

/// The row of a verdict's test.
fn place_of(of: &ClusterVerdict) -> Option<usize> {
    AIMS.iter().position(|aim| aim.test == of.verdict.test)
}

fn largest_quotient(of: &ClusterVerdict, observed: &Observed) -> Result<f64, String> {
    let (bounds, tardiness) = match &of.verdict.bounds {
        Bounds::None => return Ok(0.0),
        Bounds::ResponseTime(bounds) => (bounds, false),
        Bounds::Tardiness(bounds) => (bounds, true),
    };
    let mut largest: f64 = 0.0;
    for (task, bound) in of.tasks.iter().zip(bounds) {
        let Some(bound) = bound.map(Duration::as_ns) else { continue };
        let seen = &observed.tasks[task.index()];
        let (what, value) = match tardiness {
            true => ("tardiness", seen.tardiness_max),
            false => ("response time", seen.response_time_max),
        };
        if value > bound {
            let bound = Instant::from_ns(bound);
            return Err(format!("{}: {task} has {what} {value}ns above the bound {bound}", of.verdict.test));
        }
        if bound > 0 {
            largest = largest.max(value as f64 / bound as f64);
        }
    }
    Ok(largest)
}

impl fmt::Display for Power {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} systems, {} runs", self.systems, self.runs)?;
        let head = ("accepted", "near breakdown", "observed/bound", "refuted and missed");
        writeln!(f, "{:<28} {:>9} {:>15} {:>15} {:>19}", "test", head.0, head.1, head.2, head.3)?;
        for (overheads, suffix) in ["", " with overheads"].iter().enumerate() {
            for (aim, rows) in AIMS.iter().zip(&self.rows) {
                if overheads == 1 && !aim.bears_overheads() {
                    continue;
                }
                let row = &rows[overheads];
                let name = format!("{}{suffix}", aim.test);
                write!(f, "{name:<34} {:>9} {:>9} ", row.accepted, row.near)?;
                write!(f, "{:>15.4} {:>19}", row.largest, row.refuted)?;
                writeln!(f, "{}", if row.near < ENOUGH { "  not tested" } else { "" })?;
            }
        }
        write!(f, "{}", self.drawn)
    }
}
