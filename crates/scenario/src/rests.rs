//! What an answer about a scenario leaves out, and what it rests on besides the scenario's own numbers. Every answer
//! has these lines from here.

use crate::aspect::shortened;
use crate::scenario::Scenario;
use crate::words::Wcets;
use schedlab_model::{OverheadKind, Statistic};
use std::fmt;

/// A condition that the scenario itself puts on every promise about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestsOn {
    /// A statistic of the overheads is charged that measured values exceed.
    Statistic {
        /// The name of the statistic, such as `mean`.
        statistic: &'static str,
        /// The name of the overheads.
        overheads: String,
    },
    /// The WCETs are the largest costs that were observed.
    ObservedCosts,
}

impl fmt::Display for RestsOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RestsOn::Statistic { statistic, overheads } => {
                write!(f, "overheads are at most the {statistic} (not the largest) of those of {overheads}")
            }
            RestsOn::ObservedCosts => {
                write!(f, "execution times are at most those observed, which proves no bound on them")
            }
        }
    }
}

impl Scenario {
    /// Lists what an answer about this scenario leaves out, a line each: what was ignored when the scenario was read,
    /// what its scheduler does not heed, and measured overheads that nothing charges.
    pub fn all_left_out(&self) -> Vec<String> {
        self.left_out.iter().cloned().chain(self.unheeded_lines()).chain(self.uncharged()).collect()
    }

    fn uncharged(&self) -> Option<String> {
        let names = self.overheads.profile.uncharged();
        (!names.is_empty()).then(|| {
            let overheads = self.overheads.in_words();
            format!("{overheads}: {}, for which nothing is charged", shortened(&names))
        })
    }

    /// Lists the conditions that this scenario puts on every promise about it.
    pub fn rests_on(&self) -> Vec<RestsOn> {
        let observed = (self.wcets == Wcets::Observed).then_some(RestsOn::ObservedCosts);
        self.rests_on_statistic().into_iter().chain(observed).collect()
    }

    /// The condition that overheads are at most a statistic of theirs; `None` if the largest values are charged, or
    /// nothing.
    pub fn rests_on_statistic(&self) -> Option<RestsOn> {
        let choice = &self.overheads;
        let charges = || !choice.profile.objects.is_empty() || !self.charged().overheads.are_none();
        (choice.statistic != Statistic::Max && charges()).then(|| RestsOn::Statistic {
            statistic: choice.statistic_name(),
            overheads: choice.in_words().to_owned(),
        })
    }

    /// Lists the kinds of overhead without a value under the scenario's scheduler: nothing is charged for them.
    pub fn unknown_overheads(&self) -> Vec<OverheadKind> {
        self.charged().unknown(self.overheads.statistic).collect()
    }
}
