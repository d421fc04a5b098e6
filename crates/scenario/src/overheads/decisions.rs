//! How processors that share a queue decide: `decisions` of an overheads file.

use crate::document::{prose, Table, Value};
use crate::field;
use crate::quantity::{self, DURATION};
use schedlab_model::{Architecture, Deciding, Duration, OverheadKind, QueueLock};

/// How processors that share a queue decide, and where the numbers come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionCosts {
    /// What it takes.
    pub costs: Deciding,
    /// The numbers that were neither published nor measured, but chosen so that something comes out.
    pub fitted: Vec<&'static str>,
    /// Where each number comes from; of the fitted ones, to what.
    pub source: String,
}

/// What takes time.
const PARTS: [&str; 3] = ["hand_over", "access", "migration"];

/// What may be fitted: these, and how long the lock is held.
pub(crate) const FITTED: [&str; 5] =
    [PARTS[0], PARTS[1], PARTS[2], OverheadKind::Release.name(), OverheadKind::Scheduling.name()];

impl DecisionCosts {
    /// By name: how long each part takes.
    pub fn parts(&self) -> [(&'static str, Duration); PARTS.len()] {
        let Deciding { hand_over, access, migration, .. } = self.costs;
        let [first, second, third] = PARTS;
        [(first, hand_over), (second, access), (third, migration)]
    }

    /// What a reader of a number has to know: the architecture, and which of its numbers are fitted.
    pub fn in_words(&self) -> String {
        let architecture = self.costs.architecture;
        match self.fitted[..] {
            [] => architecture.to_string(),
            _ => format!("{architecture}; fitted: {}", self.fitted.join(", ")),
        }
    }
}

/// Reads `decisions`.
pub(super) fn decisions(value: &Value<'_, '_>) -> Option<DecisionCosts> {
    let table =
        value.table(&[&field::DECISIONS], "a table such as { architecture = \"concurrent\", ... }")?;
    let architecture = table.need("architecture", &names_of(&Architecture::NAMED))?;
    let architecture = architecture.choice("architecture", &Architecture::NAMED)?;
    let lock = table.need("lock", &names_of(&QueueLock::NAMED))?.choice("lock", &QueueLock::NAMED)?;
    let hand_over = duration(&table.need("hand_over", DURATION)?)?;
    let access = match (architecture, table.get("access")) {
        (Architecture::StopTheWorld, _) => duration(&table.need("access", DURATION)?)?,
        (Architecture::Concurrent, None) => Duration::ZERO,
        (Architecture::Concurrent, Some(value)) => {
            value
                .refuse("stands where each processor decides for itself", "access with stop-the-world alone");
            return None;
        }
    };
    let migration = duration(&table.need("migration", DURATION)?)?;
    let fitted = fitted(&table)?;
    let source = prose(&table.need("source", "where the numbers come from")?)?;
    Some(DecisionCosts {
        costs: Deciding { architecture, lock, hand_over, access, migration },
        fitted,
        source,
    })
}

/// The names of a list, as an error says what is allowed.
fn names_of<T>(named: &[(&'static str, T)]) -> String {
    named.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

fn duration(value: &Value<'_, '_>) -> Option<Duration> {
    value.parsed(DURATION, quantity::duration)
}

fn fitted(table: &Table<'_, '_>) -> Option<Vec<&'static str>> {
    let Some(list) = table.get("fitted") else { return Some(Vec::new()) };
    let items = list.items("names of numbers, such as [\"access\"]")?;
    items.iter().map(|item| item.word("number of decisions", &FITTED)).collect()
}
