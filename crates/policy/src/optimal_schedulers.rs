//! The registered optimal and nearly optimal global schedulers, by name.

use crate::ekg::Ekg;
use crate::fluid::{boundary_fair, dp_wrap as wrap_around, LocalPlane, LLREF, LRE_TL};
use crate::laxity::{ByLaxity, EDZL, FL_ZL, LLF, MLLF};
use crate::qps::Qps;
use crate::run::Run;
use crate::scheduler::{Declared, Scheduler, Scope};
use crate::setup::{ClusterSetup, SetupError};
use crate::uedf::Uedf;
use crate::Policy;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{OrderClass, Theorem};

/// A preemptive global scheduler of this class.
fn global(
    (name, aliases): (&str, Vec<String>),
    class: OrderClass,
    description: &str,
    make: fn(&ClusterSetup<'_>) -> Result<Box<dyn Policy>, SetupError>,
) -> Scheduler {
    let made = Scheduler::of_policy(name, Scope::Global, description, make);
    Scheduler { aliases, ..made.declaring(Declared { class, preemptive: true }) }
}

/// A global scheduler that is optimal for synchronous periodic tasks.
fn optimal(
    name: &str,
    description: &str,
    make: fn(&ClusterSetup<'_>) -> Result<Box<dyn Policy>, SetupError>,
) -> Scheduler {
    global((name, Vec::new()), OrderClass::Theorem(Theorem::OptimalForPeriodic), description, make)
}

/// `EDZL`: earliest deadline until zero laxity.
pub(crate) fn edzl() -> Scheduler {
    global(
        ("EDZL", vec!["G-EDZL".into()]),
        OrderClass::Theorem(Theorem::MeetsWhatEdfMeets),
        "a job that can wait no longer goes first, then the earliest deadline",
        |setup| Ok(Box::new(ByLaxity::new(EDZL, setup)?)),
    )
}

/// `G-FL-ZL`: fair lateness until zero laxity.
pub(crate) fn fl_zl() -> Scheduler {
    global(
        ("G-FL-ZL", vec!["FL-ZL".into()]),
        OrderClass::Unanalysed,
        "a job that can wait no longer goes first, then the earliest deadline less a share of the WCET",
        |setup| Ok(Box::new(ByLaxity::new(FL_ZL, setup)?)),
    )
}

/// `LLF`: least laxity first, compared at quantum boundaries.
pub(crate) fn llf() -> Scheduler {
    global(
        ("LLF", vec!["G-LLF".into()]),
        OrderClass::Unanalysed,
        "the job that can wait the least goes first, compared at quantum boundaries, arrivals and completions",
        |setup| Ok(Box::new(ByLaxity::new(LLF, setup)?)),
    )
}

/// `MLLF`: least laxity first, without thrashing.
pub(crate) fn mllf() -> Scheduler {
    global(
        ("MLLF", vec!["G-MLLF".into()]),
        OrderClass::Theorem(Theorem::OptimalOnOneProcessor),
        "the job that can wait the least goes first, and goes on until the first deadline of the others comes near",
        |setup| Ok(Box::new(ByLaxity::new(MLLF, setup)?)),
    )
}

/// `DP-WRAP`: proportional shares of each slice between deadlines, laid end to end.
pub(crate) fn dp_wrap() -> Scheduler {
    optimal(
        "DP-WRAP",
        "each slice between deadlines is shared by utilization and laid out end to end",
        wrap_around,
    )
}

/// `LLREF`: the largest local remaining executions first.
pub(crate) fn llref() -> Scheduler {
    optimal(
        "LLREF",
        "each slice between deadlines is shared by utilization; at events the largest rests go first",
        |setup| Ok(Box::new(LocalPlane::new(LLREF, setup)?)),
    )
}

/// `LRE-TL`: as LLREF, but chosen jobs stay.
pub(crate) fn lre_tl() -> Scheduler {
    optimal(
        "LRE-TL",
        "each slice between deadlines is shared by utilization; jobs give way only to those that can wait no longer",
        |setup| Ok(Box::new(LocalPlane::new(LRE_TL, setup)?)),
    )
}

/// `BF`: boundary fair, in quanta.
pub(crate) fn bf() -> Scheduler {
    optimal(
        "BF",
        "whole quanta are shared fairly in each slice between deadlines, and laid out end to end",
        boundary_fair,
    )
}

/// `RUN`: reduction to uniprocessors.
pub(crate) fn run() -> Scheduler {
    optimal(
        "RUN",
        "servers and their duals are packed until EDF on one processor decides who runs",
        |setup| Ok(Box::new(Run::new(setup)?)),
    )
}

/// `U-EDF`: EDF with shares of processors set aside for later jobs.
pub(crate) fn u_edf() -> Scheduler {
    optimal(
        "U-EDF",
        "the earliest deadlines are allotted processors first, and leave shares for later jobs",
        |setup| Ok(Box::new(Uedf::new(setup)?)),
    )
}

/// `QPS`: quasi-partitioned scheduling.
pub(crate) fn qps() -> Scheduler {
    global(
        ("QPS", Vec::new()),
        OrderClass::Theorem(Theorem::QuasiPartitions),
        "tasks that fit share a processor by EDF; others do until all are active, then by servers on two processors",
        |setup| Ok(Box::new(Qps::new(setup)?)),
    )
}

/// `EKG`: tasks are split between neighbouring processors, all of which form one group.
pub(crate) fn ekg() -> Scheduler {
    optimal(
        "EKG",
        "tasks are split between neighbouring processors and share each slice between arrivals; others go by EDF there",
        |setup| Ok(Box::new(Ekg::new(None, setup)?)),
    )
}

/// `EKG[k]`: as EKG, with tasks split within groups of `k` processors only.
pub(crate) fn ekg_in_groups(parameter: &str) -> Option<Scheduler> {
    let k: u16 = parameter.trim().parse().ok().filter(|k| *k > 0)?;
    let described = format!(
        "tasks are split between neighbouring processors of groups of {k}, and share each slice between arrivals there; \
         others go by EDF on their processors"
    );
    let made = Scheduler::of_policy(&format!("EKG[{k}]"), Scope::Global, &described, move |setup| {
        Ok(Box::new(Ekg::new(Some(k), setup)?))
    });
    let class = OrderClass::Theorem(Theorem::SplitsWithinGroups(k));
    Some(made.declaring(Declared { class, preemptive: true }))
}
