//! Protocols of one processor.

use crate::assumption::Assumption;
use crate::blocking::edf::Blockers;
use crate::blocking::feed::{demand_watched, response_times_watched};
use crate::blocking::method::{
    partitioned_edf, partitioned_fp, test, Method, DEMAND, FREE, HOME, ONCE, ONE, PLAIN,
};
use crate::blocking::response::Waiting;
use crate::blocking::{npcs as npcs_bound, pcp as pcp_bound, pip as pip_bound, srp as srp_bound};
use crate::blocking::{Judged, Sections, Sharing};
use crate::steps::{Unwatched, Watch};
use schedlab_model::LockingClass;

/// Response times with priority inheritance.
pub(super) const PIP: Method = Method {
    test: test(
        "pip_response_time",
        "Sha, Rajkumar and Lehoczky, IEEE TC 39(9), 1990; Rajkumar 1991",
        &[ONE, PLAIN, HOME, Assumption::BlockedByEachLessUrgent, FREE],
    ),
    classes: &[LockingClass::Inheritance],
    applies: partitioned_fp,
    sections: Sections::Flat,
    judge: |_, sharing| pip(sharing, &mut Unwatched),
    watched: Some(|_, sharing, watch| pip(sharing, watch)),
};

/// Response times with priority ceilings.
pub(super) const PCP: Method = Method {
    test: test(
        "pcp_response_time",
        "Sha, Rajkumar and Lehoczky, IEEE TC 39(9), 1990",
        &[ONE, PLAIN, HOME, ONCE, FREE],
    ),
    classes: &[LockingClass::Ceilings, LockingClass::ImmediateCeilings],
    applies: partitioned_fp,
    sections: Sections::Each,
    judge: |_, sharing| pcp(sharing, &mut Unwatched),
    watched: Some(|_, sharing, watch| pcp(sharing, watch)),
};

/// Response times under the stack resource policy.
pub(super) const SRP: Method = Method {
    test: test("srp_response_time", "Baker, Real-Time Systems 3(1), 1991", &[ONE, PLAIN, HOME, ONCE, FREE]),
    classes: &[LockingClass::Stack],
    applies: partitioned_fp,
    sections: Sections::Each,
    judge: |_, sharing| srp(sharing, &mut Unwatched),
    watched: Some(|_, sharing, watch| srp(sharing, watch)),
};

/// Response times with non-preemptive sections.
pub(super) const NPCS: Method = Method {
    test: test("npcs_response_time", "Mok, dissertation 1983", &[ONE, PLAIN, HOME, ONCE, FREE]),
    classes: &[LockingClass::NonPreemptive],
    applies: partitioned_fp,
    sections: Sections::Each,
    judge: |_, sharing| npcs(sharing, &mut Unwatched),
    watched: Some(|_, sharing, watch| npcs(sharing, watch)),
};

/// Demand under EDF with the stack resource policy.
pub(super) const SRP_DEMAND: Method = Method {
    test: test(
        "srp_demand",
        "Baker, Real-Time Systems 3(1), 1991; Baruah, RTSS 2006",
        &[DEMAND, PLAIN, HOME, ONCE, FREE],
    ),
    classes: &[LockingClass::Stack],
    applies: partitioned_edf,
    sections: Sections::Each,
    judge: |_, sharing| srp_demand(sharing, &mut Unwatched),
    watched: Some(|_, sharing, watch| srp_demand(sharing, watch)),
};

/// Demand under EDF with non-preemptive sections.
pub(super) const NPCS_DEMAND: Method = Method {
    test: test(
        "npcs_demand",
        "Mok, dissertation 1983; Baruah, RTSS 2006",
        &[DEMAND, PLAIN, HOME, ONCE, FREE],
    ),
    classes: &[LockingClass::NonPreemptive],
    applies: partitioned_edf,
    sections: Sections::Each,
    judge: |_, sharing| npcs_demand(sharing, &mut Unwatched),
    watched: Some(|_, sharing, watch| npcs_demand(sharing, watch)),
};

pub(super) fn pip(sharing: &Sharing, watch: &mut impl Watch) -> Judged {
    let terms = pip_bound::watched(sharing, watch);
    response_times_watched(sharing, Waiting::Suspends, &terms, watch)
}

pub(super) fn pcp(sharing: &Sharing, watch: &mut impl Watch) -> Judged {
    let terms = pcp_bound::watched(sharing, watch);
    response_times_watched(sharing, Waiting::Spins, &terms, watch)
}

pub(super) fn srp(sharing: &Sharing, watch: &mut impl Watch) -> Judged {
    let terms = srp_bound::watched(sharing, watch);
    response_times_watched(sharing, Waiting::Spins, &terms, watch)
}

pub(super) fn npcs(sharing: &Sharing, watch: &mut impl Watch) -> Judged {
    let terms = npcs_bound::watched(sharing, watch);
    response_times_watched(sharing, Waiting::Spins, &terms, watch)
}

pub(super) fn srp_demand(sharing: &Sharing, watch: &mut impl Watch) -> Judged {
    // The examination bounds blocking by the length of the interval: these terms are for the reader.
    demand_watched(sharing, srp_bound::bounds(sharing), Blockers::Ceilings, watch)
}

pub(super) fn npcs_demand(sharing: &Sharing, watch: &mut impl Watch) -> Judged {
    demand_watched(sharing, npcs_bound::bounds(sharing), Blockers::NonPreemptive, watch)
}
