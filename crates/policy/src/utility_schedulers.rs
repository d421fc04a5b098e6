//! The registered utility-accrual schedulers, by name.
//!
//! LBESA and DASA are algorithms for one processor, so they are partitioned. The others are defined for any number of
//! processors that share their jobs: all of them, or those of a cluster. gMUA on one processor is LBESA.

use crate::scheduler::{Make, Scheduler, Scope};
use crate::utility::{dasa, dasa_nd, g_gua, g_np_hvdf, gmua, hvdf, lbesa, ng_gua, UtilityKind};
use alloc::string::ToString;
use alloc::vec::Vec;

/// Names, aliases, scopes and algorithms. A new scheduler is one line here.
const ALL: &[(&str, &[&str], Scope, UtilityKind)] = &[
    ("P-HVDF", &[], Scope::Partitioned, hvdf::KIND),
    ("C-HVDF", &[], Scope::Clustered, hvdf::KIND),
    ("G-HVDF", &[], Scope::Global, hvdf::KIND),
    ("NP-HVDF", &["P-NP-HVDF"], Scope::Partitioned, g_np_hvdf::KIND),
    ("NC-HVDF", &["C-NP-HVDF"], Scope::Clustered, g_np_hvdf::KIND),
    ("NG-HVDF", &["G-NP-HVDF"], Scope::Global, g_np_hvdf::KIND),
    ("P-LBESA", &[], Scope::Partitioned, lbesa::KIND),
    ("P-DASA", &["DASA"], Scope::Partitioned, dasa::KIND),
    ("P-DASA-ND", &[], Scope::Partitioned, dasa_nd::KIND),
    ("C-gMUA", &["C-MUA"], Scope::Clustered, gmua::KIND),
    ("gMUA", &["G-MUA"], Scope::Global, gmua::KIND),
    ("C-NG-GUA", &[], Scope::Clustered, ng_gua::KIND),
    ("NG-GUA", &[], Scope::Global, ng_gua::KIND),
    ("C-G-GUA", &[], Scope::Clustered, g_gua::KIND),
    ("G-GUA", &[], Scope::Global, g_gua::KIND),
];

/// Every one.
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
