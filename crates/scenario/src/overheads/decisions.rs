//! Decisions of processors that share a queue: `decisions` of an overheads file.

use crate::document::{duration, prose, Value};
use crate::field;
use crate::quantity::DURATION;
use crate::words::{names, FITTED, PARTS};
use schedlab_model::{Architecture, Deciding, Duration, QueueLock};

/// Costs of decisions where processors share a queue, and the sources of the numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionCosts {
    /// Architecture and costs of a decision.
    pub costs: Deciding,
    /// Names of the numbers that were neither published nor measured, but chosen to fit a result.
    pub fitted: Vec<&'static str>,
    /// Source of each number; for the fitted ones, the result to which they were fitted.
    pub source: String,
}

impl DecisionCosts {
    /// Time of each part, by name.
    pub(crate) fn parts(&self) -> [(&'static str, Duration); PARTS.len()] {
        let Deciding { hand_over, access, migration, .. } = self.costs;
        let [first, second, third] = PARTS;
        [(first, hand_over), (second, access), (third, migration)]
    }

    /// Describes the architecture, and which of its numbers are fitted.
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
    let architectures = names(&Architecture::NAMED).join(", ");
    let architecture =
        table.needed("architecture", &architectures, |v| v.choice("architecture", &Architecture::NAMED))?;
    let locks = names(&QueueLock::NAMED).join(", ");
    let lock = table.needed("lock", &locks, |v| v.choice("lock", &QueueLock::NAMED))?;
    let hand_over = table.needed("hand_over", DURATION, duration)?;
    let access = match (architecture, table.get("access")) {
        (Architecture::StopTheWorld, _) => table.needed("access", DURATION, duration)?,
        (Architecture::Concurrent, None) => Duration::ZERO,
        (Architecture::Concurrent, Some(value)) => {
            return value.refused(
                "stands where each processor decides for itself",
                "access with stop-the-world alone",
            );
        }
    };
    let migration = table.needed("migration", DURATION, duration)?;
    let fitted = table.given_or("fitted", Vec::new(), fitted)?;
    let source = table.needed("source", "where the numbers come from", prose)?;
    let costs = Deciding { architecture, lock, hand_over, access, migration };
    Some(DecisionCosts { costs, fitted, source })
}

fn fitted(list: &Value<'_, '_>) -> Option<Vec<&'static str>> {
    let items = list.items("names of numbers, such as [\"access\"]")?;
    items.iter().map(|item| item.word("number of decisions", &FITTED)).collect()
}
