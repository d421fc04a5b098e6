//! Which pairs of features were drawn together.

use super::list::{refused, FEATURES, SPLIT};
use super::scene::Scene;
use super::Outcome;
use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write as _;

/// What became of the scenes that have two features.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    /// Simulated.
    pub simulated: u64,
    /// Of these, those that some test gives a verdict or a bound.
    pub judged: u64,
    /// Refused.
    pub refused: u64,
    /// A reason, for the reader of a hole.
    pub why: String,
}

/// By places of two features; a feature with itself counts its scenes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeaturePower {
    pairs: BTreeMap<(usize, usize), Pair>,
    /// Scenes drawn.
    pub scenes: u64,
    /// Of these, those that were simulated.
    pub simulated: u64,
    /// Of these, those that some test gives a verdict or a bound.
    pub judged: u64,
}

impl FeaturePower {
    pub(super) fn add(&mut self, scene: &Scene, outcome: &Outcome) {
        // Whether a task has to be split is known when all are placed.
        let whole = matches!(outcome, Outcome::Held { split: false, .. });
        let has = |index: &usize| FEATURES[*index].1(scene) && !(whole && FEATURES[*index].0 == SPLIT);
        let own: Vec<usize> = (0..FEATURES.len()).filter(has).collect();
        self.scenes += 1;
        self.simulated += u64::from(matches!(outcome, Outcome::Held { .. }));
        self.judged += u64::from(matches!(outcome, Outcome::Held { judged: true, .. }));
        for (place, first) in own.iter().enumerate() {
            for second in &own[place..] {
                let pair = self.pairs.entry((*first, *second)).or_default();
                match outcome {
                    Outcome::Refused(why) => {
                        pair.refused += 1;
                        pair.why.clone_from(why);
                    }
                    Outcome::Held { judged, .. } => {
                        pair.simulated += 1;
                        pair.judged += u64::from(*judged);
                    }
                }
            }
        }
    }

    /// Takes over what another thread found.
    pub fn merge(&mut self, other: &FeaturePower) {
        self.scenes += other.scenes;
        self.simulated += other.simulated;
        self.judged += other.judged;
        for (index, more) in &other.pairs {
            let pair = self.pairs.entry(*index).or_default();
            pair.simulated += more.simulated;
            pair.judged += more.judged;
            pair.refused += more.refused;
            if pair.why.is_empty() || pair.why > more.why {
                pair.why.clone_from(&more.why);
            }
        }
    }

    fn pair(&self, a: usize, b: usize) -> Pair {
        self.pairs.get(&(a.min(b), a.max(b))).cloned().unwrap_or_default()
    }

    /// Pairs that are not refused by design, of which fewer than `enough` scenes were simulated, each with the reason
    /// of a refusal.
    pub fn holes(&self, enough: u64) -> Vec<String> {
        self.all(|pair, why| why.is_none() && pair.simulated < enough)
    }

    /// Pairs that are said to be refused and were simulated.
    pub fn stale(&self) -> Vec<String> {
        self.all(|pair, why| why.is_some() && pair.simulated > 0)
    }

    fn all(&self, wanted: impl Fn(&Pair, Option<&str>) -> bool) -> Vec<String> {
        let mut all = Vec::new();
        for (a, (first, _)) in FEATURES.iter().enumerate() {
            for (b, (second, _)) in FEATURES.iter().enumerate().skip(a) {
                let why = if a == b { None } else { refused(first, second) };
                let pair = self.pair(a, b);
                if wanted(&pair, why) {
                    let Pair { simulated, refused, why, .. } = pair;
                    let why = why.replace('\n', " ");
                    all.push(format!("{first} x {second}: {simulated} simulated, {refused} refused; {why}"));
                }
            }
        }
        all
    }

    /// A row for each feature, one character for each pair: below the diagonal how many were simulated, above it how
    /// many of these have a verdict or a bound, by the number of digits.
    pub fn matrix(&self) -> String {
        let width = FEATURES.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let mut text = String::new();
        for tens in [true, false] {
            let digit = |index: usize| match (tens, (index + 1) / 10, (index + 1) % 10) {
                (true, 0, _) => ' ',
                (true, ten, _) => char::from(b'0' + ten as u8),
                (false, _, one) => char::from(b'0' + one as u8),
            };
            let head: String = (0..FEATURES.len()).map(digit).collect();
            let _ = writeln!(text, "{:width$} {head}", "", width = width + 3);
        }
        for (a, (name, _)) in FEATURES.iter().enumerate() {
            let cell = |b: usize| {
                let pair = self.pair(a, b);
                if a != b && refused(name, FEATURES[b].0).is_some() {
                    return '-';
                }
                match if b <= a { pair.simulated } else { pair.judged } {
                    0 => '.',
                    count => char::from(b'1' + count.ilog10() as u8),
                }
            };
            let row: String = (0..FEATURES.len()).map(cell).collect();
            let _ = writeln!(text, "{:2} {name:width$} {row}", a + 1);
        }
        text
    }
}

impl fmt::Display for FeaturePower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.matrix())?;
        let FeaturePower { scenes, simulated, judged, .. } = self;
        writeln!(f, "{scenes} scenarios of all features, {simulated} simulated, {judged} of these with verdicts or bounds")?;
        self.holes(1).iter().try_for_each(|hole| writeln!(f, "never simulated: {hole}"))?;
        self.stale().iter().try_for_each(|pair| writeln!(f, "simulated, though listed as refused: {pair}"))
    }
}
