//! How often each question was decided, and how.

use std::collections::BTreeMap;
use std::fmt;

/// What became of scenarios under one scheduler.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerRow {
    /// How many were asked about.
    pub asked: u64,
    /// Of these, those whose deadlines some test proves alone.
    pub alone: u64,
    /// Of these, those whose deadlines follow from bounds alone.
    pub together: u64,
    /// Of these, those that are refuted.
    pub refuted: u64,
    /// Of these, those whose tardiness is bounded.
    pub bounded: u64,
    /// Questions that batches answered alike.
    pub batches: u64,
}

/// What became of all scenarios.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerPower {
    /// By scheduler.
    pub rows: BTreeMap<String, AnswerRow>,
    /// Scenarios that were refused.
    pub refused: u64,
    /// Scenarios that `advise` judged, too.
    pub advised: u64,
}

impl AnswerPower {
    /// The row of a scheduler.
    pub(super) fn row(&mut self, scheduler: &str) -> &mut AnswerRow {
        self.rows.entry(scheduler.to_owned()).or_default()
    }

    /// Takes over what another thread found.
    pub fn merge(&mut self, other: &AnswerPower) {
        self.refused += other.refused;
        self.advised += other.advised;
        for (name, more) in &other.rows {
            let row = self.row(name);
            row.asked += more.asked;
            row.alone += more.alone;
            row.together += more.together;
            row.refuted += more.refuted;
            row.bounded += more.bounded;
            row.batches += more.batches;
        }
    }
}

impl fmt::Display for AnswerPower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "one question, one answer: {} refused, {} judged by advise", self.refused, self.advised)?;
        writeln!(f, "{:<12} asked  alone together refuted bounded batches", "scheduler")?;
        for (name, row) in &self.rows {
            let AnswerRow { asked, alone, together, refuted, bounded, batches } = row;
            writeln!(
                f,
                "{name:<12} {asked:>5} {alone:>6} {together:>8} {refuted:>7} {bounded:>7} {batches:>7}"
            )?;
        }
        Ok(())
    }
}
