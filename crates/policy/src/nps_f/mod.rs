//! NPS-F: notional processor scheduling with fractional capacity. K. Bletsas and B. Andersson, *Preemption-light
//! multiprocessor scheduling of sporadic tasks with high utilisation bound*, RTSS 2009.
//!
//! 1. *Notional processors.* Tasks are packed into processors that exist on paper only, first fit in the given order,
//!    up to a utilization U of 1 each. There may be more of them than processors.
//! 2. *Slots.* Time is cut into slots of length S, from time zero on, so that d of them fit into the shortest period.
//! 3. *Reserves.* A notional processor has an interval of length Q in each slot. Q is the least whole number of
//!    nanoseconds with `Q (U + d) >= U (d + 1) S`: its utilization is inflated ([`assignment`]).
//! 4. *Flat mapping.* The reserves lie end to end on processor after processor. One that does not end on its processor
//!    goes on at the beginning of the slot on the next one, so that it has the end of each slot here and the beginning
//!    there, never both at once.
//! 5. *EDF.* Within a reserve the tasks of its notional processor execute by EDF, ties by job id. A reserve that has
//!    nothing to execute, and time without a reserve, idle.
//!
//! **Deadlines are met** of sporadic tasks with deadlines equal to their periods, if the sum of all Q is at most m S.
//! The two parts of a reserve that is cut follow each other across the boundary of slots, so that each notional
//! processor has an interval of length Q every S. In any stretch of length t, from k S on up to (k + 1) S, it has at
//! least k Q, and what exceeds (k + 1) S - Q besides; its tasks demand at most U t there, and nothing for t below d S.
//! The supply is scarcest at t = (k + 1) S - Q, where `k Q >= U t` is rule 3 with k for d; of all k from d on, d is the
//! hardest.
//!
//! **What is accepted:** utilizations that add up to at most m (2d + 1) / (2d + 2), with a nanosecond of each reserve
//! to spare. Any two notional processors have more than 1 together, and inflation is concave, so that all inflated
//! utilizations together are at most (2d + 2) / (2d + 1) times what was packed. With d = 4 that is 90 % of the
//! processors, with d = 1 it is 75 %.
//!
//! A decision takes O(n). **Preemptions:** each slot has at most m - 1 reserves more than there are notional
//! processors, and the end of each preempts one job at most, besides one for each arrival. A larger d accepts more, and
//! preempts more often.
//!
//! Tasks of cost 2 and period 4 on two processors, three of them, by hand from the rules with d = 1: A and B fill the
//! first notional processor, which has a processor of its own; C's has 8/3, rounded up to 3, of each slot of 4:
//!
//! ```text
//! P0  AABB
//! P1  CC..
//! ```
//!
//! Tasks of cost 6 and period 10, three of them, on three processors with d = 1: each has 7.5, rounded up to 8, of each
//! slot of 10. B's reserve begins at 8 on the first processor and goes on at 0 on the second one, where C's begins
//! at 6:
//!
//! ```text
//! P0  AAAAAA....
//! P1  BBBBBBCC..
//! P2  CCCC......
//! ```

pub mod assignment;
mod policy;

use crate::scheduler::{Declared, Scheduler, Scope};
use alloc::boxed::Box;
use alloc::format;
use policy::NpsF;
use schedlab_model::{OrderClass, Theorem};

const NAME: &str = "NPS-F";

/// Slots in the shortest period where the name gives none: 90 % of the processors can be used.
const SLOTS: u16 = 4;

/// Slots in the shortest period that a name may give.
const MOST_SLOTS: u16 = 1_000;

fn with_slots(name: &str, slots: u16) -> Scheduler {
    let described = format!(
        "tasks are packed into notional processors, each of which has a reserve in every slot, {slots} slots in the \
         shortest period, and executes its tasks by EDF there"
    );
    let made = Scheduler::of_policy(name, Scope::Global, &described, move |setup| {
        Ok(Box::new(NpsF::new(slots, setup)?))
    });
    let class = OrderClass::Theorem(Theorem::ReservesInSlots(slots));
    made.declaring(Declared { class, preemptive: true })
}

/// `NPS-F`, with four slots in the shortest period.
pub(crate) fn nps_f() -> Scheduler {
    with_slots(NAME, SLOTS)
}

/// `NPS-F[d]`, with `d` slots in the shortest period, from 1 to 1000, such as `NPS-F[1]`.
pub(crate) fn nps_f_in_slots(parameter: &str) -> Option<Scheduler> {
    let slots: u16 = parameter.trim().parse().ok().filter(|slots| (1..=MOST_SLOTS).contains(slots))?;
    Some(with_slots(&format!("{NAME}[{slots}]"), slots))
}
