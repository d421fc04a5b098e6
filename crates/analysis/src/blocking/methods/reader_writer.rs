//! Analysis of reader-writer spin locks, under fixed priorities and under EDF.

use crate::assumption::Assumption;
use crate::blocking::feed::{iterate, oblivious};
use crate::blocking::method::{partitioned_fp, test, Method, FREE, ONCE, ONE, PLAIN, SPIN};
use crate::blocking::response::Waiting;
use crate::blocking::rw_phase_fair;
use crate::blocking::rw_task_fair;
use crate::blocking::{Case, Sections};
use schedlab_model::LockingClass;

const ALL_UNITS: Assumption = Assumption::AllUnitsWrite;

/// True where waiting counts as execution: under EDF, and under fixed priorities on clusters of several processors.
fn waiting_as_execution(case: &Case<'_>) -> bool {
    case.is_edf() || (case.is_fixed_priority() && !case.is_partitioned())
}

/// Task-fair under fixed priorities.
pub(crate) const TASK_FAIR: Method = Method {
    test: test(
        "rw_task_fair_response_time",
        "Brandenburg 2011, section 5.4.3",
        &[ONE, PLAIN, SPIN, ONCE, ALL_UNITS, FREE],
    ),
    classes: &[LockingClass::RwTaskFair],
    applies: partitioned_fp,
    sections: Sections::ReadsAndWrites,
    judge: |_, sharing| {
        iterate(sharing, Waiting::Spins, |responses| rw_task_fair::bounds(sharing, responses, 1))
    },
    watched: None,
};

/// Task-fair under EDF, and under fixed priorities on clusters.
pub(crate) const TASK_FAIR_OBLIVIOUS: Method = Method {
    test: test(
        "rw_task_fair_oblivious",
        "Brandenburg 2011, section 5.4.3",
        &[PLAIN, SPIN, ALL_UNITS, Assumption::DelayedOnArrival, FREE],
    ),
    classes: &[LockingClass::RwTaskFair],
    applies: waiting_as_execution,
    sections: Sections::ReadsAndWrites,
    judge: |case, sharing| {
        oblivious(case, sharing, |responses| rw_task_fair::bounds(sharing, responses, case.processors()))
    },
    watched: None,
};

/// Phase-fair under fixed priorities.
pub(crate) const PHASE_FAIR: Method = Method {
    test: test(
        "rw_phase_fair_response_time",
        "Brandenburg and Anderson, RTS 46(1), 2010; Brandenburg 2011, section 5.4.4",
        &[ONE, PLAIN, SPIN, ONCE, ALL_UNITS, FREE],
    ),
    classes: &[LockingClass::RwPhaseFair],
    applies: partitioned_fp,
    sections: Sections::ReadsAndWrites,
    judge: |_, sharing| {
        iterate(sharing, Waiting::Spins, |responses| rw_phase_fair::bounds(sharing, responses, 1))
    },
    watched: None,
};

/// Phase-fair under EDF, and under fixed priorities on clusters.
pub(crate) const PHASE_FAIR_OBLIVIOUS: Method = Method {
    test: test(
        "rw_phase_fair_oblivious",
        "Brandenburg and Anderson, RTS 46(1), 2010; Brandenburg 2011, section 5.4.4",
        &[PLAIN, SPIN, ALL_UNITS, Assumption::DelayedOnArrival, FREE],
    ),
    classes: &[LockingClass::RwPhaseFair],
    applies: waiting_as_execution,
    sections: Sections::ReadsAndWrites,
    judge: |case, sharing| {
        oblivious(case, sharing, |responses| rw_phase_fair::bounds(sharing, responses, case.processors()))
    },
    watched: None,
};
