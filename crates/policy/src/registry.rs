//! The list of schedulers, by name.
//!
//! A name is `[N]<scope>-<order>`: `N` for non-preemptive; scope `P` (partitioned: a cluster per processor),
//! `C` (clustered) or `G` (global: one cluster); order as in [`crate::order`]. So `NG-EDF` fills only idle
//! processors with the job of the earliest deadline in the whole system. The others have names of their own.

use crate::order::{self, Order};
use crate::pfair::{self, Affinity, Supertask};
use crate::{Clustered, Policy, SetupError};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use schedlab_model::{Alignment, ClusterId, CpuId, Platform, Task};

/// Which processors share a ready queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Each processor has its own.
    Partitioned,
    /// Each cluster has its own; the scenario says which processors form one.
    Clustered,
    /// All share one.
    Global,
}

/// What a policy is made for: one cluster of a platform.
#[derive(Clone, Copy, Debug)]
pub struct ClusterSetup<'a> {
    /// Which cluster.
    pub cluster: ClusterId,
    /// Its processors.
    pub cpus: &'a [CpuId],
    /// The whole machine.
    pub platform: &'a Platform,
    /// The tasks of the scenario, those of other clusters included.
    pub tasks: &'a [Task],
    /// How chosen tasks are assigned to processors. Only Pfair policies read it.
    pub affinity: Affinity,
    /// Tasks that compete as one. Only Pfair policies read it; for the others their components are tasks like any.
    pub supertasks: &'a [Supertask],
}

/// Makes a policy, or says what is wrong with the system for it.
pub type MakePolicy = fn(&ClusterSetup<'_>) -> Result<Box<dyn Policy>, SetupError>;

/// How to make a policy.
#[derive(Clone, Copy, Debug)]
pub enum Make {
    /// The clustered engine with an order. Kept apart so that the simulator can compile for it.
    Clustered {
        /// How ready jobs are ordered.
        order: Order,
        /// Whether running jobs give way to more urgent ones.
        preemptive: bool,
    },
    /// Any other policy.
    Other(MakePolicy),
}

/// A scheduler: a scope and a policy for each of its clusters.
#[derive(Clone, Debug)]
pub struct Scheduler {
    /// Its name, as it is printed.
    pub name: String,
    /// Which processors share a ready queue.
    pub scope: Scope,
    /// How to make its policies.
    pub make: Make,
    /// Where its quantum boundaries lie, if it decides only there; the platform's ticks follow.
    pub quanta: Option<Alignment>,
}

impl Scheduler {
    /// A policy of this scheduler for one cluster, or what is wrong with the system for it.
    pub fn policy(&self, setup: &ClusterSetup<'_>) -> Result<Box<dyn Policy>, SetupError> {
        match self.make {
            Make::Clustered { order, preemptive } => Ok(Box::new(Clustered::new(order, preemptive, setup))),
            Make::Other(make) => make(setup),
        }
    }
}

/// Schedulers that are no combination of scope and order. A new one is one file and one line here.
const OTHERS: &[fn() -> Scheduler] = &[pfair::pd2, pfair::s_pd2, pfair::er_pd2, pfair::pf, pfair::pd];

/// Every scheduler.
pub fn all_schedulers() -> Vec<Scheduler> {
    let scopes = [("P", Scope::Partitioned), ("C", Scope::Clustered), ("G", Scope::Global)];
    let mut all = Vec::new();
    for preemptive in [true, false] {
        for (letter, scope) in scopes {
            for &order in order::ALL {
                let name = format!("{}{letter}-{}", if preemptive { "" } else { "N" }, order.name);
                all.push(Scheduler {
                    name,
                    scope,
                    make: Make::Clustered { order, preemptive },
                    quanta: None,
                });
            }
        }
    }
    all.extend(OTHERS.iter().map(|make| make()));
    all
}

/// There is no scheduler of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownScheduler {
    /// The name that was asked for.
    pub name: String,
    /// The most similar name that exists.
    pub similar: String,
}

impl fmt::Display for UnknownScheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown scheduler \"{}\"; did you mean \"{}\"? ", self.name, self.similar)?;
        write!(f, "(names are [N]{{P,C,G}}-{{EDF,RM,DM,FP,FIFO,FL,GEL}}, N for non-preemptive")?;
        OTHERS.iter().try_for_each(|make| write!(f, ", {}", make().name))?;
        write!(f, ")")
    }
}

impl core::error::Error for UnknownScheduler {}

/// The scheduler called `name`, in any case, aliases included: `G-NP-EDF` is `NG-EDF`, `P-RMS` is `P-RM`,
/// `GSN-EDF` and `PSN-EDF` are LITMUS^RT's names of `G-EDF` and `P-EDF`, `PFAIR` is `PD2`.
pub fn find(name: &str) -> Result<Scheduler, UnknownScheduler> {
    let wanted = canonical(name);
    let mut all = all_schedulers();
    match all.iter().position(|scheduler| scheduler.name == wanted) {
        Some(at) => Ok(all.swap_remove(at)),
        None => {
            let similar = all.iter().min_by_key(|scheduler| distance(&scheduler.name, &wanted));
            let similar = similar.map_or_else(String::new, |scheduler| scheduler.name.clone());
            Err(UnknownScheduler { name: name.to_string(), similar })
        }
    }
}

fn canonical(name: &str) -> String {
    let upper = name.trim().to_uppercase();
    match upper.as_str() {
        "GSN-EDF" => return "G-EDF".to_string(),
        "PSN-EDF" => return "P-EDF".to_string(),
        "PFAIR" => return "PD2".to_string(),
        _ => {}
    }
    let upper = match upper.strip_suffix("-RMS") {
        Some(scope) => format!("{scope}-RM"),
        None => upper,
    };
    match upper.split_once("-NP-") {
        Some((scope, order)) => format!("N{scope}-{order}"),
        None => upper,
    }
}

/// Edit distance (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_aliases() {
        for (given, name) in [
            ("G-EDF", "G-EDF"),
            ("g-edf", "G-EDF"),
            ("G-NP-EDF", "NG-EDF"),
            ("P-RMS", "P-RM"),
            ("G-NP-RMS", "NG-RM"),
            ("GSN-EDF", "G-EDF"),
            ("PSN-EDF", "P-EDF"),
            ("NP-EDF", "NP-EDF"),
            ("pfair", "PD2"),
            ("er-pd2", "ER-PD2"),
            ("S-PD2", "S-PD2"),
        ] {
            assert_eq!(find(given).unwrap().name, name);
        }
        assert_eq!(all_schedulers().len(), 42 + OTHERS.len());
    }

    #[test]
    fn an_unknown_name_gets_a_proposal() {
        let error = find("G-EFD").unwrap_err();
        assert_eq!(error.similar, "G-EDF");
        assert!(error.to_string().starts_with("unknown scheduler \"G-EFD\"; did you mean \"G-EDF\"?"));
    }
}
