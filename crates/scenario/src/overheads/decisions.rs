//! Decisions of processors that share a queue: `decisions` of an overheads file.

use crate::document::{duration, prose, Table, Value};
use crate::field;
use crate::quantity::DURATION;
use crate::words::{names, FITTED, PARTS, QUEUE_HAND_OVER};
use schedlab_model::{Architecture, Deciding, Duration, OwnLock, QueueLock};

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
    let queue = queue(&table, architecture)?;
    let fitted = table.given_or("fitted", Vec::new(), fitted)?;
    let source = table.needed("source", "where the numbers come from", prose)?;
    let costs = Deciding { architecture, lock, hand_over, access, migration, queue };
    Some(DecisionCosts { costs, fitted, source })
}

/// Reads the lock that the queue has of its own: both of its fields, or none.
fn queue(table: &Table<'_, '_>, architecture: Architecture) -> Option<Option<OwnLock>> {
    let word = |value: &Value<'_, '_>| value.choice("lock", &QueueLock::NAMED);
    // A word that does not exist is refused as such.
    table.given("queue_lock", word)?;
    let given = [table.get("queue_lock"), table.get(QUEUE_HAND_OVER)].into_iter().flatten().next();
    let Some(value) = given else { return Some(None) };
    if architecture == Architecture::Concurrent {
        return value.refused(
            "stands where each processor decides for itself, under the lock of the queue",
            "lock and hand_over, which are the queue's, or queue_lock with stop-the-world alone",
        );
    }
    let locks = names(&QueueLock::NAMED).join(", ");
    let lock = table.needed("queue_lock", &locks, word)?;
    let hand_over = table.needed(QUEUE_HAND_OVER, DURATION, duration)?;
    Some(Some(OwnLock { lock, hand_over }))
}

fn fitted(list: &Value<'_, '_>) -> Option<Vec<&'static str>> {
    let items = list.items("names of numbers, such as [\"access\"]")?;
    items.iter().map(|item| item.word("number of decisions", &FITTED)).collect()
}
