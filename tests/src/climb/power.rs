//! How near climbs came to bounds, beside plans drawn at random.

use super::target::{Bound, Quantity};
use std::collections::BTreeMap;
use std::fmt;

/// Ratios are counted in parts of this.
const WHOLE: u64 = 1_000_000;

/// What was seen as part of a bound, in millionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ratio(u64);

impl Ratio {
    pub(super) fn of(seen: u64, bound: u64) -> Ratio {
        Ratio((u128::from(seen) * u128::from(WHOLE) / u128::from(bound.max(1))) as u64)
    }
}

/// What happened to one bound, over all systems that it was of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClimbRow {
    /// Climbs towards it.
    pub climbs: u64,
    /// Their steps.
    pub steps: u64,
    /// The largest ratio of plans drawn at random beside each climb: their sum, and the largest of all, in millionths.
    pub drawn: (u64, u64),
    /// The same of climbs.
    pub climbed: (u64, u64),
}

/// One row by bound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClimbPower {
    /// By name and what is bounded.
    pub rows: BTreeMap<(String, &'static str), ClimbRow>,
    /// Systems climbed in.
    pub systems: u64,
    /// Steps of all climbs; as many plans were drawn at random.
    pub steps: u64,
}

impl ClimbPower {
    pub(super) fn add(&mut self, bound: &Bound, steps: u64, drawn: Ratio, climbed: Ratio) {
        let of = match bound.quantity {
            Quantity::Response => "response",
            Quantity::Blocking(_) => "blocking",
        };
        let row = self.rows.entry((bound.name.clone(), of)).or_default();
        row.climbs += 1;
        row.steps += steps;
        row.drawn = (row.drawn.0 + drawn.0, row.drawn.1.max(drawn.0));
        row.climbed = (row.climbed.0 + climbed.0, row.climbed.1.max(climbed.0));
        self.steps += steps;
    }

    /// Takes over what another thread found.
    pub fn merge(&mut self, other: &ClimbPower) {
        self.systems += other.systems;
        self.steps += other.steps;
        for (name, more) in &other.rows {
            let row = self.rows.entry(name.clone()).or_default();
            row.climbs += more.climbs;
            row.steps += more.steps;
            row.drawn = (row.drawn.0 + more.drawn.0, row.drawn.1.max(more.drawn.1));
            row.climbed = (row.climbed.0 + more.climbed.0, row.climbed.1.max(more.climbed.1));
        }
    }
}

impl ClimbRow {
    /// Mean and largest ratio of plans drawn at random, then of climbs.
    pub fn ratios(&self) -> [f64; 4] {
        let whole = WHOLE as f64;
        let mean = |sum: u64| sum as f64 / whole / self.climbs.max(1) as f64;
        let (drawn, climbed) = (self.drawn, self.climbed);
        [mean(drawn.0), drawn.1 as f64 / whole, mean(climbed.0), climbed.1 as f64 / whole]
    }
}

impl fmt::Display for ClimbPower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<52} {:<8} {:>8} {:>10}", "climbed towards", "of", "climbs", "steps")?;
        writeln!(f, " {:>14} {:>15}", "drawn: mean max", "climbed: mean max")?;
        for ((name, of), row) in &self.rows {
            let [mean, max, climbed, most] = row.ratios();
            write!(f, "{name:<52} {of:<8} {:>8} {:>10}", row.climbs, row.steps)?;
            writeln!(f, "   {mean:.3}  {max:.3}    {climbed:.3}  {most:.3}")?;
        }
        writeln!(f, "{} systems, {} steps climbed, as many plans drawn at random", self.systems, self.steps)
    }
}
