//! The list of schedulers, by name.
//!
//! A name is `[N]<scope>-<order>`: `N` for non-preemptive; scope `P` (partitioned: a cluster per processor),
//! `C` (clustered) or `G` (global: one cluster); order as in [`crate::order`]. So `NG-EDF` fills only idle
//! processors with the job of the earliest deadline in the whole system. The others have names of their own.

use crate::dm_us::DM_US;
use crate::edf_us::EDF_US;
use crate::kernel_class::kernel_classes;
use crate::nps_f;
use crate::optimal_schedulers as optimal;
use crate::order::{self, Order};
use crate::pfair_schedulers as pfair;
use crate::prid;
use crate::rm_us::RM_US;
use crate::scheduler::{Scheduler, Scope, SCOPES};
use crate::semi_partitioned;
use crate::utility_schedulers::utility_schedulers;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// Schedulers that are no combination of scope and order. A new one is one file and one line here.
const OTHERS: &[fn() -> Scheduler] = &[
    pfair::pd2,
    pfair::s_pd2,
    pfair::er_pd2,
    pfair::pf,
    pfair::pd,
    pfair::epdf,
    optimal::edzl,
    optimal::fl_zl,
    optimal::llf,
    optimal::mllf,
    optimal::dp_wrap,
    optimal::llref,
    optimal::lre_tl,
    optimal::bf,
    optimal::run,
    optimal::u_edf,
    optimal::ekg,
    optimal::qps,
    nps_f::nps_f,
    || EDF_US.usual(),
    || RM_US.usual(),
    || DM_US.usual(),
    prid::prid,
    semi_partitioned::sp_edf,
];

/// Schedulers that take a parameter in brackets after their names. Without it, they are in [`OTHERS`].
pub const PARAMETRIC: &[Parametric] = &[
    Parametric { name: "EKG", letter: "k", pattern: "[1-9][0-9]*", make: optimal::ekg_in_groups },
    Parametric { name: "NPS-F", letter: "d", pattern: "[1-9][0-9]*", make: nps_f::nps_f_in_slots },
    Parametric { name: EDF_US.name, letter: "x", pattern: FRACTION, make: |x| EDF_US.with(x) },
    Parametric { name: RM_US.name, letter: "x", pattern: FRACTION, make: |x| RM_US.with(x) },
    Parametric { name: DM_US.name, letter: "x", pattern: FRACTION, make: |x| DM_US.with(x) },
    Parametric { name: "PriD", letter: "k", pattern: "[1-9][0-9]*", make: prid::prid_of },
];

/// Regular expression of a positive fraction.
const FRACTION: &str = "[1-9][0-9]* */ *[1-9][0-9]*";

/// A kind of schedulers with a parameter, such as `EKG[2]`.
#[derive(Clone, Copy, Debug)]
pub struct Parametric {
    /// Name of the scheduler without the parameter.
    pub name: &'static str,
    /// Name of the parameter.
    pub letter: &'static str,
    /// Regular expression that each text of the parameter matches.
    pub pattern: &'static str,
    /// Makes the scheduler of a parameter; `None` if the text is no parameter.
    make: fn(&str) -> Option<Scheduler>,
}

impl Parametric {
    /// The name with the letter of the parameter, as `EKG[k]`.
    pub fn shown(&self) -> String {
        format!("{}[{}]", self.name, self.letter)
    }
}

/// All schedulers that have policies. Those of the kernel are in [`kernel_classes`].
pub fn all_schedulers() -> Vec<Scheduler> {
    let mut all = Vec::new();
    for preemptive in [true, false] {
        for (_, _, scope) in SCOPES {
            all.extend(order::ALL.iter().map(|&order| Scheduler::of_order(order, preemptive, scope)));
        }
    }
    all.extend(OTHERS.iter().map(|make| make()));
    all.extend(utility_schedulers());
    all
}

/// Error: no scheduler has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownScheduler {
    /// The unknown name.
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
        PARAMETRIC.iter().try_for_each(|known| write!(f, ", {}", known.shown()))?;
        utility_schedulers().iter().try_for_each(|known| write!(f, ", {}", known.name))?;
        kernel_classes().iter().try_for_each(|class| write!(f, ", {}", class.name))?;
        write!(f, ")")
    }
}

impl core::error::Error for UnknownScheduler {}

/// The scheduler called `name`, in any case, aliases included: `G-NP-EDF` is `NG-EDF`, `P-RMS` is `P-RM`,
/// `GSN-EDF` and `PSN-EDF` are LITMUS^RT's names of `G-EDF` and `P-EDF`, `PFAIR` is `PD2`. Some take a parameter:
/// `EKG[2]`.
pub fn find(name: &str) -> Result<Scheduler, UnknownScheduler> {
    let wanted = name.trim();
    // Each scenario asks several times. Mostly it names an order: the others are not made then.
    if let Some(of_order) = of_order(wanted) {
        return Ok(of_order);
    }
    if let Some(made) = with_parameter(wanted) {
        return Ok(made);
    }
    let mut all = all_schedulers();
    all.extend(kernel_classes());
    match all.iter().position(|scheduler| scheduler.names().any(|known| known.eq_ignore_ascii_case(wanted))) {
        Some(index) => Ok(all.swap_remove(index)),
        None => {
            let nearest = || {
                let far =
                    |scheduler: &&Scheduler| distance(&scheduler.name.to_uppercase(), &wanted.to_uppercase());
                all.iter().min_by_key(far).cloned()
            };
            let similar = of_bare_order(wanted).or_else(nearest);
            let similar = similar.map_or_else(String::new, |scheduler| scheduler.name);
            Err(UnknownScheduler { name: name.to_string(), similar })
        }
    }
}

/// Returns the scheduler called `wanted`, if it is made of an order and a scope.
fn of_order(wanted: &str) -> Option<Scheduler> {
    order::ALL.iter().filter(|order| order.names().any(|known| ends_with(wanted, known))).find_map(|&order| {
        let kinds =
            SCOPES.into_iter().flat_map(|(.., scope)| [true, false].map(|preemptive| (scope, preemptive)));
        kinds
            .map(|(scope, preemptive)| Scheduler::of_order(order, preemptive, scope))
            .find(|scheduler| scheduler.names().any(|known| known.eq_ignore_ascii_case(wanted)))
    })
}

/// Returns the scheduler called `wanted`, if that is a name with a parameter.
fn with_parameter(wanted: &str) -> Option<Scheduler> {
    let (name, parameter) = wanted.strip_suffix(']')?.split_once('[')?;
    let known = PARAMETRIC.iter().find(|known| known.name.eq_ignore_ascii_case(name.trim_end()))?;
    (known.make)(parameter)
}

/// Returns the partitioned scheduler of the order called `name`, because textbooks say `RM` or `EDF` of one processor.
pub fn of_bare_order(name: &str) -> Option<Scheduler> {
    let named = |order: &&Order| order.names().any(|known| known.eq_ignore_ascii_case(name.trim()));
    let &order = order::ALL.iter().find(named)?;
    Some(Scheduler::of_order(order, true, Scope::Partitioned))
}

/// Returns whether the name of a scheduler ends with that of an order, in any case.
fn ends_with(name: &str, order: &str) -> bool {
    let start = name.len().checked_sub(order.len());
    start.and_then(|start| name.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(order))
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
            ("gmua", "gMUA"),
            ("G-MUA", "gMUA"),
            ("G-NP-HVDF", "NG-HVDF"),
            ("ng-gua", "NG-GUA"),
            ("sched_fifo", "SCHED_FIFO"),
            ("SCHED_DEADLINE", "SCHED_DEADLINE"),
            ("ekg[2]", "EKG[2]"),
            ("EDF-US[1 / 2]", "EDF-US[1/2]"),
            ("g-edf-us", "EDF-US"),
            ("rm-us[ 1/3 ]", "RM-US[1/3]"),
            ("G-DM-US", "DM-US"),
            ("g-mllf", "MLLF"),
            ("g-prid", "PriD"),
            ("prid[ 3 ]", "PriD[3]"),
        ] {
            assert_eq!(find(given).unwrap().name, name);
        }
        let orders = 2 * SCOPES.len() * order::ALL.len();
        assert_eq!(all_schedulers().len(), orders + OTHERS.len() + utility_schedulers().len());
    }

    #[test]
    fn parameters_have_their_ranges() {
        for wrong in [
            "EKG[0]",
            "EKG[-1]",
            "EKG[]",
            "EKG[2",
            "EDF-US[2]",
            "EDF-US[3/2]",
            "EDF-US[0/1]",
            "RM-US[3/2]",
            "PriD[0]",
            "RUN[2]",
        ] {
            assert!(find(wrong).is_err(), "{wrong}");
        }
        assert_eq!(find("EKG[0]").unwrap_err().similar, "EKG");
    }

    #[test]
    fn an_unknown_name_gets_a_proposal() {
        let error = find("G-EFD").unwrap_err();
        assert_eq!(error.similar, "G-EDF");
        assert!(error.to_string().starts_with("unknown scheduler \"G-EFD\"; did you mean \"G-EDF\"?"));
        for (bare, meant) in
            [("RM", "P-RM"), ("edf", "P-EDF"), ("DM", "P-DM"), ("RMS", "P-RM"), ("FIFO", "P-FIFO")]
        {
            assert_eq!(find(bare).unwrap_err().similar, meant);
        }
    }
}
