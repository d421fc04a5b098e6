//! The list of schedulers, by name.
//!
//! A name is `[N]<scope>-<order>`: `N` for non-preemptive; scope `P` (partitioned: a cluster per processor),
//! `C` (clustered) or `G` (global: one cluster); order as in [`crate::order`]. So `NG-EDF` fills only idle
//! processors with the job of the earliest deadline in the whole system. The others have names of their own.

use crate::order::{self, Needs, Order};
use crate::pfair::{self, Affinity, Supertask};
use crate::{Clustered, Policy, SetupError};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use schedlab_model::{Alignment, ClusterId, CpuId, OrderClass, Platform, Task};

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
pub type MakePolicy = dyn Fn(&ClusterSetup<'_>) -> Result<Box<dyn Policy>, SetupError> + Send + Sync;

/// How to make a policy.
#[derive(Clone)]
pub enum Make {
    /// The clustered engine with an order. Kept apart so that the simulator can compile for it.
    Clustered {
        /// How ready jobs are ordered.
        order: Order,
        /// Whether running jobs give way to more urgent ones.
        preemptive: bool,
    },
    /// Any other policy, also one that is written in another language.
    Other(Arc<MakePolicy>),
}

impl fmt::Debug for Make {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Make::Clustered { order, preemptive } => {
                f.debug_struct("Clustered").field("order", order).field("preemptive", preemptive).finish()
            }
            Make::Other(_) => f.write_str("Other"),
        }
    }
}

/// A scheduler: a scope and a policy for each of its clusters, and all that others must know of it.
#[derive(Clone, Debug)]
pub struct Scheduler {
    /// Its name, as it is printed.
    pub name: String,
    /// Other names that are understood.
    pub aliases: Vec<String>,
    /// Which job goes first, in words that follow a description of its scope.
    pub description: String,
    /// Which processors share a ready queue.
    pub scope: Scope,
    /// How to make its policies.
    pub make: Make,
    /// Where its quantum boundaries lie, if it decides only there; the platform's ticks follow.
    pub quanta: Option<Alignment>,
    /// What tests and locking protocols may rely on.
    pub class: OrderClass,
}

impl Scheduler {
    /// The scheduler that an order and a scope make; the order need not be in the list.
    pub fn of_order(order: Order, preemptive: bool, scope: Scope) -> Scheduler {
        let (letter, words, _) =
            SCOPES.into_iter().find(|(.., known)| *known == scope).expect("all are there");
        let mut prefixes = match preemptive {
            true => vec![format!("{letter}-")],
            false => vec![format!("N{letter}-"), format!("{letter}-NP-")],
        };
        if preemptive {
            prefixes.extend(words.iter().map(|word| format!("{word}-")));
        }
        let orders = || core::iter::once(order.name).chain(order.aliases.iter().copied());
        let mut names =
            prefixes.iter().flat_map(|prefix| orders().map(move |order| format!("{prefix}{order}")));
        let rest = if preemptive { "" } else { "; a job that has started is not preempted" };
        Scheduler {
            name: names.next().expect("an order has a name"),
            aliases: names.collect(),
            description: format!("{}{rest}", order.description),
            scope,
            make: Make::Clustered { order, preemptive },
            quanta: None,
            class: order.rule.class(),
        }
    }

    /// A scheduler of its own kind, of whose order nothing is known: no test applies to it.
    pub fn of_policy(
        name: &str,
        scope: Scope,
        description: &str,
        make: impl Fn(&ClusterSetup<'_>) -> Result<Box<dyn Policy>, SetupError> + Send + Sync + 'static,
    ) -> Scheduler {
        Scheduler {
            name: name.to_string(),
            aliases: Vec::new(),
            description: description.to_string(),
            scope,
            make: Make::Other(Arc::new(make)),
            quanta: None,
            class: OrderClass::Unanalysed,
        }
    }

    /// A policy of this scheduler for one cluster, or what is wrong with the system for it.
    pub fn policy(&self, setup: &ClusterSetup<'_>) -> Result<Box<dyn Policy>, SetupError> {
        match &self.make {
            Make::Clustered { order, preemptive } => Ok(Box::new(Clustered::new(*order, *preemptive, setup))),
            Make::Other(make) => make(setup),
        }
    }

    /// False if a job that has started keeps its processor.
    pub fn is_preemptive(&self) -> bool {
        match self.make {
            Make::Clustered { preemptive, .. } => preemptive,
            Make::Other(_) => true,
        }
    }

    /// What each task has to state besides its usual parameters.
    pub fn needs(&self) -> Needs {
        match self.make {
            Make::Clustered { order, .. } => order.needs,
            Make::Other(_) => Needs::Nothing,
        }
    }

    /// Its name, then its aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        core::iter::once(self.name.as_str()).chain(self.aliases.iter().map(String::as_str))
    }
}

/// Schedulers that are no combination of scope and order. A new one is one file and one line here.
const OTHERS: &[fn() -> Scheduler] = &[pfair::pd2, pfair::s_pd2, pfair::er_pd2, pfair::pf, pfair::pd];

/// The scopes: their letters in names, and the words that LITMUS^RT has for them.
const SCOPES: [(&str, &[&str], Scope); 3] =
    [("P", &["PSN"], Scope::Partitioned), ("C", &[], Scope::Clustered), ("G", &["GSN"], Scope::Global)];

/// Every scheduler.
pub fn all_schedulers() -> Vec<Scheduler> {
    let mut all = Vec::new();
    for preemptive in [true, false] {
        for (_, _, scope) in SCOPES {
            all.extend(order::ALL.iter().map(|&order| Scheduler::of_order(order, preemptive, scope)));
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
        let orders: Vec<&str> = order::ALL.iter().map(|order| order.name).collect();
        write!(f, "(names are [N]{{P,C,G}}-{{{}}}, N for non-preemptive", orders.join(","))?;
        OTHERS.iter().try_for_each(|make| write!(f, ", {}", make().name))?;
        write!(f, ")")
    }
}

impl core::error::Error for UnknownScheduler {}

/// The scheduler called `name`, in any case, aliases included: `G-NP-EDF` is `NG-EDF`, `P-RMS` is `P-RM`,
/// `GSN-EDF` and `PSN-EDF` are LITMUS^RT's names of `G-EDF` and `P-EDF`, `PFAIR` is `PD2`.
pub fn find(name: &str) -> Result<Scheduler, UnknownScheduler> {
    let wanted = name.trim().to_uppercase();
    let mut all = all_schedulers();
    match all.iter().position(|scheduler| scheduler.names().any(|known| known == wanted)) {
        Some(at) => Ok(all.swap_remove(at)),
        None => {
            let similar = all.iter().min_by_key(|scheduler| distance(&scheduler.name, &wanted));
            let similar = similar.map_or_else(String::new, |scheduler| scheduler.name.clone());
            Err(UnknownScheduler { name: name.to_string(), similar })
        }
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
        assert_eq!(all_schedulers().len(), 2 * SCOPES.len() * order::ALL.len() + OTHERS.len());
    }

    #[test]
    fn an_unknown_name_gets_a_proposal() {
        let error = find("G-EFD").unwrap_err();
        assert_eq!(error.similar, "G-EDF");
        assert!(error.to_string().starts_with("unknown scheduler \"G-EFD\"; did you mean \"G-EDF\"?"));
    }
}
