//! Preemption levels, which ceilings compare.

/// A preemption level: smaller is higher, as with priority points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(pub u32);

impl Level {
    /// The level below every task.
    pub(crate) const LOWEST: Level = Level(u32::MAX);

    /// True if a task of this level can preempt one of level `other`.
    pub(crate) fn is_higher_than(self, other: Level) -> bool {
        self.0 < other.0
    }

    /// The higher of the two.
    pub(crate) fn higher_of(self, other: Level) -> Level {
        self.min(other)
    }
}
