//! The registered utility-accrual schedulers, by name.
//!
//! LBESA and DASA are algorithms for one processor, so they are partitioned. The others are defined for any number of
//! processors that share their jobs: all of them, or those of a cluster. gMUA on one processor is LBESA.

use crate::scheduler::{Make, Scheduler, Scope};
use crate::utility::{UtilityKind, DASA, DASA_ND, G_GUA, G_MUA, G_NP_HVDF, HVDF, LBESA, NG_GUA};
use alloc::string::ToString;
use alloc::vec::Vec;

/// Names, aliases, scopes and algorithms. A new scheduler is one line here.
const ALL: &[(&str, &[&str], Scope, UtilityKind)] = &[
    ("P-HVDF", &[], Scope::Partitioned, HVDF),
    ("C-HVDF", &[], Scope::Clustered, HVDF),
    ("G-HVDF", &[], Scope::Global, HVDF),
    ("NP-HVDF", &["P-NP-HVDF"], Scope::Partitioned, G_NP_HVDF),
    ("NC-HVDF", &["C-NP-HVDF"], Scope::Clustered, G_NP_HVDF),
    ("NG-HVDF", &["G-NP-HVDF"], Scope::Global, G_NP_HVDF),
    ("P-LBESA", &[], Scope::Partitioned, LBESA),
    ("P-DASA", &["DASA"], Scope::Partitioned, DASA),
    ("P-DASA-ND", &[], Scope::Partitioned, DASA_ND),
    ("C-gMUA", &["C-MUA"], Scope::Clustered, G_MUA),
    ("gMUA", &["G-MUA"], Scope::Global, G_MUA),
    ("C-NG-GUA", &[], Scope::Clustered, NG_GUA),
    ("NG-GUA", &[], Scope::Global, NG_GUA),
    ("C-G-GUA", &[], Scope::Clustered, G_GUA),
    ("G-GUA", &[], Scope::Global, G_GUA),
];

/// All utility-accrual schedulers.
pub(crate) fn utility_schedulers() -> Vec<Scheduler> {
    let named = |(name, aliases, scope, kind): &(&str, &[&str], Scope, UtilityKind)| Scheduler {
        name: name.to_string(),
        aliases: aliases.iter().map(|alias| alias.to_string()).collect(),
        description: kind.description.to_string(),
        scope: *scope,
        make: Make::Utility(*kind),
        quanta: None,
    };
    ALL.iter().map(named).collect()
}
