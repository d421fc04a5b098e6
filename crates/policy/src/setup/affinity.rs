//! The rules by which chosen tasks are assigned to processors (staggered-pfair-2005, section III.A).

use core::fmt;
use core::str::FromStr;

/// A rule that assigns chosen tasks to processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Affinity {
    /// None: by urgency, to processors in rising order. Migrates much, as the literature's first schedulers did.
    None,
    /// A task that ran in the slot before keeps its processor (BTB).
    #[default]
    BackToBack,
    /// A processor keeps the task that it ran last, if that is chosen (LS).
    LastScheduled,
    /// A task wants the processor where it ran last; the one that ran more recently gets it (MRP).
    MostRecent,
    /// As most-recent; a task that loses wants the processor where it ran before that, and so on (MRAP).
    MostRecentAvailable,
    /// A task that ran in the slot before goes to a processor of no lower index (section III.B). The weakest rule
    /// that keeps staggered quanta of one task apart.
    DirectedMigration,
}

impl Affinity {
    /// All rules.
    pub const ALL: &'static [Affinity] = &[
        Affinity::None,
        Affinity::BackToBack,
        Affinity::LastScheduled,
        Affinity::MostRecent,
        Affinity::MostRecentAvailable,
        Affinity::DirectedMigration,
    ];

    /// The name in scenarios.
    pub const fn name(self) -> &'static str {
        match self {
            Affinity::None => "none",
            Affinity::BackToBack => "back-to-back",
            Affinity::LastScheduled => "last-scheduled",
            Affinity::MostRecent => "most-recent",
            Affinity::MostRecentAvailable => "most-recent-available",
            Affinity::DirectedMigration => "directed-migration",
        }
    }

    /// Each name, then each alias: the words that scenarios may use.
    pub fn words() -> impl Iterator<Item = &'static str> {
        let all = || Self::ALL.iter().copied();
        all().map(Affinity::name).chain(all().filter_map(Affinity::alias))
    }

    /// Rules that allow staggered quanta, as a list of names.
    pub const STAGGERED: &'static str = "back-to-back, last-scheduled, directed-migration";

    /// Reason why this rule does not allow staggered quanta, as the end of a sentence; `None` if it does.
    pub const fn unsafe_when_staggered(self) -> Option<&'static str> {
        match self {
            Affinity::BackToBack | Affinity::LastScheduled | Affinity::DirectedMigration => None,
            Affinity::None => Some(
                "does not go with staggered quanta: those of consecutive slots overlap, so a task could be on two \
                 processors at once",
            ),
            // Section III.A and B: identifying all tasks of a slot takes O(M) where each processor has O(log N).
            Affinity::MostRecent | Affinity::MostRecentAvailable => Some(
                "does not go with staggered quanta. Where several tasks want one processor, all tasks of the slot say which \
                 gets it. With staggered quanta each processor decides for itself",
            ),
        }
    }

    /// The paper's abbreviation, another name on input. Directed migration has none: DM is deadline-monotonic.
    pub(crate) const fn alias(self) -> Option<&'static str> {
        match self {
            Affinity::None | Affinity::DirectedMigration => None,
            Affinity::BackToBack => Some("BTB"),
            Affinity::LastScheduled => Some("LS"),
            Affinity::MostRecent => Some("MRP"),
            Affinity::MostRecentAvailable => Some("MRAP"),
        }
    }
}

/// Error: no affinity has this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownAffinity;

impl fmt::Display for UnknownAffinity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown affinity; allowed: ")?;
        let mut separator = "";
        for affinity in Affinity::ALL {
            write!(f, "{separator}{}", affinity.name())?;
            separator = ", ";
        }
        Ok(())
    }
}

impl core::error::Error for UnknownAffinity {}

impl FromStr for Affinity {
    type Err = UnknownAffinity;

    fn from_str(name: &str) -> Result<Self, UnknownAffinity> {
        let is_called = |affinity: &Affinity| affinity.name() == name || affinity.alias() == Some(name);
        Self::ALL.iter().copied().find(is_called).ok_or(UnknownAffinity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn names_read_back() {
        for affinity in Affinity::ALL {
            assert_eq!(affinity.name().parse(), Ok(*affinity));
        }
        let error = "sticky".parse::<Affinity>().unwrap_err().to_string();
        for affinity in Affinity::ALL {
            assert!(affinity.alias().is_none_or(|alias| alias.parse() == Ok(*affinity)));
        }
        let names =
            "none, back-to-back, last-scheduled, most-recent, most-recent-available, directed-migration";
        assert_eq!(error, alloc::format!("unknown affinity; allowed: {names}"));
        let all = Affinity::ALL.iter().filter(|affinity| affinity.unsafe_when_staggered().is_none());
        let staggered: alloc::vec::Vec<_> = all.map(|affinity| affinity.name()).collect();
        assert_eq!(staggered.join(", "), Affinity::STAGGERED);
    }
}
