//! Which overheads a question about locks charges.

use crate::catalog::Catalog;
use schedlab_analysis::overheads::locks::Account;
use schedlab_model::{OverheadKind, Overheads};
use schedlab_scenario::{Charged, OverheadProfile};

/// Which overheads are charged.
#[derive(Clone, Debug)]
pub(super) struct Charges {
    pub(super) profile: OverheadProfile,
    /// Nothing but what locks and context switches take.
    pub(super) locks_alone: bool,
    pub(super) account: Account,
}

/// How a question calls the overheads that are given beside it.
const GIVEN: &str = "given";
/// What follows the name of overheads of which [`OF_LOCKS`] count alone.
const LOCKS_ALONE: &str = ":locks";
const OF_LOCKS: [OverheadKind; 3] =
    [OverheadKind::ContextSwitch, OverheadKind::LockAcquire, OverheadKind::LockRelease];

impl Charges {
    pub(super) fn named(word: &str, given: Option<&OverheadProfile>, catalog: &Catalog) -> Option<Charges> {
        let (name, locks_alone) = match word.strip_suffix(LOCKS_ALONE) {
            Some(name) => (name, true),
            None => (word, false),
        };
        let profile = if name == GIVEN { given.cloned() } else { catalog.overheads(name) };
        profile.map(|profile| Charges { profile, locks_alone, account: Account::Safe })
    }

    pub(super) fn of(&self, scheduler: &str, protocol: &str) -> Charged {
        let mut charged = self.profile.charged(scheduler, protocol);
        if self.locks_alone {
            let mut overheads = Overheads::default();
            OF_LOCKS.iter().for_each(|&kind| overheads.set(kind, charged.overheads.get(kind).clone()));
            charged.overheads = overheads;
        }
        charged
    }
}
