//! Names of schedulers.

pub use schedlab_policy::Scope;

use std::fmt;

/// A scheduler's name, taken apart: `NG-EDF` is non-preemptive, global, `EDF`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchedulerName {
    /// True if a job that has started is not preempted.
    pub non_preemptive: bool,
    /// Where jobs may run.
    pub scope: Scope,
    /// How jobs are ordered: `EDF`, `RM`, `DM`, `FP` or `FIFO`.
    pub order: &'static str,
}

const ORDERS: [&str; 5] = ["EDF", "RM", "DM", "FP", "FIFO"];
const SCOPES: [(&str, Scope); 3] = [("P", Scope::Partitioned), ("C", Scope::Clustered), ("G", Scope::Global)];

impl SchedulerName {
    /// Reads a name or an alias of a scheduler that exists: see [`schedlab_policy::find`].
    pub fn parse(text: &str) -> Option<SchedulerName> {
        let name = schedlab_policy::find(text).ok()?.name;
        SchedulerName::all().find(|known| known.to_string() == name)
    }

    /// All canonical names, preemptive ones first.
    pub fn all() -> impl Iterator<Item = SchedulerName> {
        [false, true].into_iter().flat_map(|non_preemptive| {
            SCOPES.into_iter().flat_map(move |(_, scope)| {
                ORDERS.into_iter().map(move |order| SchedulerName { non_preemptive, scope, order })
            })
        })
    }
}

impl fmt::Display for SchedulerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.scope {
            Scope::Partitioned => "P",
            Scope::Clustered => "C",
            Scope::Global => "G",
        };
        write!(f, "{}{letter}-{}", if self.non_preemptive { "N" } else { "" }, self.order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scheduler_that_exists_has_a_name_here() {
        let known: Vec<String> = SchedulerName::all().map(|name| name.to_string()).collect();
        let mut exist = schedlab_policy::all_schedulers();
        // Those of another make have names without parts.
        exist.retain(|scheduler| matches!(scheduler.make, schedlab_policy::Make::Clustered { .. }));
        let exist: Vec<String> = exist.into_iter().map(|scheduler| scheduler.name).collect();
        assert_eq!(known, exist);
    }

    #[test]
    fn names_read_back_and_aliases_are_accepted() {
        assert_eq!(SchedulerName::all().count(), 30);
        for name in SchedulerName::all() {
            assert_eq!(SchedulerName::parse(&name.to_string()), Some(name));
        }
        for (alias, name) in [
            ("G-NP-EDF", "NG-EDF"),
            ("P-NP-EDF", "NP-EDF"),
            ("P-RMS", "P-RM"),
            ("GSN-EDF", "G-EDF"),
            ("PSN-EDF", "P-EDF"),
        ] {
            assert_eq!(SchedulerName::parse(alias).map(|n| n.to_string()).as_deref(), Some(name));
        }
        for wrong in ["EDF", "G-", "X-EDF", "NNG-EDF", "GSN-RM", "", "-", "N-EDF", "NG-NP-EDF"] {
            assert_eq!(SchedulerName::parse(wrong), None, "{wrong}");
        }
    }
}
